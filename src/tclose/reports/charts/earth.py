"""The earth as it is moved: blocks, holes, the bill with its threshold, the cumulative curves; a picture that plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import inf

from tclose.auditing.explanations import Explanation
from tclose.policy.exact_numbers import decimal_text, written
from tclose.reports.charts import captions as sentences
from tclose.reports.charts.columns import Arrow, Columns, alike, arrows_of, columns_of, exactly, result
from tclose.reports.charts.frame import MARGIN, Spacing, heading, notes
from tclose.reports.charts.svg import (
    LONGEST,
    SMALL,
    box,
    digits,
    document,
    element,
    labels_under,
    line,
    shortened,
    text_width,
    words,
)
from tclose.reports.phrases.explanations import whole_of
from tclose.reports.phrases.numbers import counted, numbered

# The time of a picture that plays: each step takes as long as another, then all begins anew.


SECONDS = 2
"""How long a step takes; at the full multiples nothing is on its way."""
LIFTED, LYING = 0.08, 0.9
"""When in its step a block has left, and when it lies."""
_RISEN, _OVER = 0.3, 0.66
_AT_THE_END = 1.5
"""So many steps long the end is shown."""


@dataclass(frozen=True)
class Clock:
    """When what happens, in a picture of so many steps; all of it is declared, so that no script is needed."""

    steps: int

    def _at(self, step: float) -> str:
        return f"{step / (self.steps + _AT_THE_END):.5f}".rstrip("0").rstrip(".") or "0"

    def _animation(self, tag: str, name: str, frames: Sequence[tuple[float, str]], **how: str) -> str:
        return element(
            tag,
            attributeName=name,
            values=";".join(value for _, value in frames),
            keyTimes=";".join([self._at(when) for when, _ in frames[:-1]] + ["1"]),
            dur=f"{digits(SECONDS * (self.steps + _AT_THE_END))}s",
            repeatCount="indefinite",
            **how,
        )

    def shown(self, drawn: str, since: float, until: float) -> str:
        """Return something that is seen from one time until another, in steps; for ever from the last step on."""
        if not drawn or (since <= 0 and until >= self.steps):
            return drawn
        frames = [(0.0, "visible" if since <= 0 else "hidden")]
        if since > 0:
            frames.append((since, "visible"))
        if until < self.steps:
            frames.append((until, "hidden"))
        frames.append((0.0, frames[-1][1]))
        animation = self._animation("animate", "visibility", frames, calcMode="discrete")
        return element("g", animation, drawn, visibility=None if since <= 0 else "hidden")

    def during(self, drawn: str, state: int) -> str:
        """Return something that is seen from when a step begins until the next does; state 0 is before the first."""
        return self.shown(drawn, state - 1 + LIFTED, state + LIFTED)

    def stepped(self, name: str, values: Sequence[str], leaves: Sequence[bool]) -> str:
        """Return an attribute that jumps at each step: where a block leaves, else where it comes to lie."""
        if len(set(values)) == 1:
            return ""
        frames = [(0.0, values[0])]
        for at, leaving in enumerate(leaves):
            if values[at + 1] != values[at]:
                frames.append((at + (LIFTED if leaving else LYING), values[at + 1]))
        frames.append((0.0, frames[-1][1]))
        return self._animation("animate", name, frames, calcMode="discrete")

    def gliding(self, name: str, values: Sequence[str]) -> str:
        """Return an attribute that glides from its value in one state to that in the next."""
        if len(set(values)) == 1:
            return ""
        frames = [(0.0, values[0])]
        for at in range(self.steps):
            frames += [(at + _RISEN, values[at]), (at + LYING, values[at + 1])]
        frames.append((0.0, values[-1]))
        return self._animation("animate", name, frames)

    def travelling(self, drawn: str, places: Sequence[tuple[float, float]], at: int) -> str:
        """Return something that is seen during one step alone, on its way through some places."""
        where = [f"{digits(x)} {digits(y)}" for x, y in places]
        whens = [at + LIFTED, at + _RISEN, at + _OVER, at + LYING]
        frames = [(0.0, where[0]), *zip(whens, where, strict=True), (0.0, where[-1])]
        seen = [(0.0, "hidden"), (at + LIFTED, "visible"), (at + LYING, "hidden"), (0.0, "hidden")]
        inner = element(
            "g", self._animation("animateTransform", "transform", frames, type="translate"), drawn,
            transform=f"translate({where[0]})",
        )  # fmt: skip
        return element(
            "g", self._animation("animate", "visibility", seen, calcMode="discrete"), inner, visibility="hidden"
        )


# The earth step by step: the moves of a plan or what is carried over each edge, and what columns hold between.


def carried(columns: Columns) -> list[Arrow]:
    """Return what is carried from each column to the next, A₁ … A_{m−1}; nothing where the values lie in a tree.

    What goes to the right is carried from left to right, what goes to the left from right to left, so that a column
    always holds what is taken from it.
    """
    explanation = columns.explanation
    if not explanation.on_a_line:
        return []
    costs = [abs(flow) * gap / explanation.scale for flow, gap in zip(explanation.flows, explanation.gaps, strict=True)]
    found: list[Arrow] = []
    first = 0
    for at, column in enumerate(columns.items[:-1]):
        flow = explanation.flows[column.last - 1]
        name = "" if columns.grouped else numbered("A", column.last)
        cost = sum(costs[first : column.last], Fraction(0))
        first = column.last
        if flow:
            start, end = (at, at + 1) if flow > 0 else (at + 1, at)
            found.append(Arrow(name, start, end, abs(flow), cost, 1))
    return _in_order(found)


def _in_order(stages: Sequence[Arrow]) -> list[Arrow]:
    """Return neighbours that go to the left from right to left; the others as they are."""
    ordered: list[Arrow] = []
    leftward: list[Arrow] = []
    for stage in stages:
        if stage.end > stage.start:
            ordered += [*reversed(leftward), stage]
            leftward = []
        else:
            leftward.append(stage)
    return [*ordered, *reversed(leftward)]


def held(columns: Columns, stages: Sequence[Arrow]) -> list[list[Fraction]]:
    """Return what each column holds before the first step and after each."""
    now = [column.inside for column in columns.items]
    found = [list(now)]
    for stage in stages:
        now[stage.start] -= stage.mass
        now[stage.end] += stage.mass
        found.append(list(now))
    return found


def spent(stages: Sequence[Arrow]) -> list[Fraction]:
    """Return what was paid before the first step and after each."""
    return list(accumulate((stage.cost for stage in stages), initial=Fraction(0)))


LEFT = 104
TALLEST = 130
CURVES = 110
LEVEL = 26
BILL = 16
_SIGN = 8
"""So much room a plus or a minus takes."""


def earth_picture(
    explanation: Explanation, *, threshold: Fraction | None = None, edges: bool = False, mark: str = ""
) -> str:
    """Return the earth as it is moved, as a complete SVG picture that plays by itself, over and over.

    Parameters
    ----------
    explanation
        What to draw.
    threshold
        What t must not exceed; drawn on the bar of the cost.
    edges
        Carry the earth from each value to the next, A₁ … A_{m−1}, instead of moving it into the holes; only where the
        values lie on a line.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    columns = columns_of(explanation)
    stages = carried(columns) if edges else arrows_of(columns)
    subject = sentences.subject_of(explanation, "carried" if edges else "earth", mark)
    picture = _Picture(columns, stages, threshold, subject.identity)
    width = picture.spacing.width
    head, y = heading(
        explanation, sentences.nothing_to_move(explanation) or _how_to_read(explanation, edges=edges), width
    )
    parts, y = picture.drawn(y + 10)
    foot, y = notes([columns.note, picture.within], y + 22, width)
    title = sentences.name(explanation, "carried from value to value" if edges else "moved")
    return document(subject, title, picture.description, (width, y + 4), [*head, *parts, *foot])


