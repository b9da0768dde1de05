"""Small tables to make releases of, and what every release must be: checked from its file, without our own recoding."""

from __future__ import annotations

import csv
import datetime as dt
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from tclose import Hierarchical, Nominal, Numeric, Ordered, Roles, audit
from tclose.anonymization.anonymize import anonymize

METHODS = ("auto", "gather", "mondrian", "full-domain", "microaggregation", "sabre", "merge")
TREE = {"all": {"left": ["ash", "birch"], "right": {"far": ["cedar", "date"], "near": ["elm"]}, "fig": []}}
ANCESTORS = {
    "ash": ("ash", "left", "all"),
    "birch": ("birch", "left", "all"),
    "cedar": ("cedar", "far", "right", "all"),
    "date": ("date", "far", "right", "all"),
    "elm": ("elm", "near", "right", "all"),
    "fig": ("fig", "all"),
}
DAYS = [dt.date(1999, 12, 31), dt.date(2000, 1, 1), dt.date(2000, 1, 2), dt.date(2000, 2, 29), dt.date(2024, 7, 4)]
HEIGHTS = {"nested": 3, "flat": 1, "truth": 1, "stepped": 3}
"""How high the hierarchies are of the kinds whose levels are limited."""
KINDS = {
    "whole": (pa.int64(), [-3, 0, 1, 2, 3, 40, 41, 95]),
    "decimal": (pa.float64(), [-2.0, 0.1, 0.5, 0.3, 1e6, 1234.5]),
    "day": (pa.date32(), DAYS),
    "stepped": (pa.int64(), [-6, -1, 0, 4, 5, 7, 49, 50, 99]),
    "truth": (pa.bool_(), [False, True]),
    "flat": (pa.string(), ["oak", "pine", "yew", "*", "[1, 2]"]),
    "nested": (pa.string(), list(ANCESTORS)),
}
SENSITIVE = {
    "nominal": (Nominal(), pa.string(), ["u", "v", "w", None]),
    "dropped": (Nominal(nulls="drop"), pa.string(), ["u", "v", "w", None]),
    "guessed": (None, pa.string(), ["x", "y", "z"]),
    "ordered": (Ordered(), pa.int64(), [1, 2, 3, 5, 8]),
    "numeric": (Numeric(), pa.float64(), [0.5, 1.0, 2.5, 100.0]),
    "counted": (Numeric(), pa.int64(), [2, 9, 10, 100]),
    "listed": (Ordered(order=("high", "low", "mid")), pa.string(), ["low", "mid", "high"]),
    "hierarchical": (Hierarchical(TREE), pa.string(), list(ANCESTORS)),
}


@dataclass(frozen=True)
class Case:
    """A table, what its columns are, and what is asked of its release."""

    columns: dict[str, tuple[pa.DataType, list[object]]]
    kinds: dict[str, str]
    """The kind of each quasi-identifier."""
    roles: Roles
    require: dict[str, object]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def rows(self):
        return len(next(iter(self.columns.values()))[1])

    @property
    def hierarchies(self):
        words = {"flat": "flat", "nested": TREE, "stepped": "intervals:5,50"}
        return {name: words[kind] for name, kind in self.kinds.items() if kind in words}

    @property
    def carried(self):
        """The columns that are published as they are."""
        return [name for name in self.columns if name not in (*self.kinds, *self.roles.identifiers)]

    def table(self, order=None):
        """The table, its rows in another order if one is given."""
        made = pa.table({name: pa.array(cells, kind) for name, (kind, cells) in self.columns.items()})
        return made if order is None else made.take(pa.array(order, pa.int64()))

    def release(self, *, order=None, **options):
        chosen = {"hierarchies": self.hierarchies, **self.options, **options}
        return anonymize(self.table(order), self.roles, require=self.require, **chosen)

    def coarsest(self):
        """The table with every quasi-identifier on the coarsest level that it may have."""
        made = {name: pa.array(cells, kind) for name, (kind, cells) in self.columns.items()}
        for name, kind in self.kinds.items():
            limit = self.options.get("levels", {}).get(name)
            if limit is None:
                made[name] = pa.array(["*"] * self.rows)
                continue
            top = limit if isinstance(limit, int) else limit[1]
            made[name] = pa.array([node_on(kind, value, top) for value in self.columns[name][1]])
        return pa.table(made)


