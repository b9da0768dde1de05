"""What costs the detail of a release, in sentences."""

from __future__ import annotations

from fractions import Fraction

from tclose.detail_costs import Advice, DetailCosts
from tclose.errors import Ask, in_brackets
from tclose.exact import written
from tclose.models.catalogue import Requirement
from tclose.render.words.cells import visible
from tclose.render.words.phrases import percent

TITLE = "What costs the detail"
_NO_ADVICE = "No single change that was tried keeps notably more."


def advice_sentence(costs: DetailCosts) -> str:
    """Return the one change by which more is kept, in words."""
    advice = costs.advice
    if advice is None:
        return _NO_ADVICE
    kept, before = percent(advice.kept), percent(advice.before)
    if advice.kind == "column":
        others = f"the other quasi-identifiers then keep {kept} of their detail instead of {before}"
        return f"Leave {visible(advice.column or '')} out of the release: {others}."
    return f"{_change(advice)}: {kept} of the detail is then kept instead of {before}."


def _change(advice: Advice) -> str:
    if advice.kind == "hierarchy":
        how = in_brackets(Ask("hierarchies", advice.hierarchy, advice.column))
        return f"Give {visible(advice.column or '')} the finer hierarchy {advice.hierarchy}{how}"
    if advice.kind == "method":
        return f"Search with the method {advice.method}{in_brackets(Ask('method', advice.method))}"
    if advice.suppress is not None:
        how = in_brackets(Ask("suppress", written(advice.suppress)))
        return f"Leave out up to {percent(advice.suppress)} of the rows{how}"
    return "Require less" if advice.requirement is None else f"Require no more than {required_text(advice.requirement)}"


def required_text(requirement: Requirement) -> str:
    """Return a requirement with the attribute it is of."""
    of = "" if requirement.attribute is None else f" of {visible(requirement.attribute)}"
    return f"{requirement.text}{of}"


def share(kept: float | Fraction | None) -> str:
    """Return a share of detail that a release keeps; that there is none, where none was found."""
    return "no release found" if kept is None else percent(kept)


def legend(costs: DetailCosts) -> str:
    """Return how the figures of the tables were found."""
    tried = "" if costs.advice is None else " The advice was tried with all of the effort."
    return (
        f"Changes are compared in searches with a fifth of the effort; such a search keeps {percent(costs.compared)} "
        f"with nothing changed.{tried}"
    )
