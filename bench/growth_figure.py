"""The figure of growth: for each thing that grows, time and memory as they were measured, and the law beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tclose.reports.charts.svg import Subject, document, element, line, words

WIDE, TALL, GAP, LEFT, TOP, BELOW = 150, 150, 34, 62, 92, 90
_ROWS = (("seconds of processors", "s"), ("memory, MiB more than an idle process", "MiB"))

Series = tuple[Sequence[float], Sequence[float]]
"""What was measured, and what the law gives, at each amount."""


@dataclass(frozen=True)
class Line:
    """How time and memory grow with one thing."""

    what: str
    law: str
    amounts: Sequence[int]
    seconds: Series
    memory: Series


def drawn(lines: Sequence[Line]) -> str:
    """Return the figure as SVG."""
    parts = [
        words(LEFT - 42, 28, "How time and memory grow", "tc-name", anchor="start"),
        words(
            LEFT - 42,
            48,
            "Dots and lines: measured. Dashed: the law, fitted. Both axes are logarithmic.",
            "tc-soft",
            anchor="start",
        ),
    ]
    for row, (title, _) in enumerate(_ROWS):
        top = TOP + row * (TALL + BELOW)
        series = [each.seconds if row == 0 else each.memory for each in lines]
        every = [value for measured, law in series for value in (*measured, *law)]
        low, high = 10 ** math.floor(math.log10(min(every))), 10 ** math.ceil(math.log10(max(every)))
        parts.append(words(LEFT - 42, top - 12, title, "tc-strong", anchor="start"))
        for at, (each, both) in enumerate(zip(lines, series, strict=True)):
            parts += _panel(LEFT + at * (WIDE + GAP), top, each, both, (low, high), first=at == 0, named=row == 0)
    width, height = LEFT + len(lines) * (WIDE + GAP), TOP + 2 * (TALL + BELOW)
    subject = Subject("growth", "", "", [(each.what, tuple(each.amounts)) for each in lines])
    return document(subject, "How time and memory grow", _told(lines), (width, height), parts)


def _panel(
    left: float, top: float, each: Line, both: Series, ends: tuple[float, float], *, first: bool, named: bool
) -> list[str]:
    """Return one panel: the axes, what was measured, and the law."""
    low, high = map(math.log10, ends)
    begin, end = math.log10(each.amounts[0]), math.log10(each.amounts[-1])

    def place(amount: float, value: float) -> tuple[float, float]:
        across = (math.log10(amount) - begin) / (end - begin)
        return left + 8 + across * (WIDE - 16), top + TALL * (high - math.log10(value)) / (high - low)

    parts = []
    for power in range(round(low), round(high) + 1):
        y = place(each.amounts[0], 10.0**power)[1]
        parts.append(line(left, y, left + WIDE, y, "tc-grid"))
        if first:
            parts.append(words(left - 6, y + 4, f"{10.0**power:,g}", "tc-small", anchor="end"))
    parts.append(line(left, top + TALL, left + WIDE, top + TALL, "tc-axis"))
    for amount in (each.amounts[0], each.amounts[-1]):
        x = place(amount, ends[0])[0]
        parts.append(words(x, top + TALL + 15, _short(amount), "tc-small", anchor="start" if x < left + 20 else "end"))
    parts.append(words(left + WIDE / 2, top + TALL + 30, each.what, "tc-small"))
    if named:
        parts.append(words(left + WIDE / 2, top + TALL + 44, each.law, "tc-small tc-soft"))
    for values, style in ((both[1], "tc-table"), (both[0], "tc-class")):
        points = [place(amount, value) for amount, value in zip(each.amounts, values, strict=True)]
        parts.append(element("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), class_=style))
        if style == "tc-class":
            parts += [element("circle", cx=x, cy=y, r=3.2, class_="tc-dot") for x, y in points]
    return parts


def _short(amount: int) -> str:
    """Return an amount in few letters."""
    for factor, unit in ((10**6, " M"), (10**3, " k")):
        if amount >= factor:
            return f"{amount / factor:g}{unit}"
    return str(amount)


def _told(lines: Sequence[Line]) -> str:
    """Return what the figure shows, in words."""
    return " ".join(
        f"From {each.amounts[0]:,} to {each.amounts[-1]:,} {each.what}: {each.seconds[0][0]:.2f} to "
        f"{each.seconds[0][-1]:.2f} s and {each.memory[0][0]:,.0f} to {each.memory[0][-1]:,.0f} MiB; law {each.law}."
        for each in lines
    )
