"""What may be asked of a table, in parts: every option is a field here, of the roles, or of how files are read.

A verb's keywords are made of these parts (:mod:`tclose.policy.verbs`), and so is a
:class:`~tclose.policy.policy.Policy`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from tclose.engines.pseudonyms import MOST_DAYS, USUAL_DAYS
from tclose.models.populations import Sampling
from tclose.policy.exact_numbers import Number, share
from tclose.policy.options import (
    ANumber,
    ByColumn,
    Choice,
    ColumnName,
    FilePath,
    Kind,
    Many,
    Part,
    Schema,
    Seconds,
    Share,
    Switch,
    TableName,
    Tables,
    Text,
    UnfitError,
    Weight,
    Whole,
    option,
    spelled,
    words,
)

if TYPE_CHECKING:
    from tclose.data.hierarchies import Hierarchy
    from tclose.models.catalogue import Requirement, Wanted

GivenHierarchy: TypeAlias = "Hierarchy | Path | str | Mapping[str, Any]"
"""A hierarchy as a person gives it: itself, a file, a nested mapping, or words such as ``"intervals:5,10"``."""
MOST_EFFORT = 1000
AGAINST = ("both", "original")
FORMS = {"bounds": ("_low", "_high")}
"""Numbers that are published beside a text, and how the names of their columns end."""
USUAL_DIVISIONS, MOST_DIVISIONS = 2, 100
USUAL_METHODS = ("gather", "mondrian", "full-domain")
"""The methods that a frontier compares."""
_LEVELS = re.compile(r"\s*(\d{1,4})\s*(?:\.\.\s*(\d{1,4})\s*)?")


def _methods() -> tuple[str, ...]:
    from tclose.anonymization.algorithms.catalogue import AUTO, METHODS

    return (AUTO, *METHODS)


def _losses() -> tuple[str, ...]:
    from tclose.anonymization.algorithms.losses.catalogue import LOSSES

    return tuple(LOSSES)


def _presets() -> tuple[str, ...]:
    from tclose.policy.presets import PRESETS

    return tuple(PRESETS)


class Levels(Kind):
    """The level that a column is published on, or the finest and the coarsest that it may be."""

    metavar = "LEVELS"

    def read(self, value: object) -> Any:
        """Return a level, or two."""
        if isinstance(value, str):
            value = self.parse(value)
        if _is_level(value):
            return value
        pair = list(value) if isinstance(value, list | tuple) else []
        if len(pair) == 2 and all(map(_is_level, pair)) and pair[0] <= pair[1]:
            return pair[0], pair[1]
        raise UnfitError("must be a level such as 2, or the finest and the coarsest, such as 0..2.")

    def parse(self, text: str) -> object:
        """Return the levels that a text says: ``2``, or from the finest to the coarsest, ``0..2``."""
        match = _LEVELS.fullmatch(text)
        if match is None:
            return text
        return int(match[1]) if match[2] is None else (int(match[1]), int(match[2]))

    def plain(self, value: Any) -> object:
        """Return a level, or a list of two."""
        return list(value) if isinstance(value, tuple) else value

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        level = {"type": "integer", "minimum": 0}
        two = {"type": "array", "items": level, "minItems": 2, "maxItems": 2}
        return {"anyOf": [level, two, {"type": "string"}]}


def _is_level(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


class Tree(Kind):
    """A hierarchy: a file, words such as ``intervals:5,10``, a nested table, or in Python a hierarchy itself."""

    metavar = "HIERARCHY"

    def read(self, value: object) -> Any:
        """Return what names the hierarchy, or is it."""
        from tclose.data.hierarchies import Hierarchy

        if not isinstance(value, str | Path | Mapping | Hierarchy):
            raise UnfitError("must be a path, words such as 'intervals:5,10', or a nested table.")
        return value

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {"anyOf": [{"type": "string"}, {"type": "object"}]}


class Thresholds(Kind):
    """Requirements: thresholds by model, for all attributes or for one."""

    metavar = "THRESHOLD"

    def read(self, value: object) -> Any:
        """Return requirements as they were given; they are checked with the roles."""
        return dict(value) if isinstance(value, Mapping) else value


class Models(Kind):
    """Which models to measure."""

    metavar = "WHICH"

    def read(self, value: object) -> Any:
        """Return ``usual``, ``all``, or the keys of models."""
        if isinstance(value, str):
            return value
        if isinstance(value, Mapping) or not isinstance(value, Iterable):
            raise UnfitError("must be usual, all, or the keys of models.")
        return tuple(str(each) for each in value)

    def parse(self, text: str) -> object:
        """Return a word, or models by their keys."""
        return text if text in ("usual", "all") else [key.strip().replace("-", "_") for key in text.split(",")]

    def plain(self, value: Any) -> object:
        """Return a word, or a list of keys."""
        return value if isinstance(value, str) else list(value)

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {"anyOf": [{"enum": ["usual", "all"]}, {"type": "array", "items": {"type": "string"}}]}


class Line(Text):
    """A short text, or a date, as a report prints it."""

    def __init__(self) -> None:
        super().__init__(longest=600)

    def read(self, value: object) -> Any:
        """Return the text."""
        return super().read(value.isoformat() if isinstance(value, date) else value)


@dataclass(frozen=True, kw_only=True)
class Known(Part):
    """How much someone knows."""

    SECTION: ClassVar[str] = "Requirements"
    PLACE: ClassVar[str] = "policy"

    any: int | None = option(
        None, kind=Whole(1, 2**31, metavar="M"), label="Someone knows",
        help="Requirements hold for someone who knows at most M of the quasi-identifiers, whichever they are.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Requirements(Known):
    """What must hold."""

    SECTION: ClassVar[str] = "Requirements"
    PLACE: ClassVar[str] = "policy"

    require: Wanted | Mapping[str, Mapping[str | None, str]] | Iterable[Requirement] | None = option(
        None, kind=Thresholds(), command_line=False, file=False,
        help="Thresholds by model: {'k': 5, 't': '0.2'}; for one attribute {'t': {'salary': '1/5'}}.",
    )  # fmt: skip
    preset: str | None = option(
        None, kind=Choice(_presets, metavar="NAME"), label="A rule to meet", prominent=True,
        help="The requirements of a rule, such as ema-0070; 'tclose presets' lists them. Thresholds of your own take "
        "precedence.",
    )  # fmt: skip


TRAIT_RULES = ("refuse", "most-frequent", "missing")
"""What becomes of a trait of which somebody has two values: an error, the one in most rows, or a missing value."""


class TraitRules(Kind):
    """Columns that are traits, each with what becomes of two values of a person."""

    metavar = "COLUMN[=RULE]"
    repeats = True

    def read(self, value: object) -> Any:
        """Return the rule of each column."""
        given = [value] if isinstance(value, str) else value
        if not isinstance(given, Iterable):
            raise UnfitError("must be a list of columns, each with a rule if it has one: sex=most-frequent.")
        pairs = given.items() if isinstance(given, Mapping) else [_with_rule(str(each)) for each in given]
        found = {str(name): str(rule) for name, rule in pairs}
        for name, rule in found.items():
            if rule not in TRAIT_RULES:
                raise UnfitError(f"must say of {name!r} one of {', '.join(TRAIT_RULES)}, not {rule!r}.")
        return found

    def parse(self, text: str) -> object:
        """Return a list of the one that a text names."""
        return [text]

    def plain(self, value: Any) -> object:
        """Return them as a list."""
        return [f"{name}={rule}" for name, rule in value.items()]  # always: a name may end as if it had a rule

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        text = {"type": "string"}
        rules = {"type": "object", "additionalProperties": {"enum": list(TRAIT_RULES)}}
        return {"anyOf": [text, {"type": "array", "items": text}, rules]}


def _with_rule(text: str) -> tuple[str, str]:
    name, _, rule = text.rpartition("=") if text.rpartition("=")[2] in TRAIT_RULES else (text, "", TRAIT_RULES[0])
    return name, rule


@dataclass(frozen=True, kw_only=True)
class KnownFacts(Part):
    """How much someone knows of people who have several rows."""

    SECTION: ClassVar[str] = "Requirements"
    PLACE: ClassVar[str] = "policy"

    facts: int | None = option(
        None, kind=Whole(0, 2**31, metavar="M"), label="Someone knows facts", page=False,
        help="Requirements also hold for someone who knows the traits of a person and at most M of their facts, such "
        "as visits: rows, by the quasi-identifiers that change.",
    )  # fmt: skip
    facts_as: str = option(
        "multiset", kind=words("multiset", "set"), label="Facts are known", page=False,
        help="Whether it is known how often a fact is true of a person (multiset), or only that it is (set).",
    )  # fmt: skip
    traits: Mapping[str, str] = option(
        {}, kind=TraitRules(), flags=("--trait",), label="Traits", page=False,
        help="A quasi-identifier that is a trait of people, and what becomes of two values of a person: refuse (the "
        "default), most-frequent or missing. Repeatable.",
    )  # fmt: skip
    fact_columns: Sequence[str] = option(
        (), kind=Many(Text("COLUMN")), flags=("--fact-column",), label="Columns of facts", page=False,
        help="A quasi-identifier that is part of the facts although few people, or none, have two values. Repeatable.",
    )  # fmt: skip
    fact_sets: int = option(
        10**9, kind=Whole(1, 2**62), label="Sets of facts to count", page=False,
        help="At most how many sets of facts are counted; beyond, some are drawn, and the verdict is no pass.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ReferenceTable(Part):
    """What classes are compared with."""

    SECTION: ClassVar[str] = "Compared with"
    PLACE: ClassVar[str] = "table"

    reference: object | None = option(
        None, kind=TableName(),
        help="Compare classes with this table's distribution instead of the audited one's.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PopulationTable(Part):
    """The people the table was drawn from, as a table."""

    SECTION: ClassVar[str] = "Compared with"
    PLACE: ClassVar[str] = "table"

    population: object | None = option(
        None, kind=TableName(),
        help="The people the table was drawn from, for journalist risk, k-map and δ-presence.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Sample(Part):
    """How the table was drawn from a population of which there is no table."""

    SECTION: ClassVar[str] = "Compared with"
    PLACE: ClassVar[str] = "policy"

    population_size: int | None = option(
        None, kind=Whole(1, 10**15), label="People in the population",
        help="How many people the table was drawn from, to estimate who is unique among them.",
    )  # fmt: skip
    sampling_fraction: Number | None = option(
        None, kind=Share(above_zero=True), label="Share of the population that was drawn",
        help="Instead, the share of the population that was drawn, such as 0.01.",
    )  # fmt: skip
    weight_column: str | None = option(
        None, kind=ColumnName(), label="Column of weights",
        help="Instead, the column with the number of people that each row stands for.",
    )  # fmt: skip

    def __post_init__(self) -> None:
        """Check that the population is described in one way."""
        super().__post_init__()
        Sampling.of(self.population_size, self.sampling_fraction, self.weight_column)

    @property
    def sampling(self) -> Sampling | None:
        """How the table was drawn, where that is said."""
        return Sampling.of(self.population_size, self.sampling_fraction, self.weight_column)


@dataclass(frozen=True, kw_only=True)
class Previous(Part):
    """Releases that are out already."""

    SECTION: ClassVar[str] = "Compared with"

    after: object | Sequence[object] | None = option(
        None, kind=Tables("RELEASE"), file=False,
        help="A previous release about the same people: what do the two reveal together? Repeatable.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Measuring(Part):
    """What an audit measures."""

    SECTION: ClassVar[str] = "Measuring"
    PLACE: ClassVar[str] = "audit"

    measure: str | Iterable[str] = option("usual", kind=Models(), help="usual, all, or models by their keys: k,t,js.")
    drivers: bool | None = option(
        None, kind=Switch(),
        help="Measure t without each quasi-identifier; by default up to a million rows.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Hierarchies(Part):
    """How quasi-identifiers are generalised."""

    SECTION: ClassVar[str] = "Roles"
    PLACE: ClassVar[str] = "columns"

    hierarchies: Mapping[str, GivenHierarchy] = option(
        {}, kind=ByColumn(Tree()), flags=("--hierarchy",), label="Generalised", usual=True,
        help="How a column is generalised: a file, or words such as mask, flat or intervals:5,10.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Columns(Hierarchies):
    """How far quasi-identifiers may be generalised, and how much each counts."""

    levels: Mapping[str, int | tuple[int, int]] = option(
        {}, kind=ByColumn(Levels()), label="Levels",
        help="The level that a quasi-identifier is published on, 2, or may be, 0..2. Repeatable.",
    )  # fmt: skip
    weights: Mapping[str, float] = option(
        {}, kind=ByColumn(Weight()), flags=("--weight",), label="Weight",
        help="How much a quasi-identifier counts in the loss; 1 by default. Repeatable.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SensitiveColumns(Part):
    """How the values of sensitive attributes are read; in Python their distances say it, such as ``Ordered``."""

    SECTION: ClassVar[str] = "Roles"
    PLACE: ClassVar[str] = "columns"

    order: Mapping[str, Any] = option(
        {}, kind=ByColumn(Text("ORDER")), label="Order",
        help="The order of a sensitive attribute: value, frequency, or its values a,b,c.",
    )  # fmt: skip
    round: Mapping[str, Any] = option(
        {}, kind=ByColumn(Text("STEP")), label="Rounded to",
        help="Round a sensitive number to multiples of a step, such as 1000 or 0.5, before it is measured; a release "
        "has the rounded numbers. none: not, although the policy says so.",
    )  # fmt: skip
    nulls: Mapping[str, Any] = option(
        {}, kind=ByColumn(Text("MEANING")), label="Missing values",
        help="What a missing value means: drop, first, last, category or error.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PublishedNumbers(Part):
    """Numbers beside generalised texts."""

    SECTION: ClassVar[str] = "Release"
    PLACE: ClassVar[str] = "columns"

    numbers: Mapping[str, str] = option(
        {}, kind=ByColumn(Choice(lambda: FORMS, metavar="FORM")), label="Numbers beside the text",
        help="Numbers beside the text of a quasi-identifier: bounds (NAME_low, NAME_high).",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Pointing(Part):
    """Values in the place of cells."""

    SECTION: ClassVar[str] = "Release"
    PLACE: ClassVar[str] = "release"

    points: str = option(
        "none", kind=words("none", "class", "row"), label="Values in the place of cells",
        help="Publish values to compute with in the place of cells. class: one for each class, so that the table of "
        "values meets what is required, too. row: one for each row, nearer to the original, but only the cells meet "
        "it. none: the cells, by default.",
    )  # fmt: skip
    rake: bool = option(
        False, kind=Switch(negative=False), label="Fit values to published counts",
        help="Fit the values to counts of each column, which are then published: rounded to 50, and withheld under 30 "
        "people. They can narrow cells down.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Searching(Part):
    """What every search for releases is told."""

    SECTION: ClassVar[str] = "Release"
    PLACE: ClassVar[str] = "release"

    suppress: Number = option(
        "0", kind=Share(), label="Share of rows that may be left out", usual=True,
        help="Largest share of rows to suppress; 0 by default.",
    )  # fmt: skip
    loss: str = option(
        "lm", kind=Choice(_losses, metavar="LOSS"), label="Lose least of", prominent=True,
        help="The information loss to minimise; lm by default. 'docs/losses.md' describes each.",
    )  # fmt: skip
    intervals: bool = option(
        True, kind=Switch(), label="Intervals of their own for numbers and dates", prominent=True,
        help="Whether numbers and dates may be published as intervals of their own; yes by default.",
    )  # fmt: skip
    effort: int = option(
        1, kind=Whole(0, MOST_EFFORT), label="Effort",
        help="How long a release is improved, as a multiple of the usual time: 1 by default, 0 not at all.",
    )  # fmt: skip
    seed: int | None = option(
        None, kind=Whole(0, 2**63 - 1), label="Seed",
        help="Decides what is left to chance; secret by default: made from your key and the table.",
    )  # fmt: skip

    @property
    def suppressed_share(self) -> Fraction:
        """The largest share of rows that may be suppressed."""
        return share(self.suppress, "suppress")


@dataclass(frozen=True, kw_only=True)
class Choosing(Part):
    """How one release is searched for."""

    SECTION: ClassVar[str] = "Release"
    PLACE: ClassVar[str] = "release"

    method: str = option(
        "auto", kind=Choice(_methods, metavar="METHOD"), label="Method", usual=True,
        help="How to search for a release; auto by default.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Judging(Part):
    """How searches judge what they find."""

    SECTION: ClassVar[str] = "Release"
    PLACE: ClassVar[str] = "release"

    pruned: bool = option(
        False, kind=Switch(), label="Skip what is unlikely to be best",
        help="Whether a full-domain search with suppression may skip nodes that are unlikely to be best.",
    )  # fmt: skip
    against: str = option(
        "both", kind=words(*AGAINST), label="Requirements hold against",
        help="Meet the requirements against the original's distribution and the release's own (both), or only the "
        "first (original).",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Withstanding(Part):
    """What attackers may gain."""

    SECTION: ClassVar[str] = "Requirements"
    PLACE: ClassVar[str] = "policy"

    withstand: Number | None = option(
        None, kind=Share(), label="Largest gain of an attacker", bare="0.01",
        help="The largest gain that an attacker of a release may have, from 0 to 1.",
    )  # fmt: skip

    @property
    def largest_gain(self) -> Fraction | None:
        """The largest gain that an attacker may have, where one is required."""
        return None if self.withstand is None else share(self.withstand, "withstand")


@dataclass(frozen=True, kw_only=True)
class Closing(Part):
    """What becomes of an audit where a file holds columns that its policy does not publish."""

    SECTION: ClassVar[str] = "Requirements"
    PLACE: ClassVar[str] = "policy"

    unprotected: str | None = option(
        None, kind=words("fail", "tell"), label="Columns that are not to be published",
        help="A file that holds a column which the policy withholds or does not name: fail, or only tell. By default "
        "fail where a policy file decides, else tell.",
    )  # fmt: skip


class Acceptances(Kind):
    """Reasons that somebody accepts, each by its code, or its code and a column, with why."""

    metavar = "CODE[:COLUMN]=WHY"
    repeats = True

    def read(self, value: object) -> Any:
        """Return why each is accepted, by its name."""
        given = (
            value.items() if isinstance(value, Mapping) else [str(each).partition("=")[::2] for each in _each(value)]
        )
        found = {str(name).strip(): str(why).strip() for name, why in given}
        for name, why in found.items():
            if not why:
                raise UnfitError(f"must say why {name!r} is accepted.")
        return found

    def parse(self, text: str) -> object:
        """Return the one that a text names."""
        return [text]

    def plain(self, value: Any) -> object:
        """Return them as a list."""
        return [f"{name}={why}" for name, why in value.items()]

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        text = {"type": "string"}
        return {"anyOf": [text, {"type": "array", "items": text}, {"type": "object", "additionalProperties": text}]}


def _each(value: object) -> Iterable[object]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Iterable):
        raise UnfitError("must say what is accepted and why, such as 'rows-not-people=each row is one person'.")
    return value


@dataclass(frozen=True, kw_only=True)
class Accepting(Part):
    """What somebody accepts of a verdict that is not true of people."""

    SECTION: ClassVar[str] = "Requirements"
    PLACE: ClassVar[str] = "policy"

    accept: Mapping[str, str] = option(
        {}, kind=Acceptances(), label="Accepted, and why", page=False,
        help="Accept one reason why the verdict is qualified, by its code, and say why. The report prints it.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Keys(Part):
    """Where the secret is that seeds, pseudonyms and shifted dates are made with."""

    SECTION: ClassVar[str] = "Release"
    PLACE: ClassVar[str] = "release"

    key_file: str | None = option(
        None, kind=FilePath(), page=False,
        help="A file with a secret of at least 16 bytes: pseudonyms and offsets are then the same in every release, "
        "and a table has the same seed on every machine.",
    )  # fmt: skip
    key_variable: str | None = option(
        None, kind=Text("NAME"), page=False, help="The same secret in a variable of the environment."
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Shifting(Part):
    """How dates are shifted."""

    SECTION: ClassVar[str] = "Release"
    PLACE: ClassVar[str] = "release"

    shift_days: int = option(
        USUAL_DAYS, kind=Whole(1, MOST_DAYS), label="Days to shift",
        help=f"By how many days dates are shifted at most, forwards or backwards; {USUAL_DAYS} by default.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Hurrying(Part):
    """When a search is content."""

    SECTION: ClassVar[str] = "Release"

    within: float | None = option(
        None, kind=Seconds(), file=False,
        help="After so many seconds, accept the best release found so far, as soon as there is one.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions(Hurrying, Shifting, Keys, Pointing, Judging, Searching, Choosing):
    """How a release is made; the last part comes first where options are listed."""


@dataclass(frozen=True, kw_only=True)
class Attacking(Part):
    """How a release is attacked."""

    SECTION: ClassVar[str] = "Attack"
    PLACE: ClassVar[str] = "attack"

    attackers: Sequence[str] | None = option(
        None, kind=Many(Text("NAME"), commas=True),
        help="The attackers to try; all that apply by default. 'docs/attacks.md' describes each.",
    )  # fmt: skip
    divisions: int = option(
        USUAL_DIVISIONS, kind=Whole(1, MOST_DIVISIONS),
        help=f"How often half of the table is released and attacked; {USUAL_DIVISIONS} by default.",
    )  # fmt: skip
    twice: bool = option(
        False, kind=Switch(negative=False),
        help="Release each half twice, for an attacker who has both releases.",
    )  # fmt: skip
    release: object | None = option(
        None, kind=TableName("FILE"), file=False,
        help="Attack a release that exists, of TABLE or of --original; nothing is divided or released.",
    )  # fmt: skip
    previous: Sequence[object] = option(
        (), kind=Tables("FILE"), file=False,
        help="With a release that exists: another release about the same people, for an attacker who has both. "
        "Repeatable.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Sweeping(Part):
    """Which thresholds a frontier tries."""

    SECTION: ClassVar[str] = "What to sweep"
    PLACE: ClassVar[str] = "frontier"

    sweep: str = option("t", kind=Text("MODEL"), help="The model whose threshold is swept; t by default.")
    values: Iterable[Number] | None = option(
        None, kind=Many(ANumber(), commas=True),
        help="The thresholds to try; a usual range of t or k by default.",
    )  # fmt: skip
    methods: Sequence[str] = option(
        USUAL_METHODS, kind=Many(Choice(_methods, metavar="METHOD"), commas=True),
        help="The methods to compare.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Resources(Part):
    """What the engine may use."""

    SECTION: ClassVar[str] = "Running"

    memory: str | None = option(None, kind=Text("SIZE"), file=False, help="The most memory to use, such as 4GB.")
    threads: int | None = option(None, kind=Whole(1, 2**15), file=False, help="How many threads to use.")
    temp: str | None = option(
        None, kind=FilePath("FOLDER"), file=False, help="Where to put what does not fit into memory."
    )

    @property
    def given(self) -> dict[str, Any]:
        """All of it, as engines are told."""
        return {"memory": self.memory, "threads": self.threads, "temp": self.temp}


@dataclass(frozen=True, kw_only=True)
class About(Part):
    """What reports say of their purpose and of people; what is left out is left to be written by hand."""

    SECTION: ClassVar[str] = "Report"
    PLACE: ClassVar[str] = "report"

    purpose: str = option("", kind=Line(), command_line=False, label="What it is for", help="What the table is for.")
    recipient: str = option("", kind=Line(), command_line=False, label="Who gets it", help="Who gets it.")
    author: str = option(
        "", kind=Line(), command_line=False, label="Made by", help="Who made the report: name and position."
    )
    approver: str = option(
        "", kind=Line(), command_line=False, label="Approved by", help="Who decides: name and position."
    )
    review: str = option(
        "", kind=Line(), command_line=False, label="To be reviewed", help="When it is to be looked at again."
    )


for _part in [each for each in globals().values() if isinstance(each, type) and issubclass(each, Part)]:
    if _part is not Part:
        spelled(_part, "NAME={}")
