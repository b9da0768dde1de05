"""The catalogue of presets: what each rule asks, the requirements that stand for it, and what it does not cover."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tclose.errors import InputError, listed, meant
from tclose.models.catalogue import Requirement, requirements


@dataclass(frozen=True)
class Preset:
    """A rule, the requirements that stand for it, and what they do not cover."""

    key: str
    title: str
    asks: str
    """What the rule asks, in a sentence."""
    source: str
    """Where it is written."""
    not_covered: tuple[str, ...]
    """What these requirements leave to a person, in sentences."""
    thresholds: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The requirements, as a person would write them."""
    why: str = ""
    """Why the thresholds are these."""
    checks_columns: bool = False
    """Whether columns and their values are checked too."""


@dataclass(frozen=True)
class Check:
    """Something that a preset asks of columns and their values, and the columns that miss it."""

    rule: str
    """The paragraph of the rule."""
    text: str
    """What must hold, in a sentence."""
    missed: Mapping[str, int] = field(default_factory=dict, hash=False)
    """How many rows of a column miss it, by the name of the column."""

    @property
    def holds(self) -> bool:
        """Whether no column misses it."""
        return not self.missed


@dataclass(frozen=True)
class Applied:
    """A preset as it was applied to a table: what it checked of its columns."""

    preset: Preset
    checks: tuple[Check, ...] = ()


_NO_INFERENCE = "What a class gives away of a sensitive value, if everybody in it shares it: require l or t besides."
_SEVERAL = "Several rows of one person: name the person column, so that people are counted and not rows."
_OTHER_TABLES = "Other tables and releases with the same people."
_CELLS = (
    "Cells that can be computed from others: totals, differences of two tables.",
    _NO_INFERENCE,
    _SEVERAL,
)
_NINE_PER_CENT = (
    "0.09 is the usual short form of one in eleven. 1/11 is 0.0909…, so that the number 0.09 itself would refuse "
    "classes of eleven; this preset says 1/11."
)

PRESETS: dict[str, Preset] = {
    preset.key: preset
    for preset in (
        Preset(
            "ema-0070",
            "EMA Policy 0070",
            "The largest risk to be found again is at most 0.09: every class has at least eleven people.",
            "European Medicines Agency, external guidance on Policy 0070, chapter on anonymisation",
            (
                "The report on identifiers, techniques and risks: tclose anonymize --report writes most of it.",
                "Whether similar studies or other data about the same people are in reach of an attacker.",
                _NO_INFERENCE,
                _SEVERAL,
            ),
            {"prosecutor": "1/11"},
            _NINE_PER_CENT,
        ),
        Preset(
            "health-canada-prci",
            "Health Canada, public release of clinical information",
            "The largest risk to be found again is at most 0.09: every class has at least eleven people.",
            "Health Canada, guidance on the public release of clinical information, anonymisation",
            (
                "The same report as for EMA Policy 0070.",
                "Free text and documents beside the table.",
                _NO_INFERENCE,
                _SEVERAL,
            ),
            {"prosecutor": "1/11"},
            _NINE_PER_CENT,
        ),
        Preset(
            "hipaa-safe-harbor",
            "HIPAA safe harbor",
            "Eighteen kinds of identifiers are gone: no dates but years, no ages over 89, no places but states and the "
            "first three digits of zip codes of more than 20,000 people.",
            "45 CFR 164.514(b)(2)",
            (
                "Actual knowledge that what is left could identify somebody, which the rule asks for too.",
                "Identifiers that neither the name nor the values of a column show, and those in free text.",
                "Years of birth that tell an age over 89.",
                "Zip areas that changed since the census of 2000, whose 17 areas of at most 20,000 people are taken.",
                "Uniqueness: the rule asks for no k. Require one besides.",
            ),
            checks_columns=True,
        ),
        Preset(
            "wp216",
            "GDPR, opinion 05/2014 of the Article 29 Working Party (WP216)",
            "Nobody can be singled out, linked, or have something inferred about them.",
            "Article 29 Data Protection Working Party, Opinion 05/2014 on Anonymisation Techniques",
            (
                "Linkability: whether rows of two tables can be told to be of one person. It needs both tables.",
                "Inference that is likely but not certain: require t.",
                "Whether the risk is small enough: the opinion names no number, and these are the least it can mean.",
                _SEVERAL,
            ),
            {"k": "2", "l": "2"},
            "A class of one singles somebody out, and a class with one value says it of everybody in it.",
        ),
        Preset(
            "pcornet",
            "PCORnet cells",
            "No cell of fewer than eleven people.",
            "PCORnet, and CMS's cell size suppression policy",
            _CELLS,
            {"k": "11"},
        ),
        Preset(
            "pedsnet",
            "PEDSnet cells",
            "No cell of fewer than five people.",
            "PEDSnet, policy on small cells",
            _CELLS,
            {"k": "5"},
        ),
        Preset(
            "opensafely",
            "OpenSAFELY cells",
            "Counts of seven or fewer are hidden.",
            "OpenSAFELY, statistical disclosure control of outputs",
            (*_CELLS, "Rounding of the counts that are shown."),
            {"k": "8"},
            "Seven or fewer are hidden, so that eight is the smallest class.",
        ),
    )
}


def preset_named(key: str) -> Preset:
    """Return the preset of a key, or say which there are."""
    if key in PRESETS:
        return PRESETS[key]
    problem = f"There is no preset {key!r}; there are {listed(PRESETS, 30)}."
    raise InputError(problem, field="preset", hint=meant(key, PRESETS))


def with_preset(wanted: tuple[Requirement, ...], key: str | None) -> tuple[Requirement, ...]:
    """Return requirements with those of a preset; what is required of a model already replaces the preset's."""
    if key is None:
        return wanted
    own = {each.model.key for each in wanted}
    given = requirements(preset_named(key).thresholds)
    return (*wanted, *(each for each in given if each.model.key not in own))
