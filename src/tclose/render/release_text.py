"""A release as text for people: the verdict first, then what it cost and where it went."""

from __future__ import annotations

from collections.abc import Iterable

from tclose.releases import Release, Written
from tclose.render import release_words as words
from tclose.render.cells import visible
from tclose.render.layout import Cell, aligned, fits, painted, wrapped
from tclose.render.words import MARKS

WIDTH = 80
_BAR = 24


def release_text(
    release: Release, width: int | None = None, *, colour: bool = False, written: Written | None = None
) -> str:
    """Return a release as text.

    Parameters
    ----------
    release
        What was found.
    width
        Columns of the terminal; 80 if left out.
    colour
        Whether to colour it, by ANSI escape sequences.
    written
        The files that were written, with the audits of what is in them.
    """
    page = _Page(max(40, width or WIDTH), colour=colour)
    page.opening(release)
    if release.obstacles:
        page.obstacles(release)
    else:
        page.requirements(release, written)
    page.losses(release)
    for sentence in words.ways_out(release):
        page.paragraph(sentence)
    page.notes(release.notes)
    if written is not None:
        page.files(written)
    return "\n".join(page.lines)


class _Page:
    """Lines of a report in the making."""

    def __init__(self, width: int, *, colour: bool) -> None:
        self.width = width
        self.colour = colour
        self.lines: list[str] = []

    def paragraph(self, text: str, style: str = "") -> None:
        if text:
            self.lines += [painted(line, style, colour=self.colour) for line in wrapped(text, self.width)]

    def table(self, rows: list[list[Cell]], indent: str = "") -> None:
        self.lines += aligned(rows, self.width, indent=indent, colour=self.colour)

    def heading(self, text: str) -> None:
        self.lines += ["", painted(text, "bold", colour=self.colour)]

    def opening(self, release: Release) -> None:
        self.paragraph(f"{MARKS[release.holds]} {words.verdict(release)}", "good" if release.holds else "bad")
        self.paragraph(words.size_sentence(release))
        self.paragraph(words.kept_sentence(release))
        self.paragraph(words.method_sentence(release))

    def requirements(self, release: Release, written: Written | None) -> None:
        titles = ["", "required", "of", *(["in the release", "against the original"] if written is not None else [])]
        rows = [[Cell(title, "dim") for title in titles]]
        for row in words.requirement_rows(release, written):
            style = "good" if row.holds else "bad"
            found = [Cell(row.found, style), Cell(row.against_original, style)] if written is not None else []
            rows.append([Cell(MARKS[row.holds], style), Cell(row.text, "bold"), Cell(row.of), *found])
        self.lines.append("")
        self.table(rows)

    def obstacles(self, release: Release) -> None:
        best = "found" if words.made_by_recipe(release) else "best possible"
        rows = [[Cell(title, "dim") for title in ("", "required", "of", best, "class that decides it")]]
        for text, of, value, key in words.obstacle_rows(release):
            rows.append([Cell(MARKS[False], "bad"), Cell(text, "bold"), Cell(of), Cell(value, "bad"), Cell(key)])
        self.lines.append("")
        self.table(rows if fits(rows, self.width) else [row[:-1] for row in rows])
        self.lines.append("")

    def losses(self, release: Release) -> None:
        if release.column_losses:
            self.heading("Detail lost, by column")
            self.table([_bar_row(name, lost) for name, lost in words.column_rows(release)], indent="  ")
        found = words.loss_rows(release)
        if found:
            self.heading("Losses, of each less is better")
            rows = [[Cell(key), Cell(value, "bold"), Cell(title, "dim")] for key, value, title in found]
            self.table(rows, indent="  ")

    def notes(self, notes: Iterable[str]) -> None:
        notes = list(notes)
        if notes:
            self.lines.append("")
        for note in notes:
            self.lines += wrapped(visible(note), self.width, first="  • ", rest="    ")

    def files(self, written: Written) -> None:
        self.heading("Written")
        found = words.file_rows(written)
        rows = [[Cell(name), Cell(path, "bold"), Cell(remark, "dim")] for name, path, remark in found]
        if fits(rows, self.width, indent="  "):
            self.table(rows, indent="  ")
            return
        for name, path, remark in found:
            self.lines += [f"  {name:<9}{path}", painted(f"{' ' * 11}{remark}", "dim", colour=self.colour)]


def _bar_row(name: str, lost: float) -> list[Cell]:
    full = max(0, min(_BAR, round(lost * _BAR)))
    return [Cell(name), Cell(words.percent(lost), "bold"), Cell("█" * full + "░" * (_BAR - full), "dim")]
