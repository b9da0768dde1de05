"""The options that say how a table may be recoded, and what they add to a policy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import click

from tclose.cli.names import assigned
from tclose.cli.options import OUTPUT, RELEASE, option, together
from tclose.exact import fraction
from tclose.policy import Policy
from tclose.policy_release import AGAINST, RELEASE_KEYS
from tclose.recoding.losses.catalogue import LOSSES
from tclose.recoding.methods import AUTO, METHODS
from tclose.roles import Roles

METHOD_WORDS = (AUTO, *METHODS)
_LEVELS = re.compile(r"\s*(\d{1,4})\s*(?:\.\.\s*(\d{1,4})\s*)?")

recoding_options = together(
    option(
        "--suppress",
        section=RELEASE,
        metavar="SHARE",
        help="The largest share of rows that may be left out, such as 0.04; none if left out.",
    ),
    option(
        "--loss",
        section=RELEASE,
        type=click.Choice(list(LOSSES)),
        metavar="LOSS",
        help=f"What to lose least of: {', '.join(LOSSES)}; lm if left out.",
    ),
    option(
        "--levels",
        section=RELEASE,
        metavar="NAME=LEVELS",
        multiple=True,
        help="The level that a quasi-identifier is published on, 2, or may be, 0..2. Repeatable.",
    ),
    option(
        "--weight",
        section=RELEASE,
        metavar="NAME=NUMBER",
        multiple=True,
        help="How much a quasi-identifier counts in the loss; 1 if it is not named. Repeatable.",
    ),
    option(
        "--whole-classes/--no-whole-classes",
        section=RELEASE,
        default=None,
        help="Whether rows that look alike stay together, so that no sensitive value decides how coarse a row is.",
    ),
    option(
        "--intervals/--no-intervals",
        section=RELEASE,
        default=None,
        help="Whether numbers and dates may be published as intervals of their own; they may.",
    ),
    option(
        "--seed",
        section=RELEASE,
        metavar="N",
        type=click.IntRange(0, 2**63 - 1),
        help="Decides what is left to chance; 0 if left out.",
    ),
)

search_options = together(
    option(
        "--method",
        section=RELEASE,
        type=click.Choice(METHOD_WORDS),
        metavar="METHOD",
        help=f"{', '.join(METHOD_WORDS)}; auto, the best of those that apply, if left out.",
    ),
    option(
        "--against",
        section=RELEASE,
        type=click.Choice(AGAINST),
        help="Meet the requirements against the original's distribution and the release's own, or the first only.",
    ),
    option(
        "--pruned/--no-pruned",
        section=RELEASE,
        default=None,
        help="Whether a full-domain search with suppression may skip what is unlikely to be best.",
    ),
)

release_output_options = together(
    option(
        "-o",
        "--output",
        section=OUTPUT,
        metavar="FILE",
        type=click.Path(),
        help="The release: .csv, .parquet, .jsonl and others by its ending. Its recipe and its report go beside it.",
    ),
    option(
        "--into",
        section=OUTPUT,
        metavar="[ADDRESS#]TABLE",
        help="Store the release as a new table of the original's database, or of postgresql://HOST/DATABASE#TABLE.",
    ),
    option(
        "--recipe",
        "recipe_file",
        section=OUTPUT,
        metavar="FILE",
        type=click.Path(),
        help="Also write the recipe, which makes the release again; keep it with the original.",
    ),
    option(
        "--report",
        section=OUTPUT,
        metavar="FILE",
        type=click.Path(),
        help="Also write a report: one .html page to print and sign, or .json for machines.",
    ),
    option("--force", section=OUTPUT, is_flag=True, help="Write over existing files."),
    option(
        "--format",
        "form",
        section=OUTPUT,
        type=click.Choice(["text", "json", "html"]),
        default="text",
        show_default=True,
        help="The summary on standard output.",
    ),
)


def is_recoding(given: Mapping[str, Any]) -> bool:
    """Say whether the options are those of a command that recodes a table."""
    return "levels" in given


def recoded(policy: Policy, roles: Roles, hierarchies: Mapping[str, str], given: Mapping[str, Any]) -> Policy:
    """Return the policy with what the command line says of the recoding, for the quasi-identifiers there are."""
    if not is_recoding(given):
        return policy
    quasi = roles.quasi
    levels = {name: _levels(name, text) for name, text in _assigned("--levels", given["levels"], quasi).items()}
    weights = {name: _weight(name, text) for name, text in _assigned("--weight", given["weight"], quasi).items()}
    said = {key: given[key] for key in RELEASE_KEYS if given.get(key) is not None}
    return replace(
        policy,
        hierarchies=_of(quasi, {**policy.hierarchies, **hierarchies}),
        levels=_of(quasi, {**policy.levels, **levels}),
        weights=_of(quasi, {**policy.weights, **weights}),
        release=replace(policy.release, **said),
    )


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


def _weight(name: str, text: str) -> float:
    weight = fraction(text, f"The weight of {name!r}")
    if not 0 < weight < 10**9:
        raise click.UsageError(f"--weight takes a number above 0 for {name!r}.")
    return float(weight)
