"""The catalogue of privacy models: what an audit, the command line and the docs know of."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from tclose.errors import ThresholdError, closest, listed
from tclose.exact import Number, fraction
from tclose.models.alpha_k import AlphaK
from tclose.models.base import AttributeModel, Model, TableModel
from tclose.models.beta_likeness import BetaLikeness
from tclose.models.delta_disclosure import DeltaDisclosure, DeltaOfPresent
from tclose.models.delta_presence import PresenceAtLeast, PresenceAtMost
from tclose.models.distinct_l import DistinctL
from tclose.models.enhanced_beta import EnhancedBeta
from tclose.models.entropy_l import EntropyL
from tclose.models.journalist import JournalistRisk
from tclose.models.js_closeness import JSCloseness
from tclose.models.k_anonymity import KAnonymity
from tclose.models.k_e import KE
from tclose.models.k_map import KMap
from tclose.models.kl_closeness import KLCloseness
from tclose.models.marketer import MarketerRisk
from tclose.models.n_t_closeness import NTCloseness
from tclose.models.p_sensitive import PSensitive
from tclose.models.prosecutor import ProsecutorRisk
from tclose.models.recursive_l import RecursiveL
from tclose.models.smoothed_js import SmoothedJS
from tclose.models.t_closeness import TCloseness

MODELS: dict[str, type[Model]] = {
    model.key: model
    for model in (
        KAnonymity, DistinctL, TCloseness, AlphaK, EntropyL, RecursiveL, PSensitive, KLCloseness, JSCloseness,
        SmoothedJS, NTCloseness, BetaLikeness, EnhancedBeta, DeltaDisclosure, DeltaOfPresent, KE, ProsecutorRisk,
        MarketerRisk, JournalistRisk, KMap, PresenceAtMost, PresenceAtLeast,
    )
}  # fmt: skip

Wanted = Mapping[str, "Number | Iterable[Number] | Mapping[str, Number | Iterable[Number]]"]
"""Requirements as a person writes them: ``{"k": 5, "t": "0.2"}``, ``{"t": {"salary": 0.2, "disease": "1/3"}}``."""


@dataclass(frozen=True)
class Requirement:
    """A threshold that a model's figure must meet, for one attribute or for each."""

    model: Model
    threshold: Fraction
    attribute: str | None = None

    @property
    def text(self) -> str:
        """The requirement as a person reads it, such as ``t ≤ 0.2``."""
        sign = {("high", False): "≥", ("low", False): "≤", ("high", True): ">", ("low", True): "<"}
        return f"{label(self.model)} {sign[self.model.good, self.model.strict]} {short(self.threshold)}"

    def met_by(self, figure: Fraction | int | float) -> bool:
        """Return whether a figure meets the threshold; exact for exact figures."""
        if figure == self.threshold:
            return not self.model.strict
        return (figure > self.threshold) == (self.model.good == "high")


def label(model: Model) -> str:
    """Return a model's key with its parameters, such as ``recursive(level=2)``."""
    parameters = ", ".join(
        f"{field.name}={short(getattr(model, field.name))}"
        for field in dataclasses.fields(model)  # type: ignore[arg-type]
    )
    return f"{model.key}({parameters})" if parameters else model.key


def short(number: object) -> str:
    """Return a threshold as short text: a decimal where it is one, else a fraction."""
    if not isinstance(number, Fraction):
        return str(number)
    if abs(number) >= 10**12:
        return str(number)
    denominator = number.denominator
    while denominator % 2 == 0:
        denominator //= 2
    while denominator % 5 == 0:
        denominator //= 5
    if denominator == 1 and len(text := format(float(number), ".12g")) < 12 and "e" not in text:
        return text
    return str(number)


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
        return tuple(wanted)
    found: list[Requirement] = []
    for name, value in wanted.items():
        key = str(name).replace("-", "_")
        each = value.items() if isinstance(value, Mapping) else [(None, value)]
        for attribute, numbers in each:
            found += _requirements_of(key, numbers, attribute)
    return tuple(found)


def _requirements_of(key: str, numbers: object, attribute: str | None) -> list[Requirement]:
    if key == "presence":
        bounds = _numbers(numbers, key, 2)
        if len(bounds) < 2:
            raise ThresholdError("presence takes two numbers, the least and the most, such as 0.1,0.5.")
        low, high = bounds
        if low > high:
            raise ThresholdError("presence takes the least first and then the most, such as 0.1,0.5.")
        return [
            *_requirements_of("presence_min", low, attribute),
            *_requirements_of("presence_max", high, attribute),
        ]
    if key not in MODELS:
        near = closest(key, MODELS)
        way_out = f" Did you mean {near!r}?" if near else f" There are {listed(MODELS, 30)}."
        raise ThresholdError(f"{key!r} is not a privacy model.{way_out}")
    model = MODELS[key]
    if attribute is not None and model.scope == "table":
        raise ThresholdError(f"{key} is a figure of the whole table; it takes no attribute ({attribute!r}).")
    given = dict(zip(model.form, _numbers(numbers, key, len(model.form)), strict=False))
    if "threshold" not in given:
        raise ThresholdError(
            f"{key} needs {len(model.form)} numbers ({', '.join(model.form)}), such as {model.example}."
        )
    threshold = given.pop("threshold")
    _check(model, threshold)
    return [Requirement(_built(model, given), threshold, attribute)]


def _numbers(value: object, key: str, most: int) -> list[Fraction]:
    parts: list[object]
    if isinstance(value, str):
        parts = list(value.split(","))
    elif isinstance(value, Iterable):
        parts = list(value)
    else:
        parts = [value]
    if not 1 <= len(parts) <= most:
        raise ThresholdError(f"{key} takes {most} number{'s' if most > 1 else ''}, not {len(parts)}.")
    return [fraction(part, key) for part in parts]  # type: ignore[arg-type]


def _check(model: type[Model], threshold: Fraction) -> None:
    low, high = model.bounds
    if not low <= threshold <= high:
        top = "" if math.isinf(high) else f" and at most {high}"
        raise ThresholdError(f"The threshold of {model.key} must be at least {low}{top}, not {short(threshold)}.")
    if model.whole and threshold.denominator != 1:
        raise ThresholdError(f"The threshold of {model.key} must be a whole number, not {short(threshold)}.")


def _built(model: type[Model], parameters: dict[str, Fraction]) -> Model:
    """Return the model with its parameters, whole numbers where it wants them."""
    made: dict[str, Fraction | int] = {}
    for name, value in parameters.items():
        if value <= 0:
            raise ThresholdError(f"The {name} of {model.key} must be more than 0, not {short(value)}.")
        if name == "bandwidth":
            if not Fraction(1, 10**9) <= value <= 10**6:
                raise ThresholdError(f"The bandwidth of {model.key} must be between 1e-9 and 1e6.")
            made[name] = value
        elif value.denominator != 1:
            raise ThresholdError(f"The {name} of {model.key} must be a whole number, not {short(value)}.")
        else:
            made[name] = int(value)
    return model(**made)


def usual_models() -> tuple[Model, ...]:
    """Return the models that an audit measures without being asked."""
    return tuple(model() for model in MODELS.values() if model.usual)


def measurable_models(*, population: bool) -> tuple[Model, ...]:
    """Return every model that needs no number or table which was not given."""
    return tuple(
        model()
        for model in MODELS.values()
        if not model.needs_supersets and model is not SmoothedJS and (population or not model.needs_population)
    )


__all__ = [
    "MODELS", "AttributeModel", "Model", "Requirement", "TableModel", "Wanted", "label", "measurable_models",
    "requirements", "short", "usual_models",
]  # fmt: skip
