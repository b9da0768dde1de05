"""The same figures as other implementations: scipy, POT, pycanon, and pandas by hand on Adult and Census."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import ot
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from laws.audited import SENSITIVE, cases
from tclose import Hierarchical, Nominal, Numeric, Ordered, ReadOptions, Roles, audit

FEW = settings(max_examples=40, deadline=None)


def class_figures(case, column="s.t"):
    found = audit(case.columns, case.roles, drivers=False, threads=1)
    return {tuple(row[name] for name in case.quasi): row[column] for row in found.classes.rows()}


def present(case):
    return {key: counts for key, counts in case.classes().items() if counts}


def worst_of_ways(case, distances):
    """The larger distance of each class where missing values count as a value: with them, and without them."""
    expected = distances(case)
    for key, distance in ({} if case.without is None else distances(case.without)).items():
        expected[key] = max(expected[key], distance)
    return expected


NUMBERS = [kind for kind in SENSITIVE if "numeric" in kind or "dropped" in kind]
RANKED = [kind for kind in SENSITIVE if "ordered" in kind or "first" in kind or "last" in kind]


@given(cases(kinds=NUMBERS))
@FEW
def test_numeric_distances_are_scipys_over_the_range(case):
    whole = [float(value) for _, value in case.known]
    span = max(whole) - min(whole)
    found = class_figures(case)
    for key, counts in present(case).items():
        mine = [float(value) for value in counts.elements()]
        expected = wasserstein_distance(mine, whole) / span if span else 0.0
        assert found[key] == pytest.approx(expected, abs=1e-12)


@given(cases(kinds=RANKED))
@FEW
def test_ordered_distances_are_scipys_of_the_ranks(case):
    def distances(way):
        order = way.attribute.order
        rank = {value: at for at, value in enumerate(order)}
        whole = [rank[value] for _, value in way.known]
        ranks = {key: [rank[value] for value in counts.elements()] for key, counts in present(way).items()}
        span = max(len(order) - 1, 1)
        return {key: wasserstein_distance(mine, whole) / span for key, mine in ranks.items()}

    found = class_figures(case)
    for key, expected in worst_of_ways(case, distances).items():
        assert found[key] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", SENSITIVE)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_every_distance_is_the_cost_of_an_optimal_transport(kind, data):
    """POT moves the class's mass to the table's at the ground distances, value by value."""

    def distances(way):
        attribute, found = way.attribute, {}
        m = len(attribute.order)
        cost = np.array([[float(attribute.apart(i, j)) for j in range(m)] for i in range(m)])
        whole = Counter(value for _, value in way.known)
        q = np.array([whole[value] for value in attribute.order], dtype=float)
        for key, counts in present(way).items():
            p = np.array([counts[value] for value in attribute.order], dtype=float)
            found[key] = ot.emd2(p / p.sum(), q / q.sum(), cost) if m > 1 else 0.0
        return found

    case = data.draw(cases(quasi=1, kinds=[kind]))
    found = class_figures(case)
    for key, expected in worst_of_ways(case, distances).items():
        assert found[key] == pytest.approx(expected, abs=1e-9)


# ---- pycanon -----------------------------------------------------------------------------------------

PYCANON = json.loads(Path(__file__).with_name("pycanon.json").read_text(encoding="utf-8"))["tables"]


@pytest.mark.parametrize("entry", PYCANON, ids=[str(at) for at in range(len(PYCANON))])
def test_pycanon_measures_the_same_where_it_follows_the_literature(entry):
    numbers = isinstance(entry["columns"]["s"][0], int)
    roles = Roles(quasi=["q0", "q1"], sensitive={"s": Ordered() if numbers else Nominal()})
    found = audit(entry["columns"], roles, measure=["l", "t", "alpha", "beta", "delta_present"], drivers=False)
    mine = {key: float(found["s"][key].value) for key in ("l", "t", "alpha", "beta", "delta_present")}
    theirs = dict(entry["figures"])
    assert found.k == theirs.pop("k")
    theirs["delta_present"] = theirs.pop("delta")
    assert mine == pytest.approx(theirs, abs=1e-9)


# ---- Adult and Census --------------------------------------------------------------------------------

QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]
SEMICOLONS = ReadOptions(delimiter=";")


@pytest.fixture(scope="session")
def adult(adult_file):
    return pd.read_csv(adult_file, sep=";")


def by_hand(frame, quasi, name, order, gaps=None):
    """The distance of every class to the table, dense, in floats: n classes × m values."""
    counts = frame.groupby([*quasi, name]).size().unstack(fill_value=0).reindex(columns=order, fill_value=0)
    p = counts.to_numpy() / counts.to_numpy().sum(axis=1, keepdims=True)
    q = frame[name].value_counts().reindex(order).to_numpy() / len(frame)
    if gaps is None:
        return np.abs(p - q).sum(axis=1) / 2
    return (np.abs(np.cumsum(p - q, axis=1)[:, :-1]) * gaps).sum(axis=1) / np.sum(gaps)


def test_the_raw_adult_table_is_0_999702_from_close(adult_file):
    """Spec 6.1: equal distance, occupation, every column as it is."""
    found = audit(adult_file, Roles(quasi=QUASI, sensitive="occupation:nominal"), read=SEMICOLONS, drivers=False)
    assert float(found["occupation"].t) == pytest.approx(0.999702, abs=5e-7)
    assert found.rows == 30_162
    assert found["occupation"].t < 1


@pytest.mark.parametrize("quasi", [["sex", "race"], ["age", "education"], QUASI], ids=["two", "ages", "all"])
def test_occupations_of_adult_as_pandas_has_them(adult, adult_file, quasi):
    ages_too = {} if "age" in quasi else {"age": None}
    roles = Roles(quasi=quasi, sensitive={"occupation": Nominal(), **ages_too})
    found = audit(adult_file, roles, read=SEMICOLONS, drivers=False, require={"t": "0.5", "k": 5})
    classes = found.classes.to_pandas()
    order = sorted(adult["occupation"].unique())
    expected = by_hand(adult, quasi, "occupation", order)
    sizes = adult.groupby(quasi).size()
    assert found.class_count == len(expected) == len(classes)
    np.testing.assert_array_equal(classes["size"], sizes.to_numpy())
    np.testing.assert_allclose(classes["occupation.t"], expected, atol=1e-12)
    distinct = adult.groupby(quasi)["occupation"].nunique()
    np.testing.assert_array_equal(classes["occupation.l"], distinct.to_numpy())
    verdicts = {v.requirement.model.key: v for v in found.verdicts}
    assert verdicts["k"].failing_rows == sizes[sizes < 5].sum()
    assert verdicts["t"].failing_classes == (expected > 0.5 + 1e-12).sum()
    if "age" not in quasi:
        ages = sorted(adult["age"].unique())
        ordered = by_hand(adult, quasi, "age", ages, np.ones(len(ages) - 1))
        np.testing.assert_allclose(classes["age.t"], ordered, atol=1e-12)


def test_ages_of_adult_as_numbers(adult, adult_file):
    roles = Roles(quasi=["sex", "education"], sensitive="age:numeric")
    found = audit(adult_file, roles, read=SEMICOLONS, drivers=False)
    ages = sorted(adult["age"].unique())
    expected = by_hand(adult, ["sex", "education"], "age", ages, np.diff(ages))
    np.testing.assert_allclose(found.classes.to_pandas()["age.t"], expected, atol=1e-12)


def test_occupations_of_adult_as_leaves_of_their_hierarchy(adult, adult_file, adult_occupations):
    distance = Hierarchical(str(adult_occupations))
    quasi = ["sex", "race", "education"]
    found = audit(adult_file, Roles(quasi=quasi, sensitive={"occupation": distance}), read=SEMICOLONS, drivers=False)
    rows = [line.split(";") for line in adult_occupations.read_text().split()]
    parents = {row[0]: row[1] for row in rows}
    assert all(len(row) == 3 for row in rows)
    coarse = adult.assign(occupation=adult["occupation"].map(parents))
    levels = [by_hand(frame, quasi, "occupation", sorted(frame["occupation"].unique())) for frame in (adult, coarse)]
    np.testing.assert_allclose(found.classes.to_pandas()["occupation.t"], (levels[0] + levels[1]) / 2, atol=1e-12)


def test_the_divergences_of_adult_as_pandas_has_them(adult, adult_file):
    quasi = ["sex", "workclass"]
    found = audit(adult_file, Roles(quasi=quasi, sensitive="occupation:nominal"), read=SEMICOLONS, measure="all")
    counts = adult.groupby([*quasi, "occupation"]).size().unstack(fill_value=0)
    p = counts.to_numpy() / counts.to_numpy().sum(axis=1, keepdims=True)
    q = adult["occupation"].value_counts().reindex(counts.columns).to_numpy() / len(adult)
    with np.errstate(divide="ignore", invalid="ignore"):
        kl = np.where(p > 0, p * np.log(p / q), 0).sum(axis=1)
        half = (p + q) / 2
        js = (np.where(p > 0, p * np.log2(p / half), 0) + q * np.log2(q / half)).sum(axis=1) / 2
        entropy = np.exp(-np.where(p > 0, p * np.log(p), 0).sum(axis=1))
        delta = np.where((p == 0).any(axis=1), math.inf, np.abs(np.log(p / q)).max(axis=1))
    classes = found.classes.to_pandas()
    for name, expected in {"kl": kl, "js": js, "entropy_l": entropy, "delta": delta}.items():
        np.testing.assert_allclose(classes[f"occupation.{name}"], expected, atol=1e-11, err_msg=name)
    np.testing.assert_allclose(classes["occupation.beta"], (p / q - 1).max(axis=1), atol=1e-11)
    np.testing.assert_allclose(classes["occupation.alpha"], p.max(axis=1), atol=1e-15)


@pytest.mark.parametrize("name", ["FEDTAX", "FICA"])
@pytest.mark.parametrize("distance", [Ordered(), Numeric()], ids=["ordered", "numeric"])
def test_taxes_of_the_census_as_scipy_has_them(census_file, name, distance):
    frame = pd.read_csv(census_file)
    frame["decile"] = pd.qcut(frame["TAXINC"].rank(method="first"), 10, labels=False)
    found = audit(frame[["decile", name]], Roles(quasi="decile", sensitive={name: distance}), drivers=False)
    values = frame[name] if distance == Numeric() else frame[name].rank(method="dense")
    span = values.max() - values.min()
    expected = [wasserstein_distance(values[frame["decile"] == decile], values) / span for decile in range(10)]
    assert found.classes.to_pandas()[f"{name}.t"].tolist() == pytest.approx(expected, abs=1e-12)
    assert float(found[name].t) == pytest.approx(max(expected), abs=1e-12)
    rows = [row[f"{name}.t"] for row in found.classes.rows(sort=f"{name}.t")]
    assert rows == sorted(rows, reverse=True)
