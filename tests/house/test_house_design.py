"""DESIGN.md: every file that it names is there, and adding a thing of a kind touches the files that it says."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tclose"
DESIGN = (ROOT / "DESIGN.md").read_text(encoding="utf-8")
KINDS = {"model", "loss", "method", "distance", "format", "dialect", "output", "option"}
CODE = {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
ROWS = {
    kind: (thing, re.findall(r"`([^`]+)`", files))
    for kind, thing, files in re.findall(
        r"^\| (\w+) \| `(\w+)` \| (.*) \|$", DESIGN.partition("### To add a …")[2], re.MULTILINE
    )
}


def test_every_file_of_the_design_is_there():
    named = set(re.findall(r"`([\w/]+\.py)`", DESIGN))
    assert len(named) > 50
    assert sorted(name for name in named if name not in CODE) == []


def test_every_room_of_the_tree_is_drawn():
    words = re.findall(r"[\w/]+", DESIGN.partition("```")[2].partition("```")[0])
    drawn = {part for word in words for part in word.split("/")}
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir()} - {"__pycache__"}
    modules = {path.stem for path in SOURCE.glob("*.py") if not path.stem.startswith("_")}
    assert sorted((rooms | modules) - drawn) == []


def test_every_kind_of_addition_is_told():
    assert set(ROWS) == KINDS


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_thing_of_a_kind_is_named_in_the_files_that_the_design_says(kind):
    thing, files = ROWS[kind]
    assert sorted(name for name, text in CODE.items() if re.search(rf"\b{thing}\b", f"{name}\n{text}")) == sorted(files)
