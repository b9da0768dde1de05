"""Hierarchies before they are used: their levels, and what a few values become on each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from tclose.anonymization.algorithms.quasi_identifiers import bands_of
from tclose.anonymization.problem_setup import least_cell
from tclose.auditing.audit import audit
from tclose.data.hierarchies import (
    Hierarchy,
    built_hierarchy,
    hierarchy_of,
    inferred_hierarchy,
    is_builder,
    tree_of_rows,
)
from tclose.data.sources import is_database
from tclose.data.values import as_text
from tclose.engines.dispatch import held_rows, session_for
from tclose.errors import InputError
from tclose.models.value_order import Observed
from tclose.policy.parts import GivenHierarchy
from tclose.policy.policy import Policy
from tclose.web.jobs import Job
from tclose.web.responses import failure
from tclose.web.workspace import Opened

# A first impression of a large table while the whole is counted: figures of some of its rows, and no verdict.


SAMPLE = 20_000
"""So many rows are looked at first."""
LARGE = 200_000
"""A table of so many rows is worth a first impression."""


def first_impression(opened: Opened, policy: Policy, job: Job) -> dict[str, Any]:
    """Return k and t of a sample of the rows; nothing is judged, and no class is named.

    Parameters
    ----------
    opened
        The table; one of a database is counted there, and not sampled.
    policy
        Roles; requirements are left to the audit of all rows.
    job
        Told how far the work is.
    """
    if is_database(opened.table):
        raise InputError("A table of a database is counted as a whole.")
    sample = held_rows(opened.rows(job.tell), read=policy.read, sample=SAMPLE)
    try:
        found = audit(sample, policy.roles, drivers=False, progress=job.tell).to_dict()
    finally:
        sample.drop()
    return {
        "rows": found["rows"],
        "k": {"value": found["k"]["value"]},
        "attributes": {
            name: {"value": attribute["t"] and attribute["t"]["value"]}
            for name, attribute in found["attributes"].items()
        },
    }


SHOWN = 8
"""So many values are shown, spread over the column."""
MOST_LEAVES = 2_000
"""Up to so many values are listed, for a tree to be made of them by hand."""
UNSEEN = "The values show no hierarchy: each is published as it is, or hidden as a whole."


def previews(rows: object, policy: Policy, wanted: Sequence[str] | None = None) -> dict[str, Any]:
    """Return, for quasi-identifiers, the hierarchy that the policy gives them or their values suggest.

    Parameters
    ----------
    rows
        The table.
    policy
        The roles and hierarchies.
    wanted
        The columns to look at; all quasi-identifiers by default.
    """
    session = session_for(rows, read=policy.read)
    table = session.open(rows)
    least, found = least_cell(policy.requirements()), {}
    for name in policy.roles.quasi:
        if wanted is None or name in wanted:
            observed = session.values(table.keep([name]), (name,))
            found[name] = _preview(name, policy.columns.hierarchies.get(name), observed, least)
    return found


def _preview(name: str, given: GivenHierarchy | None, observed: Observed, least: int) -> dict[str, Any]:
    texts = _texts(observed)
    try:
        tree, words, note = _hierarchy(name, given, observed, least)
        tree.codes(texts, name)
    except InputError as problem:
        return {"error": failure(problem), "values": len(texts)}
    return {
        "hierarchy": words,
        "note": note,
        "height": tree.height,
        "values": len(texts),
        "levels": [
            {"level": level, "nodes": len({tree.ancestor(text, level) for text in texts})}
            for level in range(tree.height + 1)
        ],
        "rows": [[tree.ancestor(text, level) for level in range(tree.height + 1)] for text in _spread(texts)],
        "leaves": texts if len(texts) <= MOST_LEAVES else None,
        "tree": _tree(tree, texts),
        "error": None,
    }


def _tree(tree: Hierarchy, texts: Sequence[str]) -> object:
    """Return a hierarchy as a tree of the values that the column has; None where they are many, or it is flat."""
    if len(texts) > MOST_LEAVES or tree.height < 2:
        return None
    rows = [tuple(tree.ancestor(text, level) for level in range(tree.height + 1)) for text in texts]
    found = tree_of_rows(rows)
    return found if len(found) == 1 else None


def _hierarchy(
    name: str, given: GivenHierarchy | None, observed: Observed, least: int
) -> tuple[Hierarchy, str | None, str]:
    """Return a hierarchy, the words to write into the policy for it if there are some, and a remark."""
    values, counts = _values(observed), observed.counts.tolist()
    if given is None:
        tree = inferred_hierarchy(
            values, counts, observed.kind, observed.categories, partial(bands_of, observed, least)
        )
        if tree is not None:
            return tree, "auto", "Made from the values."
        return built_hierarchy("flat", values, counts, observed.kind), "flat", UNSEEN
    if isinstance(given, str) and is_builder(given):
        bands = partial(bands_of, observed, least)
        return built_hierarchy(given, values, counts, observed.kind, observed.categories, bands), given, ""
    return hierarchy_of(given, name), None, ""


def _values(observed: Observed) -> list[object]:
    return observed.values.tolist() if isinstance(observed.values, np.ndarray) else list(observed.values)


def _texts(observed: Observed) -> list[str]:
    return sorted(
        {as_text(value) for value in _values(observed) if value is not None}, key=lambda text: (len(text), text)
    )


def _spread(texts: Sequence[str]) -> list[str]:
    if len(texts) <= SHOWN:
        return list(texts)
    return [texts[at * (len(texts) - 1) // (SHOWN - 1)] for at in range(SHOWN)]
