"""The three who look for people in a table, and how likely each finds one."""

from __future__ import annotations

from dataclasses import dataclass

from tclose.exact import decimal_text, shown
from tclose.render.words.phrases import percent
from tclose.results import Audit, Figure

TITLE = "Who could find people"
_UNKNOWN = "not measured: it needs the size of the population, or a table of it"


@dataclass(frozen=True)
class Risk:
    """One who looks for people."""

    attacker: str
    who: str
    """What this one knows and wants."""
    chance: float | None
    """The chance in the worst case, or the upper end of its estimate; None where it was not measured."""
    found: str
    """The chance as it is read."""
    more: str
    """What else was found."""


def risks(audit: Audit) -> tuple[Risk, ...]:
    """Return the prosecutor, the journalist and the marketer."""
    figures = audit.figures
    return (
        _risk(
            "prosecutor",
            "knows that someone is in the table, and looks for that person",
            figures.get("prosecutor"),
            audit.unit,
        ),
        _journalist(audit),
        _risk(
            "marketer",
            "links the whole table, and wants as many people as possible",
            figures.get("marketer"),
            audit.unit,
        ),
    )


def _risk(attacker: str, who: str, figure: Figure | None, unit: str) -> Risk:
    if figure is None:
        return Risk(attacker, who, None, "not measured", "")
    average, at_risk = figure.details.get("average"), figure.details.get("at_risk")
    more = [
        "" if average is None else f"on average {shown(average)}",
        "" if at_risk is None else f"{percent(at_risk)} of {unit} have a chance above 1 in 5",
    ]
    return Risk(attacker, who, float(figure.value), shown(figure.value), "; ".join(filter(None, more)))


def _journalist(audit: Audit) -> Risk:
    who = "does not know who is in the table, and wants to show that somebody is found"
    if "journalist" in audit.figures:
        return _risk("journalist", who, audit.figures["journalist"], audit.unit)
    if audit.population is None:
        return Risk("journalist", who, None, _UNKNOWN, "")
    low, high = audit.population.journalist
    found = f"between {decimal_text(low, 2)} and {decimal_text(high, 2)}"
    return Risk("journalist", who, high, found, f"estimated for a population of {audit.population.people:,}")
