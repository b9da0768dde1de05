"""The tables printed in the papers, row by row, and the tree of diseases."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass


@dataclass(frozen=True)
class PaperTable:
    """A printed table, its columns by role.

    ``classes`` are told apart by the values of the ``quasi`` columns, in order of first appearance.
    """

    source: str
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.quasi, *self.sensitive)

    def column(self, name: str) -> list[object]:
        """The values of one column, row by row."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def as_mapping(self) -> dict[str, list[object]]:
        """The table by columns, as a data frame is made of."""
        return {name: self.column(name) for name in self.columns}

    def as_records(self) -> list[dict[str, object]]:
        """The table by rows."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def classes(self, sensitive: str) -> dict[tuple[object, ...], list[object]]:
        """The sensitive values of every equivalence class, by its quasi-identifiers."""
        found: dict[tuple[object, ...], list[object]] = {}
        for row, value in zip(self.rows, self.column(sensitive), strict=True):
            found.setdefault(row[: len(self.quasi)], []).append(value)
        return found

    def as_csv(self) -> str:
        """The table as the text of a CSV file with a header."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue()


INCIDENTS = PaperTable(
    source="tutorial, Table 2 (anonymized incidents)",
    quasi=("zone",),
    sensitive=("incident",),
    rows=(
        ("2C", "power outage"),
        ("2C", "power outage"),
        ("2C", "power outage"),
        ("4F", "theft"),
        ("4F", "fire"),
        ("4F", "fatal accident"),
        ("4F", "fire"),
        ("9A", "sidewalk repair"),
        ("9A", "power outage"),
        ("3B", "pest control"),
        ("3B", "power outage"),
        ("3B", "sidewalk repair"),
        ("3B", "tree replanting"),
        ("3B", "sidewalk repair"),
    ),
)

TOY = PaperTable(
    source="tutorial, section 2.1: Q' = {14, 27, 88, 101}, P' = {14, 88}; the rest is a class of its own",
    quasi=("part",),
    sensitive=("value",),
    rows=(("P", 14), ("rest", 27), ("P", 88), ("rest", 101)),
)

SALARY = PaperTable(
    source="tutorial, Table 3 = Li et al. 2007, Table 4; salaries in thousands",
    quasi=("zip", "age"),
    sensitive=("salary", "disease"),
    rows=(
        ("476**", "2*", 3, "gastric ulcer"),
        ("476**", "2*", 4, "gastritis"),
        ("476**", "2*", 5, "stomach cancer"),
        ("4790*", "≥40", 6, "gastritis"),
        ("4790*", "≥40", 11, "flu"),
        ("4790*", "≥40", 8, "bronchitis"),
        ("476**", "3*", 7, "bronchitis"),
        ("476**", "3*", 9, "pneumonia"),
        ("476**", "3*", 10, "stomach cancer"),
    ),
)

LI_TABLE_5 = PaperTable(
    source="Li et al. 2007, Table 5 (rows of Table 4 regrouped); salaries in thousands",
    quasi=("zip", "age"),
    sensitive=("salary", "disease"),
    rows=(
        ("4767*", "≤40", 3, "gastric ulcer"),
        ("4767*", "≤40", 5, "stomach cancer"),
        ("4767*", "≤40", 9, "pneumonia"),
        ("4790*", "≥40", 6, "gastritis"),
        ("4790*", "≥40", 11, "flu"),
        ("4790*", "≥40", 8, "bronchitis"),
        ("4760*", "≤40", 4, "gastritis"),
        ("4760*", "≤40", 7, "bronchitis"),
        ("4760*", "≤40", 10, "stomach cancer"),
    ),
)

MERIT = PaperTable(
    source="tutorial, Table 4 (merit points); the first letter of the project's name makes the class",
    quasi=("project",),
    sensitive=("merit",),
    rows=(
        ("E", 1),
        ("E", 4),
        ("E", 2),
        ("U", 3),
        ("G", 3),
        ("G", 4),
        ("G", 3),
        ("G", 1),
        ("R", 4),
        ("R", 3),
    ),
)

CANCER = PaperTable(
    source="Li et al. 2010, the example of (n,t)-closeness, as in spec 2.5",
    quasi=("zip", "age"),
    sensitive=("disease",),
    rows=(
        *[("476**", "2*", "cancer")] * 300,
        *[("476**", "2*", "flu")] * 300,
        *[("4790*", "4*", "cancer")] * 200,
        *[("4790*", "4*", "flu")] * 1800,
        *[("476**", "3*", "cancer")] * 200,
        *[("476**", "3*", "flu")] * 200,
    ),
)


def _population(sizes: tuple[int, ...], source: str) -> PaperTable:
    zones = ("2C", "4F", "9A", "3B")
    rows = tuple((zone,) for zone, size in zip(zones, sizes, strict=True) for _ in range(size))
    return PaperTable(source=source, quasi=("zone",), sensitive=(), rows=rows)


TABLES: dict[str, PaperTable] = {
    "incidents": INCIDENTS,
    "toy": TOY,
    "salary": SALARY,
    "li_table_5": LI_TABLE_5,
    "merit": MERIT,
    "cancer": CANCER,
    "sample": _population((3, 4, 2, 5), "spec 5, f = (3, 4, 2, 5): the sizes of the incident classes"),
    "population": _population((6, 10, 2, 20), "spec 5, F = (6, 10, 2, 20)"),
}

DISEASE_TREE: dict[str, object] = {
    "respiratory and digestive system diseases": {
        "respiratory system diseases": {
            "respiratory infection": ["flu", "pneumonia", "bronchitis"],
            "vascular lung diseases": ["pulmonary edema", "pulmonary embolism"],
        },
        "digestive system diseases": {
            "stomach diseases": ["gastric ulcer", "stomach cancer", "gastritis"],
            "colon diseases": ["colitis", "colon cancer"],
        },
    }
}
"""Li et al. 2007, Figure 1: the hierarchy of diseases, of height 3."""