def _how_to_read(explanation: Explanation, *, edges: bool) -> str:
    whole = whole_of(explanation)
    way = "What is too much is carried to the next value" if edges else "What is too much is moved into the holes"
    return f"Bars are what the class has, dashed outlines what {whole} has. {way}; each step costs mass × distance."


@dataclass(frozen=True)
class _Picture:
    """The measures of one picture, and what moves in it."""

    columns: Columns
    stages: list[Arrow]
    threshold: Fraction | None
    identity: str

    @cached_property
    def spacing(self) -> Spacing:
        return Spacing(len(self.columns.items), LEFT, 110)

    @cached_property
    def clock(self) -> Clock:
        return Clock(len(self.stages))

    @cached_property
    def held(self) -> list[list[Fraction]]:
        return held(self.columns, self.stages)

    @cached_property
    def spent(self) -> list[Fraction]:
        return spent(self.stages)

    @property
    def bar(self) -> float:
        return min(52.0, self.spacing.pitch * 0.6)

    @cached_property
    def unit(self) -> float:
        """How many pixels high a mass of 1 is."""
        piles = (share for row in self.held for share in row)
        tallest = max(*piles, *(column.outside for column in self.columns.items))
        return TALLEST / float(tallest)

    @property
    def within(self) -> str:
        """What moves inside groups cost, in words; nothing where there are none."""
        rest = self.columns.explanation.value - self.spent[-1]
        return f"Moves inside the groups cost {result(rest)}; they are not drawn." if rest else ""

    @property
    def description(self) -> str:
        """The picture in words."""
        whole = whole_of(self.columns.explanation)
        told = [self._told(at) + "." for at in range(len(self.stages))]
        end = f"Then every column is as in {whole}." if self.stages else ""
        return " ".join(part for part in (sentences.result_sentence(self.columns.explanation), *told, end) if part)

    def _told(self, at: int) -> str:
        stage = self.stages[at]
        way = f"from {self.columns.items[stage.start].label} to {self.columns.items[stage.end].label}"
        return f"{stage.name + ': ' if stage.name else ''}{self.masses[at]} {way}, {self._sum(at)}"

    def _sum(self, at: int) -> str:
        """Return mass × distance = cost; the cost alone where a block sums up moves of several distances."""
        stage = self.stages[at]
        if self.columns.grouped:
            return f"costs {result(stage.cost)}"
        return f"{self.masses[at]} × {_short(stage.distance)} = {_short(stage.cost)}"

    @cached_property
    def masses(self) -> list[str]:
        return alike([stage.mass for stage in self.stages])

    def drawn(self, top: float) -> tuple[list[str], float]:
        """Return everything that moves, and the y below it."""
        whole = self.columns.explanation
        largest = float(max((stage.mass for stage in self.stages), default=Fraction(0))) * self.unit
        caption, sky = top + 14, top + 38 + largest
        tree, ground = self._tree(sky) if self._levels else ([], sky)
        floor = ground + TALLEST + 10
        labels = labels_under(
            [column.label for column in self.columns.items],
            self.spacing.centres,
            floor + 18,
            self.spacing.pitch,
            LONGEST,
        )
        y = floor + 18 + labels.height
        parts = [*tree, *self._captions(caption), *self._columns(floor), *labels.parts, *self._blocks(floor, ground)]
        if whole.on_a_line and len(self.columns.items) > 1:
            curves, y = self._curves(y + 14)
            parts += curves
        bill, y = self._bill(y + 26)
        return [*parts, *bill], y

    def _captions(self, y: float) -> list[str]:
        """Return what is written above: the step that is being done."""
        texts = [counted(len(self.stages), "step") if self.stages else "", *map(self._told, range(len(self.stages)))]
        room = self.spacing.width - 2 * MARGIN
        return [
            self.clock.during(words(MARGIN, y, shortened(text, room), "tc-told tc-strong", anchor="start"), at)
            for at, text in enumerate(texts)
        ]

    def _columns(self, floor: float) -> list[str]:
        parts = []
        for at, column in enumerate(self.columns.items):
            x, hole = self.spacing.centres[at] - self.bar / 2, column.outside
            now = [row[at] for row in self.held]
            takes = [stage.start == at for stage in self.stages]
            stays = [float(min(share, hole)) * self.unit for share in now]
            rises = [float(max(share, hole)) * self.unit for share in now]
            surplus = [high - float(hole) * self.unit for high in rises]
            parts.append(self._pile(x, floor, "tc-stay", stays, stays, takes, str(at)))
            parts.append(self._pile(x, floor, "tc-leave", rises, surplus, takes, ""))
            if hole:
                parts.append(
                    box(x - 3, floor - float(hole) * self.unit, self.bar + 6, float(hole) * self.unit, "tc-hole")
                )
            parts += self._differences(at, now, hole, floor)
        end = self.spacing.centres[-1] + self.spacing.pitch / 2
        return [*parts, line(LEFT, floor, end, floor, "tc-axis")]

    def _pile(
        self, x: float, floor: float, style: str, tops: list[float], sizes: list[float], takes: list[bool], column: str
    ) -> str:
        if not any(sizes):
            return ""
        animated = [
            self.clock.stepped("y", [digits(floor - top) for top in tops], takes),
            self.clock.stepped("height", [digits(size) for size in sizes], takes),
        ]
        fill = f"url(#{self.identity}-hatch)" if style == "tc-leave" else ""
        place = {"x": x, "y": floor - tops[0], "width": self.bar, "height": sizes[0]}
        return element("rect", *filter(None, animated), **place, class_=style, fill=fill, data_column=column)

    def _differences(self, at: int, now: list[Fraction], hole: Fraction, floor: float) -> list[str]:
        """Return what is too much or missing in a column, under it; ✓ where it is as it should be."""
        changes = [step for step in range(1, len(now)) if now[step] != now[step - 1]]
        times = [0.0, *(step - 1 + (LIFTED if self.stages[step - 1].start == at else LYING) for step in changes)]
        parts = []
        for share, since, until in zip(
            [now[0], *(now[step] for step in changes)], times, [*times[1:], inf], strict=True
        ):
            apart = share - hole
            text = f"{'+' if apart > 0 else '−'}{_fitting(abs(apart), self.spacing.pitch - _SIGN)}" if apart else "✓"
            style = f"tc-small {'tc-told' if apart > 0 else 'tc-sunk' if apart else 'tc-soft'}"
            drawn = words(self.spacing.centres[at], floor + 15, text, style, hint=exactly(abs(apart)))
            parts.append(self.clock.shown(drawn, since, until))
        return parts

    def _blocks(self, floor: float, sky: float) -> list[str]:
        """Return the blocks on their way: up, across at the height of their distance, and down."""
        parts = []
        for at, stage in enumerate(self.stages):
            size = float(stage.mass) * self.unit
            rise = sky - size - (LEVEL * self._apart(stage) if self._levels else 0)
            from_x, to_x = (self.spacing.centres[column] - self.bar / 2 for column in (stage.start, stage.end))
            from_y = floor - float(self.held[at][stage.start]) * self.unit
            to_y = floor - float(self.held[at + 1][stage.end]) * self.unit
            block = box(0, 0, self.bar, size, "tc-leave", fill=f"url(#{self.identity}-hatch)")
            label = words(
                self.bar / 2, -5, f"{stage.name} {self.masses[at]}".strip(), "tc-small tc-strong tc-halo tc-told"
            )
            places = [(from_x, from_y), (from_x, rise), (to_x, rise), (to_x, to_y)]
            parts.append(self.clock.travelling(block + label, places, at))
        return parts

    @cached_property
    def _values(self) -> list[int]:
        """The value of each column, where each has one."""
        return sorted(range(len(self.columns.column_of)), key=self.columns.column_of.__getitem__)

    @cached_property
    def _levels(self) -> list[list[int]]:
        """For each level of a tree the group of each column."""
        whole = self.columns.explanation
        if whole.hierarchy is None or self.columns.grouped:
            return []
        return [[level[at] for at in self._values] for level in whole.levels]

    def _apart(self, stage: Arrow) -> int:
        """Return how high a block rises in a tree: to the lowest group that holds both ends."""
        return sum(1 for level in self._levels if level[stage.start] != level[stage.end])

    def _tree(self, top: float) -> tuple[list[str], float]:
        """Return the groups of a hierarchy as lines above the columns, and the height of the values."""
        whole = self.columns.explanation
        ground = top + LEVEL * (len(self._levels) + 1)
        parts = []
        for height in range(1, len(self._levels) + 1):
            groups = self._levels[height] if height < len(self._levels) else [0] * len(whole.values)
            y = ground - LEVEL * height
            first = 0
            for at in range(1, len(groups) + 1):
                if at < len(groups) and groups[at] == groups[first]:
                    continue
                left, right = self.spacing.centres[first], self.spacing.centres[at - 1]
                parts.append(line(left - self.bar / 2, y, right + self.bar / 2, y, "tc-branch"))
                room = right - left + self.spacing.pitch - 6
                text = shortened(whole.label(self._values[first] + 1, height), room, SMALL)
                parts.append(words((left + right) / 2, y - 4, text, "tc-small tc-soft"))
                first = at
        return parts, ground

    def _curves(self, top: float) -> tuple[list[str], float]:
        """Return the cumulative curves under the columns: that of the class comes to lie on that of the table."""
        floor, pitch = top + CURVES, self.spacing.pitch
        path = _staircase(LEFT, floor, pitch, CURVES - 12)
        ways = [path(row) for row in self.held]
        table = element("path", d=path([column.outside for column in self.columns.items]), class_="tc-table")
        animated = self.clock.gliding("d", ways)
        inside = element("path", *filter(None, [animated]), d=ways[0], class_="tc-class")
        whole = whole_of(self.columns.explanation)
        return [
            line(LEFT, floor, LEFT + pitch * len(self.columns.items), floor, "tc-grid"),
            words(MARGIN, top + 20, "running", "tc-soft", anchor="start"),
            words(MARGIN, top + 36, "sums", "tc-soft", anchor="start"),
            words(MARGIN, floor - 18, "— class", "tc-small", anchor="start"),
            words(MARGIN, floor - 3, f"- - {whole.removeprefix('the ')}", "tc-small tc-sunk", anchor="start"),
            table,
            inside,
        ], floor

    def _bill(self, top: float) -> tuple[list[str], float]:
        """Return the bar of the cost: it fills towards t, with the threshold on it."""
        value, most = self.columns.explanation.value, self.threshold
        full = max(value, most or Fraction(0), Fraction(1, 10**9)) * Fraction(21, 20)
        room = self.spacing.width - LEFT - MARGIN
        wide = [float(each / full) * room for each in [*self.spent[:-1], value]]
        filling = self.clock.gliding("width", [digits(each) for each in wide])
        parts = [
            words(MARGIN, top + 13, "cost", "tc-soft", anchor="start"),
            box(LEFT, top, room, BILL, "tc-node"),
            element("rect", *filter(None, [filling]), x=LEFT, y=top, width=wide[0], height=BILL, class_="tc-head"),
        ]
        below = top + BILL + 16
        if most is not None:
            x = LEFT + float(most / full) * room
            parts.append(line(x, top - 6, x, top + BILL + 6, "tc-axis"))
            side = "end" if x > LEFT + room / 2 else "start"
            parts.append(words(x, top - 10, f"t ≤ {written(most)} required", "tc-small tc-strong", anchor=side))
        for at, paid in enumerate([*self.spent[:-1], value]):
            last = at == len(self.spent) - 1
            text = f"t = {result(value)}".replace("= ≈", "≈") if last else f"so far {result(paid)}"
            if last and most is not None:
                text += f": {'more than' if value > most else 'within'} {written(most)}"
            parts.append(self.clock.during(words(LEFT, below, text, "tc-strong", anchor="start"), at))
        return parts, below


def _staircase(left: float, floor: float, pitch: float, tall: float) -> Callable[[Sequence[Fraction]], str]:
    def way(shares: Sequence[Fraction]) -> str:
        sums = list(accumulate(shares))
        return f"M{digits(left)},{digits(floor)}" + "".join(
            f"V{digits(floor - float(height) * tall)}H{digits(left + pitch * (at + 1))}"
            for at, height in enumerate(sums)
        )

    return way


def _fitting(value: Fraction, room: float) -> str:
    """Return a share in as many digits as there is room for: cut off, it would be another one."""
    written = (_short(value), *(decimal_text(float(value), digits) for digits in (4, 3, 2)))
    return next((text for text in written if text_width(text, SMALL) <= room), f"{float(value):.0g}")


def _short(value: Fraction) -> str:
    text = str(value)
    return text if len(text) <= len("123/45678") else decimal_text(float(value))
