"""Recoded rows: nothing lost, nothing doubled, as many in each class as asked, the same in any order."""

from __future__ import annotations

import datetime as dt
import decimal
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canaries import CANARY
from engines.recodings import LEFT_OUT, functional, keys_of, listed, recoding, released, rows_of, text
from strategies import tables
from tclose import Roles, audit
from tclose.engines.duckdb import recoded as pieces_of_duckdb
from tclose.engines.duckdb.session import DuckDBSession
from tclose.engines.recoding import folded
from tclose.errors import ColumnNotFoundError, EmptyTableError, InputError, InternalError

PEOPLE = {
    "name": ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay"],
    "age": [39, 41, 39, None, 50, 41],
    "zip": ["476", "476", "479", "479", "476", "476"],
    "disease": ["flu", "ulcer", "flu", "flu", None, "ulcer"],
}


def as_tuples(rows):
    return [tuple(row.values()) for row in rows]


@settings(deadline=None, max_examples=50)
@given(tables(most_rows=10), st.booleans())
def test_recoding_to_the_values_themselves_gives_the_table_back(table, counted):
    columns = table.as_mapping()
    plan = functional(columns, table.quasi, table.sensitive, text, counted=counted)
    release = released(columns, plan)
    shown = [(*text(row[: len(table.quasi)]), *row[len(table.quasi) :]) for row in table.rows]
    assert Counter(as_tuples(listed(release))) == Counter(shown)
    assert release.rows == len(table.rows)


@st.composite
def divided(draw):
    """A table with a column that tells rows apart, and pieces that divide equal rows at random."""
    rows = draw(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([1, 2, None])), min_size=1, max_size=25))
    columns = {"q": [q for q, _ in rows], "s": [s for _, s in rows], "person": list(range(len(rows)))}
    pieces = []
    for key, count in Counter(rows).items():
        while count:
            part = draw(st.integers(1, count))
            cells = draw(st.sampled_from([LEFT_OUT, ("A",), ("B",), (None,)]))
            pieces.append((key, cells, part))
            count -= part
    return columns, pieces


def plan_of(pieces, columns=("person", "s", "q"), seed=7):
    return recoding(pieces, columns=columns, keys=("q", "s"), quasi=("q",), seed=seed)


def test_pieces_that_publish_the_same_are_one_where_they_are_many():
    """A dozen pieces publish one class of two values, or leave them out; of three pieces nothing is gained."""
    keys = [(f"q{at}", value) for at in range(6) for value in "xy"]
    pieces = [(key, ("A",) if at % 4 < 3 else LEFT_OUT, at + 1) for at, key in enumerate(keys)]
    plan = plan_of(pieces, ("s", "q"))
    few = folded(plan)
    assert few.keys == ("s",)
    assert few.values == (["x", "y"],)
    told = Counter()
    for (_, value), cells, count in pieces:
        told[cells is LEFT_OUT, value] += count
    found = zip(few.classes.tolist(), few.codes[:, 0].tolist(), few.counts.tolist(), strict=True)
    assert {(of < 0, "xy"[code]): count for of, code, count in found} == told
    few_pieces = plan_of(pieces[:3], ("s", "q"))
    assert folded(few_pieces) is few_pieces


