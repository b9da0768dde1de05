"""What an audit found: figures, verdicts and the classes behind them, as plain frozen data."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from tclose.auditing.composition import Composition
from tclose.auditing.facts import Facts, Linked
from tclose.auditing.verdicts import Outcome, Reason, accepted, check_accepted, verdict_of
from tclose.data.text_encoding import holdable
from tclose.engines.class_tables import ClassTable
from tclose.engines.people import Trajectories
from tclose.errors import Hint, InputError, Note, listed
from tclose.models.base import Model
from tclose.models.catalogue import Requirement, label
from tclose.models.counts import ClassPeople, Unit
from tclose.models.domains import Domain
from tclose.models.populations.findings import PopulationFinding
from tclose.policy.parts import About
from tclose.policy.presets import Applied
from tclose.policy.roles import Distance, Roles

Value = Fraction | int | float
"""A figure: a fraction or whole number where it has one, else a float."""


@dataclass(frozen=True)
class WorstClass:
    """The class that decides a figure; of several, the first in the order of their keys."""

    key: Mapping[str, object] = field(repr=False)
    size: int
    tied: int
    """How many classes share the figure."""


@dataclass(frozen=True)
class Figure:
    """One privacy figure of the table or of an attribute."""

    model: Model
    value: Value
    """Exact where the model has an exact figure."""
    worst: WorstClass | None
    details: Mapping[str, Value] = field(default_factory=dict)
    """Further numbers of the same model, by name."""
    unit: Unit = "rows"
    """What it counts."""
    known: tuple[str, ...] | None = None
    """Which quasi-identifiers someone must know for it, where that need not be all; None where it is all."""

    @property
    def exact(self) -> Fraction | int | None:
        """The figure as a fraction or whole number, or None where it has none."""
        return self.value if isinstance(self.value, Fraction | int) else None


@dataclass(frozen=True)
class Verdict:
    """Whether a requirement is met, by how much it is missed and where."""

    requirement: Requirement
    holds: bool
    figure: Figure
    failing_classes: int
    failing_rows: int
    """The rows in these classes; where people are counted, the people.

    Of several combinations of columns, each row once, and of people those whom one combination finds at most."""
    vacuous: bool
    """Whether no class of any table with this reference could fail it."""
    at_most: bool = False
    """Whether there may be fewer: somebody may be in several of these classes, and nobody counted who is."""
    failing_subsets: int | None = None
    """With how many combinations of columns a class misses it; None where all columns are taken to be known."""

    @property
    def attribute(self) -> str | None:
        """The sensitive attribute, or None for a figure of the table."""
        return self.requirement.attribute

    def __bool__(self) -> bool:
        """Say whether it holds, so that ``all(audit.verdicts)`` means what it says."""
        return self.holds


@dataclass(frozen=True)
class AnyColumns:
    """The figures for whoever knows at most so many of the quasi-identifiers: the worst of every subset of them."""

    most: int
    subsets: int
    """How many subsets of 1 to ``most`` columns there are."""
    figures: Mapping[str, Figure]
    """Figures of the table, by model key."""
    attributes: Mapping[str, Mapping[str, Figure]]
    """Figures of each sensitive attribute, by model key."""


@dataclass(frozen=True)
class Averages:
    """The t of classes on average over rows, which moves where the largest t of all does not."""

    as_is: float
    without: Mapping[str, float]
    """With each quasi-identifier left out."""


@dataclass(frozen=True)
class AttributeAudit:
    """The figures of one sensitive attribute."""

    name: str
    distance: Distance
    values: int
    """How many different values the attribute's domain has."""
    left_out: int
    """Rows, or people where they are counted, that carry no value and were left out."""
    figures: Mapping[str, Figure]
    """By model key."""
    largest_t: Fraction
    """The largest t any class could have; a threshold at or above it is vacuous."""
    notes: tuple[Note, ...]
    drivers: Mapping[str, Fraction] | None = None
    """t with each quasi-identifier left out; the lowest marks the one that drives the disclosure."""
    averages: Averages | None = field(default=None, compare=False)
    """Where leaving out no one of them lowers t: t on average. None elsewhere, and where classes are far away."""

    def __getitem__(self, key: str) -> Figure:
        return _figure(self.figures, key, f"attribute {self.name!r}")

    @property
    def t(self) -> Value:
        """The smallest t that the attribute meets."""
        return self["t"].value

    @property
    def l(self) -> Value:  # noqa: E743 - the model's own name
        """The number of different values in the class that has fewest."""
        return self["l"].value


