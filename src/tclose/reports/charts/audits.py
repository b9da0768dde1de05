"""The pictures of a report, drawn from an audit; None where there is nothing to draw."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tclose.auditing.explanations import Explanation, explained
from tclose.auditing.results import AttributeAudit, Audit
from tclose.policy.exact_numbers import decimal_text
from tclose.reports.charts.bars import (
    LEFT,
    PAIRS_WIDTH,
    WIDTH,
    Bar,
    Bars,
    Compared,
    Group,
    groups_drawn,
    heading,
    sample,
)
from tclose.reports.charts.columns import Columns, amount, columns_of, regrouped, result
from tclose.reports.charts.frame import MARGIN, WIDEST, Spacing, legend, notes
from tclose.reports.charts.svg import (
    LONGEST,
    SIZE,
    Subject,
    box,
    document,
    element,
    escaped,
    labels_under,
    line,
    shortened,
    text_width,
    words,
)
from tclose.reports.content.distributions import Histogram, Sizes, distances_of, figure_column, required, sizes_of
from tclose.reports.phrases import audits as audit_phrases
from tclose.reports.phrases.audits import TITLE, Risk, risks
from tclose.reports.phrases.cells import key_text, visible
from tclose.reports.phrases.explanations import mass_of, whole_of
from tclose.reports.phrases.numbers import classes, percent

# How large the classes are: a bar for each size or interval of sizes, those below k hatched.


def sizes_picture(sizes: Sizes, verdict: str, *, mark: str = "") -> str:
    """Return the sizes of the classes as a complete SVG picture.

    Parameters
    ----------
    sizes
        What to draw.
    verdict
        What to say of them.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    subject = Subject("sizes", "", "", (mark, sizes, verdict))
    title = "How large the classes are"
    head, y = heading(title, f"Each bar counts the classes of a size. {verdict}")
    if sizes.k is not None:
        entries = [
            (sample(subject.identity, marked=False), f"classes of at least {sizes.k:,}"),
            (sample(subject.identity, marked=True), "smaller classes, which fail"),
        ]
        key, y = legend(entries, y + 12, WIDTH)
    else:
        key = []
    pitch = min(90.0, (WIDTH - MARGIN - LEFT) / len(sizes.starts))
    lefts = [LEFT + pitch * at for at in range(len(sizes.starts))]
    items = [
        Bar(
            left=left + 0.1 * pitch,
            right=left + 0.9 * pitch,
            classes=found,
            marked=sizes.k is not None and start < sizes.k,
            hint=f"{classes(found)} of {label} {sizes.unit}",
        )
        for left, start, found, label in zip(lefts, sizes.starts, sizes.counts, sizes.labels, strict=True)
    ]
    bars = Bars(tuple(items), subject.identity, y + 42)
    under = labels_under(sizes.labels, [left + pitch / 2 for left in lefts], bars.floor, pitch, 90)
    below = bars.floor + under.height + 18
    axis = words((LEFT + WIDTH - MARGIN) / 2, below, f"{sizes.unit} in a class", "tc-soft")
    description = "; ".join(bar.hint for bar in items if bar.classes)
    parts = [*head, *key, *bars.drawn(), *under.parts, axis]
    return document(subject, title, f"{verdict} {description}.", (WIDTH, below + 16), parts)


# Who could find people, as a picture: the chance of each of the three, before and after where there is a release.


_READING = (
    "The chance to find a person: the prosecutor's and the journalist's where it is largest, the marketer's share of "
    "all. A full bar is 1, which is certain."
)


