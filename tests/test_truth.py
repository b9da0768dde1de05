"""What Python's own words mean of a result, and what is said to arguments of the wrong kind."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import pytest

import tclose
from tclose.errors import InputError, RoleConflictError, ThresholdError

TABLE = {"q": ["a", "a", "b", "b", "b"], "age": [1, 2, 3, 4, 5], "s": ["x", "y", "x", "x", "y"]}
ROLES = tclose.Roles("q", "s:nominal")


@pytest.mark.parametrize(("k", "true"), [(2, True), (3, False)])
def test_an_audit_is_true_where_its_requirements_hold(k: int, true: bool) -> None:
    audit = tclose.audit(TABLE, ROLES, require={"k": k, "l": 1})
    assert bool(audit) is true
    assert all(audit.verdicts) is true
    assert [bool(verdict) for verdict in audit.verdicts] == [true, True]


def test_an_audit_without_requirements_is_neither_true_nor_false() -> None:
    with pytest.raises(InputError, match="Nothing was required"):
        bool(tclose.audit(TABLE, ROLES))


def test_a_release_is_true_where_there_is_one() -> None:
    roles = tclose.Roles("age", "s:nominal")
    assert bool(tclose.anonymize(TABLE, roles, require={"k": 2})) is True
    assert bool(tclose.anonymize(TABLE, roles, require={"l": 3})) is False


def test_an_audit_holds_its_attributes_by_name() -> None:
    audit = tclose.audit(TABLE, ROLES)
    assert "s" in audit
    assert "q" not in audit
    assert list(audit) == ["s"]


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "roles as a mapping": ({"roles": {"quasi": ["q"], "sensitive": ["s"]}}, RoleConflictError, "as Roles"),
    "roles as a name": ({"roles": "q"}, RoleConflictError, "as Roles"),
    "requirements as a text": ({"require": "k=2"}, ThresholdError, "a mapping"),
    "requirements as pairs": ({"require": [("k", 2)]}, ThresholdError, "a mapping"),
    "requirements as a number": ({"require": 2}, ThresholdError, "a mapping"),
    "threads as a text": ({"threads": "2"}, InputError, "whole number from 1"),
    "threads as a truth value": ({"threads": True}, InputError, "whole number from 1"),
    "memory as a number": ({"memory": 2**30}, InputError, "memory must be a text, not 1073741824"),
    "reading as a mapping": ({"read": {"header": True}}, InputError, "ReadOptions"),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_argument_of_the_wrong_kind_is_named(case: str) -> None:
    given, error, words = WRONG[case]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is left open
        with pytest.raises(error, match=words):
            tclose.audit(TABLE, **{"roles": ROLES, **given})
        gc.collect()


def test_a_recipe_in_the_place_of_the_table_is_named() -> None:
    release = tclose.anonymize(TABLE, tclose.Roles("age", "s:nominal"), require={"k": 2})
    with pytest.raises(InputError, match="the table comes first"):
        tclose.apply(release.recipe, TABLE)  # type: ignore[arg-type]
