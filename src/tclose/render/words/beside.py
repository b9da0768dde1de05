"""What is told beside a release: nothing that says more of the original than the release and its promises do.

Whoever has the release, the code and a register of everybody can try every original that they think possible. A figure
that depends on who has which value, printed to many digits, leaves few of them. Such figures are the owner's.
"""

from __future__ import annotations

from dataclasses import replace

from tclose.attacks.findings import Attack
from tclose.releases import Release

CONFIDENTIAL = "Confidential: this tells of the original what its release does not"
NOT_TOLD = "not told"
ORIGINAL_WITHHELD = (
    "As rows are left out, figures against the original are not told here: they would tell the values of those rows."
)
_CLASSES_UNSAID = (
    "What the classes of the original had of sensitive values is not told here: it may give away who was in them."
)
_COSTS_UNSAID = (
    "Shares are rounded, and what follows from who has which value is not told here (slack, what a model learns, other "
    "levels and thresholds): whoever tries every original could find the one that gives just such figures."
)


def beside(release: Release) -> Release:
    """Return a release as it is told to whoever gets it; as it is where its documents are for the owner alone."""
    if release.tells_original or not release.holds:
        return release
    costs = release.costs
    return replace(
        release,
        losses={} if costs is None else costs.losses,
        column_losses={} if costs is None else costs.columns,
        slack=None,
        binding=None,
        why=None,
        notes=tuple(note for note in release.notes if not note.confidential),
        attack=None if release.attack is None else _attack(release, release.attack),
    )


def confidential(release: Release) -> str:
    """Return why a document is for few eyes, in words; empty where it is not."""
    return CONFIDENTIAL if release.tells_original else ""


def original_withheld(release: Release) -> str:
    """Return what a report does not say of the original, and why, in words."""
    if release.tells_original:
        return ""
    told = [_CLASSES_UNSAID, *([ORIGINAL_WITHHELD] if release.withholds_original else [])]
    return " ".join([*told, *([_COSTS_UNSAID] if release.losses else [])])


def _attack(release: Release, attack: Attack) -> Attack:
    """Return what attackers got: by values only where no row was left out.

    How many people of the original have each value would tell those of the rows that were left out.
    """
    if not release.withholds_original:
        return attack
    return replace(attack, outcomes=tuple(replace(each, by_value=()) for each in attack.outcomes))
