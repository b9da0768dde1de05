"""Which quasi-identifier drives the disclosure: how much of t goes when each is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from tclose.exact import decimal_text
from tclose.render.pictures.bars import WIDTH, heading
from tclose.render.pictures.frame import MARGIN, legend, notes
from tclose.render.pictures.lettering import SIZE, shortened, text_width
from tclose.render.pictures.svg import Subject, box, document, element, escaped, line, words
from tclose.render.words.cells import visible
from tclose.render.words.phrases import percent

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
