"""Help, version, completion, catalogue, schema, examples; and what importing costs."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from faces.command_line import SOURCE, tclose
from tclose import __version__
from tclose.cli.commands import COMMANDS
from tclose.data.sources import EXAMPLES
from tclose.models.catalogue import MODELS


def test_help_says_what_every_command_does_and_the_exit_codes(run):
    done = run("--help")
    assert done.code == 0
    for command, summary in COMMANDS.items():
        assert re.search(rf"^  {command} +{re.escape(summary)}$", done.out, re.M)
    assert "Exit codes" in done.out
    assert "_TCLOSE_COMPLETE" in done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_that_fits_the_page(run, command):
    short = run(command, "--help")
    assert len(short.out.splitlines()) <= 50
    whole = run(command, "--help-all") if "--help-all" in short.out else short
    for done in (short, whole):
        assert done.code == 0
        assert max(map(len, done.out.splitlines())) <= 80


def test_every_model_has_an_option(run):
    text = run("audit", "--help-all").out
    for key, model in MODELS.items():
        assert f"--{key.replace('_', '-')} " in text
        assert model.title in text


def test_no_arguments_show_help(run):
    done = run()
    assert done.code == 2
    assert "Usage: tclose" in done.err


def test_the_version_is_the_packages(run):
    assert run("--version").out == f"tclose {__version__}\n"


def test_models_list_the_catalogue(run):
    text = run("models").out
    assert all(f"--{key.replace('_', '-')} " in text for key in MODELS)
    assert [entry["key"] for entry in json.loads(run("models", "--format", "json").out)] == list(MODELS)


def test_examples_list_all_that_are_built_in(run):
    assert all(f"example:{name}\n" in run("examples").out for name in EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_can_be_written_as_the_table_that_it_is(run, name, tmp_path):
    file = tmp_path / "table.csv"
    assert run("examples", name, "-o", file).code == 0
    with file.open(encoding="utf-8", newline="") as lines:
        head, *rows = csv.reader(lines)
    assert tuple(head) == EXAMPLES[name].columns
    assert rows == [[str(cell) for cell in row] for row in EXAMPLES[name].rows]
    assert run("examples", f"example:{name}").out == file.read_text(encoding="utf-8")


def test_an_example_replaces_no_file_unasked(run, tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("mine", encoding="utf-8")
    refused = run("examples", "salary", "-o", file)
    assert (refused.code, file.read_text(encoding="utf-8")) == (2, "mine")
    assert run("examples", "salary", "-o", file, "--force").code == 0
    assert run("examples", "salry").code == run("examples", "-o", tmp_path / "other.csv").code == 2
    assert not (tmp_path / "other.csv").exists()


def test_schema_prints_the_schema_of_the_docs(run):
    docs = Path(__file__).parents[2] / "docs" / "audit.schema.json"
    assert run("schema").out == docs.read_text(encoding="utf-8")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_there(shell):
    if shell == "bash" and not Path("/bin/bash").exists():
        pytest.skip("click asks bash for its version")
    done = tclose(env={"_TCLOSE_COMPLETE": f"{shell}_source"})
    assert "tclose" in done.out


def test_completion_knows_commands_options_and_examples():
    def completed(words):
        position = str(len(words.split()) - 1)
        return tclose(env={"_TCLOSE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": position}).out

    assert "audit" in completed("tclose au")
    assert "--redact-classes" in completed("tclose audit --red")
    assert "example:salary" in completed("tclose audit example:s")


def test_help_loads_no_engine_and_no_arrays():
    code = (
        "import sys\nfrom tclose.cli.commands import commands\nfrom tclose.cli.errors import exit_code_of\n"
        "exit_code_of(commands, ['--help'])\n"
        "print(sorted({'duckdb', 'numpy', 'rich', 'jinja2'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": str(SOURCE)}, check=True
    )
    assert done.stderr == "[]\n"
