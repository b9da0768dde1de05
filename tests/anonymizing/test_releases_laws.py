"""What every release is, whichever method made it: checked from the written file alone."""

from __future__ import annotations

import random
from fractions import Fraction

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anonymizing.release_cases import (
    METHODS,
    TREE,
    cases,
    check_obstacles,
    check_promise,
    check_rows,
    could_be,
    file_rows,
    parquet_rows,
)
from tclose import Nominal, Ordered, Roles, audit
from tclose.anonymization.anonymize import anonymize
from tclose.errors import InputError

few = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def written(case, release, folder, ending):
    """Write a release, and return the file with its cells; None where a text file cannot hold the values."""
    path = folder / f"release{ending}"
    release.write(path, force=True)
    names, rows = file_rows(path) if ending == ".csv" else parquet_rows(path)
    return path, names, rows


def made(case, **options):
    """Make a release; None where more rows are asked of a class than there are."""
    try:
        return case.release(**options)
    except InputError as refusal:
        assert str(refusal).startswith(("Classes of ", "The levels "))  # noqa: PT017 - a refusal is one of the outcomes
        return None


@pytest.mark.parametrize("method", METHODS)
@few
@given(case=cases(), ending=st.sampled_from([".csv", ".parquet"]))
def test_a_written_release_keeps_its_promise_and_its_rows(tmp_path, method, case, ending):
    release = made(case, method=method)
    if release is None:
        return
    if not release.holds:
        with pytest.raises(InputError, match="no release"):
            release.write(tmp_path / "none.csv")
        if release.obstacles:
            check_obstacles(case, release)
        else:
            assert method not in ("auto", "full-domain", "merge")
            assert "method-found-none" in [note.code for note in release.notes]
        assert method not in ("auto", "full-domain", "merge") or not could_be(case)
        return
    path, names, rows = written(case, release, tmp_path, ending)
    check_rows(case, release, names, rows)
    check_promise(case, path, release.suppressed)
    assert method in ("microaggregation", "sabre") or not release.recipe.divides
    assert "secret-" not in release.recipe.to_json()


@few
@given(
    case=cases(models=["k", "t", "l", "beta"], suppress=("0", "0.5"), least_sensitive=1),
    method=st.sampled_from(METHODS[1:]),
    shuffle=st.randoms(),
)
def test_row_order_and_threads_change_no_byte(tmp_path, case, method, shuffle):
    order = list(range(case.rows))
    shuffle.shuffle(order)
    release = made(case, method=method)
    if release is None or not release.holds:
        return
    first = written(case, release, tmp_path, ".csv")[0].read_bytes()
    for options in ({}, {"order": order}, {"threads": 1}, {"threads": 2, "order": order}):
        again = case.release(method=method, **options)
        assert written(case, again, tmp_path, ".csv")[0].read_bytes() == first
        assert again == release


@few
@given(case=cases(models=["k", "t", "js"], least_sensitive=1), seed=st.integers(4, 2**63 - 1))
def test_another_seed_is_as_good(tmp_path, case, seed):
    release = made(case, seed=seed, method="gather")
    if release is None or not release.holds:
        return
    path, names, rows = written(case, release, tmp_path, ".csv")
    check_rows(case, release, names, rows)
    check_promise(case, path, release.suppressed)


def test_the_seed_decides_which_of_equal_rows_are_generalised():
    """Of 16 persons in zone a, 12 are x, of 10 in zone b 2: only some of each can stay in a class of their zone."""
    zones = ["a"] * 16 + ["b"] * 10
    table = pa.table({"zone": zones, "illness": ["x"] * 12 + ["y"] * 4 + ["x"] * 2 + ["y"] * 8, "person": range(26)})
    roles = Roles(["zone"], {"illness": Nominal()}, others="publish")
    options = {"require": {"t": "0.1"}, "hierarchies": {"zone": "flat"}, "method": "sabre"}
    frames = [anonymize(table, roles, seed=seed, **options).to_pandas() for seed in range(4)]
    generalised = [frozenset(frame.loc[frame["zone"] == "*", "person"].tolist()) for frame in frames]
    assert all(0 < len(chosen) < 26 for chosen in generalised)
    assert len(set(generalised)) > 1


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_order_of_categories_goes_with_the_release(tmp_path, ending):
    """Zones a and b hold 3, 2, 1 and 1, 2, 3 of low, mid and high; zone c, the only top, is left out.

    On the scale of four, zone a differs from the release by (1/6 + 1/6)/3 and from the original, where
    low, mid and high have 4/13 each, by (5/26 + 17/78 + 1/13)/3. On the scale of three that the release shows,
    or by the alphabet, figures would be others.
    """
    pay = ["low"] * 3 + ["mid"] * 2 + ["high"] + ["low"] + ["mid"] * 2 + ["high"] * 3 + ["top"]
    scale = ["low", "mid", "high", "top"]
    frame = pd.DataFrame(
        {"zone": ["a"] * 6 + ["b"] * 6 + ["c"], "pay": pd.Categorical(pay, categories=scale, ordered=True)}
    )
    release = anonymize(
        frame, Roles(["zone"], ["pay"]), require={"t": "0.165"}, hierarchies={"zone": "flat"}, suppress="0.1"
    )
    assert release.roles.sensitive["pay"] == Ordered(order=tuple(scale))
    made = release.write(tmp_path / f"out{ending}")
    expected = (Fraction(1, 9), (Fraction(5, 26) + Fraction(17, 78) + Fraction(1, 13)) / 3)
    assert (made.audit["pay"].t, made.against_original["pay"].t) == expected
    assert tuple(each["pay"].t for each in release.audits()) == expected
    assert audit(made.path, release.roles).attributes["pay"].t == expected[0]


STEPS = [Fraction(step, 20) for step in range(21)]


@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_a_looser_threshold_never_gives_a_worse_release(data):
    rows = data.draw(st.integers(2, 24))
    chance = random.Random(data.draw(st.integers(0, 10**6)))
    table = pa.table(
        {
            "number": [chance.randrange(6) for _ in range(rows)],
            "tree": [chance.choice(["ash", "birch", "cedar", "elm"]) for _ in range(rows)],
            "secret": [chance.choice("uvw") for _ in range(rows)],
        }
    )
    thresholds = sorted(data.draw(st.lists(st.sampled_from(STEPS), min_size=3, max_size=4, unique=True)))
    losses = [
        anonymize(
            table,
            Roles(["number", "tree"], {"secret": Nominal()}),
            require={"k": 2, "t": t},
            hierarchies={"tree": TREE},
        ).losses["lm"]
        for t in thresholds
    ]
    assert losses == sorted(losses, reverse=True)
