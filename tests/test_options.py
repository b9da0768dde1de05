"""An option is declared once: every face has it from there, every verb that takes it reads it, no other accepts it."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest

import tclose
from faces.command_line import SOURCE, in_process
from tclose.cli.options import options_of
from tclose.data.sources import ReadOptions
from tclose.policy.options import declared
from tclose.policy.policy import Policy, every_option, parts_of
from tclose.policy.roles import Roles
from tclose.policy.schema import policy_schema
from tclose.policy.verbs import VERBS

SALARY = "example:salary"
VERBS_OF_LIBRARY = {
    "audit": tclose.audit, "explain": tclose.explain, "anonymize": tclose.anonymize, "attack": tclose.attack,
    "frontier": tclose.frontier, "sql": tclose.audit_sql,
}  # fmt: skip
NO_READERS = {
    "dataclasses",
    "tclose.policy.options",
    "tclose.policy.verbs",
    "tclose.policy.writing",
    "tclose.policy.schema",
}
"""Modules that handle options without using them."""


@pytest.fixture
def read(monkeypatch):
    """Return the names of the options that are read from now on."""
    names = set()

    def recording(part):
        options = declared(part)

        def get(self, name):
            if name in options and sys._getframe(1).f_globals["__name__"] not in NO_READERS:
                names.add(name)
            return object.__getattribute__(self, name)

        return get

    for part in parts_of(Policy).values():
        monkeypatch.setattr(part, "__getattribute__", recording(part), raising=False)
    return names


ASKED = {
    "audit": (
        {"id": [1, 2, 3, 4], "ward": list("abab"), "ill": list("xyyx")},
        {
            "roles": Roles("ward", "ill", person="id"),
            "after": {"id": [1, 2], "ward": list("ab"), "ill": list("xy")},
            "facts": 1,
            "fact_columns": ["ward"],
        },
    ),
    "explain": (
        {"id": [1, 2, 3, 4], "ward": list("abab"), "ill": list("xyyx")},
        {"roles": Roles("ward", "ill", person="id"), "facts": 1, "fact_columns": ["ward"]},
    ),
    "anonymize": (SALARY, {"require": {"k": 3}, "hierarchies": {"age": "flat"}}),
    "attack": ("example:original-incidents", {"require": {"k": 2}, "hierarchies": {"zone": "flat"}}),
    "frontier": (SALARY, {"hierarchies": {"age": "flat"}, "values": ["0.4"], "methods": ["merge"]}),
    "sql": ("visits", {"roles": Roles(["zip"], ["pay:nominal"]), "require": {"k": 3}}),
}


@pytest.mark.parametrize("verb", ASKED)
def test_every_option_that_a_verb_takes_is_read(verb, read):
    table, options = ASKED[verb]
    VERBS_OF_LIBRARY[verb](table, **options)
    taken = {name for name in declared(VERBS[verb]) if name in every_option()}
    assert taken - read == set()


def test_the_page_takes_what_the_verbs_take_that_it_calls():
    called = {name for verb in ("audit", "anonymize", "attack", "frontier") for name in declared(VERBS[verb])}
    assert declared(VERBS["serve"]).keys() <= called


@pytest.mark.parametrize("verb", ASKED)
def test_an_option_that_a_verb_does_not_take_is_refused_everywhere(verb, capfdbinary):
    command = ["sql", "audit", "visits"] if verb == "sql" else [verb, SALARY]
    flags = options_of(verb)
    for name, each in every_option().items():
        if name not in declared(VERBS[verb]):
            with pytest.raises(tclose.InputError, match=f"has no option '{name}'"):
                VERBS_OF_LIBRARY[verb](SALARY, **{name: each.default})
        if name not in flags and each.command_line and name not in declared(ReadOptions) and name not in {
            "memory", "threads", "temp",
        }:  # fmt: skip
            flag = next(flag for flag in each.flags if flag.startswith("--"))
            beside = {"--release", "--original"} if verb == "attack" else set()
            if flag not in beside:
                done = in_process(capfdbinary, *command, flag, "1")
                assert (done.code, done.out) == (2, ""), flag
                assert "No such option" in done.err, flag


def test_a_misspelt_keyword_names_the_one_that_may_be_meant():
    with pytest.raises(TypeError, match="Did you mean 'suppress'"):
        tclose.anonymize(SALARY, supress=0.1)  # type: ignore[call-arg]


def test_verbs_have_the_keywords_of_their_options():
    for verb, function in VERBS_OF_LIBRARY.items():
        keywords = inspect.signature(function).parameters
        assert declared(VERBS[verb]).keys() <= keywords.keys()
        for name, each in declared(VERBS[verb]).items():
            if each.command_line:
                assert f"{name}\n" in function.__doc__


def test_a_policy_and_keywords_ask_the_same():
    policy = Policy(table=SALARY).with_options({"require": {"k": 3, "t": "0.4"}, "hierarchies": {"age": "flat"}})
    one = tclose.anonymize(policy)
    other = tclose.anonymize(SALARY, require={"k": 3, "t": "0.4"}, hierarchies={"age": "flat"})
    assert (one.recipe, one.kept) == (other.recipe, other.kept)
    assert tclose.audit(policy, require={"k": 4}).holds is False


# What had drifted


@pytest.fixture
def policy_file(tmp_path):
    def write(
        more, columns='zip = { role = "quasi-identifier" }\npay = { role = "sensitive", distance = "nominal" }\n'
    ):
        path = tmp_path / "tclose.toml"
        path.write_text(f"version = 1\n[columns]\n{columns}[policy]\nk = 2\n{more}")
        return path

    return write


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('together = "joint"', "together"),
        ("any = 1", "any"),
        ('[table]\nreference = "r.csv"', "reference"),
        ('[table]\npopulation = "p.csv"', "population"),
        ("population_size = 100", "population_size"),
        ("recursive = [3, 2]", "recursive"),
    ],
)
def test_a_statement_refuses_what_it_cannot_judge(policy_file, more, words, capfdbinary):
    two = 'zip = { role = "quasi-identifier" }\na = { role = "sensitive", distance = "nominal" }\n'
    path = policy_file(more, two + 'b = { role = "sensitive", distance = "nominal" }\n')
    done = in_process(capfdbinary, "sql", "audit", "visits", "--policy", path)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


@pytest.mark.parametrize("command", ["attack", "serve"])
def test_a_time_to_search_within_is_no_option_of_what_does_not_keep_it(command, capfdbinary):
    done = in_process(capfdbinary, command, SALARY, "--within", "1")
    assert (done.code, done.out) == (2, "")
    assert "No such option '--within'" in done.err


def test_explain_knows_how_many_columns_are_known(policy_file, tmp_path, capfdbinary):
    table = tmp_path / "t.csv"
    table.write_text("zip,age,pay\n1,2,a\n1,3,b\n2,2,a\n2,3,c\n")
    columns = 'zip = { role = "quasi-identifier" }\nage = { role = "quasi-identifier" }\n'
    path = policy_file("any = 1\n", columns + 'pay = { role = "sensitive", distance = "nominal" }\n')
    done = in_process(
        capfdbinary, "explain", table, "--policy", path, "--class", "zip=1", "--show-people", "--format", "json"
    )
    assert done.code == 0
    assert json.loads(done.out)["explanations"][0]["class"] == {"zip": "1"}


def test_the_library_attacks_releases_by_the_name_of_a_rule():
    found = tclose.attack(
        "example:original-incidents", preset="opensafely", require={"k": 2}, hierarchies={"zone": "flat"}
    )
    assert "k ≥ 2" in {each.text for each in found.requirements}


def test_a_missing_value_has_one_name():
    assert "null" in declared(ReadOptions)
    assert declared(ReadOptions)["null"].flags == ("--null",)
    assert "null" in policy_schema()["properties"]["table"]["anyOf"][0]["properties"]
    page = (SOURCE / "tclose" / "web" / "static" / "reading.js").read_text(encoding="utf-8")
    assert "null: words(chosen.null)" in page


# Versions, schema, origins


def test_an_unknown_version_gets_one_clear_error(tmp_path):
    path = tmp_path / "tclose.toml"
    path.write_text("version = 2\n")
    with pytest.raises(tclose.PolicyError, match=r"tclose\.toml: version must be 1"):
        tclose.read_policy(path)


def test_the_schema_knows_what_policies_say(policy_file):
    schema = policy_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    good = tomllib.loads(policy_file('[release]\nsuppress = 0.1\nmethod = "merge"\n').read_text())
    jsonschema.validate(good, schema)
    for wrong in ({"version": 2}, {"release": {"methd": "merge"}}, {"release": {"method": "magic"}}, {"tabel": {}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_a_policy_is_printed_with_the_origin_of_every_value(policy_file, tmp_path, capfdbinary):
    table = tmp_path / "t.csv"
    table.write_text("zip,pay\n1,a\n1,b\n")
    path = policy_file("[release]\nsuppress = 0.1\n")
    done = in_process(
        capfdbinary, "policy", table, "--policy", path, "--effort", "3", "--l", "2", "--preset", "ema-0070",
        "--format", "json",
    )  # fmt: skip
    told = {each["option"]: (each["value"], each["origin"]) for each in json.loads(done.out)["policy"]}
    assert told["effort"] == ("3", "command line")
    assert told["suppress"] == ("0.1", str(path))
    assert told["seed"] == ("", "default")
    assert told["k"] == ("k ≥ 2", str(path))
    assert told["l"] == ("l ≥ 2", "command line")
    assert told["prosecutor"][1] == "preset ema-0070"
    assert told["table"] == (str(table), "command line")


# A new option


def test_an_option_is_added_by_its_declaration_and_the_code_that_uses_it(tmp_path):
    """A made-up option in a copy of the package stands on every face."""
    package = tmp_path / "tclose"
    shutil.copytree(SOURCE / "tclose", package, ignore=shutil.ignore_patterns("__pycache__"))
    parts = package / "policy" / "parts.py"
    text = parts.read_text(encoding="utf-8")
    declaration = '    patience: int = option(1, kind=Whole(0, 9), label="Patience", help="How patient a search is.")\n'
    place = "    effort: int = option("
    assert text.count(place) == 1
    parts.write_text(text.replace(place, declaration + place), encoding="utf-8")
    using = package / "anonymization" / "anonymize.py"
    text = using.read_text(encoding="utf-8")
    place = "    choices = policy.release\n    return Search("
    assert text.count(place) == 1
    using.write_text(
        text.replace(place, "    choices = policy.release\n    print(choices.patience)\n    return Search(")
    )
    script = """
