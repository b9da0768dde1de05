"""Messages on the page speak of its fields: no option of the command line, no argument of Python."""

import re

import pytest

from tclose.errors import Ask
from tclose.web.words import in_words_of_the_page


def test_every_option_is_a_field_of_the_page_or_known_to_be_none():
    with in_words_of_the_page():
        assert str(Ask("levels")) == "'Levels by hand'"
        assert str(Ask("suppress")) == "'Share of rows that may be left out'"
        assert str(Ask("any")) == "'Someone knows'"
        for field in ("force", "memory", "after", "key_file", "sheet", "population"):
            assert str(Ask(field)) == ""
        assert str(Ask("distance", "ordered", "pay")) == "the distance of the column"


@pytest.mark.parametrize(
    ("kind", "column", "role", "expected"),
    [
        ("anonymize", "sensitive", "publish", "'Generalised' of the column"),
        ("audit", "quasi-identifier", "publish", "the role Quasi-identifier"),
        ("attack", "sensitive", "publish", "the role Sensitive"),
    ],
)
def test_work_that_is_refused_says_so_in_the_words_of_the_page(server, kind, column, role, expected):
    table = server.opened()
    policy = server.policy(table)
    policy["columns"] = {
        name: {"role": role} if settings["role"] == column else settings for name, settings in policy["columns"].items()
    }
    error = server.job(table, kind=kind, policy=policy)["error"]
    told = " ".join(f"{each['message']} {each['hint']}" for each in [error, *error.get("problems", [])])
    assert expected in told
    assert not re.search(r"(^|[\s(])--?[a-z]", told)


def test_a_file_that_names_a_column_twice_is_refused_in_the_words_of_the_page(server):
    opened = server.client.post("/api/uploads?name=numbers.csv", content=b"zip,zip,pay\n1,2,3\n4,5,6\n").json()
    error = server.job(opened["id"], kind="profile")["error"]
    assert (error["code"], error["field"]) == ("same-name-twice", "header")
    assert "'How it is read…'" in error["hint"]
    assert "--" not in f"{error['message']} {error['hint']}"


@pytest.mark.parametrize(
    ("section", "given", "field", "column"),
    [
        ("policy", {"t": "much"}, "t", None),
        ("policy", {"k": 0}, "k", None),
        ("policy", {"population_size": -1}, "population_size", None),
        ("columns", {"salary": {"role": "sensitive", "t": "2"}}, "t", "salary"),
        ("columns", {"salary": {"role": "sensitive", "nulls": "later"}}, None, "salary"),
        ("release", {"suppress": "lots"}, "suppress", None),
    ],
)
def test_an_error_names_the_field_and_the_column_that_it_stands_beside(server, section, given, field, column):
    table = server.opened()
    policy = server.policy(table)
    policy[section] = {**policy[section], **given}
    error = server.job(table, kind="anonymize", policy=policy)["error"]
    assert {"kind", "code", "message", "field", "column", "hint"} == error.keys()
    assert (error["field"], error["column"]) == (field, column)
    assert not error["message"].startswith("[")