def risks_picture(audit: Audit, before: Audit | None = None, *, mark: str = "") -> str:
    """Return the chances of the three as a complete SVG picture.

    Parameters
    ----------
    audit
        What is or would be published.
    before
        The original, where there is a release.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    rows = [(risks(audit), before is not None)] if before is None else [(risks(before), False), (risks(audit), True)]
    groups = [
        Group(some[0].attacker, tuple(_bar(risk, marked=marked) for risk, (_, marked) in zip(some, rows, strict=True)))
        for some in zip(*(found for found, _ in rows), strict=True)
    ]
    subject = Subject("risks", audit.source, "", (mark, groups))
    parts, y = heading(TITLE, _READING, PAIRS_WIDTH)
    if before is not None:
        entries = [(sample(subject.identity, marked=marked), text) for marked, text in _SIDES]
        key, y = legend(entries, y + 12, PAIRS_WIDTH)
        parts += key
    drawn, floor = groups_drawn(groups, y + 14, 1.0, subject.identity, left=130)
    told = "; ".join(f"{group.label}: {', '.join(bar.shown for bar in group.bars)}" for group in groups)
    return document(subject, TITLE, f"{_READING} {told}.", (PAIRS_WIDTH, floor + 10), [*parts, *drawn])


_SIDES = ((False, "the original"), (True, "the release"))


def _bar(risk: Risk, *, marked: bool) -> Compared:
    if risk.chance is None:
        return Compared(0.0, "not measured", None, risk.found)
    return Compared(risk.chance, risk.found, marked, f"{risk.found}; {risk.more}".rstrip("; "))


# How far the classes are from the table: bars over the distance, the threshold a line, failing classes hatched.


_TICKS = 5


@dataclass(frozen=True)
class Distances:
    """What the picture shows: the classes of one attribute by their distance, and what to say of them."""

    attribute: str
    """The name of the attribute, fit to be shown."""
    histogram: Histogram
    whole: str
    """What classes are compared with: the table, or the reference."""
    required: str
    """The requirement, such as ``t ≤ 0.2``; empty where there is none."""
    verdict: str
    """How many classes fail, in words."""


def distances_picture(shown: Distances, *, mark: str = "") -> str:
    """Return the distances of the classes as a complete SVG picture.

    Parameters
    ----------
    shown
        What to draw.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    subject = Subject("distances", "", shown.attribute, (mark, shown))
    title = f"{shown.attribute}: how far the classes are from {shown.whole}"
    reading = f"Each bar counts the classes that are so far from {shown.whole}. {shown.verdict}"
    head, y = heading(title, reading)
    entries = [(sample(subject.identity, marked=False), "classes that hold" if shown.required else "classes")]
    if shown.required:
        entries.append((sample(subject.identity, marked=True), "classes that fail"))
    key, y = legend(entries, y + 12, WIDTH)
    picture = _Picture(shown, subject.identity, y + (76 if shown.required else 42))
    return document(
        subject, title, _description(shown), (WIDTH, picture.bars.floor + 56), [*head, *key, *picture.drawn()]
    )


@dataclass(frozen=True)
class _Picture:
    shown: Distances
    identity: str
    top: float

    def x(self, distance: float) -> float:
        edges = self.shown.histogram.edges
        return LEFT + (WIDTH - MARGIN - LEFT) * distance / edges[-1]

    @property
    def bars(self) -> Bars:
        histogram = self.shown.histogram
        items = [
            Bar(
                left=self.x(histogram.edges[at]) if histogram.edges[at + 1] else LEFT - 5,
                right=self.x(histogram.edges[at + 1]),
                classes=found,
                marked=histogram.fails(at),
                hint=f"{classes(found)}: {_interval(histogram, at)}",
            )
            for at, found in enumerate(histogram.counts)
        ]
        return Bars(tuple(items), self.identity, self.top, 58 if self.shown.required else 24)

    def drawn(self) -> list[str]:
        """Return the bars, the axis below them and the threshold."""
        bars = self.bars
        parts = bars.drawn()
        step = _step(self.shown.histogram.edges[-1])
        at = 0
        while step * at <= self.shown.histogram.edges[-1] * 1.0001:
            x = self.x(step * at)
            parts.append(line(x, bars.floor, x, bars.floor + 5, "tc-axis"))
            parts.append(words(x, bars.floor + 19, decimal_text(step * at), "tc-small"))
            at += 1
        parts.append(words((LEFT + WIDTH - MARGIN) / 2, bars.floor + 40, "distance t of a class", "tc-soft"))
        return [*parts, *self._threshold(bars)]

    def _threshold(self, bars: Bars) -> list[str]:
        histogram = self.shown.histogram
        if histogram.threshold is None:
            return []
        x, text = self.x(histogram.threshold), f"required: {self.shown.required}"
        room = text_width(text)
        start = x + 6 + room <= WIDTH - MARGIN
        place = words(
            x + 6 if start else x - 6, bars.top - 34, text, "tc-strong tc-halo", anchor="start" if start else "end"
        )
        return [line(x, bars.top - 46, x, bars.floor, "tc-move", stroke_dasharray="7 3"), place]


def _step(most: float) -> float:
    """Return a round distance between marks, so that about five fit."""
    power = 1.0
    while power > most:
        power /= 10
    return next(power * part for part in (0.2, 0.5, 1, 2, 5) if most / (power * part) <= _TICKS + 1)


