"""Distinct rows: every combination once, with its count, the same whatever the order of the table."""

from __future__ import annotations

import datetime as dt
import decimal
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import SmallTable, tables
from tclose.engines.duckdb.session import DuckDBSession
from tclose.errors import EmptyTableError


def silent(what: str, share: float | None) -> None:
    """Take note of no progress."""


def distinct(columns, quasi, sensitive, **settings_of_session):
    session = DuckDBSession(**settings_of_session)
    return session.distinct(session.open(columns), quasi, sensitive, silent)


def decoded(found):
    """Return each combination of values with its count."""
    codes = np.concatenate([found.codes, found.sensitive_codes], axis=1).tolist()
    values = [list(observed.values) for observed in [*found.quasi, *found.sensitive]]
    rows = [tuple(each[code] for each, code in zip(values, row, strict=True)) for row in codes]
    return dict(zip(rows, found.counts.tolist(), strict=True)), codes


def attributes(table: SmallTable, *, joint: bool):
    return [table.sensitive] if joint else [(name,) for name in table.sensitive]


@settings(deadline=None, max_examples=60)
@given(tables(), st.booleans())
def test_distinct_rows_are_those_that_counting_finds(table, joint):
    found = distinct(table.as_mapping(), table.quasi, attributes(table, joint=joint))
    joint = joint and len(table.sensitive) > 1
    split = len(table.quasi)
    expected = Counter((*row[:split], row[split:]) if joint else row for row in table.rows)
    rows, codes = decoded(found)
    assert rows == expected
    assert codes == sorted(codes)
    assert found.rows == len(table.rows)
    for at, observed in enumerate([*found.quasi, *found.sensitive]):
        counts = Counter(row[at] for row in expected.elements())
        assert dict(zip(list(observed.values), observed.counts.tolist(), strict=True)) == counts


@settings(deadline=None, max_examples=30)
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_table_changes_nothing(table, random):
    shuffled = SmallTable(table.quasi, table.sensitive, random.sample(table.rows, len(table.rows)))
    one, other = (
        distinct(each.as_mapping(), each.quasi, attributes(each, joint=False), threads=threads)
        for each, threads in ((table, 1), (shuffled, 2))
    )
    assert np.array_equal(one.codes, other.codes)
    assert np.array_equal(one.sensitive_codes, other.sensitive_codes)
    assert np.array_equal(one.counts, other.counts)
    for mine, theirs in zip([*one.quasi, *one.sensitive], [*other.quasi, *other.sensitive], strict=True):
        assert list(mine.values) == list(theirs.values)


@pytest.mark.parametrize(
    "values",
    [
        [3, -2, None, 10],
        [2**62, -(2**62), None, 0],
        [0.5, -1.25, None, 3.0],
        [decimal.Decimal("1.50"), decimal.Decimal("-2"), None],
        ["b", "", None, "a", "B"],
        [dt.date(2020, 2, 1), dt.date(1999, 1, 1), None],
        [True, False, None],
    ],
    ids=["narrow", "wide", "real", "decimal", "text", "date", "truth"],
)
def test_codes_follow_the_order_of_the_values_with_nothing_last(values):
    (observed,) = distinct({"q": values, "s": ["x"] * len(values)}, ["q"], [("s",)]).quasi
    assert list(observed.values) == [*sorted(value for value in values if value is not None), None]


def test_the_declared_order_of_a_column_is_kept():
    import pandas as pd

    sizes = pd.Categorical(["low", "high", "low"], categories=["low", "middle", "high"], ordered=True)
    found = distinct(pd.DataFrame({"q": sizes, "s": [1, 2, 3]}), ["q"], [("s",)])
    assert found.quasi[0].categories == ("low", "middle", "high")


def test_more_columns_than_fit_one_word_are_ordered_by_the_first_that_differs():
    generator = np.random.default_rng(5)
    columns = {f"q{at}": generator.integers(0, 40, 500).tolist() for at in range(15)}
    found = distinct({**columns, "s": [0] * 500}, list(columns), [("s",)])
    _, codes = decoded(found)
    assert codes == sorted(codes)
    assert len(codes) == len(set(zip(*columns.values(), strict=True)))


def test_a_table_without_rows_is_refused(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "empty.parquet"
    pq.write_table(pa.table({"q": pa.array([], pa.string()), "s": pa.array([], pa.string())}), path)
    with pytest.raises(EmptyTableError):
        distinct(path, ["q"], [("s",)])


def test_adult_has_the_distinct_rows_that_pandas_counts(adult_file):
    import pandas as pd

    quasi = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
    session = DuckDBSession()
    found = session.distinct(session.open(adult_file).keep([*quasi, "occupation"]), quasi, [("occupation",)], silent)
    expected = pd.read_csv(adult_file, sep=";").groupby([*quasi, "occupation"]).size().to_dict()
    assert decoded(found)[0] == expected
