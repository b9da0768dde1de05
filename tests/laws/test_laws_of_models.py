"""The laws that every model of the catalogue obeys, on small tables heavy with ties and missing values."""

from __future__ import annotations

import math
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from laws import oracle
from laws.audited import (
    NT_ROWS,
    SENSITIVE,
    WAYS,
    Case,
    cases,
    counted,
    everything,
    figures,
    same,
    told,
)
from tclose.models.catalogue import MODELS, Requirement
from tclose.models.closeness import NTCloseness

RANDOM = st.randoms(use_true_random=False)
FEW = settings(max_examples=30, deadline=None)
FEWER = settings(max_examples=12, deadline=None)

OF_SIZES = frozenset({"k", "prosecutor", "marketer", "journalist", "k_map", "presence_max", "presence_min"})
NOMINAL = ("text, nominal", "text or nothing, nominal")
CONVEX = ("t", "kl", "js", "smoothed_js", "alpha", "beta")


def expected_figures(case: Case, nt_rows: int = NT_ROWS) -> dict[tuple, dict]:
    """Every model's figure for every class, by hand; None where a class has no values."""
    attribute, classes, sizes = case.attribute, case.classes(), case.sizes()
    people = sizes + type(sizes)(case.extra)
    reference = sum(classes.values(), start=type(sizes)())
    found = {}
    for key, counts in classes.items():
        f, large = sizes[key], people[key]
        found[key] = {
            "k": f,
            "prosecutor": Fraction(1, f),
            "marketer": Fraction(1, large),
            "journalist": Fraction(1, large),
            "k_map": large,
            "presence_max": Fraction(f, large),
            "presence_min": Fraction(f, large),
        }
        if counts:
            found[key] |= oracle.attribute_figures(counts, reference, attribute)
            found[key]["nt"] = oracle.nt_figure(key, classes, attribute, nt_rows)
        else:
            found[key] |= dict.fromkeys(MODELS.keys() - OF_SIZES)
    if case.without is not None:
        oracle.in_both_ways(found, expected_figures(case.without, nt_rows))
    return found


def in_key_order(keys):
    return sorted(keys, key=lambda key: [(cell is not None, cell) for cell in key])


def agree(found, expected, what):
    if isinstance(expected, Fraction | int) and isinstance(found, Fraction | int):
        assert found == expected, what
    elif expected is None:
        assert found is None, what
    else:
        assert found == pytest.approx(float(expected), rel=1e-11, abs=1e-13), what


def test_the_laws_reach_every_model_of_the_catalogue():
    case = Case(("q0",), (("a", 0.5), ("a", 1.5), ("b", 0.5)), tclose.Numeric())
    audit = everything(case)
    assert figures(audit).keys() == MODELS.keys()
    assert {column.removeprefix("s.") for column in audit.classes.columns} == MODELS.keys() | {"q0", "size"}


def test_every_model_is_measured_on_whole_numbers_as_on_real_ones():
    case = Case(("q0",), (("a", 1), ("a", 3), ("b", 1)), tclose.Ordered())
    assert figures(everything(case)).keys() == MODELS.keys()


@given(cases())
@settings(max_examples=80, deadline=None)
def test_every_class_has_the_figures_that_a_calculation_by_hand_gives(case):
    expected = expected_figures(case)
    audit = everything(case)
    rows = list(audit.classes.rows())
    assert [tuple(row[name] for name in case.quasi) for row in rows] == in_key_order(expected)
    assert sum(row["size"] for row in rows) == audit.rows == len(case.rows)
    assert audit.class_count == len(audit.classes) == len(expected)
    for row in rows:
        key = tuple(row[name] for name in case.quasi)
        assert row["size"] == case.sizes()[key]
        for model, figure in expected[key].items():
            column = model if model in OF_SIZES else f"s.{model}"
            if column in row:
                agree(row[column], figure if figure is None else float(figure), (key, model))


@given(cases())
@settings(max_examples=80, deadline=None)
def test_the_figure_of_the_table_is_that_of_its_worst_class_and_that_class_is_named(case):
    expected = expected_figures(case)
    audit = everything(case)
    for model, figure in {**audit.figures, **audit["s"].figures}.items():
        each = {key: some[model] for key, some in expected.items() if some.get(model) is not None}
        if model == "marketer":
            sizes = case.sizes()
            mean = sum(sizes[key] * risk for key, risk in each.items()) / len(case.rows)
            assert figure.value == mean
            assert figure.worst is None
            continue
        worst = oracle.worst(list(each.values()), model)
        agree(figure.value, worst, model)
        near = 0 if isinstance(worst, Fraction | int) else 1e-11
        tied = [key for key, value in each.items() if value == worst or abs(value - worst) <= near]
        named = tuple(figure.worst.key[name] for name in case.quasi)
        assert named == in_key_order(tied)[0], model
        assert figure.worst.tied == len(tied), model
        assert figure.worst.size == case.sizes()[named], model


