"""A document: what a result says, once, as headings, sentences, tables, pictures and notes; every face renders it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from tclose.auditing.verdicts import Outcome

Tone = Literal["", "strong", "soft", "good", "bad", "care", "code"]
MARKS = {True: "✓", False: "✗", None: ""}
SIGNS: dict[Outcome | None, str] = {"pass": "✓", "fail": "✗", "qualified": "◐", "undetermined": "?", None: ""}


def outcome_of(holds: bool | None) -> Outcome | None:  # noqa: FBT001 - a verdict
    """Return a verdict that knows nothing between pass and fail."""
    return None if holds is None else "pass" if holds else "fail"


@dataclass(frozen=True)
class Cell:
    """A text of a table."""

    text: str
    tone: Tone = ""
    long: str = ""
    """What a page, which has more room, shows instead."""
    about: str = ""
    """What a page says of it to those who point at it."""
    share: float | None = None
    """A share that is drawn as a bar instead of a text."""

    @property
    def holds_something(self) -> bool:
        """Whether there is anything to be seen."""
        return bool(self.long or self.text) or self.share is not None


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    kind: ClassVar = "heading"
    text: str


@dataclass(frozen=True)
class Paragraph:
    """A sentence or several."""

    kind: ClassVar = "paragraph"
    text: str
    tone: Tone = ""


@dataclass(frozen=True)
class Formula:
    """A line of a calculation: as text, and as LaTeX sets it."""

    kind: ClassVar = "formula"
    text: str
    latex: str = ""


@dataclass(frozen=True)
class Notes:
    """What else there is to know, each a point."""

    kind: ClassVar = "notes"
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Terms:
    """Terms with what there is to say of each."""

    kind: ClassVar = "terms"
    rows: tuple[tuple[str, tuple[Paragraph, ...]], ...]


@dataclass(frozen=True)
class Table:
    """Rows under titles."""

    kind: ClassVar = "table"
    titles: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    name: str = ""
    """What it holds, in words; for those who hear a page, and for its looks."""
    names: int | None = 0
    """The column that names a row; None where none does."""
    untitled: bool = False
    """Whether a terminal does without the titles."""
    last: Literal["shorten", "drop", "below"] = "shorten"
    """What becomes of the last column where room is short."""
    uncut: bool = False
    """Whether nothing of it may be cut, however short room is."""
    latex: str = ""
    """How LaTeX sets it where that is not a table."""

    @property
    def filled(self) -> Table:
        """The table without columns in which no row has anything."""
        held = [at for at in range(len(self.titles)) if any(row[at].holds_something for row in self.rows)]
        names = held.index(self.names) if self.names in held else None
        titles, *rows = (tuple(row[at] for at in held) for row in (self.titles, *self.rows))
        return replace(self, titles=titles, rows=tuple(rows), names=names)


@dataclass(frozen=True)
class Picture:
    """A picture, drawn when a face shows it."""

    kind: ClassVar = "picture"
    title: str
    """Its heading; empty where it needs none."""
    name: str
    """What it shows, for those who hear a page."""
    draw: Callable[[], str | None]
    """Returns SVG; None where there is nothing to draw."""


Block = Heading | Paragraph | Formula | Notes | Terms | Table | Picture


@dataclass(frozen=True)
class Section:
    """A heading with what stands under it; one without a heading goes on where the last one ended."""

    title: str
    blocks: tuple[Block, ...]
    beside: str = ""
    """What stands beside the heading."""
    anchor: str = ""
    """By what a page links to it."""


@dataclass(frozen=True)
class Document:
    """What a result says."""

    kind: str
    """What sort of document it is: ``Privacy audit``."""
    title: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]
    verdict: Outcome | None = None
    """The verdict, which marks and colours the title; None without one."""
    care: str = ""
    """What belongs to the verdict and must not be overlooked: what is not protected, or that nothing is kept."""
    name: str = ""
    """What a page is called."""
    footer: str = ""
    """What stands below every printed page, beside its number."""
    confidential: str = ""
    """Why it is for few eyes, in words that stand on every page; empty where it is not."""
    signers: tuple[str, ...] = ()
    """What is written below each line that is signed or filled in."""

    @property
    def marked_title(self) -> str:
        """The title behind the mark of its verdict, with what must not be overlooked."""
        return f"{self.sign} {self.title} {self.care}".strip()

    @property
    def sign(self) -> str:
        """The sign of the verdict; empty without one."""
        return SIGNS[self.verdict]

    @property
    def tone(self) -> Tone:
        """How the verdict is coloured: a good one with care where something must not be overlooked."""
        if self.verdict is None:
            return "strong"
        if self.verdict == "pass":
            return "care" if self.care else "good"
        return "care" if self.verdict == "qualified" else "bad"

    @property
    def holds(self) -> bool | None:
        """Whether the verdict is a pass; None without one."""
        return None if self.verdict is None else self.verdict == "pass"


def table(titles: Iterable[str | Cell], rows: Iterable[Sequence[str | Cell]], **about: object) -> Table:
    """Return a table of texts and cells; ``about`` as for :class:`Table`."""
    return Table(_cells(titles), tuple(_cells(row) for row in rows), **about)  # type: ignore[arg-type]


def _cells(texts: Iterable[str | Cell]) -> tuple[Cell, ...]:
    return tuple(text if isinstance(text, Cell) else Cell(text) for text in texts)


def section(title: str, *blocks: Block | None, beside: str = "", anchor: str = "") -> tuple[Section, ...]:
    """Return a section of the blocks that hold something; none where nothing does."""
    kept = tuple(block for block in blocks if block is not None and _holds_something(block))
    return (Section(title, kept, beside, anchor),) if kept else ()


def _holds_something(block: Block) -> bool:
    if isinstance(block, Heading | Paragraph | Formula):
        return bool(block.text)
    if isinstance(block, Notes):
        return bool(block.lines)
    return isinstance(block, Picture) or bool(block.rows)
