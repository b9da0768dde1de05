"""Counting row by row, set by set and pair by pair gives the same counts, bit for bit, and the right ones."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings

from laws.audited import WAYS, cases
from tclose.engines import grouping
from tclose.engines import grouping as keys
from tclose.engines.duckdb import codes, rows
from tclose.engines.duckdb import codes as key_words
from tclose.engines.duckdb.counts import CodedTable, PairCounts
from tclose.engines.duckdb.rows import RowCounts, RowStream, SetCounts
from tclose.engines.duckdb.session import DuckDBCounted, DuckDBSession
from tclose.models.counts import Part, joined
from tclose.models.domains import arranged
from tclose.policy.roles import Nominal


def quiet(_stage, _share):
    pass


def ranked(counts):
    """Values by their first appearance in what was observed; None left out."""
    return [
        np.cumsum([value is not None for value in observed.values]).astype(np.int32)
        * np.array([value is not None for value in observed.values])
        - 1
        for observed in counts.observed
    ]


def canonical(parts: list[Part]) -> list[np.ndarray]:
    """All parts as one, classes by key: what two ways of counting must agree in."""
    whole = joined(parts)
    order = np.lexsort(whole.keys.T[::-1])
    found = [whole.keys[order], whole.sizes[order]]
    for block in whole.blocks:
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        classes = np.repeat(place, block.distinct)
        assert (np.diff(block.ranks)[np.diff(classes) == 0] > 0).all(), "ranks ascend within a class"
        sort = np.lexsort((block.ranks, classes))
        found += [block.distinct[order], block.sizes[order], block.ranks[sort], block.counts[sort]]
    return found


def check_agreement(coded: CodedTable, most_rows: int, threads: int = 2) -> list[np.ndarray]:
    ways: dict[str, Any] = {
        "pairs": PairCounts(coded),
        "rows": RowCounts(coded, RowStream(coded, coded.rows, quiet), threads),
        "rows in one thread": RowCounts(coded, RowStream(coded, coded.rows, quiet), 1),
        "sets": SetCounts(coded, threads, most_rows),
    }
    expected = None
    for way, counts in ways.items():
        ranks = ranked(counts)
        found = canonical(list(counts.map(ranks, lambda part: part, quiet)))
        values = [(list(o.values), o.counts.tolist(), o.kind) for o in counts.observed]
        if expected is None:
            expected, observed = found, values
        assert values == observed, way
        for mine, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(mine, theirs, err_msg=way)
    return expected


def coded_table(table, quasi, sensitive) -> CodedTable:
    session = DuckDBSession(threads=2)
    opened = session.open(table).keep([*quasi, *(name for names in sensitive for name in names)])
    return CodedTable(opened, quasi, sensitive)


# ---- small tables, with every limit lowered ----------------------------------------------------------

LIMITS = {
    "as they are": {},
    "keys searched": {"direct": 0},
    "many key words": {"word": 2, "direct": 0},
    "dictionaries searched": {"table": 1},
    "parts of two rows": {"part": 2},
}


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
@given(case=cases(most_rows=14))
@settings(max_examples=20, deadline=None)
def test_small_tables_are_counted_alike_in_every_way(limits, case):
    with pytest.MonkeyPatch.context() as patch:
        if "direct" in limits:
            patch.setattr(grouping, "DIRECT_SPAN", 0)
            patch.setattr(rows, "DIRECT_SPAN", 0)
        if "word" in limits:
            patch.setattr(key_words, "WORD", limits["word"])
        if "table" in limits:
            patch.setattr(codes, "TABLE_SPAN", 1)
        if "part" in limits:
            patch.setattr(grouping, "ROWS_PER_PART", 2)
        found = check_agreement(coded_table(case.columns, case.quasi, [("s",)]), most_rows=2)
    assert sorted(found[1]) == sorted(case.sizes().values())
    present = [value for value in case.columns["s"] if value is not None]
    assert found[5].sum() == len(present)


def test_the_laws_count_in_rows_pairs_and_sets():
    assert any("rows" in way for way in WAYS)
    assert any("pairs" in way for way in WAYS)
    assert any("sets" in way for way in WAYS)


# ---- large tables of awkward columns -----------------------------------------------------------------

ROWS = 60_000


def random_columns(seed: int, n: int = ROWS) -> dict[str, pa.Array]:
    rng = np.random.default_rng(seed)

    def sometimes(values, share=0.1):
        return pa.array(values, from_pandas=True, mask=rng.random(n) < share)

    moments = np.datetime64("1969-12-31T23:59:59.999999") + rng.integers(0, 50, n).astype("timedelta64[us]")
    hundredths = np.array([Decimal(number).scaleb(-2) for number in range(-1000, 1000)], dtype=object)
    return {
        "small": sometimes(rng.integers(-5, 5, n)),
        "offset": pa.array(rng.integers(10**12, 10**12 + 4000, n)),
        "wide": sometimes(rng.choice(rng.integers(-(2**62), 2**62, 9000), n)),
        "extremes": pa.array(rng.choice([-(2**63), 2**63 - 1, 0, -1], n)),
        "top": pa.array(rng.choice([2**63 - 1, 2**63 - 3], n)),
        "four billions": pa.array(rng.choice(np.r_[0, 2**32 - 3, rng.integers(0, 2**32 - 3, 50)], n)),
        "billions": pa.array(rng.choice([-(2**31), 2**31 - 4], n)),
        "unsigned": pa.array(rng.choice(np.array([0, 1, 2**64 - 1], dtype=np.uint64), n)),
        "real": sometimes(rng.choice([-0.0, 0.0, 0.1, np.nan, np.inf, -np.inf, 1e-300, 1e300], n)),
        "single": pa.array(rng.choice(np.array([0.1, -0.0, 0.0, 2.5], dtype=np.float32), n)),
        "decimal": pa.array(rng.choice(hundredths, n), pa.decimal128(12, 2)),
        "day": sometimes(rng.choice(np.arange("1900-01-01", "2100-01-01", dtype="datetime64[D]"), n)),
        "moment": sometimes(moments),
        "truth": sometimes(rng.random(n) < 0.5, 0.3),
        "text": sometimes(rng.choice(["", " ", "a", "A", "é", "e\u0301", "null", "None", "\U0001f600"], n), 0.2),
        "words": pa.array([f"w{number}" for number in rng.integers(0, 6000, n)]),
        "unique": pa.array(rng.permutation(n) * 1_000_003 - 2**40),
        "names": pa.array([f"n{number}" for number in rng.permutation(n)]),
        "same": pa.array(["x"] * n),
        "nothing": pa.array([None] * n, pa.string()),
    }


SHAPES = {
    "one giant class": (["same", "nothing"], ["wide", "text"]),
    "every class of one row": (["unique"], ["small", "names"]),
    "every class of one row, by text": (["names"], ["real", "truth"]),
    "direct keys": (["small", "truth", "text"], ["decimal", "moment"]),
    "extremes of whole numbers": (["extremes", "top", "unsigned"], ["extremes", "four billions"]),
    "one value only": (["words"], ["same", "nothing"]),
    "searched dictionaries": (["words", "day"], ["wide", "names"]),
    "several key words": (
        ["unique", "four billions", "words", "names", "wide", "day"],
        ["offset", "unsigned"],
    ),
    "several key words, large classes": (
        ["small", "four billions", "billions", "extremes", "top", "real", "single", "truth", "text"],
        ["single", "day"],
    ),
}


def as_groups(columns: dict[str, pa.Array], names: list[str]) -> pd.DataFrame:
    """Columns as numbers that pandas can group: equal where the values are, whatever their type."""
    found = {}
    for name in names:
        column = columns[name]
        if pa.types.is_floating(column.type):
            column = pa.array(np.asarray(column.to_pandas(), dtype=float) + 0.0, from_pandas=True)
        codes, _ = pd.factorize(column.to_pandas(types_mapper=None).astype(object), use_na_sentinel=True)
        found[name] = codes
    return pd.DataFrame(found)


@pytest.mark.parametrize(("quasi", "sensitive"), SHAPES.values(), ids=SHAPES)
def test_large_tables_are_counted_alike_in_every_way_and_as_pandas_counts_them(quasi, sensitive):
    columns = random_columns(len(quasi))
    names = [*quasi, *sensitive]
    table = pa.table({name: columns[name] for name in names})
    coded = coded_table(table, quasi, [(name,) for name in sensitive])
    if len(quasi) >= 6:
        assert len(coded.keys.spans) > 1, "the test means to use several key words"
    _, sizes, *blocks = check_agreement(coded, most_rows=ROWS // 3)
    groups = as_groups(columns, names)
    assert sorted(sizes) == sorted(groups.groupby(quasi).size())
    for at, name in enumerate(sensitive):
        present = groups[groups[name] >= 0]
        pairs = present.groupby([*quasi, name]).size()
        assert sorted(blocks[4 * at + 3]) == sorted(pairs), name
        assert sorted(blocks[4 * at + 1][blocks[4 * at + 1] > 0]) == sorted(present.groupby(quasi).size()), name


@pytest.mark.parametrize("m", [1, 63, 64, 65, 4096, 4097, 262_144, 300_000])
def test_domains_of_any_size_are_counted_alike(m):
    n = max(50_000, 200_000 if m > 5000 else 0) if m < 300_000 else 320_000
    rng = np.random.default_rng(m)
    values = rng.integers(0, m, n)
    values[: min(m, n)] = np.arange(min(m, n))
    columns = {"q": rng.integers(0, 40, n), "s": values}
    coded = coded_table(pd.DataFrame(columns), ["q"], [("s",)])
    _, sizes, distinct, _, _, counts = check_agreement(coded, most_rows=n // 2)
    assert counts.sum() == n == sizes.sum()
    assert distinct.sum() == len(np.unique(columns["q"] * m + columns["s"]))


def test_no_quasi_identifier_makes_one_class_in_every_way():
    columns = pd.DataFrame({"s": np.arange(1000) % 7})
    _, sizes, distinct, *_ = check_agreement(coded_table(columns, [], [("s",)]), most_rows=100)
    assert (sizes.tolist(), distinct.tolist()) == ([1000], [7])


def test_two_columns_taken_as_one_are_counted_alike():
    rng = np.random.default_rng(5)
    columns = pd.DataFrame({"q": rng.integers(0, 9, 50_000), "a": rng.integers(0, 80, 50_000)})
    columns["b"] = pd.Series(rng.choice(["x", "", None], 50_000), dtype=object)
    found = check_agreement(coded_table(columns, ["q"], [("a", "b")]), most_rows=20_000)
    assert len(found[5]) == columns.groupby(["q", "a", "b"], dropna=False).ngroups


# ---- keys read back ----------------------------------------------------------------------------------

READ_BACK = {
    "smallest": [-(2**63), -(2**63) + 1, -(2**63) + 4],
    "largest": [2**63 - 1, 2**63 - 2, 2**63 - 5],
    "both": [-(2**63), 0, 2**63 - 1],
    "beyond 64 bits": [2**64, -(2**90), 3],
    "reals": [0.1, -2.5, float("inf")],
    "decimals": [Decimal("0.10"), Decimal("-7"), Decimal("12345678901234567890.5")],
    "days": [dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(1970, 1, 1)],
    "moments": [dt.datetime(1969, 12, 31, 23, 59, 59, 999999), dt.datetime(2262, 5, 1), dt.datetime(1, 1, 1)],
    "clocks": [dt.time(0, 0), dt.time(23, 59, 59, 999999), dt.time(12, 30)],
    "truths": [True, False, None],
    "texts": ["", "NULL", "a'b\"c\\d\n"],
    "texts that look alike": ["é", "e\u0301", "E"],
    "nothing": [None, None, None],
}


@pytest.mark.parametrize("values", READ_BACK.values(), ids=READ_BACK)
def test_keys_are_read_back_as_they_were(values):
    import tclose

    columns = {"q": [*values, values[0]], "s": [1, 2, 3, 4]}
    found = tclose.audit(columns, tclose.Roles(quasi="q", sensitive="s:ordered"), drivers=False)
    rows_found = list(found.classes.rows())
    assert {row["q"] for row in rows_found} == set(values)
    assert all(type(row["q"]) in {type(value) for value in values} for row in rows_found)


@pytest.mark.parametrize("distance", ["ordered", "numeric"])
@pytest.mark.parametrize("low", [-(2**63), 2**63 - 4, -(2**63) + 2**22, 0])
def test_whole_numbers_at_the_edge_of_64_bits_are_as_far_apart_as_small_ones(low, distance):
    import tclose

    values = [0, 1, 3]
    roles = tclose.Roles(quasi="q", sensitive=f"s:{distance}")
    expected = tclose.audit({"q": [1, 1, 2], "s": values}, roles, drivers=False)["s"].t
    shifted = tclose.audit({"q": [1, 1, 2], "s": [low + v for v in values]}, roles, drivers=False)["s"].t
    assert shifted == expected > 0


# ---- the pieces --------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [1, 2, 3])
def test_keys_are_numbered_by_first_appearance_and_read_back(words):
    rng = np.random.default_rng(words)
    pool = np.r_[-(2**62), 2**62, 0, -1, rng.integers(-(2**62), 2**62, 200)]
    index = keys.KeyIndex(words)
    seen: dict[tuple[int, ...], int] = {}
    for _ in range(3):
        chunk = tuple(rng.choice(pool, 30_000) for _ in range(words))
        expected = [seen.setdefault(key, len(seen)) for key in zip(*(w.tolist() for w in chunk), strict=True)]
        assert index.numbers(chunk).tolist() == expected
    assert index.size == len(seen)
    assert list(zip(*(word.tolist() for word in index.words()), strict=True)) == list(seen)


def test_known_keys_keep_their_numbers_and_unknown_ones_are_beyond_them():
    raw = np.random.default_rng(0).permutation(2**20)[:50_000].astype(np.int64) << 41
    index = keys.FixedIndex(raw)
    np.testing.assert_array_equal(index.numbers(raw[::-1].copy()), np.arange(50_000)[::-1])
    assert index.numbers(np.array([1]))[0] >= index.size


def test_a_table_that_grows_while_it_is_read_is_noticed():
    from tclose.errors import SourceError

    session = DuckDBSession(threads=1)
    opened = session.open({"q": ["a", "b"] * 5, "s": ["x", "y"] * 5})
    coded = CodedTable(opened.keep(["q", "s"]), ["q"], [("s",)])
    session.connection.execute(f"INSERT INTO {opened.name} VALUES ('CANARY', 'x')")
    with pytest.raises(SourceError, match="changed while it was being read") as caught:
        RowCounts(coded, RowStream(coded, coded.rows, quiet), 1)
    assert "CANARY" not in str(caught.value)


def test_the_ranks_of_a_domain_are_those_of_the_observed_values():
    coded = coded_table({"q": [1, 2, 2], "s": ["b", "a", "b"]}, ["q"], [("s",)])
    (observed,) = PairCounts(coded).observed
    domain, ranks = arranged("s", observed, Nominal())
    assert [domain.values[rank] for rank in ranks] == list(observed.values)
    assert dict(zip(observed.values, observed.counts.tolist(), strict=True)) == {"b": 2, "a": 1}


@pytest.mark.parametrize(("classes", "apart"), [(50_000, True), (500, False)])
def test_a_raw_table_is_counted_in_sets_where_its_classes_do_not_fit(classes, apart):
    """The codes of 50,000 rows take less than a megabyte; numbering as many classes takes six times as much."""
    frame = pd.DataFrame({"q": (np.arange(50_000) % classes) * 1_000_003, "s": np.arange(50_000) % 7})
    session = DuckDBSession(memory="16MB")
    counted = session.count(session.open(frame), ["q"], [("s",)], quiet)
    assert isinstance(counted, DuckDBCounted)
    assert isinstance(counted._counts, SetCounts) is apart
    assert sum(part.sizes.sum() for part in counted.map(ranked(counted), lambda part: part)) == 50_000


def test_a_column_is_looked_through_once_for_all_groupings():
    session = DuckDBSession()
    table = session.open(
        {"town": ["a", "b", None], "street": ["x", "x", "y"], "age": [3, None, 90], "ill": ["u", "v", "u"]}
    )
    for quasi in (["town", "street", "age"], ["town", "street"], ["street", "age"], ["town", "age"]):
        session.count(table, quasi, [("ill",)], lambda _stage, _share: None)
    made = "SELECT count(*) FROM duckdb_tables() WHERE starts_with(table_name, 'tclose_dictionary_')"
    assert session.connection.execute(made).fetchall() == [(3,)]
    session.close()
