"""A policy: the one question that is asked of a table, whoever asks it: where it is, its roles, what must hold, how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tclose.data.hierarchies import hierarchy_path
from tclose.data.sources import ReadOptions, files_read
from tclose.errors import Ask, Hint, InputError
from tclose.policy.exact_numbers import written
from tclose.policy.options import Option, Part, declared
from tclose.policy.parts import (
    About,
    Accepting,
    Attacking,
    Closing,
    Columns,
    KnownFacts,
    Measuring,
    PopulationTable,
    Previous,
    PublishedNumbers,
    ReferenceTable,
    ReleaseOptions,
    Requirements,
    Resources,
    Sample,
    Sweeping,
    Withstanding,
)
from tclose.policy.roles import Roles

if TYPE_CHECKING:
    from tclose.models.catalogue import Requirement

VERSION = 1
"""The version of policy files, and of policies in JSON."""


@dataclass(frozen=True, kw_only=True)
class Required(Accepting, Closing, Withstanding, KnownFacts, Requirements):
    """What must hold: of classes, for who knows facts, against attackers, and of which columns a file has."""


@dataclass(frozen=True, kw_only=True)
class Baseline(ReferenceTable, PopulationTable, Sample, Previous):
    """What a table is compared with."""


@dataclass(frozen=True, kw_only=True)
class ColumnOptions(Columns, PublishedNumbers):
    """How each quasi-identifier is generalised and published."""


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What is asked of a table.

    Parameters
    ----------
    table
        The table: a path, a frame, an address; None where another says.
    roles
        Which column is what; without any, an example brings its own.
    required
        What must hold.
    baseline
        What the table is compared with.
    columns
        How each quasi-identifier is generalised and published.
    release
        How a release is made.
    measuring, attacking, sweeping
        What an audit measures, how a release is attacked, which thresholds a frontier tries.
    read
        How files are read.
    resources
        What the engine may use.
    about
        What reports say of their purpose and of people.
    file
        The policy file that was read.
    origins
        Where the value of an option comes from, by its name: a file, the command line, an example.

    Examples
    --------
    >>> policy = Policy(roles=Roles(["zip"], ["pay"]), required=Required(require={"k": 5, "t": {"pay": "1/5"}}))
    >>> [requirement.text for requirement in policy.requirements()]
    ['k ≥ 5', 't ≤ 0.2']
    """

    table: object = None
    roles: Roles = field(default_factory=Roles)
    required: Required = field(default_factory=Required)
    baseline: Baseline = field(default_factory=Baseline)
    columns: ColumnOptions = field(default_factory=ColumnOptions)
    release: ReleaseOptions = field(default_factory=ReleaseOptions)
    measuring: Measuring = field(default_factory=Measuring)
    attacking: Attacking = field(default_factory=Attacking)
    sweeping: Sweeping = field(default_factory=Sweeping)
    read: ReadOptions = field(default_factory=ReadOptions)
    resources: Resources = field(default_factory=Resources)
    about: About = field(default_factory=About)
    file: str | None = field(default=None, compare=False)
    origins: Mapping[str, str] = field(default_factory=dict, compare=False, hash=False)

    @property
    def thresholds(self) -> dict[str, dict[str | None, str]]:
        """What must hold as text: by model, for an attribute, and under None for every other attribute."""
        require = self.required.require
        if require is None or isinstance(require, Mapping):
            return {
                str(key).replace("-", "_"): {
                    name: _text(numbers) for name, numbers in (by.items() if isinstance(by, Mapping) else [(None, by)])
                }
                for key, by in (require or {}).items()
            }
        found: dict[str, dict[str | None, str]] = {}
        for each in require:
            parameters = [getattr(each.model, name) for name in each.model.form if name != "threshold"]
            numbers = [each.threshold, *parameters]
            found.setdefault(each.model.key, {})[each.attribute] = ",".join(map(written, numbers))
        return found

    def requirements(self) -> tuple[Requirement, ...]:
        """Return what must hold: thresholds for one attribute replace those for all, and these replace the preset's."""
        from tclose.models.catalogue import required_for_any, requirements
        from tclose.policy.presets import with_preset

        require = self.required.require
        if require is None or isinstance(require, Mapping):
            found: list[Requirement] = []
            for key, by in (require or {}).items():
                for attribute, threshold in self._spread(by if isinstance(by, Mapping) else {None: by}).items():
                    found += requirements({key: threshold if attribute is None else {attribute: threshold}})
        else:
            found = list(requirements(require))
        return required_for_any(with_preset(tuple(found), self.required.preset), self.required.any)

    def _spread(self, by_attribute: Mapping[str | None, Any]) -> Mapping[str | None, Any]:
        """Return thresholds with the general one written out for attributes without one of their own."""
        own: dict[str | None, Any] = {name: by_attribute[name] for name in by_attribute if name is not None}
        if None not in by_attribute or not own:
            return by_attribute
        others: dict[str | None, Any] = {name: by_attribute[None] for name in self.roles.sensitive if name not in own}
        return {**others, **own}

    def check_without_facts(self, what: str) -> None:
        """Refuse a policy whose requirements hold for someone who knows facts, where nothing would judge that."""
        if self.required.facts is not None:
            raise InputError(
                f"{what} judges classes, not what someone learns who knows facts, as the policy asks.",
                field="facts",
                hint=Hint("Leave {} out here, and audit what is published with it.", Ask("facts")),
            )

    @property
    def closed(self) -> bool:
        """Whether an audit fails where the table has columns that are not to be published."""
        said = self.required.unprotected
        return self.file is not None if said is None else said == "fail"

    @cached_property
    def inputs(self) -> dict[Path, str]:
        """Every file that is read, with what it is."""
        trees = [getattr(distance, "tree", None) for distance in self.roles.sensitive.values()]
        named = [tree for tree in (*trees, *self.columns.hierarchies.values()) if isinstance(tree, str | Path)]
        paths = map(hierarchy_path, named)
        found = {path: what for tree in paths for path, what in files_read(tree, "a hierarchy").items()}
        after = self.baseline.after or ()
        for name in (self.table, self.baseline.reference, self.baseline.population, *_several(after)):
            found |= files_read(name) if name is not None else {}
        found |= files_read(self.release.key_file or (), "the key")
        return found | files_read(self.file or (), "the policy")

    def with_table(self, table: object) -> Policy:
        """Return the policy for another table."""
        return replace(self, table=table)

    def with_options(self, said: Mapping[str, Any], origin: str = "") -> Policy:
        """Return the policy with other values of some options, by their names."""
        changed: dict[str, Any] = {}
        for name, part in parts_of(type(self)).items():
            here = {key: value for key, value in said.items() if key in declared(part)}
            if here:
                changed[name] = replace(getattr(self, name), **here)
        if origin:
            changed["origins"] = {**self.origins, **dict.fromkeys(said, origin)}
        return replace(self, **changed)


def _several(given: object) -> Iterable[object]:
    return given if isinstance(given, tuple | list) else [given]


def _text(numbers: object) -> str:
    if isinstance(numbers, str):
        return numbers
    if isinstance(numbers, Iterable):
        return ",".join(_text(number) for number in numbers)
    return repr(numbers) if isinstance(numbers, float) else written(numbers)


def parts_of(policy: type) -> dict[str, type[Part]]:
    """Return the parts that a policy is made of, by the names of its fields."""
    found: dict[str, type[Part]] = {}
    for each in fields(policy):
        part: object = each.default_factory
        if isinstance(part, type) and issubclass(part, Part):
            found[each.name] = part
    return found


def every_option() -> dict[str, Option]:
    """Return every option of a policy by its name, but for roles, which name columns."""
    return {name: each for part in parts_of(Policy).values() for name, each in declared(part).items()}