def node_on(kind, value, level):
    """What a value of a flat or the nested hierarchy is on a level; a missing one is apart below the root."""
    height = HEIGHTS[kind]
    if level == height:
        return "root"
    if value is None:
        return None
    if kind != "nested":
        return str(value // (1, 5, 50)[level]) if kind == "stepped" else str(value)
    padded = {"fig": ("fig", "fig", "fig", "all"), "ash": ("ash", "left", "left", "all")}
    rows = {**ANCESTORS, **padded, "birch": ("birch", "left", "left", "all")}
    return rows[value][level]


@st.composite
def requirements_of(draw, roles, rows, *, models=None):
    """One or two requirements of the catalogue, often strict, that the attributes allow."""
    numeric = all(distance in (Ordered(), Numeric()) for distance in roles.sensitive.values())
    one = roles.together != "joint"
    shares = st.sampled_from(["0", "0.1", "0.2", "1/3", "0.5", "0.75", "1"])
    choices = {
        "k": st.integers(1, rows),
        "prosecutor": st.sampled_from(["0.5", "0.34", "0.2", "1"]),
        "marketer": st.sampled_from(["0.5", "0.34", "0.2", "1"]),
    }
    if roles.sensitive:
        choices |= {
            "t": shares,
            "l": st.integers(1, 3),
            "entropy_l": st.sampled_from(["1", "1.5", "2"]),
            "recursive": st.sampled_from(["3,2", "1.5,2", "4,3"]),
            "p": st.integers(1, 3),
            "alpha": st.sampled_from(["0.4", "0.7", "0.9"]),
            "kl": st.sampled_from(["0", "0.1", "0.7"]),
            "js": st.sampled_from(["0", "0.1", "0.4"]),
            "smoothed_js": st.sampled_from(["0.1,0.5", "0,0.25"]),
            "beta": st.sampled_from(["0.5", "1", "4"]),
            "enhanced_beta": st.sampled_from(["0.5", "1", "4"]),
            "delta": st.sampled_from(["0.5", "1", "3"]),
            "delta_present": st.sampled_from(["0.5", "1", "3"]),
        }
        if numeric and one:
            choices["ke"] = st.sampled_from(["2,1", "2,3", "3,0.5"])
            choices["proximity"] = st.sampled_from(["1,2", "0.5,1.5", "3,2"])
    names = draw(st.lists(st.sampled_from(models or sorted(choices)), min_size=1, max_size=2, unique=True))
    return {name: draw(choices[name]) for name in names}


@st.composite
def cases(draw, *, most_rows=40, suppress=("0", "0", "0.1", "0.5"), models=None, limited=True, least_sensitive=0):
    """Tables heavy with ties, and options of every kind."""
    rows = draw(st.integers(1, most_rows))
    kinds = {
        f"q{at}": kind for at, kind in enumerate(draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=3)))
    }
    columns = {"name": (pa.string(), [f"secret-{at}" for at in range(rows)])}
    for name, kind in kinds.items():
        arrow, values = KINDS[kind]
        few = draw(st.lists(st.sampled_from([*values, None]), min_size=1, max_size=6, unique=True))
        columns[name] = (arrow, draw(st.lists(st.sampled_from(few), min_size=rows, max_size=rows)))
    sensitive = {}
    for at, kind in enumerate(draw(st.lists(st.sampled_from(list(SENSITIVE)), min_size=least_sensitive, max_size=2))):
        distance, arrow, values = SENSITIVE[kind]
        few = draw(st.lists(st.sampled_from(values), min_size=1, max_size=5, unique=True))
        cells = draw(st.lists(st.sampled_from(few), min_size=rows, max_size=rows))
        if all(cell is None for cell in cells):
            cells = ["u", *cells[1:]]
        columns[f"s{at}"] = (arrow, cells)
        sensitive[f"s{at}"] = distance
    if draw(st.booleans()):
        columns["note"] = (pa.string(), [f"n{at}" for at in range(rows)])
    together = "joint" if len(sensitive) == 2 and draw(st.booleans()) else "each"
    roles = Roles(list(kinds), sensitive, ["name"], together=together, publish="all")
    options = {"suppress": draw(st.sampled_from(suppress)), "seed": draw(st.integers(0, 3))}
    if limited and draw(st.booleans()):
        options["levels"] = draw(limits(kinds))
        options["weights"] = {name: draw(st.sampled_from([0.25, 1, 3])) for name in kinds if draw(st.booleans())}
        options["intervals"] = draw(st.booleans())
    return Case(columns, kinds, roles, draw(requirements_of(roles, rows, models=models)), options)


@st.composite
def limits(draw, kinds):
    """Levels that some of the columns with a known hierarchy are limited to."""
    found = {}
    for name, kind in kinds.items():
        height = HEIGHTS.get(kind)
        if height is not None and draw(st.booleans()):
            low = draw(st.integers(0, height))
            high = draw(st.integers(low, height))
            found[name] = draw(st.sampled_from([low, (low, high)])) if low == high else (low, high)
    return found


