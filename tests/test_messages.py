"""Messages are data: notes and errors by their codes, options in the words of each face, and nobody reads English."""

import ast
import copy
import json
import pickle
import re
from pathlib import Path

import pytest

import tclose
from tclose import errors
from tclose.cli.errors import command_line
from tclose.data.labels import Label, naming, public, quoted
from tclose.errors import Ask, ColumnNotFoundError, Hint, InputError, Note, SourceError, ThresholdError, to_readers
from tclose.models.catalogue import MODELS
from tclose.policy.options import OptionError
from tclose.policy.roles import IDENTIFIERS_PUBLISHED
from tclose.policy.verbs import UnknownOptionError
from tclose.web.words import in_words_of_the_page

SOURCE = Path(tclose.__file__).parent
DOCS = Path(__file__).parents[1] / "docs" / "pipelines.md"
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}
NO_OPTIONS = {"anonymize"}
"""Commands, which are asked for by the same means."""
OF_FACES = {"usage", "out-of-memory", "system-refused", "unexpected", "refused", "nested-too-deeply"}
"""Codes of what is no error of the library."""
PAIRED = Ask("hierarchies", "flat", "zip code")


def calls(name):
    """Return every call of a function in the code, each with its file."""
    nodes = [(path, node) for path, tree in TREES.items() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [(path, node) for path, node in nodes if name in (getattr(node.func, at, None) for at in ("id", "attr"))]


def note_codes():
    """Return the code of every note that is made."""
    known = {"IDENTIFIERS_PUBLISHED": IDENTIFIERS_PUBLISHED}
    firsts = [node.args[0] for _, node in calls("Note") if node.args]
    return [each.value if isinstance(each, ast.Constant) else known[each.id] for each in firsts]


def error_codes():
    """Return the code of every kind of error, and those that are given to single errors."""
    kinds = [errors.TcloseError, *vars(errors).values(), OptionError, UnknownOptionError]
    kinds = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, errors.TcloseError)]
    kinds = list(dict.fromkeys(kinds))
    nodes = [node for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    given = [keyword.value for node in nodes for keyword in node.keywords if keyword.arg == "code"]
    return [kind.code for kind in kinds], {each.value for each in given if isinstance(each, ast.Constant)}


def documented(title):
    """Return the codes in a table of the docs."""
    lines = DOCS.read_text(encoding="utf-8").split(f"| {title} | meaning |")[1].split("\n\n")[0]
    return re.findall(r"^\| `([^`]+)` \|", lines, re.M)


def test_every_code_is_one_of_its_own_in_kebab_case_and_documented():
    notes, (kinds, given) = note_codes(), error_codes()
    assert sorted(set(notes)) == sorted(notes), "each note is made in one place"
    assert sorted(set(kinds)) == sorted(kinds)
    assert not given & set(kinds)
    every = [*notes, *kinds, *given, *OF_FACES]
    assert len(set(every)) == len(every)
    assert [code for code in every if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", code)] == []
    assert documented("note") == sorted(notes)
    assert sorted(documented("error")) == sorted([*kinds, *given, *OF_FACES])


def test_every_option_that_is_asked_for_is_one_of_each_face():
    asked = {node.args[0].value for _, node in calls("Ask") if node.args and isinstance(node.args[0], ast.Constant)}
    assert {"person", "k", "suppress", "hierarchies"} <= asked
    assert {field for field in asked if str(Ask(field)).startswith("require=")} == asked & MODELS.keys()
    with command_line():
        assert [field for field in asked - NO_OPTIONS if not re.match("--?[a-z]", str(Ask(field)))] == []


def test_hints_are_constant_sentences_with_as_many_places_as_parts():
    for path, node in calls("Hint"):
        if isinstance(node.args[0], ast.Constant) and not any(isinstance(part, ast.Starred) for part in node.args):
            places = len(set(re.findall(r"\{(\d*)\}", node.args[0].value))) if "{0}" in node.args[0].value else None
            found = node.args[0].value.count("{}") if places is None else places
            assert found == len(node.args) - 1, (path, node.lineno)


@pytest.mark.parametrize(
    ("ask", "python", "command", "page"),
    [
        (Ask("person", "patient id"), "Roles(person='patient id')", "--person 'patient id'", "the role Person"),
        (Ask("person"), "Roles(person=…)", "--person COLUMN", "the role Person"),
        (PAIRED, "hierarchies={'zip code': 'flat'}", "--hierarchy 'zip code=flat'", "'Generalised' of the column"),
        (
            Ask("hierarchies", {"a": "flat", "b": "flat"}),
            "hierarchies={'a': 'flat', 'b': 'flat'}",
            "--hierarchy a=flat --hierarchy b=flat",
            "'Generalised' of the column",
        ),
        (Ask("publish", ["ward"]), "Roles(publish=['ward'])", "--publish ward", "the role Publish as is"),
        (Ask("nulls", "drop", "pay"), "nulls='drop' for 'pay'", "--nulls pay=drop", "'Missing values' of the column"),
        (Ask("distance", "ordered", "pay"), "sensitive='pay:ordered'", "-s pay:ordered", None),
        (Ask("header", value=False), "ReadOptions(header=False)", "--no-header", "'How it is read…'"),
        (Ask("force", value=True), "force=True", "--force", ""),
        (Ask("k", 5), "require={'k': 5}", "--k 5", "k 5 among the requirements"),
        (Ask("entropy_l", "2"), "require={'entropy_l': '2'}", "--entropy-l 2", None),
        (Ask("anonymize"), "tclose.anonymize", "tclose anonymize", "'Make a release'"),
    ],
    ids=lambda each: each.field if isinstance(each, Ask) else "",
)
def test_an_option_is_said_in_the_words_of_the_face_at_hand(ask, python, command, page):
    assert str(ask) == python
    with command_line():
        assert str(ask) == command
    with in_words_of_the_page():
        assert page is None or str(ask) == page
    with to_readers():
        assert str(ask) == ""


def test_a_hint_is_left_off_where_the_face_lacks_its_option():
    note = Note(
        "rows-not-people", "These figures count rows.", Hint("Count people with {}.", Ask("person", "id")), "id"
    )
    problem = InputError("'a.csv' exists already.", hint=Hint("Replace it with {}.", Ask("force", value=True)))
    assert str(note) == "These figures count rows. Count people with Roles(person='id')."
    assert str(problem) == "'a.csv' exists already. Replace it with force=True."
    with command_line():
        assert note.to_dict()["hint"] == "Count people with --person id."
    with in_words_of_the_page():
        assert str(note).endswith("Count people with the role Person.")
        assert (str(problem), problem.to_dict()["hint"]) == ("'a.csv' exists already.", None)
    with to_readers():
        assert str(note) == "These figures count rows."
        assert note.to_dict() == {"code": "rows-not-people", "text": "These figures count rows.", "column": "id"}
    assert str(Hint("Did you mean {}?", "{}{0}")) == "Did you mean {}{0}?"


def test_an_error_knows_what_it_is_about():
    told = "The sensitive column 'agee' is not in the table."
    with pytest.raises(ColumnNotFoundError) as caught:
        tclose.audit("example:salary", tclose.Roles("zip", "agee"))
    assert caught.value.to_dict() == {
        "code": "column-not-found", "message": told, "field": "sensitive", "column": "agee",
        "hint": "Did you mean 'age'?",
    }  # fmt: skip
    for again in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        assert (type(again), str(again), again.to_dict()) == (
            ColumnNotFoundError, str(caught.value), caught.value.to_dict()
        )  # fmt: skip
    assert str(caught.value.of("tclose.toml: ")) == f"tclose.toml: {told} Did you mean 'age'?"
    assert str(caught.value) == f"{told} Did you mean 'age'?"


@pytest.mark.parametrize(
    ("asked", "field", "column"),
    [
        ({"require": {"t": "much"}}, "t", None),
        ({"require": {"t": {"salary": 2}}}, "t", "salary"),
        ({"require": {"k": 0}}, "k", None),
        ({"require": {"l": {"zip": 2}}}, "l", "zip"),
        ({"population_size": -1}, "population_size", None),
        ({"sampling_fraction": 2}, "sampling_fraction", None),
        ({"measure": "k_map"}, "population", None),
        ({"any": 0}, "any", None),
    ],
)
def test_a_refused_audit_names_the_field(asked, field, column):
    with pytest.raises(InputError) as caught:
        tclose.audit("example:salary", **asked)
    assert (caught.value.field, caught.value.column) == (field, column)


@pytest.mark.parametrize(
    ("asked", "field", "column"),
    [
        ({"suppress": 2}, "suppress", None),
        ({"suppress": "some"}, "suppress", None),
        ({"withstand": 3}, "withstand", None),
        ({"levels": {"zip": "coarse"}}, "levels", "zip"),
        ({"levels": {"nowhere": 1}}, "levels", "nowhere"),
        ({"weights": {"zip": -1}}, "weights", "zip"),
        ({"hierarchies": {"age": 3}}, "hierarchies", "age"),
        ({"loss": "all"}, "loss", None),
        ({"method": "best"}, "method", None),
        ({"seed": -1}, "seed", None),
    ],
)
def test_a_refused_release_names_the_field(asked, field, column):
    with pytest.raises(InputError) as caught:
        tclose.anonymize("example:salary", **({"require": {"k": 3}, "hierarchies": {"age": "flat"}} | asked))
    assert (caught.value.field, caught.value.column) == (field, column)


def test_json_has_codes_in_the_words_of_the_face():
    roles = tclose.Roles(["zip", "age"], "salary", identifiers="disease")
    audit = tclose.audit("example:salary", roles, drivers=False)
    found = json.loads(audit.to_json())
    assert found["notes"][0] == {
        "code": "identifiers-published",
        "text": "The table carries identifiers ('disease').",
        "hint": "Remove them before it is published.",
    }
    (taken,) = found["attributes"]["salary"]["notes"]
    assert (taken["code"], taken["column"]) == ("taken-by-kind", "salary")
    assert "sensitive='salary:nominal'" in taken["hint"]
    with command_line():
        assert "-s salary:nominal" in json.loads(audit.to_json())["attributes"]["salary"]["notes"][0]["hint"]


def test_names_of_files_are_in_full_for_their_owner_alone(tmp_path):
    path = tmp_path / "ward 7" / "visits.csv"
    path.parent.mkdir()
    path.write_bytes("age,pay\n1,2\n1,é\n".encode("latin-1"))
    audit = tclose.audit(path, tclose.Roles("age", "pay"), reference=path, drivers=False)
    (note,) = [each for each in audit.notes if each.code == "encoding-guessed"]
    assert str(path) in note.text
    assert note.public.text == "'visits.csv' is not UTF-8; it was read as Windows-1252."
    assert (audit.source, public(audit.source)) == (str(path), "visits.csv")
    assert public(audit.reference) == "the distribution of visits.csv"
    assert "ward 7" not in audit.to_html()
    assert "name its encoding" not in audit.to_html()
    again = pickle.loads(pickle.dumps(audit.source))
    assert (again, public(again)) == (str(path), "visits.csv")


def test_errors_that_may_name_files_say_their_code_in_public():
    assert SourceError(naming("There is no file {}.", quoted("a/b.csv"))).public == "There is no file 'b.csv'."
    assert SourceError("There is no file 'a/b.csv'.").public == "The run failed with the error 'source'."
    assert ThresholdError("t must be a number.").of("a/tclose.toml: ").public == "t must be a number."
    assert naming("{} of {}", "x", Label("full", "name")).public == "x of name"


REMOVED = ("either", "by_means_of", "statement", "saying", "CARRIES", "without_folders", "message_without_folders")
PARSING = re.compile(
    r"(?:\.(?:message|text|hint)|\bstr\(\w*(?:note|warning|problem|error)\w*\))"
    r"\.(?:startswith|endswith|removeprefix|removesuffix|r?partition|split|replace|find|index)\("
    r"|re\.(?:sub|match|search|fullmatch|findall)\([^\n]*(?:\.message|note\.text|str\((?:note|warning|problem|error)\))"
)


def test_no_face_reads_a_sentence():
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert re.findall(rf"\b(?:{'|'.join(REMOVED)})\(|\bHOW_TO_|\bCARRIES\b", text) == [], path
        if path.relative_to(SOURCE).parts[0] in ("reports", "web", "cli"):
            assert PARSING.findall(text) == [], path


def test_no_script_reads_a_sentence():
    wrong = re.compile(
        r"(?:message|hint|note|warning|fault)\w*\)?\??\.(?:text\.)?(?:startsWith|endsWith|includes|match|replace|search|indexOf|split)\("
        r"|\.(?:test|exec)\([^()]*(?:message|hint|fault)"
    )
    for path in (SOURCE / "web" / "static").glob("*.js"):
        assert wrong.findall(path.read_text(encoding="utf-8")) == [], path
