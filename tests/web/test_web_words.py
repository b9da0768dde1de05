"""Messages on the page speak of its fields: no option of the command line, no argument of Python."""

import ast
import re
from pathlib import Path

import pytest

import tclose
from tclose.errors import either
from tclose.web.words import PLACES, in_words_of_the_page

HOUSE = Path(tclose.__file__).parent
ELSEWHERE = {
    "--force", "--key-file", "--measure", "--memory", "--methods", "--population", "--release",
    "--sheet", "--show-people", "--twice", "--values", "--widen",
}  # fmt: skip
"""Options of what the page does not do, or has no field for."""


def said(call):
    """Return the option that a message names."""
    option = call.args[1]
    first = option.values[0] if isinstance(option, ast.JoinedStr) else option
    return first.value.split()[0].rstrip(",")


def options_in_messages():
    for path in HOUSE.rglob("*.py"):
        if "cli" in path.relative_to(HOUSE).parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("either", "by_means_of")
            ):
                yield said(node)


def test_every_option_that_a_message_names_is_a_field_of_the_page_or_known_to_be_none():
    named = set(options_in_messages())
    assert {"-s", "--suppress", "--no-header"} <= named
    assert named - PLACES.keys() == ELSEWHERE
    with in_words_of_the_page():
        assert either("levels={…}", "--levels") == "'Levels by hand'"
        assert either("force=True", "--force") == "--force"
        assert either("pay:ordered", "-s pay:ordered, …") == "another distance of the column"


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
    told = server.job(table, kind=kind, policy=policy)["error"]["message"]
    assert expected in told
    assert not re.search(r"(^|[\s(])--?[a-z]", told)


def test_a_file_that_names_a_column_twice_is_refused_in_the_words_of_the_page(server):
    opened = server.client.post("/api/uploads?name=numbers.csv", content=b"zip,zip,pay\n1,2,3\n4,5,6\n").json()
    told = server.job(opened["id"], kind="profile")["error"]["message"]
    assert "'How it is read…'" in told
    assert "--" not in told