def _interval(histogram: Histogram, at: int) -> str:
    low, high = decimal_text(histogram.edges[at]), decimal_text(histogram.edges[at + 1])
    if low == high:
        return f"t of {high}"
    return f"t up to {high}" if histogram.edges[at] == 0 else f"t above {low}, up to {high}"


def _description(shown: Distances) -> str:
    histogram = shown.histogram
    counts = histogram.counts
    told = [
        f"up to {decimal_text(histogram.edges[at + 1])}: {found:,}"  # goes on from the bar before
        if at and counts[at - 1]
        else f"{_interval(histogram, at)}: {classes(found)}"
        for at, found in enumerate(counts)
        if found
    ]
    return f"{shown.verdict} {'; '.join(told)}."


# The table against its worst classes: what share of each has every value, one panel for each class.


DISTRIBUTIONS_LEFT = 72
TALL = 84
_HEAD = 30
_WIDEST = 660
_GAP = 14
_BOLD = 1.12 * SIZE


def distributions_picture(explanations: Sequence[Explanation], *, mark: str = "") -> str:
    """Return the distribution of the table against those of some classes as a complete SVG picture.

    Parameters
    ----------
    explanations
        The classes, all of one attribute, the worst first.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    worst = explanations[0]
    facts = (mark, worst.source, [each.counts for each in explanations], worst.reference_counts)
    subject = Subject("distributions", key_text(worst.key), worst.attribute, facts)
    common = columns_of(worst)
    panels = [_Panel(each, regrouped(common, each)) for each in explanations]
    picture = _DistributionsPicture(
        panels, Spacing(len(common.items), DISTRIBUTIONS_LEFT, min(64, _WIDEST / len(common.items)))
    )
    whole = whole_of(worst)
    title = f"{visible(worst.attribute)}: {whole} against its worst classes"
    reading = (
        f"Bars are the shares of a class, dashed outlines those of {whole}. "
        "Where they differ, the class gives something away."
    )
    head, y = heading(title, reading, picture.width)
    key, y = legend(_entries(whole), y + 12, picture.width)
    drawn, y = picture.drawn(y + 8)
    foot, y = notes([common.note], y + 20, picture.width)
    told = " ".join(panel.told(whole) for panel in panels)
    return document(subject, title, f"{reading} {told}", (picture.width, y), [*head, *key, *drawn, *foot])


def _entries(whole: str) -> list[tuple[str, str]]:
    return [(box(4, -7, 20, 14, "tc-stay"), "the class"), (box(0, -8, 28, 16, "tc-hole"), whole)]


@dataclass(frozen=True)
class _Panel:
    """One class, with the columns that all panels share."""

    explanation: Explanation
    columns: Columns

    @property
    def name(self) -> str:
        return f"{key_text(self.explanation.key)}{self._about}"

    @property
    def _about(self) -> str:
        rows = mass_of(self.explanation, self.explanation.size)
        return f" ({rows}), distance {result(self.explanation.value)}"

    def short_name(self, room: float) -> str:
        """Return the name so that it fits in bold: what is left out is left out of the key."""
        left = room - text_width(self._about, _BOLD)
        return shortened(key_text(self.explanation.key), left, _BOLD) + self._about

    def told(self, whole: str) -> str:
        shares = [
            f"{column.label}: class {amount(column.inside)}, {whole.split()[-1]} {amount(column.outside)}"
            for column in self.columns.items
        ]
        return f"{self.name}: {'; '.join(shares)}."


@dataclass(frozen=True)
class _DistributionsPicture:
    """All panels under each other, on one scale."""

    panels: Sequence[_Panel]
    spacing: Spacing

    @property
    def width(self) -> float:
        names = max(math.ceil(text_width(panel.name, _BOLD)) + 1 for panel in self.panels)
        return max(
            640.0,
            self.spacing.left + MARGIN + self.spacing.pitch * self.spacing.columns,
            min(WIDEST, names + 2 * MARGIN),
        )

    @property
    def most(self) -> Fraction:
        return max(max(column.inside, column.outside) for panel in self.panels for column in panel.columns.items)

    def drawn(self, y: float) -> tuple[list[str], float]:
        """Return the panels and the labels under the last of them."""
        parts: list[str] = []
        for panel in self.panels:
            parts += self._panel(panel, y)
            y += _HEAD + TALL + _GAP
        labels = [column.label for column in self.panels[0].columns.items]
        under = labels_under(labels, self.spacing.centres, y - _GAP, self.spacing.pitch, LONGEST)
        return [*parts, *under.parts], y - _GAP + under.height

    def _panel(self, panel: _Panel, y: float) -> list[str]:
        floor, right = y + _HEAD + TALL, self.width - MARGIN
        name = panel.short_name(right - MARGIN)
        parts = [words(MARGIN, y + 15, name, "tc-strong", anchor="start", hint=panel.name)]
        for share in (self.most, self.most / 2):
            at = floor - TALL * float(share / self.most)
            parts.append(line(DISTRIBUTIONS_LEFT, at, right, at, "tc-grid"))
            parts.append(words(DISTRIBUTIONS_LEFT - 8, at + 4, percent(share), "tc-soft tc-small", anchor="end"))
        half = min(24.0, 0.42 * self.spacing.pitch)
        for centre, column in zip(self.spacing.centres, panel.columns.items, strict=True):
            inside, outside = (TALL * float(share / self.most) for share in (column.inside, column.outside))
            hint = element("title", escaped(f"{column.label}: class {column.inside}, reference {column.outside}"))
            if column.inside:
                shape = {"x": centre - 0.7 * half, "y": floor - inside, "width": 1.4 * half, "height": inside}
                parts.append(element("rect", hint, **shape, class_="tc-stay"))
            if column.outside:
                parts.append(box(centre - half, floor - outside, 2 * half, outside, "tc-hole"))
        parts.append(line(DISTRIBUTIONS_LEFT, floor, right, floor, "tc-axis"))
        return parts


# Which quasi-identifier drives the disclosure: how much of t goes when each is left out.


MOST = 12
_PITCH = 30
_THICK = 18
_NUMBERS = 170


@dataclass(frozen=True)
class Drivers:
    """What the picture shows: t of an attribute, and t without each quasi-identifier."""

    attribute: str
    """The name of the attribute, fit to be shown."""
    t: Fraction
    without: Mapping[str, Fraction]
    of: str = "t"
    """What is drawn: t, or t on average where that alone moves."""

    @property
    def ranked(self) -> list[tuple[str, Fraction]]:
        """Each quasi-identifier with t without it, the lowest first."""
        return sorted(((visible(name), t) for name, t in self.without.items()), key=lambda item: item[1])

    def share(self, t: Fraction) -> Fraction:
        """Return the share of t that goes when it falls to another t."""
        return (self.t - t) / self.t if self.t else Fraction(0)

    @property
    def told(self) -> list[str]:
        """Each quasi-identifier in words."""
        return [
            f"without {name} {self.of} is {decimal_text(float(t))}, {fall(self.share(t))}" for name, t in self.ranked
        ]


def fall(share: Fraction) -> str:
    """Return how much less t is, in words."""
    return f"{percent(share)} less" if share > 0 else "no less"


def drivers_picture(drivers: Drivers, *, mark: str = "") -> str:
    """Return the quasi-identifiers' share in the disclosure as a complete SVG picture.

    Parameters
    ----------
    drivers
        What to draw.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    subject = Subject("drivers", "", drivers.attribute, (mark, drivers.t, drivers.ranked))
    title = f"{drivers.attribute}: what each quasi-identifier gives away"
    reading = (
        f"With all of them {drivers.of} is {decimal_text(float(drivers.t))}. Each bar is that t; hatched is what goes "
        "when one quasi-identifier is left out. They may overlap, so the parts need not add up."
    )
    head, y = heading(title, reading)
    entries = [
        (box(0, -7, 28, 14, "tc-stay"), f"{drivers.of} without it"),
        (box(0, -7, 28, 14, "tc-leave", fill=f"url(#{subject.identity}-hatch)"), "what goes with it"),
    ]
    key, y = legend(entries, y + 12, WIDTH)
    drawn = _bars(drivers, subject.identity, y + 12)
    y += 12 + _PITCH * min(MOST, len(drivers.without)) + 14
    more = len(drivers.without) - MOST
    foot, y = notes([f"… and {more} more, each with a smaller share."] if more > 0 else [], y, WIDTH)
    return document(subject, title, f"{reading} {'; '.join(drivers.told)}.", (WIDTH, y), [*head, *key, *drawn, *foot])