@pytest.mark.parametrize("kind", ["text, nominal", "real numbers or nothing, dropped"])
@given(data=st.data())
@FEW
def test_the_mean_divergence_is_the_information_that_classes_give_about_the_value(kind, data):
    """Rebollo-Monedero et al.: the sum over classes of n/N · KL, over the rows that have a value."""
    case = data.draw(cases(kinds=[kind]))
    expected, classes = expected_figures(case), case.classes()
    mean = sum(sum(counts.values()) * (expected[key]["kl"] or 0.0) for key, counts in classes.items())
    found = everything(case)["s"]["kl"].details["mean"]
    assert found == pytest.approx(mean / len(case.known), abs=2e-12)


WITHOUT_FRACTION = {"entropy_l", "kl", "js", "smoothed_js", "delta", "delta_present"}
EXACT = sorted(MODELS.keys() - WITHOUT_FRACTION - {"enhanced_beta", "marketer"})


@given(cases(), st.data())
@settings(max_examples=60, deadline=None)
def test_verdicts_count_exactly_the_classes_and_rows_that_miss_the_threshold(case, data):
    expected = expected_figures(case)
    require, thresholds = [], []
    for key in EXACT:
        model = NTCloseness(NT_ROWS) if key == "nt" else MODELS[key]()
        known = [e[key] for e in expected.values() if e.get(key) is not None and e[key] != math.inf]
        if not known or (key == "ke" and isinstance(case.rows[0][-1], int)):
            continue
        nudge = data.draw(st.sampled_from([0, Fraction(1, 10**30), -Fraction(1, 10**30)]))
        threshold = Fraction(data.draw(st.sampled_from(known))) + nudge
        require.append(Requirement(model, threshold))
        thresholds.append((key, threshold))
    audit = everything(case, require)
    verdicts = {(v.requirement.model.key, v.requirement.threshold): v for v in audit.verdicts}
    sizes = case.sizes()
    for key, threshold in thresholds:
        verdict = verdicts[key, threshold]
        good_high, strict = MODELS[key].good == "high", MODELS[key].strict
        failing = [
            at
            for at, some in expected.items()
            if some.get(key) is not None
            and not (
                (some[key] == threshold and not strict)
                or (some[key] > threshold if good_high else some[key] < threshold)
            )
        ]
        assert verdict.failing_classes == len(failing), (key, threshold)
        assert verdict.failing_rows == sum(sizes[at] for at in failing), (key, threshold)
        assert verdict.holds == (not failing), (key, threshold)
        assert verdict.holds == verdict.requirement.met_by(verdict.figure.value), (key, threshold)
    assert audit.holds == all(v.holds for v in audit.verdicts)


@given(cases(), RANDOM)
@FEW
def test_the_order_of_rows_changes_nothing(case, random):
    shuffled = case.with_rows(random.sample(case.rows, len(case.rows)))
    assert told(everything(shuffled)) == told(everything(case))


@given(cases(), RANDOM)
@FEWER
def test_the_labels_of_the_index_change_nothing(case, random):
    plain = pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in case.columns.items()})
    labels = [random.choice([0, 0, 1, 7]) for _ in case.rows]
    labelled = plain.set_axis(pd.Index(labels, name="s"), axis=0)
    assert told(everything(case, table=labelled)) == told(everything(case, table=plain))


@given(cases())
@FEWER
def test_the_number_of_threads_changes_nothing(case):
    assert told(everything(case, threads=3)) == told(everything(case, threads=1))


@pytest.mark.parametrize("nt_rows", [None, NT_ROWS], ids=["part by part", "all in one part"])
@pytest.mark.parametrize("way", list(WAYS)[1:])
@given(case=cases())
@FEWER
def test_the_way_rows_are_counted_changes_nothing(way, nt_rows, case):
    with counted("pairs"):
        expected = told(everything(case, nt_rows=nt_rows))
    with counted(way):
        assert told(everything(case, threads=2, nt_rows=nt_rows)) == expected


@given(cases(), st.integers(2, 3))
@FEW
def test_repeating_every_row_changes_no_figure_that_is_not_of_sizes(case, times):
    repeated = Case(case.quasi, case.rows * times, case.distance, case.extra * times)
    once = figures(everything(case))
    more = figures(everything(repeated, nt_rows=NT_ROWS * times))
    same(once, more, without=OF_SIZES)
    for key in ("k", "k_map"):
        assert more[key] == once[key] * times
    for key in ("prosecutor", "marketer", "journalist"):
        assert more[key] == once[key] / times
    for key in ("presence_max", "presence_min"):
        assert more[key] == once[key]


@given(cases(kinds=NOMINAL), RANDOM)
@FEW
def test_renaming_nominal_values_changes_nothing(case, random):
    names = ["", "x", "y", "10", "9"]
    renamed = dict(zip(names, random.sample(["A", "ß", "-3", "zz", " "], 5), strict=True)) | {None: None}
    other = case.with_rows((*row[:-1], renamed[row[-1]]) for row in case.rows)
    same(figures(everything(case)), figures(everything(other)))


