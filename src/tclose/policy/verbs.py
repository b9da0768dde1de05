"""The verbs as functions: a policy, or a table with keywords that make one; the keywords are the options of parts.

An editor completes them and mypy checks them, for the type of a verb has the parameters of its class of keywords below.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

from tclose.data.progress import shows_progress
from tclose.data.sources import ReadOptions
from tclose.errors import Hint, InputError, RoleConflictError, listed, meant
from tclose.policy.options import Part, declared
from tclose.policy.parts import (
    Accepting,
    Attacking,
    Choosing,
    Closing,
    Columns,
    Hierarchies,
    Hurrying,
    Judging,
    Keys,
    Known,
    KnownFacts,
    Measuring,
    Pointing,
    PopulationTable,
    Previous,
    PublishedNumbers,
    ReferenceTable,
    Requirements,
    Resources,
    Sample,
    Searching,
    Shifting,
    Sweeping,
    Withstanding,
)
from tclose.policy.policy import Policy, parts_of
from tclose.policy.roles import Roles
from tclose.policy.several_tables import tables_asked

if TYPE_CHECKING:
    from tclose.engines.base import Progress
    from tclose.models.transport import Rule

Given = ParamSpec("Given")
Found = TypeVar("Found")
FoundOfOne = TypeVar("FoundOfOne", covariant=True)
FoundOfSeveral = TypeVar("FoundOfSeveral", covariant=True)


@dataclass(frozen=True, kw_only=True)
class Opening(Resources):
    """What every verb that opens a table takes."""

    roles: Roles | None = field(default=None, kw_only=False)
    read: ReadOptions | None = None
    progress: Progress | None = None


@dataclass(frozen=True, kw_only=True)
class AuditKeywords(
    Opening, Accepting, Closing, KnownFacts, Requirements, ReferenceTable, PopulationTable, Sample, Previous, Measuring,
    Hierarchies,
):  # fmt: skip
    """The keywords of ``audit``."""


@dataclass(frozen=True, kw_only=True)
class ExplainKeywords(Resources, Known, KnownFacts, ReferenceTable):
    """The keywords of ``explain``."""

    roles: Roles | str | None = field(default=None, kw_only=False)
    read: ReadOptions | None = None
    progress: Progress | None = None
    attribute: str | None = None
    key: Mapping[str, object] | None = None
    worst: int = 1
    rule: Rule = "stay"


@dataclass(frozen=True, kw_only=True)
class AnonymizeKeywords(
    Opening,
    Accepting,
    Requirements,
    Withstanding,
    Columns,
    PublishedNumbers,
    Searching,
    Judging,
    Choosing,
    Pointing,
    Keys,
    Shifting,
    Hurrying,
):
    """The keywords of ``anonymize``."""

    key: bytes | None = None


@dataclass(frozen=True, kw_only=True)
class AttackKeywords(Opening, Requirements, Withstanding, Columns, Searching, Judging, Choosing, Attacking):
    """The keywords of ``attack``."""


@dataclass(frozen=True, kw_only=True)
class FrontierKeywords(Opening, Requirements, Columns, Searching, Judging, Sweeping):
    """The keywords of ``frontier``."""


@dataclass(frozen=True, kw_only=True)
class ServeKeywords(
    Requirements, Withstanding, ReferenceTable, PopulationTable, Sample, Columns, PublishedNumbers, Searching, Judging,
    Choosing, Pointing, Keys, Shifting,
):  # fmt: skip
    """The options of ``serve``."""


@dataclass(frozen=True, kw_only=True)
class SqlKeywords(Requirements):
    """The keywords of ``audit_sql``."""

    roles: Roles | None = field(default=None, kw_only=False)
    dialect: str = "duckdb"


ROLES = ("quasi", "sensitive", "identifiers", "person", "publish", "together")
"""The roles that every verb is told which opens a table."""
DISGUISES = ("pseudonym", "shifted")
ROLES_OF = {
    "audit": ROLES, "explain": ROLES, "anonymize": (*ROLES, *DISGUISES), "attack": ROLES, "frontier": ROLES,
    "serve": (*ROLES, *DISGUISES), "policy": (*ROLES, *DISGUISES), "sql": ("quasi", "sensitive", "person", "together"),
}  # fmt: skip
"""The roles that the command line names for each verb."""


@dataclass(frozen=True, kw_only=True)
class PolicyKeywords(
    Accepting, Closing, KnownFacts, Requirements, Withstanding, ReferenceTable, PopulationTable, Sample, Previous,
    Measuring, Columns, PublishedNumbers, Choosing, Searching, Judging, Pointing, Keys, Shifting, Hurrying, Attacking,
    Sweeping,
):  # fmt: skip
    """The options of ``policy``, which prints what all verbs are asked."""


VERBS: dict[str, type[Part]] = {
    "audit": AuditKeywords,
    "explain": ExplainKeywords,
    "anonymize": AnonymizeKeywords,
    "attack": AttackKeywords,
    "frontier": FrontierKeywords,
    "serve": ServeKeywords,
    "sql": SqlKeywords,
    "policy": PolicyKeywords,
}
"""The options of each verb that is asked a policy."""


class OneOrSeveral(Protocol[Given, FoundOfOne, FoundOfSeveral]):
    """A verb of one table, or of several about the same people."""

    @overload
    def __call__(
        self,
        tables: Mapping[str, object],
        policy: Policy | Mapping[str, Policy] | Mapping[str, Roles],
        /,
        *,
        progress: Progress | None = None,
    ) -> FoundOfSeveral: ...
    @overload
    def __call__(self, policies: list[Policy], /, *, progress: Progress | None = None) -> FoundOfSeveral: ...
    @overload
    def __call__(self, subject: object, /, *arguments: Given.args, **given: Given.kwargs) -> FoundOfOne: ...


def verb(
    keywords: Callable[Given, Part],
) -> Callable[[Callable[..., Found]], Callable[Concatenate[object, Given], Found]]:
    """Make a function of a policy a verb, which takes a policy, or a table with keywords that make one.

    Parameters
    ----------
    keywords
        The class of its keywords. Those that are no options of a policy are handed to the function by their names.
    """
    return lambda function: _verb(function, keywords, None)


def verb_of_several(
    keywords: Callable[Given, Part], several: Callable[..., FoundOfSeveral]
) -> Callable[[Callable[..., FoundOfOne]], OneOrSeveral[Given, FoundOfOne, FoundOfSeveral]]:
    """Make a function of a policy a verb that also takes several tables about the same people.

    Parameters
    ----------
    keywords
        As for :func:`verb`.
    several
        What is called where there are several tables, with what is asked of each.
    """
    return lambda function: cast("Any", _verb(function, keywords, several))


def _verb(
    function: Callable[..., Found], keywords: Callable[Given, Part], several: Callable[..., object] | None
) -> Callable[Concatenate[object, Given], Found]:
    name = function.__name__

    @functools.wraps(function)
    def call(subject: object, /, *arguments: Given.args, **given: Given.kwargs) -> Found:
        _check_names(name, keywords, given)
        roles = arguments[0] if arguments else given.get("roles")
        said = {key: value for key, value in given.items() if key not in ("roles", "progress")}
        if (tables := tables_asked(subject, roles, said)) is not None:
            if several is None:
                raise InputError(f"{name}() takes one table, not several.", field="table")
            return cast("Found", several(tables, progress=given.get("progress")))
        policy, rest = _asked(subject, keywords(*arguments, **given), given)
        return function(policy, **rest)

    return shows_progress(_described(call, keywords))


def _asked(subject: object, asked: Part, given: Mapping[str, object]) -> tuple[Policy, dict[str, Any]]:
    """Return the policy that a call stands for, and what else it says."""
    options = {name for part in parts_of(Policy).values() for name in declared(part)} & declared(type(asked)).keys()
    rest = {
        each.name: getattr(asked, each.name)
        for each in fields(asked)  # type: ignore[arg-type]
        if each.name not in options and each.name not in ("roles", "read")
    }
    roles, read = getattr(asked, "roles", None), getattr(asked, "read", None)
    if isinstance(roles, str) and "attribute" in rest:  # after an audit, the attribute to explain
        rest["attribute"], roles = roles, None
    if isinstance(subject, Policy):
        policy = subject.with_options({name: getattr(asked, name) for name in given if name in options})
    else:
        policy = Policy(table=subject).with_options({name: getattr(asked, name) for name in options})
    if not isinstance(roles, Roles | None):
        kind = type(roles).__name__
        raise RoleConflictError(f"Roles are given as Roles(quasi=[…], sensitive=[…]), not as an object of type {kind}.")
    if not isinstance(read, ReadOptions | None):
        kind = type(read).__name__
        raise InputError(f"How files are read is given as ReadOptions(…), not as an object of type {kind}.")
    return replace(policy, roles=roles or policy.roles, read=read or policy.read), rest


def _check_names(name: str, keywords: Callable[..., object], given: Mapping[str, object]) -> None:
    """Refuse an option that a verb does not have, and name the one that may be meant."""
    known = inspect.signature(keywords).parameters
    for each in given:
        if each not in known:
            hint = meant(each, known) or Hint("It has {}.", listed(known, 60))
            raise UnknownOptionError(f"{name}() has no option {each!r}.", field=each, hint=hint)


class UnknownOptionError(InputError, TypeError):
    """A verb is told an option that it does not have."""

    code = "unknown-option"


def _described(call: Callable[..., Found], keywords: Callable[..., object]) -> Callable[..., Found]:
    """Return a verb with its signature, and with its options told in its docstring."""
    of_keywords = inspect.signature(keywords)
    subject = inspect.Parameter("table", inspect.Parameter.POSITIONAL_ONLY, annotation="object")
    call.__signature__ = of_keywords.replace(  # type: ignore[attr-defined]
        parameters=[subject, *of_keywords.parameters.values()],
        return_annotation=call.__annotations__.get("return", inspect.Signature.empty),
    )
    told = [
        f"{name}\n{textwrap.indent(textwrap.fill(each.help, 110), '    ')}"
        for name, each in declared(keywords).items()  # type: ignore[arg-type]
    ]
    document = inspect.cleandoc(call.__doc__ or "")
    call.__doc__ = document.replace("{options}", "\n".join(told))
    return call
