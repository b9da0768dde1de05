"""Roles: one for each column, said once."""

from __future__ import annotations

import pytest

from tclose import Hierarchical, Nominal, Numeric, Ordered, Roles
from tclose.errors import InputError, RoleConflictError
from tclose.policy.roles import split_name


def test_names_may_be_one_text_a_list_or_texts_with_distances():
    roles = Roles(quasi="zip", sensitive=["salary:ordered", "disease", "time 12:30", "a:b:nominal"])
    assert roles.quasi == ("zip",)
    assert dict(roles.sensitive) == {"salary": Ordered(), "disease": None, "time 12:30": None, "a:b": Nominal()}
    assert roles.columns == ("zip", "salary", "disease", "time 12:30", "a:b")


def test_a_mapping_takes_distances_words_and_nothing():
    roles = Roles(sensitive={"a": Numeric(), "b": "ordered", "c": None})
    assert dict(roles.sensitive) == {"a": Numeric(), "b": Ordered(), "c": None}


@pytest.mark.parametrize(
    "named",
    [{"quasi": ["a", "a"]}, {"sensitive": ["a", "a:ordered"]}, {"quasi": "a", "sensitive": "a"},
     {"sensitive": "a", "identifiers": "a"}, {"quasi": "a", "identifiers": ["b", "a"]}],
    ids=str,
)  # fmt: skip
def test_a_column_has_one_role(named):
    with pytest.raises(RoleConflictError, match="'a'"):
        Roles(**named)


@pytest.mark.parametrize(
    "made",
    [lambda: Ordered(order="size"), lambda: Ordered(order=[]), lambda: Ordered(order=["a", "a"]),
     lambda: Ordered(nulls="category"), lambda: Numeric(nulls="first"), lambda: Nominal(nulls="last"),
     lambda: Hierarchical({}, nulls="category"), lambda: Roles(together="all"),
     lambda: Roles(sensitive={"a": "orderd"}), lambda: Roles(sensitive="a:hierarchical")],
)  # fmt: skip
def test_what_is_not_a_choice_is_refused(made):
    with pytest.raises(InputError):
        made()


def test_a_colon_that_no_distance_follows_belongs_to_the_name():
    assert split_name("a:b") == ("a:b", None)
    assert split_name(":ordered") == (":ordered", None)
    assert split_name("a:numeric") == ("a", "numeric")
