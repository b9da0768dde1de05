"""An audit without class keys and cell values, for readers who may know the figures but not the people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tclose.render.cells import WITHHELD
from tclose.results import Audit, Figure, Verdict
from tclose.roles import Distance, Ordered, Roles


def redacted(audit: Audit) -> Audit:
    """Return the audit with its figures and verdicts, but no class key, class table or declared value."""
    return replace(
        audit,
        roles=_roles(audit.roles),
        figures=_figures(audit.figures),
        attributes={
            name: replace(attribute, figures=_figures(attribute.figures))
            for name, attribute in audit.attributes.items()
        },
        verdicts=tuple(_verdict(verdict) for verdict in audit.verdicts),
        tables={},
    )


def _figures(figures: Mapping[str, Figure]) -> dict[str, Figure]:
    return {key: _figure(figure) for key, figure in figures.items()}


def _figure(figure: Figure) -> Figure:
    if figure.worst is None:
        return figure
    return replace(figure, worst=replace(figure.worst, key=dict.fromkeys(figure.worst.key, WITHHELD)))


def _verdict(verdict: Verdict) -> Verdict:
    return replace(verdict, figure=_figure(verdict.figure))


def _roles(roles: Roles) -> Roles:
    """Return the roles with declared orders, which list values, withheld."""
    sensitive = {name: _distance(distance) for name, distance in roles.sensitive.items()}
    return Roles(roles.quasi, sensitive, roles.identifiers, roles.together)


def _distance(distance: Distance | None) -> Distance | None:
    if isinstance(distance, Ordered) and not isinstance(distance.order, str):
        return replace(distance, order=(WITHHELD,))
    return distance
