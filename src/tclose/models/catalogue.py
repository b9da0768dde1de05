"""The catalogue of privacy models: what an audit, the command line and the docs know of."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from tclose.errors import Ask, Hint, ThresholdError, about, listed, meant, named
from tclose.models.base import AttributeModel, Model, TableModel
from tclose.models.class_size import JournalistRisk, KAnonymity, KMap, MarketerRisk, ProsecutorRisk
from tclose.models.closeness import JSCloseness, KLCloseness, NTCloseness, SmoothedJS, TCloseness
from tclose.models.diversity import KE, AlphaK, DistinctL, EntropyL, PSensitive, RecursiveL
from tclose.models.likeness import BetaLikeness, DeltaDisclosure, DeltaOfPresent, EnhancedBeta
from tclose.models.presence import PresenceAtLeast, PresenceAtMost
from tclose.models.proximity import NarrowestBand, Proximity
from tclose.policy.exact_numbers import DECIMALS, Number, fraction, written

MODELS: dict[str, type[Model]] = {
    model.key: model
    for model in (
        KAnonymity, DistinctL, TCloseness, AlphaK, EntropyL, RecursiveL, PSensitive, KLCloseness, JSCloseness,
        SmoothedJS, NTCloseness, BetaLikeness, EnhancedBeta, DeltaDisclosure, DeltaOfPresent, KE, Proximity,
        NarrowestBand, ProsecutorRisk, MarketerRisk, JournalistRisk, KMap, PresenceAtMost, PresenceAtLeast,
    )
}  # fmt: skip
_MOST_COLUMNS = 2**31
Wanted = Mapping[str, "Number | Iterable[Number] | Mapping[str, Number | Iterable[Number]]"]
"""Requirements as a person writes them: ``{"k": 5, "t": "0.2"}``, ``{"t": {"salary": 0.2, "disease": "1/3"}}``."""


FEW = 5
"""A class of fewer rows, or people, shows single people where no k is required."""


@dataclass(frozen=True)
class Requirement:
    """A threshold that a model's figure must meet, for one attribute or for each."""

    model: Model
    threshold: Fraction
    attribute: str | None = None
    any: int | None = None
    """At most how many of the quasi-identifiers someone knows, whichever they are; None stands for all of them."""

    @property
    def text(self) -> str:
        """The requirement as a person reads it, such as ``t ≤ 0.2`` or ``k ≥ 5 for any 3 columns``."""
        sign = {("high", False): "≥", ("low", False): "≤", ("high", True): ">", ("low", True): "<"}
        known = "" if self.any is None else f" for any {'column' if self.any == 1 else f'{self.any} columns'}"
        return f"{label(self.model)} {sign[self.model.good, self.model.strict]} {written(self.threshold)}{known}"

    def met_by(self, figure: Fraction | int | float) -> bool:
        """Return whether a figure meets the threshold; exact for exact figures."""
        if figure == self.threshold:
            return not self.model.strict
        return (figure > self.threshold) == (self.model.good == "high")


def few(wanted: Iterable[Requirement]) -> int:
    """Return the size below which a class shows single people: the largest k that is required, else 5."""
    return max((math.ceil(each.threshold) for each in wanted if each.model.key == "k"), default=FEW)


def label(model: Model) -> str:
    """Return a model's key with its parameters, such as ``recursive(level=2)``."""
    parameters = ", ".join(
        f"{field.name}={written(getattr(model, field.name))}"
        for field in dataclasses.fields(model)  # type: ignore[arg-type]
    )
    return f"{model.key}({parameters})" if parameters else model.key


def requirements(wanted: Wanted | Iterable[Requirement] | None) -> tuple[Requirement, ...]:
    """Return the requirements a person wrote, checked.

    Examples
    --------
    >>> [requirement.text for requirement in requirements({"k": 5, "t": "0.2", "recursive": "3,2"})]
    ['k ≥ 5', 't ≤ 0.2', 'recursive(level=2) < 3']
    """
    if wanted is None:
        return ()
    if not isinstance(wanted, Mapping):
        given = tuple(wanted) if isinstance(wanted, Iterable) and not isinstance(wanted, str) else (wanted,)
        if not all(isinstance(requirement, Requirement) for requirement in given):
            raise ThresholdError("Requirements are a mapping from models to thresholds, such as {'k': 5, 't': '0.2'}.")
        return given
    found: list[Requirement] = []
    for name, value in wanted.items():
        key = str(name).replace("-", "_")
        each = value.items() if isinstance(value, Mapping) else [(None, value)]
        for attribute, numbers in each:
            with about(field=key, column=attribute):
                found += _requirements_of(key, numbers, attribute)
    return tuple(found)


