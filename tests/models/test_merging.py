"""What merging does not promise: the counter-examples of the specification, through the audit."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from papers import EXPECTED
from tclose import Roles, anonymize, audit

ROLES = Roles(quasi="q", sensitive="s:nominal")


def rows_of(counts: dict[str, list[int]]) -> dict[str, list[object]]:
    pairs = [(key, value) for key, each in counts.items() for value, n in enumerate(each) for _ in range(n)]
    return {"q": [key for key, _ in pairs], "s": [value for _, value in pairs]}


def test_delta_of_the_values_present_can_grow_when_classes_merge():
    one, other = EXPECTED["delta_merge.classes"]
    whole = EXPECTED["delta_merge.table"]
    rest = [g - a - b for g, a, b in zip(whole, one, other, strict=True)]
    merged = [a + b for a, b in zip(one, other, strict=True)]
    apart = audit(rows_of({"1": one, "2": other, "rest": rest}), ROLES, measure="all")
    together = audit(rows_of({"1": merged, "rest": rest}), ROLES, measure="all")
    found = {row["q"]: row["s.delta_present"] for row in apart.classes.rows()}
    union = {row["q"]: row["s.delta_present"] for row in together.classes.rows()}
    assert [found["1"], found["2"], union["1"]] == pytest.approx(EXPECTED["delta_merge.deltas"], abs=5e-4)
    assert union["1"] > max(found["1"], found["2"])


def test_closeness_to_a_superset_can_be_lost_when_classes_merge():
    """Spec 2.5: 10 rows A of 1,000 A and 100 rows B of 200 B are at 0; their union is at 0.742."""
    counts = {("S1", "E1"): (10, 0), ("S1", "x"): (990, 0), ("S2", "E2"): (0, 100), ("S2", "y"): (0, 100)}
    wide = {"wide": [], "narrow": [], "s": []}
    for (place, part), (a, b) in counts.items():
        wide["wide"] += [place] * (a + b)
        wide["narrow"] += [part] * (a + b)
        wide["s"] += ["A"] * a + ["B"] * b
    roles = Roles(quasi=["wide", "narrow"], sensitive="s:nominal")
    assert audit(wide, roles, require={"nt": (150, 0)}).holds
    merged = wide | {
        "wide": ["both"] * len(wide["s"]),
        "narrow": ["E" if part.startswith("E") else "rest" for part in wide["narrow"]],
    }
    found = audit(merged, roles, require={"nt": (150, 0)})
    assert found["s"]["nt"].value == abs(Fraction(10, 110) - Fraction(1000, 1200))
    assert float(found["s"]["nt"].value) == pytest.approx(EXPECTED["cancer.merge_counterexample"], abs=5e-4)
    assert not found.holds


def test_proximity_can_be_lost_when_classes_merge():
    """Li, Tao, Xiao 2008, ε = 1 and m = 2: of 0, 1, 2 and 100 three lie within 1 of 1."""
    roles, asked = Roles(quasi="q", sensitive="s:numeric"), {"proximity": "1,2"}
    apart = audit({"q": [1, 1, 2, 2], "s": [0, 2, 1, 100]}, roles, require=asked)
    together = audit({"q": [1, 1, 1, 1], "s": [0, 2, 1, 100]}, roles, require=asked)
    assert (apart["s"]["proximity"].value, apart.holds) == (2, True)
    assert (together["s"]["proximity"].value, together.holds) == (Fraction(4, 3), False)


def test_a_full_domain_search_finds_what_holds_apart_although_it_does_not_hold_together():
    """What misses proximity when all is merged may meet it with nothing merged: the search must not stop there."""
    table = {"q": ["a", "a", "b", "b"], "s": [0, 2, 1, 100]}
    roles, asked = Roles(quasi="q", sensitive="s:numeric"), {"proximity": "1,2"}
    found = anonymize(table, roles, require=asked, method="full-domain")
    assert found.class_count == 2
    assert found.holds


@pytest.mark.parametrize("values", EXPECTED["uniform.pycanon_entropy_l"])
def test_a_uniform_class_is_not_truncated(values):
    number = int(values)
    found = audit({"q": [1] * number, "s": list(range(number))}, ROLES, require={"entropy_l": number})
    assert found["s"]["entropy_l"].value == number
    assert found.holds


def test_enhanced_beta_has_no_threshold_where_a_gain_is_over_its_cap():
    """Half a, half b: a class of a alone gains 1 > ln 2; one of three a and one b gains 1/2."""
    over = audit(rows_of({"1": [2, 0], "2": [0, 2]}), ROLES, require={"enhanced_beta": 1000, "beta": 1})
    assert {v.requirement.model.key: v.holds for v in over.verdicts} == {"beta": True, "enhanced_beta": False}
    under = audit(rows_of({"1": [3, 1], "2": [1, 3]}), ROLES, require={"enhanced_beta": "1/2"})
    assert under["s"]["enhanced_beta"].value == Fraction(1, 2)
    assert under.holds


def test_p_sensitivity_is_asked_of_every_confidential_attribute():
    columns = {"q": [1, 1, 1], "a": ["x", "y", "z"], "b": ["x", "x", "y"]}
    found = audit(columns, Roles(quasi="q", sensitive=["a", "b"]), require={"p": 3})
    assert [(v.attribute, v.holds) for v in found.verdicts] == [("a", True), ("b", False)]


@pytest.mark.parametrize(("rows", "figure"), [(2, 0), (3, Fraction(1, 2)), (4, Fraction(1, 2)), (5, math.inf)])
def test_a_class_is_near_itself_or_a_superset_if_that_has_enough_rows(rows, figure):
    """Two classes of two rows, a and b, are all that there is: four rows, at a half from each."""
    found = audit(rows_of({"1": [2, 0], "2": [0, 2]}), ROLES, require={"nt": (rows, "1/2")}, drivers=False)
    assert found["s"]["nt"].value == figure
    assert found.holds is (rows < 5)
