"""An audit for readers who may know the figures but not the people: without small classes, or without any key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tclose.auditing.composition import Composition, JointFigure
from tclose.auditing.facts import FactFigure, Facts
from tclose.auditing.results import AnyColumns, Audit, Figure, Verdict, WorstClass
from tclose.policy.roles import Roles
from tclose.reports.phrases.cells import WITHHELD

Hidden = Callable[[WorstClass], bool]


def redacted(audit: Audit) -> Audit:
    """Return the audit with its figures and verdicts, but no class key, class table or declared value."""
    return replace(_without(audit, lambda _worst: True), roles=_roles(audit.roles), tables={})


def without_people(audit: Audit) -> Audit:
    """Return the audit without the keys of classes that show single people, unless they were asked for."""
    some = audit.has_few or audit.composition is not None or audit.facts is not None
    return _without(audit, lambda worst: audit.hides(worst.size)) if some else audit


def _without(audit: Audit, hidden: Hidden) -> Audit:
    return replace(
        audit,
        figures=_figures(audit.figures, hidden),
        attributes={
            name: replace(attribute, figures=_figures(attribute.figures, hidden))
            for name, attribute in audit.attributes.items()
        },
        verdicts=tuple(_verdict(verdict, hidden) for verdict in audit.verdicts),
        any=None if audit.any is None else _any_columns(audit.any, hidden),
        composition=None if audit.composition is None else _composition(audit.composition, hidden),
        facts=None if audit.facts is None else facts_without(audit.facts, hidden),
    )


def facts_without(found: Facts, hidden: Hidden) -> Facts:
    """Return what someone learns who knows facts, without the traits and facts of candidates to be hidden."""

    def figure(each: FactFigure) -> FactFigure:
        worst = each.worst
        if not hidden(WorstClass(worst.base, worst.size, each.tied)):
            return each
        facts = tuple(replace(fact, cells=dict.fromkeys(fact.cells, WITHHELD)) for fact in worst.facts)
        return replace(each, evidence=None, worst=replace(worst, base=dict.fromkeys(worst.base, WITHHELD), facts=facts))

    return found.telling(figure)


def _composition(found: Composition, hidden: Hidden) -> Composition:
    linked = tuple(
        replace(
            each,
            attributes={
                name: replace(mine, figures={key: _joint(figure, hidden) for key, figure in mine.figures.items()})
                for name, mine in each.attributes.items()
            },
        )
        for each in found.linked
    )
    verdicts = (
        replace(each, figure=None if each.figure is None else _joint(each.figure, hidden)) for each in found.verdicts
    )
    return replace(found, linked=linked, verdicts=tuple(verdicts))


def _joint(figure: JointFigure, hidden: Hidden) -> JointFigure:
    """Return a figure of several releases, without keys where one class, or all of them together, is to be hidden."""
    worst = figure.worst
    smallest = min([*worst.sizes, *([] if worst.people is None else [worst.people])])
    if not hidden(WorstClass(worst.keys[-1], smallest, figure.tied)):
        return figure
    return replace(figure, worst=replace(worst, keys=tuple(dict.fromkeys(key, WITHHELD) for key in worst.keys)))


def _any_columns(found: AnyColumns, hidden: Hidden) -> AnyColumns:
    attributes = {name: _figures(figures, hidden) for name, figures in found.attributes.items()}
    return replace(found, figures=_figures(found.figures, hidden), attributes=attributes)


def _figures(figures: Mapping[str, Figure], hidden: Hidden) -> dict[str, Figure]:
    return {key: _figure(figure, hidden) for key, figure in figures.items()}


def _figure(figure: Figure, hidden: Hidden) -> Figure:
    if figure.worst is None or not hidden(figure.worst):
        return figure
    details = {name: value for name, value in figure.details.items() if name not in figure.model.of_worst}
    worst = replace(figure.worst, key=dict.fromkeys(figure.worst.key, WITHHELD))
    return replace(figure, worst=worst, details=details)


def _verdict(verdict: Verdict, hidden: Hidden) -> Verdict:
    return replace(verdict, figure=_figure(verdict.figure, hidden))


def _roles(roles: Roles) -> Roles:
    """Return the roles with declared orders, which list values, withheld."""
    sensitive = {name: distance and distance.without_values(WITHHELD) for name, distance in roles.sensitive.items()}
    return replace(roles, sensitive=sensitive)
