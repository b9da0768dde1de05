"""What was estimated of a population, as a section of the document of an audit."""

from __future__ import annotations

from tclose.exact import decimal_text, shown
from tclose.populations.findings import PopulationFinding
from tclose.render.document import Cell, Paragraph, Section, section, table
from tclose.render.words.phrases import counted, percent
from tclose.results import Audit

_NAMES = {
    "pitman": "Pitman",
    "zayatz": "Zayatz",
    "snb": "SNB",
    "dankar": "Dankar's rule",
}


def population_section(audit: Audit) -> tuple[Section, ...]:
    """Return what was estimated of the population; nothing where that was not asked."""
    found = audit.population
    if found is None:
        return ()
    rows: list[list[str | Cell]] = [_row(found, key) for key in found.estimates]
    lone = "of lone rows" if audit.people is None else "of those alone here"
    titles = ("estimator", "alone in it", "of all", lone, "error here")
    return section(
        "The population",
        Paragraph(_drawn_sentence(found, audit)),
        table(titles, rows, name="Who is alone in the population"),
        Paragraph(_risk_sentence(found, audit)),
        Paragraph(_weighted_sentence(found)),
        Paragraph("None of these is the truth: they are estimates from the sizes of classes alone.", "soft"),
        anchor="population",
    )


def _row(found: PopulationFinding, key: str) -> list[str | Cell]:
    uniques, alone, error = found.estimates[key].uniques, found.alone(key), found.errors[key]
    if uniques is None:
        return [_NAMES[key], Cell("no answer", "soft"), "", "", ""]
    return [
        _NAMES[key],
        Cell(f"{uniques:,.0f}", "strong"),
        percent(min(1.0, uniques / found.appearances)),
        "" if alone is None else percent(alone),
        "not tried" if error is None else f"{'+' if error >= 0 else '−'}{percent(abs(error))}",
    ]


def _drawn_sentence(found: PopulationFinding, audit: Audit) -> str:
    words = ("row", "rows") if audit.people is None else ("person", "people")
    drawn, alone = (counted(number, *words) for number in (found.drawn, found.sample.uniques))
    verb = "is" if found.sample.uniques == 1 else "are"
    often = ""
    if found.sample.rows != found.drawn:
        drawn += f", who appear {counted(found.sample.rows, 'time')} in classes,"
        alone = counted(found.sample.uniques, "appearance")
        often = " It is taken that others appear in classes as often."
    return (
        f"{drawn} of a population of {counted(found.people, 'person', 'people')} ({percent(found.fraction)}); "
        f"{alone} {verb} alone in the table.{often}"
    )


def _risk_sentence(found: PopulationFinding, audit: Audit) -> str:
    low, high = (decimal_text(each, 2) for each in found.journalist)
    fits = f"About {found.expected_rows:,.0f} of them fit one person of the population only, by Dankar's rule: k-map 1."
    if found.k_map > 1:
        nobody = "a row" if audit.people is None else "anybody"
        fits = (
            f"Hardly {nobody} fits one person of the population only, by Dankar's rule: k-map at least {found.k_map}."
        )
    return f"{fits} The journalist risk of the smallest classes is between {low} and {high}."


def _weighted_sentence(found: PopulationFinding) -> str:
    if found.weighted is None:
        return ""
    return (
        f"By the weights of rows, the smallest class has {shown(found.weighted.smallest)} people in the population: "
        f"journalist risk {shown(found.weighted.largest_risk)}, {decimal_text(found.weighted.mean_risk, 4)} on average."
    )
