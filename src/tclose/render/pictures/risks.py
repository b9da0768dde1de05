"""Who could find people, as a picture: the chance of each of the three, before and after where there is a release."""

from __future__ import annotations

from tclose.render.pictures.bars import heading, sample
from tclose.render.pictures.frame import legend
from tclose.render.pictures.pairs import WIDTH, Compared, Group, groups_drawn
from tclose.render.pictures.svg import Subject, document
from tclose.render.words.risks import TITLE, Risk, risks
from tclose.results import Audit

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
    parts, y = heading(TITLE, _READING, WIDTH)
    if before is not None:
        entries = [(sample(subject.identity, marked=marked), text) for marked, text in _SIDES]
        key, y = legend(entries, y + 12, WIDTH)
        parts += key
    drawn, floor = groups_drawn(groups, y + 14, 1.0, subject.identity, left=130)
    told = "; ".join(f"{group.label}: {', '.join(bar.shown for bar in group.bars)}" for group in groups)
    return document(subject, TITLE, f"{_READING} {told}.", (WIDTH, floor + 10), [*parts, *drawn])


_SIDES = ((False, "the original"), (True, "the release"))


def _bar(risk: Risk, *, marked: bool) -> Compared:
    if risk.chance is None:
        return Compared(0.0, "not measured", None, risk.found)
    return Compared(risk.chance, risk.found, marked, f"{risk.found}; {risk.more}".rstrip("; "))