import inspect, sys, tclose
from tclose.policy.files import parse_policy
from tclose.policy.schema import policy_schema
from tclose.policy.writing import policy_text
from tclose.web.settings import forms
from pathlib import Path
assert "patience" in inspect.signature(tclose.anonymize).parameters
policy = parse_policy("[release]\\npatience = 7", Path("tclose.toml"))
assert "patience = 7" in policy_text(policy)
assert "patience" in policy_schema()["properties"]["release"]["properties"]
assert "patience" in {each["name"] for each in forms()["release"]}
tclose.anonymize("example:salary", require={"k": 3}, hierarchies={"age": "flat"}, method="merge", patience=5)
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def run(*arguments):
        return subprocess.run(
            [sys.executable, *arguments], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    done = run("-c", script)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "5"
    assert "--patience N" in run("-m", "tclose", "anonymize", "--help-all").stdout
    refused = run("-m", "tclose", "anonymize", "example:salary", "--patience", "many")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--patience must be a whole number from 0 to 9, not 'many'" in refused.stderr


def test_docs_have_every_option():
    page = (Path(__file__).parents[1] / "docs" / "options.md").read_text(encoding="utf-8")
    for name, each in every_option().items():
        assert not each.command_line or f"`{each.flags[-1]}`" in page, name