def _bars(drivers: Drivers, identity: str, top: float) -> list[str]:
    shown = drivers.ranked[:MOST]
    left = MARGIN + min(180.0, 12 + max(text_width(name) for name, _ in shown))
    right = WIDTH - MARGIN - _NUMBERS
    parts = []
    for at, (name, t) in enumerate(shown):
        y = top + _PITCH * at
        middle, gone = y + _THICK / 2 + 5, drivers.share(t)
        cut = left + (right - left) * (1 - float(gone))
        title = element(
            "title", escaped(f"without {name} {drivers.of} is {t if drivers.of == 't' else decimal_text(float(t))}")
        )
        parts.append(words(left - 8, middle, shortened(name, left - MARGIN - 8, SIZE), anchor="end", hint=name))
        parts.append(element("rect", title, x=left, y=y, width=cut - left, height=_THICK, class_="tc-stay"))
        if gone > 0:
            parts.append(box(cut, y, right - cut, _THICK, "tc-leave", fill=f"url(#{identity}-hatch)"))
        parts.append(words(right + 12, middle, f"{decimal_text(float(t))}, {fall(gone)}", anchor="start"))
    parts.append(line(left, top - 4, left, top + _PITCH * len(shown) - 4, "tc-axis"))
    return parts


WORST = 3
"""So many of the worst classes are drawn against the table."""
MOST_VALUES = 20_000
"""An attribute with more values is not drawn value by value."""
_MARK = "report"


