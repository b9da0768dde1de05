"""The scores of a release beside its original: by hand, by naive counting, and by laws."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter

import jsonschema
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tclose
from faces.command_line import in_process
from tclose.anonymization.scores.measures import overlap
from tclose.errors import ColumnNotFoundError, InputError

COLUMNS = ("age", "pay", "area")


def people(seed, rows=150):
    chance = random.Random(seed)
    found = []
    for _ in range(rows):
        age = chance.choice([None, *range(20, 40)])
        pay = round((age or 30) * 1.5 + chance.gauss(0, 4), 1)
        found.append((age, pay, chance.choice(["a", "b", None])))
    return found


def table_of(rows):
    return pa.table({name: [row[at] for row in rows] for at, name in enumerate(COLUMNS)})


def score(original, release, **options):
    return tclose.usefulness(table_of(release), table_of(original), **options)


@pytest.mark.parametrize("seed", range(4))
def test_marginals_are_those_of_counting(seed):
    ours, theirs = people(seed), people(seed + 50, 90)
    found = score(ours, theirs)
    for by in (1, 2, 3):
        apart = []
        for chosen in itertools.combinations(range(3), by):
            one, other = (Counter(tuple(row[at] for at in chosen) for row in rows) for rows in (ours, theirs))
            apart.append(sum(abs(one[key] / len(ours) - other[key] / len(theirs)) for key in one | other))
        assert found.marginals[by] == pytest.approx((2 - sum(apart) / len(apart)) * 500)


def test_a_table_beside_itself_has_every_score_and_no_bias():
    rows = people(1)
    found = score(rows, rows)
    assert found.marginals == pytest.approx({1: 1000, 2: 1000, 3: 1000})
    assert found.propensity == pytest.approx(0, abs=1e-9)
    assert found.matches.found == found.matches.unique == sum(count == 1 for count in Counter(rows).values())
    assert not found.warnings
    assert [each.overlap for each in found.biases if each.overlap is not None] == pytest.approx([1.0] * 4)
    assert all(each.original == each.release for each in (*found.biases, *found.correlations))


def test_tables_with_nothing_in_common_have_none():
    found = tclose.usefulness({"q": ["a", "b"] * 20}, {"q": ["c", "d"] * 20})
    assert found.marginals == {1: 0.0}
    assert found.propensity == pytest.approx(0.25, abs=1e-3)
    assert (found.matches.unique, found.matches.found) == (0, 0)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 60), st.integers(1, 60))
def test_propensity_of_one_column_of_two_values(a, b, c, d):
    """The model has a weight for each value, so that its scores are the shares: the error follows by hand."""
    found = tclose.usefulness({"q": ["x"] * c + ["y"] * d}, {"q": ["x"] * a + ["y"] * b})
    ours, theirs = (a / (a + b), b / (a + b)), (c / (c + d), d / (c + d))
    by_hand = sum((p + q) / 2 * (q / (p + q) - 0.5) ** 2 for p, q in zip(ours, theirs, strict=True))
    assert found.propensity == pytest.approx(by_hand, abs=1e-4)


def test_means_quartiles_slopes_and_correlations_are_those_of_numpy():
    ours, theirs = people(7), people(8, 80)
    found = score(ours, theirs)
    biases = {(each.what, each.column, each.on): each for each in found.biases}
    for rows, side in ((ours, "original"), (theirs, "release")):
        ages = np.array([row[0] for row in rows if row[0] is not None], dtype=float)
        pays = np.array([row[1] for row in rows])
        both = np.array([(row[0], row[1]) for row in rows if row[0] is not None], dtype=float)
        for name, values in (("age", ages), ("pay", pays)):
            assert getattr(biases["mean", name, None], side) == pytest.approx(values.mean())
            for what, share in (("lower quartile", 0.25), ("median", 0.5), ("upper quartile", 0.75)):
                expected = np.quantile(values, share, method="inverted_cdf")
                assert getattr(biases[what, name, None], side) == expected
        slope = np.polyfit(both[:, 0], both[:, 1], 1)[0]
        assert getattr(biases["slope", "pay", "age"], side) == pytest.approx(slope)
        (pearson,) = [each for each in found.correlations if each.measure == "pearson"]
        assert getattr(pearson, side) == pytest.approx(np.corrcoef(both.T)[0, 1])
    assert {(each.first, each.second) for each in found.correlations} == {*itertools.combinations(COLUMNS, 2)}


def test_overlap_of_intervals_by_hand():
    """The mean of 1 to 9 is 5 with a standard error of √7.5/3; one shifted by half of the width shares half."""
    error = np.sqrt(7.5) / 3
    half = 1.959963984540054 * error
    assert overlap(5.0, error, 5.0 + half, error) == pytest.approx(0.5)
    assert overlap(5.0, error, 5.0 + 2 * half, error) == pytest.approx(0.0, abs=1e-12)
    assert overlap(5.0, 0.0, 5.0, 0.0) == 1.0
    found = tclose.usefulness(
        {"q": [each + half for each in range(1, 10)]}, {"q": [float(each) for each in range(1, 10)]}
    )
    assert found.biases[0].overlap == pytest.approx(0.5)


def test_unique_exact_matches_and_what_chance_gives():
    """By chance: a table whose columns are independent, drawn many times over."""
    ours, theirs = people(3, 60), people(4, 60)
    found = score(ours, theirs)
    alone = {row for row, count in Counter(ours).items() if count == 1}
    assert found.matches.unique == len(alone)
    assert found.matches.found == len(alone & {*theirs})
    small = {"x": ["a", "a", "b", "c"], "y": ["p", "q", "p", "q"]}
    release = {"x": ["a", "b", "b", "c"] * 2, "y": ["p", "p", "q", "p"] * 2}
    chance, rows = random.Random(1), {("a", "p"), ("a", "q"), ("b", "p"), ("c", "q")}
    drawn = [
        len(rows & {(chance.choice(release["x"]), chance.choice(release["y"])) for _ in range(8)})
        for _ in range(20_000)
    ]
    assert tclose.usefulness(release, small).matches.chance == pytest.approx(sum(drawn) / len(drawn), abs=0.05)


def test_a_mean_or_slope_that_moves_by_more_than_a_tenth_is_warned_of():
    original = {"q": [10.0, 20.0, 30.0]}
    assert not tclose.usefulness({"q": [11.0, 22.0, 33.0]}, original).warnings
    moved = tclose.usefulness({"q": [12.0, 22.0, 33.0]}, original)
    assert [(each.what, each.column) for each in moved.warnings] == [("mean", "q")]
    assert "By more than a tenth moved: mean of q." in " ".join(str(moved).split())


def test_cells_are_no_numbers_and_are_told_of():
    found = tclose.usefulness({"age": ["[20, 30)", "25", "30"]}, {"age": [21, 25, 30]})
    (note,) = found.notes
    assert (note.code, note.column) == ("cells-no-numbers", "age")
    assert "1 cell of the release is no number" in note.text
    assert found.biases[0].release == 27.5


def test_numbers_are_the_same_whatever_carries_them_and_codes_are_no_numbers():
    found = tclose.usefulness({"age": [20.0, 30.0], "code": ["007", "7"]}, {"age": [20, 30], "code": ["007", "7"]})
    assert found.marginals[2] == 1000.0
    assert {each.column for each in found.biases} == {"age"}


@pytest.mark.parametrize("values", [[None] * 5, [1] * 5, ["*"] * 5, [0.0] * 5, [1]])
def test_columns_of_little(values):
    found = tclose.usefulness({"q": values}, {"q": values})
    assert found.marginals[1] == 1000.0
    assert json.loads(found.to_json())["columns"] == ["q"]


def test_columns_that_are_not_in_both_are_refused():
    with pytest.raises(InputError, match="no column in common"):
        tclose.usefulness({"a": [1]}, {"b": [1]})
    with pytest.raises((InputError, ColumnNotFoundError), match="'b'"):
        tclose.usefulness({"a": [1]}, {"a": [1], "b": [1]}, columns=["b"])


def test_the_command_line_and_the_schema(tmp_path, capfdbinary):
    import pyarrow.csv as csv

    csv.write_csv(table_of(people(1)), tmp_path / "original.csv")
    csv.write_csv(table_of(people(2)), tmp_path / "release.csv")
    found = in_process(
        capfdbinary, "usefulness", str(tmp_path / "release.csv"), str(tmp_path / "original.csv"), "--format", "json"
    )
    assert found.code == 0
    schema = in_process(capfdbinary, "schema", "usefulness")
    data = json.loads(found.out)
    jsonschema.validate(data, json.loads(schema.out))
    assert data["marginals"][1]["score"] == score(people(1), people(2)).marginals[2]
    told = in_process(
        capfdbinary, "usefulness", str(tmp_path / "release.csv"), str(tmp_path / "original.csv"), "--column", "age"
    )
    assert told.code == 0
    assert "Confidential" in told.out or "CONFIDENTIAL" in told.out
