"""The docs lead nowhere wrong and leave nothing out: links, commands, options, models, errors."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import tclose
from docs.markdown_pages import PAGES, ROOT, STORIES, links
from tclose import errors
from tclose.cli.commands import commands
from tclose.data.sources import EXAMPLES, FORMATS
from tclose.data.sources.formats import COMPRESSION_OF_SUFFIX, FORMAT_OF_SUFFIX
from tclose.models.catalogue import MODELS
from tclose.policy.policy import every_option

DOCS = [page for page in PAGES if page.parent.name == "docs"]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
MARKDOWN = sorted({*PAGES, *ROOT.glob("*.md"), *ROOT.glob("bench/*.md"), *STORIES})


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


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_files_of_a_page_are_named_in_its_text(page):
    """The title of a block is seen on the site alone; whoever reads the page in the repository needs the name too."""
    blocks = re.findall(r'(?:^(.*)\n\n?)?^```\w+ title="(.+)"$', page.read_text(encoding="utf-8"), re.M)
    assert [name for before, name in blocks if f"`{name}`" not in before] == []


def test_every_page_is_in_the_index():
    index = links((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    assert {page.name for page in DOCS} - {"index.md"} <= {link.partition("#")[0] for link in index}


def test_every_page_is_in_the_navigation_of_the_site():
    told = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [page.name for page in DOCS if f": {page.name}\n" not in told] == []


@pytest.mark.parametrize("reader", ["data-scientists", "data-managers", "engineers", "researchers", "officers"])
def test_every_reader_finds_their_first_page_by_one_link(reader):
    assert f"docs/for-{reader}.md" in links((ROOT / "README.md").read_text(encoding="utf-8"))
    assert f"for-{reader}.md" in links((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    assert f"for-{reader}.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


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


@pytest.mark.parametrize("word", [*(name for name, each in every_option().items() if each.place), *EXAMPLES, *FORMATS])
def test_every_key_example_and_format_is_documented(word):
    assert mentioned(word)


@pytest.mark.parametrize("ending", [*FORMAT_OF_SUFFIX, *COMPRESSION_OF_SUFFIX])
def test_every_ending_is_documented(ending):
    assert f"`{ending}`" in (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")


def test_options_in_the_docs_exist():
    """An option that was renamed must not live on in the docs."""
    of_others = {"--network", "--user", "--userns", "--read-only"}  # podman and docker
    known = {"--check", "--version", "--pre", "--quiet"} | of_others
    for name in commands.list_commands(click.Context(commands)):
        command = command_named(name)
        for parameter in [
            *command.params,
            *(each for sub in getattr(command, "commands", {}).values() for each in sub.params),
        ]:
            known |= {*parameter.opts, *parameter.secondary_opts}
    used = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", "\n".join(page.read_text(encoding="utf-8") for page in DOCS)))
    assert used - known == set()


def test_the_pages_of_models_and_losses_are_fresh():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "docs", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_stale_pages_of_models_and_losses_are_found(tmp_path):
    script = [sys.executable, ROOT / "scripts" / "docs"]
    (tmp_path / "models.md").write_text("old", encoding="utf-8")
    assert subprocess.run([*script, "--check", tmp_path], capture_output=True, check=False).returncode == 1
    assert subprocess.run([*script, tmp_path], capture_output=True, check=False).returncode == 0
    for name in ("models.md", "losses.md"):
        assert (tmp_path / name).read_text(encoding="utf-8") == (ROOT / "docs" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(script, tmp_path):
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert list(Path(tmp_path).iterdir()) == []


def test_the_glossary_of_pages_and_reports_is_that_of_the_docs():
    from tclose.reports.phrases.glossary import GLOSSARY

    (page,) = [page for page in DOCS if page.name == "glossary.md"]
    lines = page.read_text(encoding="utf-8").splitlines()
    told = dict(line.strip("| ").split(" | ", 1) for line in lines if line.startswith("| ") and " | " in line)
    assert {word: told.get(word) for word in GLOSSARY} == GLOSSARY
