"""What else was found for the settings of a release, and belongs into its report: attackers, and other thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tclose.attacks.findings import Attack
from tclose.frontiers import Frontier
from tclose.web.jobs import Job
from tclose.web.work import Made


def with_beside(made: Made, settings: object, jobs: Iterable[Job]) -> Made:
    """Return a release with what the newest jobs found for the same settings.

    Parameters
    ----------
    made
        The release.
    settings
        What it was made with.
    jobs
        What was done for the same table, the newest last.
    """
    attack, frontier = made.release.attack, made.frontier
    for job in jobs:
        found = None if job.outcome is None else job.outcome.kept
        if isinstance(found, Attack) and made.release.attack is None and _same(settings, job.settings):
            attack = found
        elif isinstance(found, Frontier) and _same(settings, job.settings, found.sweep):
            frontier = found
    return replace(made, release=replace(made.release, attack=attack), frontier=frontier)


def _same(one: object, other: object, sweep: str | None = None) -> bool:
    """Say whether two results were asked with the same settings; but for a threshold that is swept, and its method."""
    return isinstance(one, Mapping) and isinstance(other, Mapping) and _of(one, sweep) == _of(other, sweep)


def _of(settings: Mapping[str, Any], sweep: str | None) -> dict[str, Any]:
    policy, release = dict(settings.get("policy") or {}), dict(settings.get("release") or {})
    if sweep is not None:
        policy.pop(sweep, None)
        release.pop("method", None)
    return {"columns": settings.get("columns"), "policy": policy, "release": release}
