"""Hypothesis strategies: distributions, histograms, hierarchies and small tables, all heavy with ties.

``from strategies import tables`` (tests/ is on the path). Everything is small, so that an exact or
exhaustive check stays fast and a failing example can be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from tclose.data.hierarchies import Hierarchy

LABELS = "abcdefghijklmnop"


@st.composite
def distributions(draw: st.DrawFn, values: int | None = None, most: int = 8) -> list[Fraction]:
    """Shares that sum to 1, zeros included; ``values`` fixes how many, else 1 to ``most``."""
    size = values if values is not None else draw(st.integers(1, most))
    counts = draw(st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any))
    return [Fraction(count, sum(counts)) for count in counts]


@st.composite
def distribution_pairs(draw: st.DrawFn, least: int = 1, most: int = 8) -> tuple[list[Fraction], list[Fraction]]:
    """Two distributions over the same number of values."""
    size = draw(st.integers(least, most))
    return draw(distributions(values=size)), draw(distributions(values=size))


@st.composite
def distribution_triples(draw: st.DrawFn, most: int = 8) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """Three distributions over the same number of values, for the triangle inequality."""
    size = draw(st.integers(1, most))
    return (
        draw(distributions(values=size)),
        draw(distributions(values=size)),
        draw(distributions(values=size)),
    )


@st.composite
def histograms(draw: st.DrawFn, least: int = 1, most: int = 8, largest: int = 9) -> tuple[list[int], list[int]]:
    """Counts of a class and of its table: all values are in the table, neither is empty."""
    in_table = draw(st.lists(st.integers(1, largest), min_size=least, max_size=most))
    in_class = draw(st.tuples(*(st.integers(0, count) for count in in_table)).filter(any))
    return list(in_class), in_table


@st.composite
def class_histograms(draw: st.DrawFn, values: int = 5, most_classes: int = 5) -> list[list[int]]:
    """Counts per class over the same values; no class is empty, their sum is the table."""
    one_class = st.lists(st.integers(0, 5), min_size=values, max_size=values).filter(any)
    return draw(st.lists(one_class, min_size=1, max_size=most_classes))


@st.composite
def nested_trees(draw: st.DrawFn, most_leaves: int = 8) -> dict[str, object]:
    """Nested mappings of any shape, balanced or not, as ``hierarchy_of`` takes them; labels never repeat."""
    leaves = list(LABELS[: draw(st.integers(1, most_leaves))])
    names = iter(range(1000))

    def children(under: list[str], depth: int) -> list[object]:
        """The leaves, some of them gathered into groups that are split again."""
        if len(under) == 1 or depth == 0:
            return list(under)
        found: list[object] = []
        while under:
            size = draw(st.integers(1, len(under)))
            taken, under = under[:size], under[size:]
            if draw(st.booleans()):
                found.append({f"group {next(names)}": children(taken, depth - 1)})
            else:
                found.extend(taken)
        return found

    return {"*": children(leaves, draw(st.integers(0, 4)))}


@st.composite
def hierarchies(draw: st.DrawFn, most_leaves: int = 8, most_height: int = 4) -> Hierarchy:
    """Table-shaped hierarchies: each level is a coarser grouping of the one below; labels repeat at will."""
    count = draw(st.integers(1, most_leaves))
    columns = [list(LABELS[:count])]
    for _ in range(draw(st.integers(0, most_height - 1))):
        below = list(dict.fromkeys(columns[-1]))
        parents = draw(st.lists(st.sampled_from(below), min_size=len(below), max_size=len(below)))
        parent_of = dict(zip(below, parents, strict=True))
        columns.append([parent_of[label] for label in columns[-1]])
    rows = [(*row, "*") for row in zip(*columns, strict=True)]
    return Hierarchy(tuple(draw(st.permutations(rows))))


@st.composite
def hierarchies_with_distributions(
    draw: st.DrawFn, most_leaves: int = 8
) -> tuple[Hierarchy, list[Fraction], list[Fraction]]:
    """A hierarchy and two distributions over its leaves."""
    tree = draw(hierarchies(most_leaves=most_leaves))
    size = len(tree.leaves)
    return tree, draw(distributions(values=size)), draw(distributions(values=size))


@dataclass(frozen=True)
class SmallTable:
    """Rows of a table with the names of its columns by role."""

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    rows: list[tuple[object, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.quasi, *self.sensitive)

    def as_mapping(self) -> dict[str, list[object]]:
        """The table by columns."""
        return {name: [row[place] for row in self.rows] for place, name in enumerate(self.columns)}

    def classes(self, sensitive: str) -> dict[tuple[object, ...], list[object]]:
        """The sensitive values of every class, by its quasi-identifiers."""
        place = self.columns.index(sensitive)
        found: dict[tuple[object, ...], list[object]] = {}
        for row in self.rows:
            found.setdefault(row[: len(self.quasi)], []).append(row[place])
        return found


def cells(*, nulls: bool = True) -> st.SearchStrategy[st.SearchStrategy[object]]:
    """Kinds of column: few whole numbers, few texts or a constant; None among them unless told not to."""
    kinds: list[st.SearchStrategy[object]] = [
        st.integers(-1, 3),
        st.sampled_from(["", "a", "b", "B", "10", "9", "é"]),
        st.just("same"),
    ]
    return st.sampled_from([kind | st.none() for kind in kinds] if nulls else kinds)


@st.composite
def tables(draw: st.DrawFn, most_rows: int = 14, *, nulls: bool = True) -> SmallTable:
    """Tables of 1 to ``most_rows`` rows, with 0 to 2 quasi-identifiers and 1 to 2 sensitive columns.

    A column has one type; ``nulls`` lets None appear in any.
    """
    quasi = tuple(f"q{place}" for place in range(draw(st.integers(0, 2))))
    sensitive = tuple(f"s{place}" for place in range(draw(st.integers(1, 2))))
    row = st.tuples(*(draw(cells(nulls=nulls)) for _ in (*quasi, *sensitive)))
    return SmallTable(quasi, sensitive, draw(st.lists(row, min_size=1, max_size=most_rows)))
