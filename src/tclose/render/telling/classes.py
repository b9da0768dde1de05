"""The worst classes of an attribute, ready to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tclose.exact import decimal_text
from tclose.render.words.cells import WITHHELD, key_text
from tclose.results import Audit, ClassTable


@dataclass(frozen=True)
class ShownClass:
    """A class as a report lists it."""

    key: str
    size: int
    value: float

    @property
    def figure(self) -> str:
        """The figure, rounded for reading."""
        return decimal_text(self.value)


def worst_classes(audit: Audit, attribute: str, most: int, model: str = "t") -> list[ShownClass]:
    """Return the classes of an attribute with the highest figure of a model, the worst first.

    Parameters
    ----------
    audit
        What was found; an audit without class tables has no classes to show.
    attribute
        The sensitive attribute.
    most
        How many classes at most.
    model
        The key of a model for which a high figure gives much away.
    """
    table = audit.tables.get(attribute, audit.tables.get(None))
    figure = audit.attributes[attribute].figures.get(model)
    if table is None or figure is None or figure.worst is None or most < 1:
        return []
    names = tuple(figure.worst.key)
    size = table.columns[len(names)]
    column = figure_column(table, len(names), f"{attribute}.{model}")
    if column is None:
        return []

    def named(row: Mapping[str, Any]) -> str:
        return key_text({name: WITHHELD if audit.hides(int(row[size])) else row[name] for name in names})

    return [
        ShownClass(named(row), int(row[size]), float(row[column]))
        for row in table.rows(sort=column, descending=True, limit=most)
        if row[column] is not None
    ]


def figure_column(table: ClassTable, keys: int, wanted: str) -> str | None:
    """Return the column of a figure, which bears a mark where a quasi-identifier has its name; None without one.

    Parameters
    ----------
    table
        The classes.
    keys
        How many columns a class key has.
    wanted
        The figure, such as ``salary.t`` or ``size``.
    """
    return next((name for name in table.columns[keys:] if name.rstrip("_") == wanted.rstrip("_")), None)