def required_for_any(wanted: Iterable[Requirement], most: object) -> tuple[Requirement, ...]:
    """Return requirements for whoever knows at most so many of the quasi-identifiers; as they are where None.

    A requirement that says itself how many columns are known keeps that.
    """
    every, known = tuple(wanted), None if most is None else _whole_any(most)
    every = tuple(replace(each, any=known) if each.any is None else each for each in every)
    if len({each.any for each in every} - {None}) > 1:
        raise ThresholdError(
            "Requirements for some of the columns must all name the same number of columns.", field="any"
        )
    return every


def columns_known(wanted: Iterable[Requirement], most: int | None = None) -> int | None:
    """Return at most how many columns someone knows: as said, or as the requirements say; None for all of them."""
    return max((each.any for each in wanted if each.any is not None), default=most)


def _whole_any(most: object) -> int:
    if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= _MOST_COLUMNS:
        raise ThresholdError(
            "The number of columns that someone knows must be a whole number of at least 1.",
            field="any",
            hint=Hint("Write {}.", Ask("any", 3)),
        )
    return most


def _requirements_of(key: str, numbers: object, attribute: str | None) -> list[Requirement]:
    if key == "presence":
        bounds = _numbers(numbers, key, 2)
        if len(bounds) < 2:
            raise ThresholdError("presence needs two numbers, the least and the most, such as 0.1,0.5.")
        low, high = bounds
        if low > high:
            raise ThresholdError("presence needs the least first and then the most, such as 0.1,0.5.")
        return [
            *_requirements_of("presence_min", low, attribute),
            *_requirements_of("presence_max", high, attribute),
        ]
    if key not in MODELS:
        hint = meant(key, MODELS) or Hint("There are {}.", listed(MODELS, 30))
        raise ThresholdError(f"{key!r} is not a privacy model.", code="unknown-model", field="require", hint=hint)
    model = MODELS[key]
    if attribute is not None and model.scope == "table":
        raise ThresholdError(f"{key} is a figure of the whole table; it takes no attribute ({attribute!r}).")
    wanted = f"a whole number such as {model.example}" if model.whole and len(model.form) == 1 else DECIMALS
    given = dict(zip(model.form, _numbers(numbers, key, len(model.form), wanted), strict=False))
    if "threshold" not in given:
        raise ThresholdError(
            f"{named(key)} needs {len(model.form)} numbers ({', '.join(model.form)}), such as {model.example}."
        )
    threshold = given.pop("threshold")
    _check(model, threshold)
    return [Requirement(_built(model, given), threshold, attribute)]


def _numbers(value: object, key: str, most: int, wanted: str = DECIMALS) -> list[Fraction]:
    parts: list[object]
    if isinstance(value, str):
        parts = list(value.split(","))
    elif isinstance(value, Iterable):
        parts = list(value)
    else:
        parts = [value]
    if not 1 <= len(parts) <= most:
        raise ThresholdError(f"{named(key)} takes {most} number{'s' if most > 1 else ''}, not {len(parts)}.")
    return [fraction(part, named(key), wanted) for part in parts]  # type: ignore[arg-type]


_BEYOND_ALL_TABLES = 2**62
"""A bound that nobody reaches and no message names."""


def _check(model: type[Model], threshold: Fraction) -> None:
    low, high = model.bounds
    if threshold > high >= _BEYOND_ALL_TABLES:
        raise ThresholdError(f"{named(model.key)} is larger than any table can have.")
    if not low <= threshold <= high:
        top = "" if high >= _BEYOND_ALL_TABLES else f" and at most {high}"
        raise ThresholdError(f"{named(model.key)} must be at least {low}{top}, not {written(threshold)}.")
    if model.whole and threshold.denominator != 1:
        raise ThresholdError(f"{named(model.key)} must be a whole number, not {written(threshold)}.")


def _built(model: type[Model], parameters: dict[str, Fraction]) -> Model:
    """Return the model with its parameters, whole numbers where it wants them."""
    made: dict[str, Fraction | int] = {}
    for name, value in parameters.items():
        if value <= 0:
            raise ThresholdError(f"The {name} of {model.key} must be more than 0, not {written(value)}.")
        if name in model.parameter_bounds:
            low, high = model.parameter_bounds[name]
            if not fraction(low) <= value <= fraction(high):
                raise ThresholdError(f"The {name} of {model.key} must be between {low} and {high}.")
            made[name] = value
        elif value.denominator != 1:
            raise ThresholdError(f"The {name} of {model.key} must be a whole number, not {written(value)}.")
        else:
            made[name] = int(value)
    return model(**made)


def usual_models() -> tuple[Model, ...]:
    """Return the models that an audit measures without being asked."""
    return tuple(model() for model in MODELS.values() if model.usual)


def measurable_models(*, population: bool) -> tuple[Model, ...]:
    """Return every model that needs no number or table which was not given."""
    return tuple(model() for model in MODELS.values() if model.in_all and (population or not model.needs_population))


__all__ = [
    "MODELS", "AttributeModel", "Model", "Requirement", "TableModel", "Wanted", "columns_known", "label",
    "measurable_models", "required_for_any", "requirements", "usual_models",
]  # fmt: skip
