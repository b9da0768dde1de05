"""The work that a page may ask for: each is one verb, called with a policy, and told as data."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tclose.anonymization.frontier_points import Frontier
from tclose.anonymization.releases import Release, Written
from tclose.attacks.findings import Attack
from tclose.auditing.results import Audit
from tclose.errors import Hint, InputError, InternalError, listed, meant
from tclose.policy.policy import Policy
from tclose.policy.roles import Roles
from tclose.reports.content.decisions import risk_of_being_found, risk_of_being_told
from tclose.reports.phrases import audits as words
from tclose.reports.phrases.audits import risks
from tclose.reports.phrases.cells import unfoldered, unfoldered_result
from tclose.reports.phrases.numbers import joined
from tclose.reports.phrases.releases import required_texts
from tclose.web.jobs import Job, Outcome
from tclose.web.moves import played
from tclose.web.settings import WORK, policy_data, policy_from
from tclose.web.workspace import Opened

Work = Callable[[Opened, Mapping[str, Any], Job], Outcome]


@dataclass(frozen=True)
class Made:
    """A release with the file that it was written to, and the folder for further ones."""

    release: Release
    written: Written
    folder: Path
    policy: Policy
    """What it was made for."""
    frontier: Frontier | None = None
    """What other thresholds would have cost, where that was asked with the same settings."""

    @cached_property
    def original(self) -> Audit | None:
        """The audit of the original by the same requirements, made when first asked for."""
        return None if self.release.work is None else self.release.work.before()


def profile(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Look at the columns; the policy to start from has the roles that were given, else those suggested."""
    from tclose.policy.profiling.profile import profile as profiled

    del asked
    found = profiled(opened.rows(job.tell), read=opened.policy.read, progress=job.tell)
    policy = opened.policy
    if not opened.roles_known:
        suggested = found.policy()
        policy = replace(suggested, table=policy.table, read=policy.read, release=policy.release)
    policy = replace(policy, roles=_decided(policy.roles, [column.name for column in found.columns]))
    told = {"profile": found.to_dict(), "policy": policy_data(policy), "suggested": not opened.roles_known}
    return Outcome(told)


def _policy(asked: Mapping[str, Any], opened: Opened) -> Policy:
    """Return the policy that a page asks for; undecided columns are withheld until somebody decides."""
    policy = policy_from(asked.get("policy"), opened)
    return replace(policy, roles=replace(policy.roles, others="remove")) if policy.roles.undecided else policy


def _decided(roles: Roles, columns: Iterable[str]) -> Roles:
    """Return the roles with one for each column; those without one are undecided."""
    others = roles.unnamed(columns)
    if roles.others == "publish":
        return replace(roles, publish=(*roles.publish, *others))
    return replace(roles, undecided=(*roles.undecided, *others))


