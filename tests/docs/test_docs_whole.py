"""The docs lead nowhere wrong and leave nothing out: links, commands, options, models, errors."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from markdown_pages import PAGES, ROOT, links

import tclose
from tclose import errors
from tclose.cli import commands
from tclose.models.catalogue import MODELS
from tclose.policy import READ_KEYS, TABLE_KEYS
from tclose.sources import EXAMPLES, FORMATS
from tclose.sources.formats import COMPRESSION_OF_SUFFIX, FORMAT_OF_SUFFIX

DOCS = [page for page in PAGES if page.parent.name == "docs"]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
MARKDOWN = sorted({*PAGES, *ROOT.glob("*.md"), *ROOT.glob("bench/*.md"), *ROOT.glob("examples/*.md")})


def command_named(name):
    return commands.get_command(click.Context(commands), name)


def mentioned(word):
    """Say whether the docs hold a word, not as a part of another one."""
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", TEXT) is not None


def anchors(page):
    """Return the anchors that the headings of a page make."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    broken = []
    for link in links(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


def test_every_page_is_in_the_index():
    index = links((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    assert {page.name for page in DOCS} - {"index.md"} <= {link.partition("#")[0] for link in index}


@pytest.mark.parametrize("name", commands.list_commands(click.Context(commands)))
def test_every_command_is_documented(name):
    assert f"tclose {name}" in TEXT


@pytest.mark.parametrize("name", commands.list_commands(click.Context(commands)))
def test_every_option_is_documented(name):
    options = [parameter for parameter in command_named(name).params if isinstance(parameter, click.Option)]
    spelt = [spelling for option in options for spelling in (*option.opts, *option.secondary_opts)]
    assert [spelling for spelling in spelt if not mentioned(spelling)] == []


@pytest.mark.parametrize("key", MODELS)
def test_every_model_is_documented(key):
    assert f"`{key}`" in (ROOT / "docs" / "models.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name", [name for name, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)]
)
def test_every_error_is_documented(name):
    assert mentioned(name)


@pytest.mark.parametrize("name", [*tclose.__all__, "UncoveredValuesError"])
def test_every_public_name_is_documented(name):
    assert mentioned(name)


@pytest.mark.parametrize("word", [*READ_KEYS, *TABLE_KEYS, *EXAMPLES, *FORMATS])
def test_every_key_example_and_format_is_documented(word):
    assert mentioned(word)


@pytest.mark.parametrize("ending", [*FORMAT_OF_SUFFIX, *COMPRESSION_OF_SUFFIX])
def test_every_ending_is_documented(ending):
    assert f"`{ending}`" in (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")


def test_options_in_the_docs_exist():
    """An option that was renamed must not live on in the docs."""
    known = {"--check", "--version", "--pre", "--quiet"}
    for name in commands.list_commands(click.Context(commands)):
        for parameter in command_named(name).params:
            known |= {*parameter.opts, *parameter.secondary_opts}
    used = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", "\n".join(page.read_text(encoding="utf-8") for page in DOCS)))
    assert used - known == set()


def test_the_page_of_models_is_fresh():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "docs", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_stale_page_of_models_is_found(tmp_path):
    stale = tmp_path / "models.md"
    stale.write_text("old", encoding="utf-8")
    script = [sys.executable, ROOT / "scripts" / "docs"]
    assert subprocess.run([*script, "--check", stale], capture_output=True, check=False).returncode == 1
    assert subprocess.run([*script, stale], capture_output=True, check=False).returncode == 0
    assert stale.read_text(encoding="utf-8") == (ROOT / "docs" / "models.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(script, tmp_path):
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert list(Path(tmp_path).iterdir()) == []