def distances_drawn(audit: Audit, attribute: str) -> str | None:
    """Return the distances of an attribute's classes against the threshold."""
    histogram = distances_of(audit, attribute)
    if histogram is None:
        return None
    shown = Distances(
        attribute=visible(attribute),
        histogram=histogram,
        whole="the table" if audit.reference == "the audited table" else "the reference",
        required=audit_phrases.threshold_text(required(audit, "t", attribute)),
        verdict=audit_phrases.distances_sentence(audit, attribute),
    )
    return distances_picture(shown, mark=_MARK)


def sizes_drawn(audit: Audit) -> str | None:
    """Return the sizes of the classes."""
    sizes = sizes_of(audit)
    return None if sizes is None else sizes_picture(sizes, audit_phrases.sizes_sentence(audit), mark=_MARK)


def risks_drawn(audit: Audit, before: Audit | None) -> str:
    """Return who could find people, and how likely."""
    return risks_picture(audit, before, mark=_MARK)


def drivers_drawn(attribute: AttributeAudit) -> str | None:
    """Return the share of each quasi-identifier in the disclosure."""
    if not attribute.drivers or "t" not in attribute.figures or not attribute.t:
        return None
    drivers = Drivers(visible(attribute.name), Fraction(attribute.t), attribute.drivers)
    if (averages := attribute.averages) is not None and averages.as_is:
        without = {name: Fraction(min(mean, averages.as_is)) for name, mean in averages.without.items()}
        drivers = Drivers(visible(attribute.name), Fraction(averages.as_is), without, "t on average")
    return drivers_picture(drivers, mark=_MARK)


def worst_keys(audit: Audit, attribute: str, most: int = WORST) -> list[tuple[dict[str, object], int]]:
    """Return the keys and sizes of the worst classes of an attribute, by t; none where they or t are not there."""
    table, evidence = audit.tables.get(attribute, audit.tables.get(None)), audit.evidence[attribute]
    column = None if table is None else figure_column(table, len(evidence.quasi), f"{attribute}.t")
    if table is None or column is None:
        return []
    size = table.columns[len(evidence.quasi)]
    rows = table.rows(sort=column, limit=most)
    return [({name: row[name] for name in evidence.quasi}, int(row[size])) for row in rows]


def worst_explanations(audit: Audit, attribute: str) -> list[Explanation]:
    """Return the worst classes of an attribute with their counts, but those withheld; none where they or t are not."""
    evidence = audit.evidence.get(attribute)
    if evidence is None or len(evidence.domain.values) > MOST_VALUES:
        return []
    shown = [key for key, size in worst_keys(audit, attribute) if not audit.hides(size)]
    given = audit.source, audit.reference
    return [explained(evidence, key, *given, unit=audit.unit) for key in shown if any(evidence.histogram(key))]


def distributions_drawn(explanations: Sequence[Explanation]) -> str | None:
    """Return the table's distribution against those of the worst classes."""
    return distributions_picture(explanations, mark=_MARK) if explanations else None


def moves_drawn(explanations: Sequence[Explanation]) -> str | None:
    """Return the earth that is moved between the worst class and the table; None where nothing has to move."""
    from tclose.reports.charts.moves import moves_picture

    return moves_picture(explanations[0], mark=_MARK) if explanations and explanations[0].moves else None
