"""Whoever knows at most m of the columns: figures, verdicts and releases beside the plainest calculation."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from laws import oracle
from laws.audited import Case, cases
from tclose.models import subsets
from tclose.models.catalogue import MODELS
from tclose.models.counts import Block, merged_block, sparse_block

MEASURED = ("k", "l", "t", "alpha", "entropy_l", "recursive", "kl", "js", "beta", "prosecutor")
FEW = settings(max_examples=40, deadline=None)

# An issue of sdcMicro (352): kAnon(k = 3, combs = 2) leaves rows of province 2 and activity A unprotected.
PAIRS = {
    "province": [2, 3, 3, 2, 4, 2, 4, 2, 2, 3],
    "activity": list("AAAABBBBAA"),
    "sex": ["Female", "Female", "Female", "Male", "Female", "Female", "Female", "Female", "Male", "Male"],
    "income": ["high", "low", "low", "low", "high", "medium", "high", "low", "high", "medium"],
}


def projected(case: Case, columns: tuple[int, ...]) -> Case:
    rows = tuple((*(row[at] for at in columns), row[-1]) for row in case.rows)
    return replace(case, quasi=tuple(case.quasi[at] for at in columns), rows=rows)


def by_hand(case: Case, most: int) -> dict[tuple[int, ...], list[tuple[tuple, dict]]]:
    """For each subset of columns, every class with its figures."""
    found = {}
    reference = sum(case.classes().values(), start=type(case.sizes())())
    for size in range(1, min(most, len(case.quasi)) + 1):
        for columns in itertools.combinations(range(len(case.quasi)), size):
            seen = projected(case, columns)
            sizes = seen.sizes()
            found[columns] = [
                (key, {"k": sizes[key], "prosecutor": Fraction(1, sizes[key])}
                 | (oracle.attribute_figures(counts, reference, case.attribute) if counts else {}))
                for key, counts in seen.classes().items()
            ]  # fmt: skip
    if case.without is not None:
        for columns, classes in by_hand(case.without, most).items():
            oracle.in_both_ways(dict(found[columns]), dict(classes))
    return found


def worst(key: str, figures: list) -> object:
    known = [each[key] for each in figures if each.get(key) is not None]
    return (min if MODELS[key].good == "high" else max)(known)


def as_bad(value: object, other: object) -> bool:
    return value is not None and float(value) == pytest.approx(float(other), rel=1e-11, abs=1e-11)


@FEW
@given(case=cases(quasi=3, most_rows=14), most=st.integers(1, 4))
def test_figures_are_the_worst_of_every_subset(case, most):
    audit = tclose.audit(case.columns, case.roles, any=most, measure=MEASURED, drivers=False)
    expected = by_hand(case, most)
    assert audit.any.subsets == len(expected)
    for key, figure in {**audit.any.figures, **audit.any.attributes["s"]}.items():
        every = [figures for classes in expected.values() for _, figures in classes]
        assert float(figure.value) == pytest.approx(float(worst(key, every)), rel=1e-11), key
        columns = tuple(case.quasi.index(name) for name in figure.known)
        here = dict(expected[columns])
        at = here[tuple(figure.worst.key[name] for name in figure.known)]
        assert float(at[key]) == pytest.approx(float(figure.value), rel=1e-11), key
        assert figure.worst.size == at["k"]
        equal = [each for each, figures in here.items() if as_bad(figures.get(key), figure.value)]
        first = min(equal, key=lambda each: [(part is not None, part) for part in each])
        assert tuple(figure.worst.key.values()) == first, key
        smaller = [each for each in expected if len(each) < len(columns)]
        assert all(worst(key, [f for _, f in expected[each]]) != pytest.approx(float(figure.value), rel=1e-11)
                   for each in smaller if any(key in f for _, f in expected[each])), key  # fmt: skip


@FEW
@given(
    case=cases(quasi=3, most_rows=14), most=st.integers(1, 3), k=st.integers(1, 4), t=st.sampled_from(["1/3", "0.2"])
)
def test_verdicts_name_subsets_classes_and_rows_that_fail(case, most, k, t):
    audit = tclose.audit(case.columns, case.roles, any=most, require={"k": k, "t": t}, drivers=False)
    expected = by_hand(case, most)
    for verdict, missed in zip(
        audit.verdicts, (lambda f: f["k"] < k, lambda f: f.get("t") is not None and f["t"] > Fraction(t)), strict=True
    ):
        failing = {
            columns: [key for key, figures in classes if missed(figures)] for columns, classes in expected.items()
        }
        rows = sum(
            any(tuple(row[at] for at in columns) in keys for columns, keys in failing.items()) for row in case.rows
        )
        assert verdict.holds == (not any(failing.values()))
        assert verdict.failing_subsets == sum(bool(keys) for keys in failing.values())
        assert verdict.failing_classes == sum(len(keys) for keys in failing.values())
        assert verdict.failing_rows == rows


@FEW
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 5), *[st.integers(0, 1)] * 3, st.sampled_from("xyz")), min_size=1, max_size=14
    ),
    most=st.integers(1, 3),
)
def test_people_are_counted_anew_for_every_subset(rows, most):
    table = pd.DataFrame(dict(zip("pabcs", zip(*rows, strict=True), strict=True)))
    sensitive = {"s": tclose.Nominal()}
    asked = {"require": {"k": 2, "t": "0.4", "marketer": "0.5"}, "drivers": False}
    audit = tclose.audit(table, tclose.Roles(["a", "b", "c"], sensitive, person="p"), any=most, **asked)
    subsets = [each for size in range(1, most + 1) for each in itertools.combinations("abc", size)]
    alone = {each: tclose.audit(table, tclose.Roles(each, sensitive, person="p"), **asked) for each in subsets}
    k = {each: found.k for each, found in alone.items()}
    t = {each: found["s"].t for each, found in alone.items()}
    found = audit.any.figures["k"]
    assert found.value == min(k.values()) == k[found.known]
    assert found.worst.size == found.value
    assert tuple(found.worst.key) == found.known
    assert audit.any.attributes["s"]["t"].value == max(t.values()) == t[audit.any.attributes["s"]["t"].known]
    by_text = [{v.requirement.text: v for v in each.verdicts} for each in alone.values()]
    for verdict in audit.verdicts:
        same = [each[verdict.requirement.text.partition(" for any")[0]] for each in by_text]
        assert verdict.failing_subsets == sum(not each.holds for each in same)
        assert verdict.failing_rows == max(each.failing_rows for each in same)
        assert verdict.figure.unit == "people"


def test_of_equally_bad_classes_of_some_columns_the_first_by_these_columns_is_named():
    table = {"a": [1, 2, 1, 2], "b": [9, 5, 7, 7], "s": ["x", "y", "y", "x"]}
    found = tclose.audit(table, tclose.Roles(["a", "b"], "s:nominal"), any=2, measure="l").any.attributes["s"]["l"]
    assert (found.known, found.worst.key, found.worst.size) == (("b",), {"b": 5}, 1)


def test_two_ways_to_count_the_people_of_some_columns_may_differ_by_rounding():
    # All of the values of a = 0 are y, which three fifths of the table's are: KL = 1 · ln(5/3), summed in two orders.
    table = {"p": [4, 3, 2, 1, 0, 3, 0, 1], "a": [1, 0, 1, 1, 1, 0, 1, 1], "b": [0, 1, 0, 0, 1, 0, 0, 0],
             "s": [*"xyxyyyyy"]}  # fmt: skip
    audit = tclose.audit(table, tclose.Roles(["a", "b"], "s:nominal", person="p"), any=2, measure="kl", drivers=False)
    assert audit.any.attributes["s"]["kl"].value == pytest.approx(np.log(5 / 3), rel=1e-12)


def test_a_mean_is_taken_for_each_subset():
    audit = tclose.audit(PAIRS, tclose.Roles(quasi=["province", "activity", "sex"]), any=2, require={"marketer": "0.4"})
    assert audit.any.figures["marketer"].value == Fraction(5, 10)
    assert audit.any.figures["marketer"].known == ("province", "sex")
    assert audit.verdicts[0].failing_subsets == 1
    assert not audit.holds


def test_all_columns_may_fail_where_any_two_hold():
    table = {"a": [0, 0, 1, 1] * 2, "b": [0, 1, 0, 1] * 2, "c": [0, 1, 1, 0] * 2, "d": [0] * 4 + [1] * 4}
    table = {**table, "s": ["x", "y"] * 4}
    roles = tclose.Roles(quasi=["a", "b", "c", "d"], sensitive=["s"])
    assert tclose.audit(table, roles, require={"k": 2}, any=2).holds
    assert not tclose.audit(table, roles, require={"k": 2}).holds
    assert tclose.audit(table, roles, require={"k": 2}, any=4).k == 1
    assert not tclose.audit(table, roles, require={"k": 2}, any=9).holds


@pytest.mark.parametrize("method", ["auto", "any-columns"])
def test_the_pair_that_sdcmicro_leaves_unprotected_is_protected(method):
    roles = tclose.Roles(quasi=list(PAIRS))
    trees = dict.fromkeys(["activity", "sex", "income"], "flat") | {"province": "flat"}
    release = tclose.anonymize(PAIRS, roles, require={"k": 3}, any=2, hierarchies=trees, method=method)
    assert release.holds
    frame = release.to_pandas()
    for pair in itertools.combinations(PAIRS, 2):
        assert frame.groupby(list(pair), dropna=False).size().min() >= 3, pair


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(st.tuples(*[st.integers(0, 2)] * 3, st.sampled_from("xyz")), min_size=3, max_size=14),
    most=st.integers(1, 2),
    k=st.integers(1, 3),
    suppress=st.sampled_from(["0", "0.3"]),
)
def test_releases_hold_for_every_subset(rows, most, k, suppress):
    table = dict(zip("abcs", zip(*rows, strict=True), strict=True))
    roles = tclose.Roles(quasi=["a", "b", "c"], sensitive={"s": tclose.Nominal()})
    release = tclose.anonymize(
        pd.DataFrame(table), roles, require={"k": k, "t": "0.5"}, any=most, hierarchies=dict.fromkeys("abc", "flat"),
        method="any-columns", suppress=suppress,
    )  # fmt: skip
    assert release.holds
    frame = release.to_pandas()
    assert len(frame) >= (1 - float(suppress)) * len(rows)
    for columns in itertools.chain.from_iterable(itertools.combinations("abc", n) for n in range(1, most + 1)):
        assert frame.groupby(list(columns)).size().min() >= k
        for _, one in frame.groupby(list(columns)):
            for whole in (frame["s"], pd.Series(table["s"])):
                gap = one["s"].value_counts(normalize=True).sub(whole.value_counts(normalize=True), fill_value=0)
                assert gap.abs().sum() / 2 <= 0.5 + 1e-12


def test_what_holds_is_not_generalised_and_what_need_not_be_is_lowered_again():
    table = {"a": [0, 0, 1, 1] * 3, "b": [0, 1, 0, 1] * 3, "c": list(range(12)), "s": ["x", "y"] * 6}
    roles = tclose.Roles(quasi=["a", "b", "c"], sensitive=["s"])
    trees = dict.fromkeys("abc", "flat")
    release = tclose.anonymize(table, roles, require={"k": 3}, any=2, hierarchies=trees, method="any-columns")
    assert release.levels == {"a": 0, "b": 0, "c": 1}


def test_a_release_of_people_holds_for_every_subset_of_columns():
    rows = [(person, visit % 2, person % 3, person % 2, "xy"[person % 2]) for person in range(24) for visit in range(3)]
    table = pd.DataFrame(rows, columns=["person", "a", "b", "c", "s"])
    roles = tclose.Roles(["a", "b", "c"], {"s": tclose.Nominal()}, person="person")
    trees = dict.fromkeys("abc", "flat")
    release = tclose.anonymize(table, roles, require={"k": 8}, any=1, hierarchies=trees)
    assert release.holds
    assert release.levels == {"a": 0, "b": 0, "c": 0}
    assert [(v.figure.value, v.figure.unit) for v in release.audits()[0].verdicts] == [(8, "people")]


def test_a_frontier_says_for_whom_its_thresholds_are():
    table = {"a": [0, 0, 1, 1] * 3, "b": [0, 1, 0, 1] * 3, "s": ["x", "y"] * 6}
    roles = tclose.Roles(quasi=["a", "b"], sensitive=["s"])
    trees = dict.fromkeys("ab", "flat")
    found = tclose.frontier(table, roles, sweep="k", values=[6], any=1, methods=["any-columns"], hierarchies=trees)
    assert found.points[0].loss == 0
    assert "any one column" in str(found)


def test_a_recipe_keeps_how_many_columns_are_known(tmp_path):
    roles = tclose.Roles(quasi=list(PAIRS))
    trees = dict.fromkeys(PAIRS, "flat")
    release = tclose.anonymize(PAIRS, roles, require={"k": 3}, any=2, hierarchies=trees, method="any-columns")
    release.write(tmp_path / "out.csv")
    recipe = tclose.read_recipe(tmp_path / "out.csv.recipe.json")
    assert [each.text for each in recipe.requirements] == ["k ≥ 3 for any 2 columns"]
    report = json.loads((tmp_path / "out.csv.report.json").read_text())
    assert report["requirements"] == ["k ≥ 3 for any 2 columns"]
    assert tclose.apply(PAIRS, tmp_path / "out.csv.recipe.json").holds


def test_obstacles_of_some_columns_are_those_of_the_coarsest_release():
    table = {"a": ["x"] * 9 + ["y"], "b": ["x", "y"] * 5, "s": ["u", "v"] * 5}
    roles = tclose.Roles(quasi=["a", "b"], sensitive=["s"])
    trees = {"a": "flat", "b": "flat"}
    release = tclose.anonymize(table, roles, require={"k": 2}, any=1, hierarchies=trees, levels={"a": 0})
    assert not release.holds
    (obstacle,) = release.obstacles
    assert obstacle.requirement.text == "k ≥ 2 for any column"
    assert obstacle.value == 1


def test_an_explanation_is_of_the_class_that_few_columns_make():
    audit = tclose.audit("example:salary", require={"t": "0.2"}, any=1)
    (salary, _) = tclose.explain(audit, key={"age": "2*"})
    assert salary.value == audit.any.attributes["salary"]["t"].value == Fraction(3, 8)
    with pytest.raises(tclose.InputError, match="every quasi-identifier"):
        tclose.explain(tclose.audit("example:salary"), key={"age": "2*"})


def test_a_redacted_audit_names_columns_and_no_values():
    found = tclose.audit(PAIRS, tclose.Roles(quasi=["province", "activity"]), any=1, require={"k": 9})
    page = found.to_html(redact=True)
    assert "Any column" in page
    assert "province=4" in found.with_people().to_html()
    assert "province=" not in page


@pytest.mark.parametrize("given", [0, -1, 1.5, "3", True, 2**40])
def test_a_number_of_columns_that_is_none_is_refused(given):
    with pytest.raises(tclose.InputError, match="any must be a whole number from 1"):
        tclose.audit("example:salary", any=given)


def test_more_combinations_than_anybody_waits_for_are_refused():
    table = {f"c{at}": [0, 1] for at in range(40)}
    with pytest.raises(tclose.InputError, match="too many"):
        tclose.audit(table, tclose.Roles(quasi=list(table)), measure="k", any=20)


def test_a_model_that_needs_more_than_a_class_is_refused():
    roles = tclose.Roles(quasi=["province", "activity"], sensitive=["income"])
    with pytest.raises(tclose.InputError, match="some of the columns"):
        tclose.audit(PAIRS, roles, any=1, require={"k_map": 2}, population=PAIRS)


def test_a_policy_says_how_many_columns_are_known(tmp_path):
    path = tmp_path / "tclose.toml"
    path.write_text('[columns]\na = { role = "quasi-identifier" }\n[policy]\nk = 2\nany = 3\n')
    policy = tclose.read_policy(path)
    assert policy.required.any == 3
    assert [each.text for each in policy.requirements()] == ["k ≥ 2 for any 3 columns"]
    path.write_text('[columns]\na = { role = "quasi-identifier" }\n[policy]\nany = "many"\n')
    with pytest.raises(tclose.InputError, match=r"tclose\.toml: \[policy\] any must be"):
        tclose.read_policy(path)


@given(data=st.data())
@FEW
def test_blocks_merge_alike_in_a_table_and_by_sorting(data):
    pairs = data.draw(st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 4), st.integers(1, 9)), min_size=1))
    classes, ranks, counts = (np.array(column) for column in zip(*pairs, strict=True))
    numbers = np.array(data.draw(st.lists(st.integers(0, 2), min_size=6, max_size=6)))
    block: Block = sparse_block(classes, ranks.astype(np.int32), counts, 6)
    expected = sparse_block(numbers[classes], ranks.astype(np.int32), counts, 3)
    found = merged_block(block, numbers, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tclose.models.counts._FEW_CELLS", -(10**9))
        sorted_ = merged_block(block, numbers, 3)
    for name in ("offsets", "ranks", "counts", "sizes"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist() == getattr(sorted_, name).tolist()


def test_subsets_are_measured_in_batches_of_any_size(monkeypatch):
    table = pd.DataFrame(PAIRS)
    roles = tclose.Roles(quasi=["province", "activity", "sex"], sensitive=["income"])
    whole = tclose.audit(table, roles, any=3, require={"k": 3, "t": "0.2"})
    monkeypatch.setattr(subsets, "_PLACES_AT_ONCE", 1)
    monkeypatch.setattr(subsets, "_SPARE_PLACES", -10_000)
    assert tclose.audit(table, roles, any=3, require={"k": 3, "t": "0.2"}).to_json() == whole.to_json()
