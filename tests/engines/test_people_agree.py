"""People are counted alike in every way, bit for bit, and as sets of Python and pandas count them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from test_counts_agree import as_groups, canonical, quiet, random_columns, ranked

from laws.people import peopled
from tclose.engines import grouping, person_grouping, person_texts
from tclose.engines.duckdb import codes, rows
from tclose.engines.duckdb import codes as key_words
from tclose.engines.duckdb import people as person_keys
from tclose.engines.duckdb.counts import CodedTable, PairCounts
from tclose.engines.duckdb.people import PeopleCounts, PeopleSets, person_key, person_text
from tclose.engines.duckdb.rows import RowStream
from tclose.engines.duckdb.session import DuckDBSession
from tclose.engines.people import Census
from tclose.errors import SourceError

PLENTY = 1 << 40


def coded_people(table: Any, quasi: list[str], sensitive: list[str], person: str) -> CodedTable:
    opened = DuckDBSession(threads=2).open(table).keep([*quasi, *sensitive, person]).counting(person)
    return CodedTable(opened, quasi, [(name,) for name in sensitive])


def taken_in(coded: CodedTable, threads: int, *, texts: bool = True) -> PeopleCounts:
    """Return the counts of people, told apart by their texts if they have any, else by proved keys."""
    person = str(coded.table.person)
    key = (person_text(coded.table, person) if texts else None) or person_key(coded.table, person)
    return PeopleCounts(coded, RowStream(coded, coded.rows, quiet, "", key.expression), threads, key, PLENTY)


def check_agreement(coded: CodedTable, most_rows: int) -> tuple[list[np.ndarray], PeopleCounts]:
    """Return the classes and their counts, after every way of counting has found the same."""
    by_rows = taken_in(coded, 2)
    key = person_key(coded.table, str(coded.table.person))
    pairs = PairCounts(coded)
    expected = canonical(list(pairs.map(ranked(pairs), lambda part: part, quiet)))
    observed = [(list(each.values), each.counts.tolist()) for each in pairs.observed]
    ways = (by_rows, taken_in(coded, 1), taken_in(coded, 2, texts=False), PeopleSets(coded, 2, most_rows, key))
    for counts in ways:
        found = canonical(list(counts.map(ranked(counts), lambda part: part, quiet)))
        assert [(list(each.values), each.counts.tolist()) for each in counts.observed] == observed
        for mine, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    return expected, by_rows


LIMITS: dict[str, list[tuple[Any, str, int]]] = {
    "as they are": [],
    "shares of one row, keys searched": [(person_grouping, "ROWS_A_SHARE", 1), (person_grouping, "NEAR", 0)],
    "shares of one row, classes searched": [
        (person_grouping, "ROWS_A_SHARE", 1), (grouping, "DIRECT_SPAN", 0), (rows, "DIRECT_SPAN", 0),
        (key_words, "WORD", 2), (codes, "TABLE_SPAN", 1), (grouping, "ROWS_PER_PART", 2),
    ],
}  # fmt: skip


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
@given(people=peopled())
@settings(max_examples=15, deadline=None)
def test_small_tables_are_counted_alike_in_every_way(limits, people):
    with pytest.MonkeyPatch.context() as patch:
        for module, name, limit in limits:
            patch.setattr(module, name, limit)
        coded = coded_people(people.columns, list(people.case.quasi), ["s"], "who")
        found, counts = check_agreement(coded, most_rows=4)
        several = sum(people.persons.count(who) > 1 for who in set(people.persons))
        assert counts.census == Census(len(people.persons), len(set(people.persons)), several)
        assert counts.trajectories() == DuckDBSession.trajectories(None, coded.table, people.case.quasi, "who")
    assert sorted(found[1]) == sorted(people.sizes().values())


PERSONS = ("small", "wide", "extremes", "real", "decimal", "moment", "text", "unique", "same")


@pytest.mark.parametrize("person", PERSONS)
def test_people_of_every_type_are_counted_as_pandas_counts_them(person):
    n = 12_000
    columns = random_columns(7, n)
    quasi, sensitive = ["truth", "unsigned", "single"], ["day", "small"]
    quasi, sensitive = [q for q in quasi if q != person], [s for s in sensitive if s != person]
    table = pa.table({name: columns[name] for name in [*quasi, *sensitive, person]})
    groups = as_groups(columns, [*quasi, *sensitive, person])
    someone = (groups[person] >= 0).to_numpy()
    rows_each = groups.loc[someone, person].value_counts()
    census = Census(n, len(rows_each), int((rows_each > 1).sum()), n - int(someone.sum()))
    assert taken_in(coded_people(table, quasi, sensitive, person), 2).census == census
    table, groups = table.filter(someone), groups[someone]
    (_, sizes, *blocks), _ = check_agreement(coded_people(table, quasi, sensitive, person), most_rows=n // 3)
    assert sorted(sizes) == sorted(groups[[*quasi, person]].drop_duplicates().groupby(quasi).size())
    for at, name in enumerate(sensitive):
        present = groups.loc[groups[name] >= 0, [*quasi, name, person]].drop_duplicates()
        assert sorted(blocks[4 * at + 3]) == sorted(present.groupby([*quasi, name]).size())


def test_one_who_has_most_rows_and_classes_is_one_person():
    n = 50_000
    rng = np.random.default_rng(3)
    columns = {
        "q": rng.integers(0, 300, n),
        "s": rng.integers(0, 9, n),
        "who": np.r_[np.zeros(n - 500), np.arange(500)],
    }
    coded = coded_people(columns, ["q"], ["s"], "who")
    (_, sizes, *_), counts = check_agreement(coded, most_rows=n // 2)
    pairs = set(zip(columns["q"].tolist(), columns["who"].tolist(), strict=True))
    assert sizes.sum() == len(pairs)
    assert counts.census == Census(n, 500, 1)
    assert counts.trajectories().several == DuckDBSession.trajectories(None, coded.table, ["q"], "who").several


def test_people_whose_hashes_are_the_same_are_told_apart_by_another_hash(monkeypatch):
    hash_of = person_keys.hash_of
    tried = []

    def weak(columns, aliases, salt):
        tried.append(salt)
        return f"CAST({hash_of(columns, aliases, salt)} % {3 if salt < 2 else 1 << 62} AS UBIGINT)"

    monkeypatch.setattr(person_keys, "hash_of", weak)
    coded = coded_people({"q": ["a"] * 6, "s": ["x"] * 6, "who": list("abcdea")}, ["q"], ["s"], "who")
    assert taken_in(coded, 1, texts=False).census == Census(6, 5, 1)
    assert {0, 1, 2} <= set(tried)


TEXTS = ["", "\0", "\0\0", "a", "a\0", "A", "é", "e\u0301", "12345678", "12345678\0", "123456789", "x" * 15, "x" * 16,
         "x" * 17, "x" * 300, "x" * 299 + "y", "6f9619ff-8b86-d011-b42d-00c04fc964ff"]  # fmt: skip


@pytest.mark.parametrize("weak", [False, True], ids=["hashed", "all hashed alike"])
def test_people_are_told_apart_by_every_byte_of_their_texts(weak, monkeypatch):
    """A hash only says where to look: though it is the same for all, nobody is taken for somebody else."""
    rng = np.random.default_rng(5)
    n = 4_000
    who = [TEXTS[at] for at in rng.integers(0, len(TEXTS), n)]
    columns = {"q": rng.integers(0, 7, n).tolist(), "s": rng.integers(0, 4, n).tolist(), "who": who}
    if weak:
        hash_texts = person_texts.kernels.people.hash_texts

        def alike(*given: Any) -> None:
            hash_texts(*given)
            given[-2][given[-2] > 0] = 1

        monkeypatch.setattr(person_texts.kernels.people, "hash_texts", alike)
    coded = coded_people(columns, ["q"], ["s"], "who")
    (_, sizes, *_), counts = check_agreement(coded, most_rows=n // 2)
    assert counts.census == Census(n, len(TEXTS), len(TEXTS))
    assert sizes.sum() == len(set(zip(columns["q"], who, strict=True)))


def test_a_missing_text_is_nobody_and_an_empty_one_somebody():
    who = pa.array(["", None, "a", None, "", "b"] * 3)[2:15]
    table = pa.table({"q": ["x"] * 13, "s": ["y"] * 13, "who": who})
    present = [name for name in who.to_pylist() if name is not None]
    coded = coded_people(table, ["q"], ["s"], "who")
    several = sum(present.count(name) > 1 for name in set(present))
    assert taken_in(coded, 1).census == Census(13, len(set(present)), several, 13 - len(present))


def test_a_person_who_comes_while_the_table_is_read_is_noticed():
    session = DuckDBSession(threads=1)
    opened = session.open({"q": ["a"] * 4, "s": ["x"] * 4, "who": [1, 2, 3, 4]})
    coded = CodedTable(opened.keep(["q", "s", "who"]).counting("who"), ["q"], [("s",)])
    key = person_key(coded.table, "who")
    session.connection.execute(f"UPDATE {opened.name} SET c2 = 1000000 WHERE c2 = 4")
    with pytest.raises(SourceError, match="changed while it was being read") as caught:
        PeopleCounts(coded, RowStream(coded, coded.rows, quiet, "", key.expression), 1, key, PLENTY)
    assert "1000000" not in str(caught.value)
