"""All that is wrong with what was asked is told at once, each problem with the line that mends it."""

from __future__ import annotations

import json
import pickle

import pytest

import tclose
from faces.command_line import in_process
from tclose.errors import InputError, SeveralProblemsError
from tclose.policy.roles import Ordered

TABLE = {
    "zip": ["Bonn", "Köln", "Ulm", "Rom"] * 3,
    "job": ["nurse", "cook", "smith", "clerk"] * 3,
    "age": [*range(20, 32)],
    "pay": ["1", None] * 6,
    "days": [1, 2, None] * 4,
}


def refused(call, *arguments, **asked):
    with pytest.raises(InputError) as caught:
        call(*arguments, **asked)
    return caught.value


@pytest.mark.parametrize("verb", [tclose.audit, tclose.anonymize])
def test_every_unknown_column_is_named_and_the_columns_are_listed_once(verb):
    roles = tclose.Roles(["zip", "zop", "nope"], ["pai", "nada"], person="who")
    error = refused(verb, TABLE, roles, require={"k": 2, "t": {"other": "0.2"}})
    assert isinstance(error, SeveralProblemsError)
    assert [each.column for each in error.problems] == ["zop", "nope", "pai", "nada", "who", "other"]
    assert str(error).count("It has 'zip', 'job', 'age', 'pay', 'days'.") == 1
    assert str(error.problems[0].hint) == "Did you mean 'zip'?"


@pytest.mark.parametrize("verb", [tclose.audit, tclose.anonymize])
def test_every_column_with_missing_values_is_named_with_what_to_say(verb):
    roles = tclose.Roles(["age"], {"pay": Ordered(), "days": Ordered()})
    error = refused(verb, TABLE, roles, require={"k": 2})
    assert [(each.code, each.column) for each in error.problems] == [
        ("missing-values", "pay"),
        ("missing-values", "days"),
    ]
    assert all("nulls" in str(each) for each in error.problems)


def test_a_release_tells_of_hierarchies_missing_values_and_levels_at_once():
    roles = tclose.Roles(["zip", "job", "age"], {"days": Ordered()})
    error = refused(tclose.anonymize, TABLE, roles, require={"k": 2}, levels={"age": 40})
    assert [each.code for each in error.problems] == ["no-hierarchy", "input", "missing-values"]
    assert "hierarchies={'zip': 'groups:2', 'job': 'groups:2'}" in str(error.problems[0])
    assert [each.column for each in error.problems] == ["zip", "age", "days"]


def test_one_problem_is_told_as_it_is():
    error = refused(tclose.audit, TABLE, tclose.Roles(["age"], {"pay": Ordered()}))
    assert not isinstance(error, SeveralProblemsError)
    assert error.code == "missing-values"


def test_problems_that_are_mended_one_by_one_are_gone():
    roles = tclose.Roles(["zip", "job", "age"], {"days": Ordered(nulls="drop")})
    error = refused(tclose.anonymize, TABLE, roles, require={"k": 2})
    assert error.code == "no-hierarchy"
    flat = {"zip": "flat", "job": "flat"}
    assert tclose.anonymize(TABLE, roles, require={"k": 2}, hierarchies=flat).holds


def test_the_command_line_gives_each_problem_a_line_and_programs_a_list(tmp_path, capfdbinary):
    path = tmp_path / "t.csv"
    path.write_text("zip,pay,days\nBonn,1,\nUlm,,2\nRom,3,4\n", encoding="utf-8")
    asked = ("audit", path, "-q", "zip", "-s", "pay:ordered,days:ordered", "--k", "2")
    plain = in_process(capfdbinary, *asked)
    assert (plain.code, plain.out) == (2, "")
    first, *lines = plain.err.splitlines()
    assert first == "Error: 2 problems:"
    assert [("--nulls pay=drop" in lines[0]), ("--nulls days=drop" in lines[1]), len(lines)] == [True, True, 2]
    told = json.loads(in_process(capfdbinary, *asked, "--log", "json").err.splitlines()[-1])
    assert told["code"] == "several-problems"
    assert [each["column"] for each in told["problems"]] == ["pay", "days"]


def test_a_name_with_a_line_break_makes_no_line_of_its_own(tmp_path, capfdbinary):
    path = tmp_path / "t.csv"
    path.write_text("zip,pay\n1,2\n", encoding="utf-8")
    found = in_process(capfdbinary, "audit", path, "-q", "zip,x\nError: all is well", "-s", "nope", "--k", "2")
    assert (found.code, len(found.err.splitlines())) == (2, 3)


def test_several_problems_outlive_a_pickle():
    error = refused(tclose.audit, TABLE, tclose.Roles(["zip", "zop", "nope"], ["pay"]))
    again = pickle.loads(pickle.dumps(error))
    assert again.to_dict() == error.to_dict()
    assert len(error.to_dict()["problems"]) == 2