class Evidence(Protocol):
    """The way back from a figure to the counts behind it: the values of one attribute in any one class."""

    @property
    def domain(self) -> Domain:
        """The attribute's values in their order."""
        ...

    @property
    def quasi(self) -> tuple[str, ...]:
        """The columns of a class key."""
        ...

    def histogram(self, key: Mapping[str, object]) -> list[int]:
        """Return how many rows of a class carry each value; all 0 if there is no such class."""
        ...

    def held(self, key: Mapping[str, object]) -> ClassPeople | None:
        """Return the people of a class; None where everybody has one value, or where rows are counted."""
        ...

    def matching(self, key: Mapping[str, object]) -> int:
        """Return how many classes have these values in the columns that are named."""
        ...

    @property
    def present(self) -> Evidence | None:
        """The same without missing values, where they count as a value; None elsewhere."""
        ...


@dataclass(frozen=True)
class KeptEvidence:
    """The counts of some classes, without the table that they are of: what a pickle keeps."""

    domain: Domain
    quasi: tuple[str, ...]
    counts: tuple[tuple[Mapping[str, object], list[int], ClassPeople | None], ...] = field(repr=False)
    present: KeptEvidence | None = None
    """The same without missing values, where they count as a value."""

    @staticmethod
    def of(evidence: Evidence, keys: Iterable[Mapping[str, object]]) -> KeptEvidence:
        """Return the counts of the classes of some keys."""
        every = list(keys)
        kept = tuple((key, evidence.histogram(key), evidence.held(key)) for key in every)
        present = None if evidence.present is None else KeptEvidence.of(evidence.present, every)
        return KeptEvidence(evidence.domain, evidence.quasi, kept, present)

    def histogram(self, key: Mapping[str, object]) -> list[int]:
        """Return how many rows of a class carry each value; refuse a class that was not kept."""
        return self._kept(key)[0]

    def held(self, key: Mapping[str, object]) -> ClassPeople | None:
        """Return the people of a class; refuse a class that was not kept."""
        return self._kept(key)[1]

    def _kept(self, key: Mapping[str, object]) -> tuple[list[int], ClassPeople | None]:
        for kept, counts, held in self.counts:
            if dict(kept) == dict(key):
                return counts, held
        raise InputError(
            "A pickled audit has the counts of the classes that decide its figures and of no other; audit the table "
            "again."
        )

    def matching(self, key: Mapping[str, object]) -> int:
        """Return how many of the kept classes have these values."""
        return sum(all(kept.get(name) == value for name, value in key.items()) for kept, *_ in self.counts)


@dataclass(frozen=True)
class Exposed:
    """How alike people look to someone who knows the columns that are published as they are, too."""

    columns: tuple[str, ...]
    k: int
    """The size of the smallest class of the quasi-identifiers and these columns."""
    alone: int
    """How many classes hold a single row, or person."""


@dataclass(frozen=True)
class ColumnDecision:
    """A column of an audited table, and what was decided on it."""

    name: str
    decision: str | None
    """Its role, else what becomes of columns without one; None where nobody decided."""
    protected: bool
    """Whether requirements speak of it: a quasi-identifier or a sensitive attribute."""
    withheld: bool
    """Whether it is not to be published: removed, an identifier, undecided, or not decided on by anybody."""

    @staticmethod
    def of(roles: Roles, columns: Iterable[str]) -> tuple[ColumnDecision, ...]:
        """Return what roles decide on the columns of a table."""
        known = roles.decisions
        others = roles.others if roles.others in ("publish", "remove") else None
        decided = ((name, known.get(name, others)) for name in columns)
        return tuple(
            ColumnDecision(name, decision, decision in ("quasi-identifier", "sensitive"), decision not in _PUBLISHED)
            for name, decision in decided
        )


_PUBLISHED = ("quasi-identifier", "sensitive", "pseudonym", "shifted", "publish")


