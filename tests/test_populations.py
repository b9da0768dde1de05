"""Populations: the estimators beside published numbers, the truth of known populations, and weights by hand."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tclose
from shared_data import shared_file
from tclose.models.populations.estimators import (
    Frequencies,
    _digamma,
    _ones,
    _twos,
    dankar,
    estimated,
    pitman,
    pitman_parameters,
    shlosser,
    snb,
    snb_parameters,
    zayatz,
)
from tclose.models.populations.findings import population_finding

SEVEN = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
FOUR = ("sex", "age", "race", "education")
KNOWN = {"q": [1, 1, 1, 2, 2, 3], "s": ["x", "y", "x", "y", "x", "y"]}
ROLES = tclose.Roles(quasi=["q"], sensitive={"s": tclose.Nominal()})


def adult(columns):
    with shared_file("adult", "adult.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    return Frequencies(Counter(Counter(tuple(row[name] for name in columns) for row in rows).values()))


# ARX 3.9.2 and an independent derivation agree on these.
@pytest.mark.parametrize(
    ("columns", "people", "theta", "alpha", "by_pitman", "by_zayatz"),
    [
        (SEVEN, 60_324, 580.557, 0.656368, 12_234.65, 11_957.93),
        (SEVEN, 301_620, 580.557, 0.656368, 35_186.28, 36_604.00),
        (SEVEN, 3_016_200, 580.557, 0.656368, 159_493.05, 227_996.21),
        (FOUR, 60_324, 328.669, 0.298013, 1_554.24, 1_421.06),
        (FOUR, 301_620, 328.669, 0.298013, 2_510.86, 2_424.46),
    ],
)
def test_adult_has_the_published_estimates(columns, people, theta, alpha, by_pitman, by_zayatz):
    sample = adult(columns)
    found = pitman(sample, people)
    assert found.parameters["theta"] == pytest.approx(theta, abs=1e-3)
    assert found.parameters["alpha"] == pytest.approx(alpha, abs=1e-6)
    assert found.uniques == pytest.approx(by_pitman, abs=0.02)
    assert zayatz(sample, people).uniques == pytest.approx(by_zayatz, abs=0.006)


@given(st.floats(1e-6, 1e9))
def test_digamma_obeys_its_recurrence(x):
    assert _digamma(x + 1) - _digamma(x) == pytest.approx(1 / x, rel=1e-6, abs=1e-9)


def test_digamma_of_one_is_minus_eulers_constant():
    assert _digamma(1) == pytest.approx(-0.57721566490153286, abs=1e-12)


def likelihood(theta, alpha, classes):
    rows, number = sum(i * c for i, c in classes.items()), sum(classes.values())
    return (
        sum(math.log(theta + i * alpha) for i in range(1, number))
        - (math.lgamma(theta + rows) - math.lgamma(theta + 1))
        + sum(c * (math.lgamma(i - alpha) - math.lgamma(1 - alpha)) for i, c in classes.items())
    )


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(st.integers(1, 30), st.integers(1, 40), min_size=2, max_size=6))
def test_no_parameters_near_pitmans_are_more_likely(classes):
    theta, alpha = pitman_parameters(classes)
    best = likelihood(theta, alpha, classes)
    for other in (0.9, 0.99, 1.01, 1.1):
        if (changed := (theta + alpha) * other - alpha) > -alpha:
            assert likelihood(changed, alpha, classes) <= best + 1e-7
        if 1e-6 < alpha * other < 1 and theta > -alpha * other:
            assert likelihood(theta, alpha * other, classes) <= best + 1e-7


@pytest.mark.parametrize("classes", [{1: 97, 2: 2}, {1: 56, 2: 1}, {1: 28, 2: 1}, {1: 1000, 2: 3}, {1: 87, 2: 2}])
def test_nearly_all_alone_no_parameters_of_a_grid_are_more_likely_than_pitmans(classes):
    """There θ is large and α near 0: sums over classes and rows are nearly the same, and their difference decides."""
    rows, number = sum(i * c for i, c in classes.items()), sum(classes.values())

    def by_terms(theta, alpha):
        alone = [math.log1p(-i * (1 - alpha) / (theta + i)) for i in range(1, number)]
        more = [-math.log(theta + i) for i in range(number, rows)]
        return math.fsum([*alone, *more, *(c * math.log(j - alpha) for i, c in classes.items() for j in range(1, i))])

    grid = [(math.exp(at / 4), alpha) for at in range(-8, 140) for alpha in (1e-6, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9)]
    assert by_terms(*pitman_parameters(classes)) >= max(by_terms(*point) for point in grid) - 1e-9


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.integers(1, 9), st.integers(1, 2000), min_size=1, max_size=4),
    st.integers(0, 10**6),
)
@example({1: 97, 2: 2}, 910)
def test_nobody_estimates_more_people_than_there_are(classes, more):
    sample = Frequencies(classes)
    for found in estimated(sample, sample.rows + more).values():
        assert found.uniques is None or 0 <= found.uniques <= (sample.rows + more) * (1 + 1e-9)


@pytest.mark.parametrize("classes", [{5: 1}, {1: 7}])
def test_pitman_has_no_answer_for_one_class_or_rows_all_alone(classes):
    assert pitman_parameters(classes) is None
    assert pitman(Frequencies(classes), 1000).uniques is None


def test_zayatz_by_hand():
    # u = 2 classes of 1 and 2 rows, n = 3 of N = 6: h_1(1) = 1/2, h_2(1) = 2 · (3/6)(3/5) = 3/5
    found = zayatz(Frequencies({1: 1, 2: 1}), 6)
    assert found.parameters["alone"] == pytest.approx((1 / 2) / (1 / 2 + 3 / 5))
    assert found.uniques == pytest.approx(found.parameters["alone"] * 2)


def test_shlosser_by_hand():
    # c_1 = 2, c_2 = 1, f = 1/2: A = 2·¼ + 2·¼·¾, B = 2·½·½ + ¼·5/4, C = 2·½ + ¼, D = 2·½ + 2·½·½
    found = shlosser({1: 2, 2: 1}, 0.5)
    assert found == pytest.approx(3 + 2 * (7 / 8) / (13 / 16) * ((5 / 4) / (3 / 2)) ** 2)


@pytest.mark.parametrize(
    ("alpha", "beta", "fraction"), [(0.2, 0.1, 0.5), (0.2, 0.1, 0.05), (1.5, 0.3, 0.2), (3.0, 0.6, 0.3)]
)
def test_snb_solves_its_two_equations(alpha, beta, fraction):
    classes = {1: 50, 2: 20, 3: 9, 7: 4}
    number, found_alpha, found_beta = snb_parameters(classes, fraction)
    assert number == pytest.approx(shlosser(classes, fraction))
    assert number * _ones(found_alpha, found_beta, fraction) == pytest.approx(50, rel=1e-9)
    assert number * _twos(found_alpha, found_beta, fraction) == pytest.approx(20, rel=1e-6)
    assert 0 < found_beta < 1
    # and the equations themselves: what the distribution expects of a sample, drawn row by row
    v = (1 - fraction) * (1 - beta)
    w = 1 - v
    draws = np.random.default_rng(1)
    sizes = draws.negative_binomial(alpha, beta, 200_000) + 1
    sampled = draws.binomial(sizes, fraction)
    assert _ones(alpha, beta, fraction) == pytest.approx((sampled == 1).mean(), rel=0.05)
    assert _twos(alpha, beta, fraction) == pytest.approx((sampled == 2).mean(), rel=0.1)
    assert w > 0


def test_dankars_rule_takes_pitman_from_few_and_the_smaller_of_the_others_from_many():
    sample = adult(FOUR)
    assert dankar(sample, 3_016_200).uniques == pitman(sample, 3_016_200).uniques
    assert dankar(sample, 301_620).uniques == pitman(sample, 301_620).uniques
    many = 60_324
    assert dankar(sample, many).uniques == min(snb(sample, many).uniques, zayatz(sample, many).uniques)
    assert dankar(Frequencies({2: 5}), 100).uniques == 0
    alone = Frequencies({1: 10})
    assert dankar(alone, 1000).uniques == zayatz(alone, 1000).uniques
    assert dankar(alone, 20).uniques == zayatz(alone, 20).uniques


@pytest.mark.parametrize("fraction", [0.05, 0.2, 0.5])
def test_dankars_rule_is_near_the_truth_of_known_populations(fraction):
    draws = np.random.default_rng(7)
    ages, areas, jobs = (
        draws.normal(45, 15, 50_000).round(),
        draws.zipf(1.5, 50_000) % 200,
        draws.integers(0, 20, 50_000),
    )
    people = np.stack([ages, areas, jobs, draws.integers(0, 2, 50_000)], axis=1)
    truth = Counter(np.unique(people, axis=0, return_counts=True)[1].tolist())[1]
    rows = people[draws.random(50_000) < fraction]
    sample = Frequencies(Counter(np.unique(rows, axis=0, return_counts=True)[1].tolist()))
    assert dankar(sample, 50_000).uniques == pytest.approx(truth, rel=0.4)


def test_where_everybody_was_drawn_the_estimate_is_the_truth():
    found = estimated(Frequencies({1: 4, 3: 2}), 10)
    assert {each.uniques for each in found.values()} == {4.0}


def test_the_error_on_the_table_itself_is_that_of_samples_of_it():
    finding = population_finding(adult(FOUR), 60_324)
    assert abs(finding.errors["dankar"]) < 0.1
    few = population_finding(Frequencies({1: 5, 2: 5}), 100)
    assert set(few.errors.values()) == {None}


def test_risks_follow_from_the_estimate():
    finding = population_finding(adult(FOUR), 60_324)
    alone = finding.estimates["dankar"].uniques / 2 / 1206
    assert finding.alone() == pytest.approx(alone)
    assert finding.journalist == pytest.approx((alone, (1 + alone) / 2))
    assert finding.k_map == 1
    nobody = population_finding(Frequencies({3: 4, 5: 2}), 1000)
    assert nobody.alone() is None
    assert nobody.journalist == (0.0, 1 / 3)
    assert nobody.k_map == 3


@pytest.mark.parametrize("how", [{"population_size": 60}, {"sampling_fraction": "0.1"}, {"sampling_fraction": 0.1}])
def test_an_audit_takes_a_size_or_a_fraction(how):
    audit = tclose.audit(KNOWN, ROLES, measure="k", **how)
    assert audit.population.people == 60
    assert audit.population.sample.classes == {1: 1, 2: 1, 3: 1}
    assert json.loads(audit.to_json())["population"]["people"] == 60
    for told in (str(audit), audit.to_html(), audit.to_markdown()):
        assert "None of these is the truth" in told


def test_weights_say_how_many_people_a_class_has():
    table = {**KNOWN, "w": [2.5, 3, 1, 1.25, 10, 7]}
    found = tclose.audit(table, ROLES, weight_column="w").population
    assert found.people == round(24.75)
    assert found.weighted.smallest == Fraction("6.5")
    assert found.weighted.largest_risk == Fraction(2, 13)
    assert found.weighted.mean_risk == pytest.approx((3 / 6.5 + 2 / 11.25 + 1 / 7) / 6)


@pytest.mark.parametrize(
    "weights", [[1, 1, 1, 1, 1, 0.5], [1, 1, 1, 1, 1, None], list("abcdef"), [1, 1, 1, 1, 1, float("nan")]]
)
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(tclose.InputError, match="weights 'w'"):
        tclose.audit({**KNOWN, "w": weights}, ROLES, weight_column="w")


# Ann is in two classes, so that three people appear four times; Ann is alone in c, and Cem in b.
SPREAD = {"q": ["a", "a", "a", "b", "c"], "who": ["Ann", "Ann", "Bea", "Cem", "Ann"], "w": [4, 4, 2, 6, 4]}
PEOPLE = tclose.Roles(quasi="q", person="who")


@pytest.mark.parametrize("how", [{"population_size": 30}, {"sampling_fraction": "0.1"}])
def test_people_were_drawn_and_not_their_appearances(how):
    audit = tclose.audit(SPREAD, PEOPLE, measure="k", **how)
    found = audit.population
    assert (found.people, found.drawn, found.fraction) == (30, 3, 0.1)
    assert found.sample.classes == {2: 1, 1: 2}
    assert found.estimates == estimated(found.sample, 40)
    assert found.alone("zayatz") == pytest.approx(found.estimates["zayatz"].uniques * 0.1 / 2)
    assert "3 people, who appear 4 times in classes, of a population of 30 people (10 %)" in " ".join(
        str(audit).split()
    )
    data = json.loads(audit.to_json())["population"]
    assert (data["people"], data["drawn"], data["appearances"]) == (30, 3, 4)


def test_a_population_may_be_smaller_than_the_appearances_of_those_drawn_from_it():
    everybody = tclose.audit(SPREAD, PEOPLE, measure="k", population_size=3).population
    assert {each.uniques for each in everybody.estimates.values()} == {2.0}
    with pytest.raises(tclose.InputError, match="2 people"):
        tclose.audit(SPREAD, PEOPLE, measure="k", population_size=2)


def test_a_person_weighs_once_however_many_rows_and_classes_they_have():
    found = tclose.audit(SPREAD, PEOPLE, weight_column="w", measure="k").population
    assert found.people == 4 + 2 + 6
    assert found.weighted.smallest == 4
    assert found.weighted.mean_risk == pytest.approx((2 / 6 + 1 / 6 + 1 / 4) / 4)


def test_weights_that_differ_between_the_rows_of_a_person_are_refused():
    for wrong in ([4, 5, 2, 6, 4], [4, 4, 2, 6, 5]):
        with pytest.raises(tclose.InputError, match="the same in all rows of a person"):
            tclose.audit({**SPREAD, "w": wrong}, PEOPLE, weight_column="w", measure="k")
    with pytest.raises(tclose.InputError, match="'who'"):
        tclose.audit({**SPREAD, "who": [1, 1, 2, 3, 1]}, PEOPLE, weight_column="who", measure="k")


def test_one_way_of_drawing_is_said():
    for wrong in (
        {"population_size": 9, "sampling_fraction": "0.1"},
        {"population_size": 2},
        {"population_size": 0},
        {"population_size": 2.5},
        {"sampling_fraction": "0"},
        {"sampling_fraction": "1.5"},
        {"weight_column": "q"},
        {"population_size": 9, "population": KNOWN},
    ):
        with pytest.raises(tclose.InputError):
            tclose.audit(KNOWN, ROLES, **wrong)


def test_estimates_cannot_be_required():
    with pytest.raises(tclose.InputError, match=r"k-map needs a population table.*cannot be required"):
        tclose.audit(KNOWN, ROLES, require={"k_map": 2}, population_size=60)


def test_a_policy_says_how_a_table_was_drawn(tmp_path):
    path = tmp_path / "tclose.toml"
    path.write_text('[columns]\na = { role = "quasi-identifier" }\n[policy]\nsampling_fraction = 0.010\n')
    assert tclose.read_policy(path).baseline.sampling_fraction == "0.01"
    for wrong in ("sampling_fraction = 2", "weight_column = 5", "population_size = true", 'population_size = "many"'):
        path.write_text(f'[columns]\na = {{ role = "quasi-identifier" }}\n[policy]\n{wrong}\n')
        with pytest.raises(tclose.InputError, match=r"tclose\.toml: "):
            tclose.read_policy(path)