@given(cases(quasi=3), RANDOM)
@FEW
def test_the_names_and_the_order_of_quasi_identifiers_change_nothing(case, random):
    names = random.sample(["a b", 'quo"te', "Size", "s.t", "π"], 3)
    places = random.sample(range(3), 3)
    rows = [(*(row[at] for at in places), row[-1]) for row in case.rows]
    extra = [tuple(row[at] for at in places) for row in case.extra]
    other = Case(tuple(names), tuple(rows), case.distance, tuple(extra))
    one, another = everything(case), everything(other)
    same(figures(one), figures(another))
    for key, figure in one["s"].figures.items():
        assert figure.worst.tied == another["s"][key].worst.tied


@given(cases(quasi=1), st.data())
@FEW
def test_renaming_the_values_of_a_quasi_identifier_changes_no_figure(case, data):
    held = sorted({row[0] for row in case.rows} | {row[0] for row in case.extra}, key=repr)
    new = data.draw(st.permutations([f"v{at}" for at in range(len(held))]))
    renamed = dict(zip(held, new, strict=True))
    other = Case(
        case.quasi,
        tuple((renamed[row[0]], row[1]) for row in case.rows),
        case.distance,
        tuple((renamed[row[0]],) for row in case.extra),
    )
    same(figures(everything(case)), figures(everything(other)))


@given(cases(quasi=1), st.data())
@settings(max_examples=60, deadline=None)
def test_merging_two_classes_never_raises_the_largest_distance(case, data):
    keys = sorted({row[0] for row in case.rows}, key=repr)
    one, other = data.draw(st.sampled_from(keys)), data.draw(st.sampled_from(keys))
    merged = case.with_rows((one if row[0] == other else row[0], row[1]) for row in case.rows)
    reached = Case(merged.quasi, merged.rows, merged.distance, ())
    before, after = figures(everything(case)), figures(everything(reached))
    for key in CONVEX:
        if isinstance(after[key], Fraction):
            assert after[key] <= before[key], key
        else:
            assert after[key] <= before[key] + 1e-12, key
    for key in ("k", "l", "p"):
        assert after[key] >= before[key]
    assert after["entropy_l"] >= before["entropy_l"] - 1e-12


@given(cases(quasi=2), st.sampled_from(["q0", "q1"]))
@FEW
def test_leaving_a_quasi_identifier_out_never_raises_t_and_the_drivers_say_what_it_does(case, dropped):
    audit = tclose.audit(case.columns, case.roles, drivers=True)
    kept = next(name for name in case.quasi if name != dropped)
    fewer = tclose.audit(case.columns, tclose.Roles(quasi=kept, sensitive={"s": case.distance}), drivers=True)
    assert fewer["s"].t <= audit["s"].t
    assert audit["s"].drivers[dropped] == fewer["s"].t
    assert fewer["s"].drivers == {kept: 0}


@given(cases(kinds=[kind for kind in SENSITIVE if "dropped" not in kind]))
@settings(max_examples=60, deadline=None)
def test_the_inequalities_between_distances_hold_in_every_class(case):
    audit = everything(case)
    nominal = Case(case.quasi, case.rows, tclose.Nominal())
    variations = [row["s.t"] for row in everything(nominal).classes.rows()]
    m, tiny = audit["s"].values, 1e-12
    for row, variation in zip(audit.classes.rows(), variations, strict=True):
        assert row["s.t"] <= variation + tiny
        if case.distance.word == "ordered":
            assert variation <= (m - 1) * row["s.t"] + tiny
        assert variation <= math.sqrt(row["s.kl"] / 2) + 1e-7
        assert variation <= row["s.beta"] + tiny
        assert row["s.js"] <= variation + tiny
        assert row["s.kl"] <= math.log1p(row["s.beta"]) + tiny


@given(cases())
@FEW
def test_t_lies_between_0_and_the_largest_possible_and_that_at_most_1(case):
    audit = everything(case)
    assert 0 <= audit["s"].t <= audit["s"].largest_t <= 1
    farthest = []
    for way in [case, *([] if case.without is None else [case.without])]:
        attribute, reference = way.attribute, oracle.Counter(value for _, value in way.known)
        q = oracle.shares(reference, attribute.order)
        farthest += [attribute.emd(oracle.shares({value: 1}, attribute.order), q) for value in attribute.order]
    assert audit["s"].largest_t == max(farthest)


@given(cases(), st.sampled_from([0, 1, -1]))
@FEW
def test_t_is_vacuous_exactly_from_the_largest_possible_on(case, step):
    largest = everything(case)["s"].largest_t
    threshold = min(max(largest + step * Fraction(1, 10**25), Fraction(0)), Fraction(1))
    audit = tclose.audit(case.columns, case.roles, require={"t": threshold}, drivers=False)
    assert audit.verdicts[0].vacuous == (threshold >= largest)
    assert audit.holds or not audit.verdicts[0].vacuous