@settings(deadline=None, max_examples=60)
@given(divided(), st.booleans())
def test_rows_with_the_same_key_are_divided_as_asked(table_and_pieces, traceable):
    columns, pieces = table_and_pieces
    kept = Counter()
    for (_, sensitive), cells, count in pieces:
        if cells is not LEFT_OUT:
            kept[*cells, sensitive] += count
    names = ("person", "s", "q") if traceable else ("s", "q")
    if not kept:
        with pytest.raises(EmptyTableError):
            released(columns, plan_of(pieces, names))
        return
    rows = listed(released(columns, plan_of(pieces, names)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces_of_duckdb, "folded", lambda recoding: recoding)
        assert listed(released(columns, plan_of(pieces, names))) == rows
    assert Counter((row["q"], row["s"]) for row in rows) == kept
    if traceable:
        people = [row["person"] for row in rows]
        assert len(set(people)) == len(people)
        assert all(columns["s"][row["person"]] == row["s"] for row in rows)
        asked, found = defaultdict(Counter), defaultdict(Counter)
        for key, cells, count in pieces:
            asked[key][cells] += count
        for row in rows:
            found[columns["q"][row["person"]], row["s"]][(row["q"],)] += 1
        for key, cells in asked.items():
            assert found[key] == Counter({cell: n for cell, n in cells.items() if cell is not LEFT_OUT})


@settings(deadline=None, max_examples=30)
@given(divided(), st.randoms(use_true_random=False), st.booleans())
def test_a_shuffled_table_and_other_threads_give_the_same_release(table_and_pieces, random, traceable):
    columns, pieces = table_and_pieces
    if all(cells is LEFT_OUT for _, cells, _ in pieces):
        pieces = [(key, ("A",), count) for key, _, count in pieces]
    order = random.sample(range(len(columns["q"])), len(columns["q"]))
    shuffled = {name: [values[at] for at in order] for name, values in columns.items()}
    plan = plan_of(pieces, ("person", "s", "q") if traceable else ("s", "q"))
    assert listed(released(columns, plan, threads=1)) == listed(released(shuffled, plan, threads=2))


def test_the_seed_decides_which_of_several_rows_goes_where():
    columns = {"q": ["a"] * 40, "s": [1] * 40, "person": list(range(40))}
    pieces = [(("a", 1), ("A",), 20), (("a", 1), ("B",), 20)]
    people = {
        frozenset(row["person"] for row in listed(released(columns, plan_of(pieces, seed=seed))) if row["q"] == "A")
        for seed in range(5)
    }
    assert len(people) == 5


def test_the_order_of_the_release_follows_neither_the_table_nor_a_column():
    columns = {"q": ["a"] * 200, "s": [1] * 200, "person": list(range(200))}
    people = [row["person"] for row in listed(released(columns, plan_of([(("a", 1), ("A",), 200)])))]
    assert sorted(people) == columns["person"]
    assert people not in (sorted(people), sorted(people, reverse=True))


def test_a_row_in_thousands_is_repeated_as_often_as_it_occurs():
    columns = {"q": ["a"] * 5000 + ["b"] * 2048 + ["c"], "s": ["x"] * 7049}
    rows = listed(released(columns, functional(columns, ["q"], ["s"], text)))
    assert Counter(row["q"] for row in rows) == {"a": 5000, "b": 2048, "c": 1}
    assert len([at for at in range(1, len(rows)) if rows[at] != rows[at - 1]]) == 2


def test_the_order_is_the_same_whether_counts_are_given_or_found():
    columns = {name: PEOPLE[name] * 50 for name in ("age", "zip", "disease")}
    plans = [functional(columns, ["age", "zip"], ["disease"], text, counted=each) for each in (True, False)]
    one, other = (listed(released(columns, plan)) for plan in plans)
    assert one == other


def test_what_is_not_named_is_not_published():
    plan = functional(PEOPLE, ["age", "zip"], ["disease"], text, published=["disease", "zip"])
    rows = listed(released(PEOPLE, plan))
    assert all(list(row) == ["disease", "zip"] for row in rows)
    assert Counter(as_tuples(rows)) == Counter(zip(PEOPLE["disease"], PEOPLE["zip"], strict=True))


def test_a_column_that_is_not_there_is_named():
    plan = functional(PEOPLE, ["age", "zip"], ["disease"], text, published=["disease", "zap"])
    with pytest.raises(ColumnNotFoundError, match="zap"):
        released(PEOPLE, plan)


def test_labels_stand_for_classes_and_none_is_a_missing_cell():
    labels = {"476": "47*", "479": None}
    plan = functional(PEOPLE, ["zip"], [], lambda key: (labels[key[0]],), published=["zip", "disease"])
    expected = Counter((labels[zip_], disease) for zip_, disease in zip(PEOPLE["zip"], PEOPLE["disease"], strict=True))
    assert Counter(as_tuples(listed(released(PEOPLE, plan)))) == expected


def test_a_quasi_identifier_is_text_whatever_is_published_of_it():
    shown = {True: "40", False: None}
    plan = functional(PEOPLE, ["age"], [], lambda key: (shown[bool(key[0])],), published=["age"])
    release = released(PEOPLE, plan)
    assert Counter(row["age"] for row in listed(release)) == {"40": 5, None: 1}
    assert release.columns[0].type == "VARCHAR"


NEWCOMER = {name: [*values, values[0]] for name, values in PEOPLE.items()} | {
    "zip": [*PEOPLE["zip"], CANARY],
    "name": [*PEOPLE["name"], "Guy"],
}


@pytest.mark.parametrize("published", [["age", "zip"], ["age", "zip", "name"]], ids=["keys alone", "other columns"])
def test_rows_that_the_recoding_does_not_know_are_counted_and_never_quoted(published):
    plan = functional(PEOPLE, ["age", "zip"], [], text, counted=False, published=published)
    with pytest.raises(InputError, match=r"becomes of 1 row ") as refusal:
        released(NEWCOMER, plan)
    assert CANARY not in str(refusal.value)
    release = released(NEWCOMER, plan, unknown="drop")
    assert release.unknown == 1
    assert Counter(as_tuples(listed(release))) == Counter(as_tuples(listed(released(PEOPLE, plan))))


OTHER_ROWS = {
    "one more": {name: [*values, values[0]] for name, values in PEOPLE.items()},
    "one less": {name: values[1:] for name, values in PEOPLE.items()},
    "one of another kind": {name: [*values[1:], values[1]] for name, values in PEOPLE.items()},
}


@pytest.mark.parametrize("unknown", ["refuse", "drop"])
@pytest.mark.parametrize(
    ("change", "published"),
    [
        ("one more", ["age", "zip"]),
        ("one less", ["age", "zip"]),
        ("one more", ["age", "zip", "name"]),
        ("one less", ["age", "zip", "name"]),
        ("one of another kind", ["age", "zip", "name"]),
    ],
)
def test_a_recoding_with_counts_fits_only_the_rows_it_was_made_for(change, published, unknown):
    plan = functional(PEOPLE, ["age", "zip"], [], text, published=published)
    with pytest.raises(InputError, match="just those rows"):
        released(OTHER_ROWS[change], plan, unknown=unknown)


def test_a_recoding_that_leaves_out_everybody_releases_nothing():
    with pytest.raises(EmptyTableError, match="leaves out every row"):
        released(PEOPLE, functional(PEOPLE, ["age"], [], lambda _: LEFT_OUT))


def test_without_counts_a_key_has_one_piece():
    pieces = [((39,), ("A",), 1), ((39,), ("B",), 1)]
    with pytest.raises(InternalError, match="several classes"):
        released({"age": [39, 39]}, recoding(pieces, columns=["age"], keys=["age"], quasi=["age"], counted=False))


def test_without_quasi_identifiers_the_table_is_one_class():
    plan = functional(PEOPLE, [], [], text, published=["disease"])
    assert Counter(row["disease"] for row in listed(released(PEOPLE, plan))) == Counter(PEOPLE["disease"])


TYPED = {
    "whole": ([3, -2, None, 10], ["3", "-2", None, "10"]),
    "long": ([10**30, -(10**30)], [str(10**30), str(-(10**30))]),
    "real": ([0.1, -1e300, None, 3.0], ["0.1", "-1e+300", None, "3"]),
    "decimal": ([decimal.Decimal("1.50"), decimal.Decimal("-2")], ["1.5", "-2.00"]),
    "text": (["b", "", None, "007", "NULL"], ["b", "", None, "007", "NULL"]),
    "date": ([dt.date(2020, 2, 1), dt.date(999, 1, 1), None], ["2020-02-01", "0999-01-01", None]),
    "time": ([dt.datetime(2020, 2, 1, 3, 4, 5, 6), None], ["2020-02-01T03:04:05.000006", None]),
    "clock": ([dt.time(3, 4, 5, 6), None], ["03:04:05.000006", None]),
    "truth": ([True, False, None], ["true", "false", None]),
    "nanosecond": (
        [np.datetime64("2020-01-01T00:00:00.000000001"), np.datetime64("2020-01-01T00:00:00.000000002")],
        ["2020-01-01 00:00:00.000000001", "2020-01-01 00:00:00.000000002"],
    ),
}


def frame_of(kind):
    values, texts = TYPED[kind]
    if kind != "nanosecond":
        return {"k": values}, values, texts
    import pyarrow as pa

    return pa.table({"k": pa.array(values, pa.timestamp("ns"))}), values, texts


@pytest.mark.parametrize("kind", TYPED)
def test_key_values_may_come_as_the_engine_gave_them_or_as_texts(kind):
    frame, values, texts = frame_of(kind)
    session = DuckDBSession()
    observed = session.distinct(session.open(frame), ["k"], [], lambda *_: None).quasi[0]
    assert len(observed.values) == len(values)
    for given_values in (list(observed.values), texts):
        pieces = [((value,), (f"label {at}",), 1) for at, value in enumerate(given_values)]
        plan = recoding(pieces, columns=["k"], keys=["k"], quasi=["k"], counted=False)
        rows = listed(released(frame, plan))
        assert sorted(row["k"] for row in rows) == [f"label {at}" for at in range(len(values))]


@pytest.mark.parametrize(
    ("values", "near"),
    [
        ([2, 5], "1.5"),
        ([2, 5], "two"),
        ([decimal.Decimal("1.56"), decimal.Decimal("2")], "1.555"),
        ([dt.date(2020, 1, 1)], "2020-01-01 10:00:00"),
    ],
    ids=["half", "word", "third digit", "hour"],
)
def test_a_text_stands_only_for_the_value_it_is_not_for_one_it_rounds_to(values, near):
    plan = recoding([((near,), ("A",), 1)], columns=["k"], keys=["k"], quasi=["k"], counted=False)
    with pytest.raises(InputError, match=rf"{len(values)} row"):
        released({"k": values}, plan)


def test_texts_that_are_one_value_in_the_table_are_refused():
    pieces = [(("7",), ("A",), 1), (("007",), ("B",), 1)]
    plan = recoding(pieces, columns=["k"], keys=["k"], quasi=["k"], counted=False)
    with pytest.raises(InputError, match="'k'"):
        released({"k": [7, 8]}, plan)


@pytest.mark.parametrize("extra", [[], ["name"]], ids=["keys alone", "other columns"])
def test_a_release_is_audited_like_the_table_it_equals(extra):
    plan = functional(PEOPLE, ["zip"], ["disease"], text, published=["zip", "disease", *extra])
    roles = Roles(quasi="zip", sensitive="disease:nominal")
    expected = audit(PEOPLE, roles)
    session = DuckDBSession()
    release = session.recode(session.open(PEOPLE), plan)
    for table in (release, release.to_pandas()):
        found = audit(table, roles)
        assert found["disease"]["t"].value == expected["disease"]["t"].value
        assert found.figures["k"].value == expected.figures["k"].value
    counted = session.count(session.open(release), ["zip"], [("disease",)], lambda *_: None)
    assert counted.rows == len(PEOPLE["zip"])
    assert counted.matching({"zip": "476"}) == 1


def test_frames_of_a_release_have_its_rows_in_the_same_order():
    plan = functional(PEOPLE, ["age", "zip"], ["disease"], text)
    release = released(PEOPLE, plan)
    rows = listed(release)
    assert release.to_polars().to_dicts() == rows
    assert release.to_pandas().astype(object).where(lambda frame: frame.notna(), None).to_dict("records") == rows
    assert {(row["name"], row["zip"]) for row in rows} == set(keys_of(PEOPLE, ["name", "zip"]))
    assert len(rows) == len(rows_of(PEOPLE))