def audit(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Measure the table and judge it."""
    from tclose.auditing.audit import audit as audited

    policy = _with_work("audit", asked, opened)
    found = audited(policy.with_table(opened.rows(job.tell)), progress=job.tell)
    return Outcome({**_audit_data(found), "made_for": _made_for(policy)}, found)


def _made_for(policy: Policy) -> str:
    """Return what a result was asked to meet, in words; empty where nothing was required."""
    return joined(required_texts(policy.requirements()))


def _with_work(kind: str, asked: Mapping[str, Any], opened: Opened) -> Policy:
    """Return the policy that is asked for, with the options that are said beside it."""
    policy = _policy(asked, opened)
    return policy.with_options({name: asked[name] for name in WORK[kind] if asked.get(name) is not None})


def _audit_data(audit: Audit) -> dict[str, Any]:
    return {
        "audit": audit.with_people().to_dict(),
        "verdict": words.verdict_sentence(unfoldered(audit)),
        "care": words.care_sentences(audit),
        "table": words.table_sentences(audit),
        "risk": risk_of_being_found(audit),
        "attackers": [
            {
                "attacker": each.attacker,
                "who": each.who,
                "found": each.found,
                "measured": each.chance is not None,
                "more": each.more,
            }
            for each in risks(audit)
        ],
        "attributes": {
            name: {
                "sentence": words.attribute_sentence(attribute),
                "risk": list(risk_of_being_told(audit, name)),
                "vacuous": words.vacuous_sentence(attribute),
                "driver": words.driver_of(attribute),
                "averages": None
                if attribute.averages is None
                else {"as_is": attribute.averages.as_is, "without": dict(attribute.averages.without)},
                "driving": words.driver_sentence(attribute),
            }
            for name, attribute in audit.attributes.items()
        },
        "class_tables": {
            "" if own is None else own: {"columns": list(table.columns), "classes": len(table)}
            for own, table in audit.tables.items()
        },
    }


def sample(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Measure some of the rows, for a first impression while all are counted."""
    from tclose.web.previews import first_impression

    return Outcome(first_impression(opened, _policy(asked, opened), job))


def hierarchies(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Show the hierarchies of quasi-identifiers."""
    from tclose.web.previews import previews

    wanted = asked.get("columns")
    if wanted is not None and not (isinstance(wanted, list) and all(isinstance(name, str) for name in wanted)):
        raise InputError("The columns to look at are a list of names.")
    policy = _policy(asked, opened)
    return Outcome({"columns": previews(opened.rows(job.tell), policy, wanted)})


def levels(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Measure the table with every quasi-identifier on one level."""
    from tclose.web.analyses import at_levels

    return Outcome(at_levels(opened, _policy(asked, opened), _levels(asked), job))


def _levels(asked: Mapping[str, Any]) -> Mapping[str, int]:
    given = asked.get("levels", {})
    if not isinstance(given, Mapping) or not all(type(level) is int for level in given.values()):
        raise InputError("The levels are whole numbers by column.")
    return given


def lattice(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Judge the levels around some, or all where there are few."""
    from tclose.web.analyses import lattice as looked_at

    policy = _policy(asked, opened)
    return Outcome({**looked_at(opened, policy, _levels(asked), job), "made_for": _made_for(policy)})


def attack(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Try attackers on releases made as is set, with a control group."""
    from tclose.web.analyses import attacked_release

    policy = _policy(asked, opened)
    found = attacked_release(opened, policy, job)
    return replace(found, data={**found.data, "made_for": _made_for(policy)})


def anonymize(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Make a release, write it into the private folder, and audit what was written."""
    from tclose.anonymization.anonymize import anonymize as anonymized
    from tclose.reports.machine_readable.releases import release_data, report_data

    policy = _policy(asked, opened)
    asked_for = _made_for(policy)
    release = anonymized(policy.with_table(opened.rows(job.tell)), progress=job.tell)
    if not release.holds:
        return Outcome({"release": release_data(release), **_release_words(release, None), "made_for": asked_for}, None)
    folder = opened.folder / f"release-{job.id}"
    folder.mkdir(mode=0o700)
    try:
        written = release.write(folder / "release.csv", progress=job.tell)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    told = report_data(release.with_original(), written)  # the page is the owner's; what it hands over is not
    data = {"release": told, **_release_words(release, written), "made_for": asked_for}
    return Outcome(data, Made(release, written, folder, policy))


def _release_words(release: Release, written: Written | None) -> dict[str, Any]:
    from tclose.reports.phrases import releases as told

    release = unfoldered_result(release)
    sentences = (told.size_sentence(release), told.kept_sentence(release), told.method_sentence(release))
    return {
        "verdict": told.verdict(release),
        "care": told.care_sentences(release),
        "sentences": [sentence for sentence in sentences if sentence],
        "ways_out": told.ways_out(release),
        "requirements": []
        if release.obstacles
        else [
            {
                "holds": each.holds,
                "text": each.text,
                "of": each.of,
                "found": words.marked_found(each.own),
                "original": words.marked_found(each.original),
            }
            for each in told.judged(release, None if written is None else written.audits)
        ],
    }


def why(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Make a release again, and find what costs its detail; the page is the owner's."""
    from tclose.anonymization.anonymize import anonymize as anonymized
    from tclose.reports.machine_readable.releases import why_data
    from tclose.reports.phrases import releases as told

    policy = _policy(asked, opened)
    release = anonymized(policy.with_table(opened.rows(job.tell)), progress=job.tell).with_why(job.tell)
    if release.why is None:
        raise InternalError("What costs the detail was asked for, and not found.")
    sentences = {"sentence": told.advice_sentence(release.why), "legend": told.legend(release.why)}
    return Outcome({"why": why_data(release.why), **sentences, "made_for": _made_for(policy)})


def frontier(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Sweep a threshold, and see what each method's release costs."""
    from tclose.anonymization.frontier import frontier as swept
    from tclose.reports.charts.frontier import frontier_picture

    policy = _with_work("frontier", asked, opened)
    found = swept(policy.with_table(opened.rows(job.tell)), progress=job.tell)
    data = {"frontier": found.to_dict(), "picture": played(frontier_picture(found)), "made_for": _made_for(policy)}
    return Outcome(data, found)


KINDS: dict[str, Work] = {
    "profile": profile,
    "audit": audit,
    "sample": sample,
    "hierarchies": hierarchies,
    "levels": levels,
    "anonymize": anonymize,
    "why": why,
    "frontier": frontier,
    "lattice": lattice,
    "attack": attack,
}
"""Every kind of work by its name."""
_BESIDE = {"hierarchies": ("columns",), "levels": ("levels",), "lattice": ("levels",)}
"""What is said beside the policy of each kind of work, besides options."""


def check_asked(kind: str, asked: Mapping[str, Any]) -> None:
    """Refuse what a kind of work does not take."""
    known = ("kind", "policy", *WORK.get(kind, ()), *_BESIDE.get(kind, ()))
    for name in asked:
        if name not in known:
            hint = meant(name, known) or Hint("It takes {}.", listed(known))
            raise InputError(f"The work {kind!r} has no {name!r}.", field=name, hint=hint)


# What else was found for the settings of a release, and belongs into its report: attackers, and other thresholds.


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
