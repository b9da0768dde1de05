"""The lattice as it is looked at: every node judged as an audit of the table on these levels judges it."""

from itertools import product
from typing import Any

import pytest

import tclose
from tclose.anonymization.algorithms.full_domain import neighbourhood as looked_at
from tclose.reports.charts.lattice import lattice_picture

TREES = {
    "zip": {"*": {"1": ["11", "12"], "2": ["21", "22"]}},
    "sex": {"*": ["f", "m"]},
}
TABLE: dict[str, list[Any]] = {
    "zip": ["11", "11", "12", "21", "22", "22", "21", "12"],
    "sex": ["f", "m", "f", "m", "f", "m", "m", "f"],
    "pay": [1, 2, 3, 4, 1, 2, 3, 4],
}
ROLES = tclose.Roles(["zip", "sex"], {"pay": tclose.Ordered()})
LABELS = {
    "zip": [lambda code: code, lambda code: code[0], lambda _code: "*"],
    "sex": [lambda sex: sex, lambda _sex: "*"],
}


def released(**options):
    return tclose.anonymize(TABLE, ROLES, hierarchies=TREES, method="full-domain", **options)


def audited(zip_level, sex_level, require):
    recoded = {
        "zip": [LABELS["zip"][zip_level](code) for code in TABLE["zip"]],
        "sex": [LABELS["sex"][sex_level](sex) for sex in TABLE["sex"]],
        "pay": TABLE["pay"],
    }
    return tclose.audit(recoded, ROLES, require=require)


@pytest.mark.parametrize("require", [{"k": 2}, {"k": 2, "t": "0.3"}, {"t": "0.2"}])
def test_every_node_is_judged_as_an_audit_judges_it(require):
    found = released(require=require).work.around()
    assert found.whole
    assert {node.levels for node in found.nodes} == set(product(range(3), range(2)))
    for node in found.nodes:
        zip_level, sex_level = node.levels
        audit = audited(zip_level, sex_level, require)
        assert (node.holds, node.smallest, node.classes) == (audit.holds, audit.k, audit.class_count)
    kept = {node.levels: node.kept for node in found.nodes}
    assert (kept[0, 0], kept[2, 1]) == (1, 0)


@pytest.mark.parametrize("require", [{"k": 2}, {"k": 3}, {"k": 2, "t": "0.3"}])
def test_every_node_of_people_is_judged_by_the_people_in_its_classes(require):
    people = TABLE | {"who": ["a", "a", "b", "c", "d", "d", "e", "b"]}
    roles = tclose.Roles(["zip", "sex"], {"pay": tclose.Ordered()}, person="who")
    release = tclose.anonymize(people, roles, require=require, hierarchies=TREES, method="full-domain")
    for node in release.work.around().nodes:
        labels = {
            name: [LABELS[name][level](v) for v in TABLE[name]] for name, level in zip(TREES, node.levels, strict=True)
        }
        audit = tclose.audit(people | labels, roles, require=require)
        assert (node.holds, node.smallest, node.classes) == (audit.holds, audit.k, audit.class_count)


def test_around_a_node_of_a_large_lattice_lie_those_one_step_away_and_the_ends(monkeypatch):
    monkeypatch.setattr(looked_at, "MOST_NODES", 3)
    found = released(require={"k": 8}).work.around()
    assert (found.whole, found.chosen) == (False, (2, 1))
    assert {node.levels for node in found.nodes} == {(0, 0), (2, 1), (1, 1), (2, 0)}
    picture = lattice_picture(found)
    assert picture.count("data-levels=") == 4
    assert 'data-levels="2,1"' in picture


def test_a_method_without_common_levels_has_no_place_in_the_lattice():
    assert tclose.anonymize(TABLE, ROLES, require={"k": 2}, hierarchies=TREES, method="mondrian").work.around() is None
