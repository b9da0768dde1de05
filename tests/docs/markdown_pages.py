"""Markdown as the tests of the docs read it: fenced blocks and links."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
"""Every page of the docs; its examples are run."""
STORIES = tuple(sorted((ROOT / "examples").glob("*/README.md")))
"""The pages of the examples that are stories; each is run in a copy of its folder."""

_FENCE = re.compile(
    r"^(?P<fence>`{3,})(?P<word>\w*)[ \t]*(?P<rest>[^\n]*)\n(?P<text>.*?)^(?P=fence)[ \t]*$", re.M | re.S
)
_TITLE = re.compile(r'title="([^"]+)"')
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file it is the content of, if any, and where it stands."""

    word: str
    title: str | None
    text: str
    line: int


def blocks(text):
    """Return the fenced blocks of a page."""
    found = []
    for match in _FENCE.finditer(text):
        title = _TITLE.search(match["rest"])
        line = text.count("\n", 0, match.start("text")) + 1
        found.append(Block(match["word"], title[1] if title else None, match["text"], line))
    return found


def links(text):
    """Return the targets of the links of a page, those in blocks left out."""
    prose = _FENCE.sub("", text)
    return [first or second for first, second in _LINK.findall(prose)]
