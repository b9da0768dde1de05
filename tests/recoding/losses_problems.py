"""Problems and releases for the tests of losses: tables given row by row, lattice nodes, the Adult table."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np

from shared_data import shared_file
from tclose.anonymization.algorithms.partition import Cells, Partition, hulls
from tclose.anonymization.algorithms.problem import Problem, numbered
from tclose.anonymization.algorithms.quasi_identifiers import prepared
from tclose.data.hierarchies import Hierarchy, read_hierarchy
from tclose.models.catalogue import requirements
from tclose.models.domains import arranged
from tclose.models.measuring import Task
from tclose.models.value_order import Observed

ADULT_QUASI = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class",
)  # fmt: skip


def flat(values):
    """The hierarchy that has nothing between the values and everything."""
    return Hierarchy(tuple((str(value), "*") for value in sorted({*values} - {None})))


def observed(values):
    counts = Counter(values)
    kind = "text" if any(isinstance(value, str) for value in counts) else "number"
    return Observed(list(counts), np.array([*counts.values()], dtype=np.int64), kind)


def problem_of(quasi, sensitive=None, require=None, *, inferred=(), on_line=True, weights=None, **rest):
    """Return the problem of a table by columns.

    ``quasi`` maps a name to values and hierarchy; names in ``inferred`` have costs by the width of numbers.
    """
    made, columns = [], []
    for name, (values, hierarchy) in quasi.items():
        seen = observed(values)
        each, codes = prepared(
            name,
            seen,
            hierarchy,
            inferred=name in inferred,
            on_line=on_line,
            weight=(weights or {}).get(name, 1.0),
        )
        code_of = dict(zip(seen.values, codes.tolist(), strict=True))
        made.append(each)
        columns.append([code_of[value] for value in values])
    domains = []
    for name, values, distance in sensitive or ():
        seen = observed(values)
        domain, ranks = arranged(name, seen, distance)
        rank_of = dict(zip(seen.values, ranks.tolist(), strict=True))
        domains.append(domain)
        columns.append([rank_of[value] for value in values])
    rows, counts = np.unique(np.array(columns, dtype=np.int32).T, axis=0, return_counts=True)
    tasks = tuple(
        Task(wanted.model, None if wanted.model.scope == "table" else 0, (wanted,)) for wanted in requirements(require)
    )
    return Problem(
        tuple(made),
        np.ascontiguousarray(rows[:, : len(made)]),
        np.ascontiguousarray(rows[:, len(made) :]),
        counts.astype(np.int64),
        tuple(domains),
        tasks,
        **rest,
    )


def in_classes(problem, class_of):
    """Return the release in which each distinct row goes to the class that a function of its values gives."""
    values = [
        tuple(quasi.values[code] for quasi, code in zip(problem.quasi, row, strict=True))
        for row in problem.codes.tolist()
    ]
    return released(problem, np.arange(len(values)), np.array([class_of(*row) for row in values]), problem.counts)


def released(problem, rows, classes, counts):
    """Return the release with these pieces, its cells as fine as they can be."""
    kept = classes >= 0
    classes = classes.astype(np.int64)
    classes[kept] = np.unique(classes[kept], return_inverse=True)[1]
    number = int(classes.max(initial=-1)) + 1
    return Partition(rows, classes, counts, hulls(problem, rows, classes, number))


def nothing_released(problem):
    return released(problem, np.arange(len(problem.counts)), np.full(len(problem.counts), -1), problem.counts)


def at_node(problem, levels):
    """Return the full-domain release at a node of the lattice, with nothing left out."""
    nodes = np.stack(
        [
            quasi.levels[at].nodes[problem.codes[:, i]]
            for i, (quasi, at) in enumerate(zip(problem.quasi, levels, strict=True))
        ],
        axis=1,
    )
    classes = numbered(nodes)
    nodes = nodes[np.unique(classes, return_index=True)[1]]
    cells = Cells(np.tile(np.array(levels, dtype=np.int16), (len(nodes), 1)), nodes, nodes)
    return Partition(np.arange(len(classes)), classes, problem.counts, cells, levels=tuple(levels))


def without(partition, missed):
    """Return the release without the classes that miss a requirement."""
    return replace(partition, classes=np.where(missed[partition.classes], -1, partition.classes))


def adult_problem(require=None, suppress="0"):
    """The Adult table, occupation sensitive and nominal, the rest quasi-identifiers with the hierarchies of ARX."""
    with shared_file("adult", "adult.csv").open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file, delimiter=";"))
    quasi = {
        name: (
            [record[name] for record in records],
            read_hierarchy(shared_file("adult", f"adult_hierarchy_{name}.csv")),
        )
        for name in ADULT_QUASI
    }
    occupation = [record["occupation"] for record in records]
    return problem_of(quasi, [("occupation", occupation, None)], require, suppress=Fraction(suppress))
