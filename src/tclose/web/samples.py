"""A first impression of a large table while the whole is counted: figures of some of its rows, and no verdict."""

from __future__ import annotations

from typing import Any

from tclose.auditing import audit
from tclose.engines.choosing import held_rows
from tclose.errors import InputError
from tclose.policy import Policy
from tclose.sources import is_database
from tclose.web.jobs import Job
from tclose.web.workspace import Opened

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
