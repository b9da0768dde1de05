"""The options of a policy on the command line: made of their declarations, for each verb those that it takes."""

from __future__ import annotations

from collections.abc import Iterator

import click

from tclose.cli.options import ROLES, Decorator, option, policy_option, together
from tclose.models.catalogue import MODELS
from tclose.options import Option, declared
from tclose.policy.parts import Hierarchies, Resources, SensitiveColumns
from tclose.policy.verbs import ROLES_OF, VERBS
from tclose.roles import Roles

SECTIONS = ("Roles", "Requirements", "Compared with", "Measuring", "Attack", "What to sweep", "Release")
"""The sections of the help, in their order."""
USUAL_MODELS = ("k", "l", "t")


def options_of(verb: str) -> dict[str, Option]:
    """Return the options of a policy that the command of a verb takes, by name."""
    roles = declared(Roles)
    found = {name: roles[name] for name in ROLES_OF[verb]}
    found |= declared(SensitiveColumns) | declared(VERBS[verb])
    if "hierarchies" not in found:
        found |= declared(Hierarchies)
    return {name: each for name, each in found.items() if each.command_line and name not in declared(Resources)}


def policy_options(verb: str) -> Decorator:
    """Return the decorator that gives a command the options of its verb."""
    every = options_of(verb)
    listed = sorted(every.values(), key=lambda each: SECTIONS.index(each.section))
    roles = [policy_option(each) for each in listed if each.section == ROLES]
    others = [policy_option(each) for each in listed if each.section != ROLES]
    policy = option(
        "--policy", section=ROLES, metavar="FILE", type=click.Path(), usual=True,
        help="Read roles and requirements from a file; ./tclose.toml by default.",
    )  # fmt: skip
    return together(*roles, policy, *_model_options(verb), *others)


def _model_options(verb: str) -> Iterator[Decorator]:
    """Give an option for each privacy model that a verb can require."""
    if "require" not in declared(VERBS[verb]):
        return
    for key, model in MODELS.items():
        of_attribute = "" if model.scope == "table" else "[NAME=]"
        names = [*([f"-{key}"] if len(key) == 1 else []), f"--{key.replace('_', '-')}", f"require_{key}"]
        yield option(
            *names, section="Requirements", metavar=f"{of_attribute}{','.join(model.form).upper()}", multiple=True,
            usual=key in USUAL_MODELS, help=f"{model.title}, such as {model.example}.",
        )  # fmt: skip
    yield option(
        "--presence", "require_presence", section="Requirements", metavar="LOW,HIGH", multiple=True,
        help="δ-presence between two bounds, such as 0.1,0.5.",
    )  # fmt: skip
