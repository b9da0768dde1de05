"""The work that a page may ask for: each is one verb, called with a policy, and told as data."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tclose.errors import InputError
from tclose.policy import Policy
from tclose.releases import Release, Written
from tclose.render import words
from tclose.results import Audit
from tclose.web.jobs import Job, Outcome
from tclose.web.settings import policy_data, policy_from
from tclose.web.workspace import Opened

Work = Callable[[Opened, Mapping[str, Any], Job], Outcome]


@dataclass(frozen=True)
class Made:
    """A release with the file that it was written to, and the folder for further ones."""

    release: Release
    written: Written
    folder: Path


def profile(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Look at the columns; the policy to start from has the roles that were given, else those suggested."""
    from tclose.profiling import profile as profiled

    del asked
    found = profiled(opened.rows(job.tell), read=opened.policy.read, progress=job.tell)
    policy = opened.policy
    if not opened.roles_known:
        suggested = found.policy()
        policy = replace(suggested, source=policy.source, read=policy.read, release=policy.release)
    named = {*policy.roles.columns, *policy.insensitive}
    others = [column.name for column in found.columns if column.name not in named]
    policy = replace(policy, insensitive=(*policy.insensitive, *others))
    return Outcome({"profile": found.to_dict(), "policy": policy_data(policy)})


def audit(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Measure the table and judge it."""
    from tclose.auditing import audit as audited

    policy = policy_from(asked.get("policy"), opened)
    drivers = asked.get("drivers")
    found = audited(
        opened.rows(job.tell),
        policy.roles,
        require=policy.requirements(),
        measure=_measure(asked.get("measure", "usual")),
        reference=policy.reference,
        population=policy.population,
        drivers=drivers if isinstance(drivers, bool) else None,
        read=policy.read,
        progress=job.tell,
    )
    return Outcome(_audit_data(found), found)


def _measure(asked: object) -> str:
    if asked not in ("usual", "all"):
        raise InputError("A page measures the 'usual' models or 'all'.")
    return str(asked)


def _audit_data(audit: Audit) -> dict[str, Any]:
    return {
        "audit": audit.to_dict(),
        "verdict": words.verdict_sentence(audit),
        "table": words.table_sentences(audit),
        "attributes": {
            name: {
                "sentence": words.attribute_sentence(attribute),
                "vacuous": words.vacuous_sentence(attribute),
                "driver": words.driver_of(attribute),
            }
            for name, attribute in audit.attributes.items()
        },
        "class_tables": {
            "" if own is None else own: {"columns": list(table.columns), "classes": len(table)}
            for own, table in audit.tables.items()
        },
    }


def hierarchies(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Show the hierarchies of quasi-identifiers."""
    from tclose.web.previews import previews

    wanted = asked.get("columns")
    if wanted is not None and not (isinstance(wanted, list) and all(isinstance(name, str) for name in wanted)):
        raise InputError("The columns to look at are a list of names.")
    policy = policy_from(asked.get("policy"), opened)
    return Outcome({"columns": previews(opened.rows(job.tell), policy, wanted)})


def levels(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Measure the table with every quasi-identifier on one level."""
    from tclose.web.levels import at_levels

    given = asked.get("levels", {})
    if not isinstance(given, Mapping) or not all(type(level) is int for level in given.values()):
        raise InputError("The levels are whole numbers by column.")
    return Outcome(at_levels(opened, policy_from(asked.get("policy"), opened), given, job))


def anonymize(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Make a release, write it into the private folder, and audit what was written."""
    from tclose.anonymizing import anonymize as anonymized
    from tclose.render.release_json import release_data, report_data

    policy = policy_from(asked.get("policy"), opened)
    choices = policy.release
    release = anonymized(
        opened.rows(job.tell),
        policy.roles,
        require=policy.requirements(),
        method=choices.method,
        loss=choices.loss,
        whole_classes=choices.whole_classes,
        pruned=choices.pruned,
        against=choices.against,
        **_recoding(policy),
        progress=job.tell,
    )
    if not release.holds:
        return Outcome({"release": release_data(release), **_release_words(release, None)}, None)
    job.tell("Writing and auditing the release", None)
    folder = opened.folder / f"release-{job.id}"
    folder.mkdir(mode=0o700)
    try:
        written = release.write(folder / "release.csv")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    data = {"release": report_data(release, written), **_release_words(release, written)}
    return Outcome(data, Made(release, written, folder))


def _recoding(policy: Policy) -> dict[str, Any]:
    """Return what anonymize and frontier share."""
    choices = policy.release
    return {
        "hierarchies": policy.hierarchies,
        "levels": policy.levels,
        "weights": policy.weights,
        "suppress": choices.suppress,
        "intervals": choices.intervals,
        "seed": choices.seed,
        "read": policy.read,
    }


def _release_words(release: Release, written: Written | None) -> dict[str, Any]:
    from tclose.render import release_words as told

    sentences = (told.size_sentence(release), told.kept_sentence(release), told.method_sentence(release))
    return {
        "verdict": told.verdict(release),
        "sentences": [sentence for sentence in sentences if sentence],
        "ways_out": told.ways_out(release),
        "requirements": []
        if release.obstacles
        else [
            {"holds": row.holds, "text": row.text, "of": row.of, "found": row.found, "original": row.against_original}
            for row in told.requirement_rows(release, written)
        ],
    }


def frontier(opened: Opened, asked: Mapping[str, Any], job: Job) -> Outcome:
    """Sweep a threshold, and see what each method's release costs."""
    from tclose.sweeping import USUAL_METHODS
    from tclose.sweeping import frontier as swept

    policy = policy_from(asked.get("policy"), opened)
    sweep, methods = asked.get("sweep", "t"), asked.get("methods", list(USUAL_METHODS))
    if not isinstance(sweep, str):
        raise InputError("The swept model is named by its key, such as t.")
    if not isinstance(methods, list) or not methods or not all(isinstance(method, str) for method in methods):
        raise InputError("The methods to compare are a list of names.")
    found = swept(
        opened.rows(job.tell),
        policy.roles,
        sweep=sweep,
        methods=tuple(dict.fromkeys(methods)),
        require=policy.requirements(),
        loss=policy.release.loss,
        whole_classes=policy.release.whole_classes,
        **_recoding(policy),
        progress=job.tell,
    )
    return Outcome({"frontier": found.to_dict()}, found)


KINDS: dict[str, Work] = {
    "profile": profile,
    "audit": audit,
    "hierarchies": hierarchies,
    "levels": levels,
    "anonymize": anonymize,
    "frontier": frontier,
}
"""Every kind of work by its name."""