@dataclass(frozen=True)
class Audit:
    """What a table gives away, and whether it meets its requirements.

    ``audit["salary"].t`` is a figure, ``audit.holds`` the verdict, ``audit.classes`` every class;
    ``print(audit)`` is the report for people and ``audit.to_json()`` the one for machines.
    """

    source: str
    roles: Roles
    rows: int
    class_count: int
    figures: Mapping[str, Figure]
    """Figures of the whole table, by model key."""
    attributes: Mapping[str, AttributeAudit]
    verdicts: tuple[Verdict, ...]
    reference: str
    """What classes were compared with, in words."""
    notes: tuple[Note, ...]
    unprotected: tuple[str, ...]
    """The columns that are published as they stand: neither quasi-identifiers nor sensitive."""
    evidence: Mapping[str, Evidence] = field(repr=False, compare=False)
    """The counts behind the figures, by attribute."""
    tables: Mapping[str | None, ClassTable] = field(repr=False, compare=False)
    """The classes; under None those of the quasi-identifiers, under a name those of an attribute of its own."""
    any: AnyColumns | None = None
    """What someone can tell who knows only some of the quasi-identifiers, where that was asked."""
    population: PopulationFinding | None = None
    """What was estimated of the population that the table was drawn from, where that was asked."""
    preset: Applied | None = None
    """The rule that was asked for by its name, and what it checked of columns."""
    composition: Composition | None = None
    """What the table and previous releases say together, where that was asked."""
    linked: tuple[Linked, ...] = ()
    """How many people one of their rows tells apart, and two, where pseudonyms link rows and no facts were asked of."""
    facts: Facts | None = None
    """What someone learns who knows the traits of a person and some of their facts, where that was asked."""
    warnings: tuple[Note, ...] = ()
    """What somebody must know who reads the figures, in sentences."""
    people: int | None = None
    """How many people the rows are of, where people were counted; None where rows were."""
    trajectories: Trajectories | None = None
    """By which sets of classes people are told apart, where people were counted."""
    naming: tuple[str, ...] = ()
    """The columns of the table that name people: identifiers, and the one that tells people apart."""
    columns: tuple[ColumnDecision, ...] = ()
    """Every column of the table, and what was decided on it; empty of the audit of a release that is being made."""
    closed: bool = False
    """Whether the audit fails where the table has a column that is not to be published."""
    exposed: Exposed | None = None
    """What the columns that are published as they are add to the quasi-identifiers; None where that was not counted."""
    reasons: tuple[Reason, ...] = ()
    """Why the verdict is not true of people, or cannot be given, although every requirement is met."""
    few: int = 0
    """A class of fewer shows single people: the k that is required, else 5; 0 where the table is about nobody."""
    shows_people: bool = False
    """Whether documents show such classes, which they withhold unless that was asked for."""

    @property
    def unit(self) -> Unit:
        """What every figure counts."""
        return "rows" if self.people is None else "people"

    @property
    def verdict(self) -> Outcome | None:
        """The verdict: ``"pass"``, ``"fail"``, ``"qualified"`` or ``"undetermined"``; None if nothing was required.

        It is qualified where every requirement is met, but of rows or classes and not of people, unless somebody
        accepted that. It is undetermined where a figure is not known. ``reasons`` says why.
        """
        return None if self.met is None else verdict_of(self.reasons, met=self.met)

    @property
    def holds(self) -> bool | None:
        """Whether the verdict is a pass; None if nothing was required, and no column fails."""
        return None if self.verdict is None else self.verdict == "pass"

    @property
    def met(self) -> bool | None:
        """Whether every requirement is met and no column fails; None if nothing was required, and no column fails."""
        if self.failing_columns:
            return False
        return all(self.judged) if self.judged else None

    def accepting(self, accept: Mapping[str, str]) -> Audit:
        """Return the audit with reasons accepted, each by its code, or its code and a column, with why."""
        check_accepted(self.reasons, accept)
        return replace(self, reasons=accepted(self.reasons, accept))

    @property
    def failing_columns(self) -> tuple[ColumnDecision, ...]:
        """The columns that the table has although they are not to be published; none where that is only told."""
        return tuple(each for each in self.columns if each.withheld) if self.closed else ()

    @property
    def judged(self) -> list[bool]:
        """Whether each requirement is met, with previous releases and with facts too, and each check of a preset."""
        checks = () if self.preset is None else self.preset.checks
        joint = () if self.composition is None else self.composition.verdicts
        facts = () if self.facts is None else self.facts.verdicts
        return [each.holds for some in (self.verdicts, checks, joint, facts) for each in some]

    @property
    def has_few(self) -> bool:
        """Whether there are classes that show single people."""
        own = self.roles.together == "quasi" and len(self.roles.sensitive) > 1
        return self.few > 0 and (own or self.k < self.few)

    def hides(self, size: int) -> bool:
        """Say whether documents withhold a class of a size, for it shows single people."""
        return size < self.few and not self.shows_people

    def with_people(self) -> Audit:
        """Return the audit for those who may see single people: its documents show small classes, and say so."""
        return replace(self, shows_people=True)

    @property
    def k(self) -> int:
        """The size of the smallest class."""
        return int(self.figures["k"].value)

    @property
    def classes(self) -> ClassTable:
        """All classes of the quasi-identifiers."""
        return self.tables[None]

    def __bool__(self) -> bool:
        """Say whether every requirement holds; where nothing was required, there is nothing to say."""
        if self.holds is None:
            raise InputError(
                "Nothing was required, so that an audit is neither true nor false; ask it for its figures."
            )
        return self.holds

    def __iter__(self) -> Iterator[str]:
        return iter(self.attributes)

    def __contains__(self, name: object) -> bool:
        return name in self.attributes

    def __getitem__(self, name: str) -> AttributeAudit:
        """Return a sensitive attribute by its name; ``figures`` has the figures of the table by their models' keys."""
        if name in self.attributes:
            return self.attributes[name]
        hint = Hint("The table's figure is figures[{}].", repr(name)) if name in self.figures else None
        raise InputError(f"{name!r} is no audited attribute; there are {listed(self.attributes)}.", hint=hint)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: everything, but of the counts only those of the classes that reports name."""
        evidence = {name: KeptEvidence.of(found, self._named_keys(name)) for name, found in self.evidence.items()}
        return {**self.__dict__, "evidence": evidence}

    def _named_keys(self, attribute: str) -> list[Mapping[str, object]]:
        """Return the keys of the classes that decide a figure of an attribute, and of those that reports draw."""
        from tclose.reports.charts.audits import worst_keys

        named = [figure.worst.key for figure in self.figures_of(attribute) if figure.worst is not None]
        return [*named, *(key for key, _ in worst_keys(self, attribute))]

    def figures_of(self, attribute: str) -> list[Figure]:
        """Return every figure of an attribute, also those for whoever knows only some of the columns."""
        figures = [*self.attributes[attribute].figures.values()] if attribute in self.attributes else []
        return [*figures, *([] if self.any is None else self.any.attributes.get(attribute, {}).values())]

    def __deepcopy__(self, memo: object) -> Audit:
        """Return the audit itself, which nothing can change."""
        del memo
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as JSON-ready data; ``docs/audit.schema.json`` describes it."""
        from tclose.reports.machine_readable.audits import audit_data

        return audit_data(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the audit as JSON text."""
        from tclose.reports.machine_readable.audits import audit_json

        return audit_json(self, indent=indent)

    def to_html(
        self,
        *,
        show_classes: int = 5,
        redact: bool = False,
        about: About | None = None,
        template: str | Path | None = None,
    ) -> str:
        """Return the audit as a report: a page that stands alone, ready to be printed and signed.

        Parameters
        ----------
        show_classes
            How many of the worst classes to list.
        redact
            Whether to leave out every class key and every value of the table.
        about
            What it is for, and who answers for it.
        template
            A template of Jinja in place of the usual one.
        """
        from tclose.reports.content.audit_reports import audit_report
        from tclose.reports.formats.html import report

        told = audit_report(self, show_classes=show_classes, redact=redact, about=about)
        return report(told, template=template)

    def to_markdown(self, *, show_classes: int = 5) -> str:
        """Return the audit as Markdown, with the worst classes of each attribute."""
        from tclose.reports.content.audits import audit_document
        from tclose.reports.formats.markdown import markdown

        return markdown(audit_document(self, show_classes=show_classes))

    def __str__(self) -> str:
        from tclose.reports.content.audits import audit_document
        from tclose.reports.formats.text import text

        return holdable(text(audit_document(self)), sys.stdout)

    def _repr_html_(self) -> str:
        from tclose.reports.content.audits import audit_document
        from tclose.reports.formats.html import fragment
        from tclose.reports.phrases.cells import unfoldered

        return fragment(audit_document(unfoldered(self)))


def _figure(figures: Mapping[str, Figure], key: str, where: str) -> Figure:
    if key in figures:
        return figures[key]
    raise InputError(f"{key!r} was not measured for {where}; measure='all' measures every model.")


__all__ = [
    "AnyColumns", "AttributeAudit", "Audit", "ClassTable", "Figure", "Requirement", "Value", "Verdict", "WorstClass",
    "label",
]  # fmt: skip