def file_rows(path):
    """The cells of a text table, as texts; an empty one is None."""
    with path.open(newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    return names, [[cell or None for cell in row] for row in rows]


def parquet_rows(path):
    """The cells of a Parquet table, as texts."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    cells = [[None if value is None else spelled(value) for value in column.to_pylist()] for column in table.columns]
    return table.column_names, [list(row) for row in zip(*cells, strict=True)]


def spelled(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def number(text):
    """What a text is on a line, or None: a day, or a number."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return Fraction(dt.date.fromisoformat(text).toordinal())
    try:
        return Fraction(text)
    except ValueError:
        return None


def covers(cell, value, above):
    """Whether a published cell may stand for a value; ``above`` are the labels over it."""
    if value is None:
        return cell is None or cell == above[-1]
    if cell is None:
        return False
    text = spelled(value)
    if cell == text or cell in above:
        return True
    own, published = number(text), number(cell)
    if own is not None and own == published:
        return True
    if own is not None and (end := re.fullmatch(r"([<≥]) (.+)", cell)):
        return (own < number(end[2])) == (end[1] == "<")
    ends = re.fullmatch(r"\[(.+), (.+)([\])])", cell)
    if ends is None or own is None:
        return False
    low, high = number(ends[1]), number(ends[2])
    return low <= own < high or (own == high and ends[3] == "]")


def labels_above(case, release):
    """For each quasi-identifier the labels over each of its values."""
    found = {}
    for column in release.recipe.columns:
        kind, cells = case.kinds[column.name], case.columns[column.name][1]
        if kind == "nested":
            found[column.name] = {**ANCESTORS, None: ("all",)}
        elif kind == "flat":
            found[column.name] = dict.fromkeys(cells, ("*",))
        else:
            by_leaf = {number(row[0]) if number(row[0]) is not None else row[0]: row for row in column.hierarchy.rows}
            root = column.hierarchy.rows[0][-1] if column.hierarchy.rows else "*"
            found[column.name] = {
                value: (root,)
                if value is None
                else by_leaf[number(spelled(value)) if kind != "truth" else spelled(value)]
                for value in cells
            }
    return found


def check_rows(case, release, names, rows):
    """Every published row stands for an original row of its own, whose values its cells cover."""
    assert names == [name for name in case.columns if name != "name"]
    assert len(rows) == case.rows - release.suppressed
    assert release.suppressed <= Fraction(case.options["suppress"]) * case.rows
    above = labels_above(case, release)
    carried = [names.index(name) for name in case.carried]
    original = list(zip(*(case.columns[name][1] for name in names), strict=True))
    keys = [tuple(as_read(row[at]) for at in carried) for row in original]
    shown = [tuple(as_read(row[at]) for at in carried) for row in rows]
    if release.suppressed == 0:
        assert Counter(keys) == Counter(shown)
    else:
        assert not Counter(shown) - Counter(keys)
    fits = np.zeros((len(rows), len(original)), dtype=np.int8)
    for i, row in enumerate(rows):
        for j, own in enumerate(original):
            fits[i, j] = shown[i] == keys[j] and all(
                covers(row[names.index(name)], own[names.index(name)], above[name][own[names.index(name)]])
                for name in case.kinds
            )
    assert (maximum_bipartite_matching(csr_matrix(fits), perm_type="column") >= 0).all()


def as_read(value):
    """A carried cell so that one read from text equals the original."""
    if value is None:
        return None
    found = number(spelled(value))
    return found if found is not None else spelled(value)


def check_promise(case, path, suppressed):
    """A stranger's audit of the file: the requirements hold, against the file and against the original."""
    roles = Roles(case.roles.quasi, case.roles.sensitive, (), case.roles.together)
    if roles.sensitive:
        assert audit(path, roles, require=case.require).holds
        if suppressed:
            assert audit(path, roles, require=case.require, reference=case.table()).holds
        return
    names, rows = file_rows(path) if path.suffix == ".csv" else parquet_rows(path)
    sizes = Counter(tuple(row[names.index(name)] for name in roles.quasi) for row in rows)
    if "k" in case.require:
        assert min(sizes.values()) >= case.require["k"]
    if "prosecutor" in case.require:
        assert min(sizes.values()) >= 1 / Fraction(case.require["prosecutor"])
    if "marketer" in case.require:
        assert Fraction(len(sizes), len(rows)) <= Fraction(case.require["marketer"])


def check_obstacles(case, release):
    """What is said to stand in the way does: even the coarsest classes miss it."""
    assert release.obstacles
    roles = Roles(case.roles.quasi, case.roles.sensitive, (), case.roles.together)
    coarsest = case.coarsest()
    smallest = smallest_class(case, coarsest)
    for obstacle in release.obstacles:
        key = obstacle.requirement.model.key
        if key in ("k", "prosecutor", "marketer"):
            assert obstacle.value == (smallest if key == "k" else Fraction(1, smallest))
            assert not obstacle.requirement.met_by(obstacle.value)
        else:
            attribute = None if roles.together == "joint" else obstacle.requirement.attribute
            found = audit(coarsest, roles, require=[replace(obstacle.requirement, attribute=attribute)])
            assert obstacle.value in [verdict.figure.value for verdict in found.verdicts if not verdict.holds]


def smallest_class(case, table):
    return min(Counter(zip(*(table[name].to_pylist() for name in case.kinds), strict=True)).values())


def could_be(case):
    """Whether the coarsest classes meet the requirements, so that there is a release; averages hold in each class."""
    roles = Roles(case.roles.quasi, case.roles.sensitive, (), case.roles.together)
    coarsest = case.coarsest()
    smallest = smallest_class(case, coarsest)
    risk = min(Fraction(case.require.get(key, 1)) for key in ("prosecutor", "marketer"))
    large = smallest >= case.require.get("k", 1) and Fraction(1, smallest) <= risk
    return large and (not roles.sensitive or audit(coarsest, roles, require=case.require).holds)
