"""What the options of a release add to a policy, and what a policy then asks of the verbs that search releases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import click

from tclose.cli.names import assigned
from tclose.policy import Policy
from tclose.policy_release import RELEASE_KEYS, weight_of
from tclose.roles import Roles

_LEVELS = re.compile(r"\s*(\d{1,4})\s*(?:\.\.\s*(\d{1,4})\s*)?")


def is_recoding(given: Mapping[str, Any]) -> bool:
    """Say whether the options are those of a command that recodes a table."""
    return "levels" in given


def recoded(policy: Policy, roles: Roles, hierarchies: Mapping[str, str], given: Mapping[str, Any]) -> Policy:
    """Return the policy with what the command line says of the recoding, for the quasi-identifiers there are."""
    if not is_recoding(given):
        return policy
    quasi = roles.quasi
    levels = {name: _levels(name, text) for name, text in _assigned("--levels", given["levels"], quasi).items()}
    weights = {
        name: weight_of(text, f"The weight of {name!r}")
        for name, text in _assigned("--weight", given["weight"], quasi).items()
    }
    numbers = _assigned("--numbers", given["numbers"], quasi)
    said = {key: given[key] for key in RELEASE_KEYS if given.get(key) is not None}
    return replace(
        policy,
        hierarchies=_of(quasi, {**policy.hierarchies, **hierarchies}),
        levels=_of(quasi, {**policy.levels, **levels}),
        weights=_of(quasi, {**policy.weights, **weights}),
        numbers=_of(quasi, {**policy.numbers, **numbers}),
        release=replace(policy.release, **said),
    )


def recoding_choices(policy: Policy) -> dict[str, Any]:
    """Return what a policy says of the recoding, as every verb that searches releases is told."""
    release = policy.release
    said = {key: getattr(release, key) for key in ("suppress", "loss", "intervals", "effort", "seed")}
    tables = {"hierarchies": policy.hierarchies, "levels": policy.levels, "weights": policy.weights}
    return {**tables, **said, "read": policy.read}


def search_choices(policy: Policy) -> dict[str, Any]:
    """Return the same, for one method of search."""
    return {
        **recoding_choices(policy),
        **{key: getattr(policy.release, key) for key in ("method", "pruned", "against")},
    }


def _of(quasi: Iterable[str], found: Mapping[str, Any]) -> dict[str, Any]:
    return {name: found[name] for name in quasi if name in found}


def _assigned(option_name: str, texts: Iterable[str], quasi: tuple[str, ...]) -> dict[str, str]:
    return assigned(option_name, texts, quasi, "quasi-identifying")


def _levels(name: str, text: str) -> int | tuple[int, int]:
    """Return levels as written: ``2``, or from the finest to the coarsest, ``0..2``."""
    match = _LEVELS.fullmatch(text)
    if not match or (match[2] is not None and int(match[1]) > int(match[2])):
        raise click.UsageError(f"--levels takes {name}=2, or the finest and the coarsest level, {name}=0..2.")
    return int(match[1]) if match[2] is None else (int(match[1]), int(match[2]))
