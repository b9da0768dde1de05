"""What a report asks to be decided: the risk that is left, what is not protected, and what rules ask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from tclose.auditing.results import Audit
from tclose.policy.exact_numbers import decimal_beside, shown
from tclose.policy.parts import About
from tclose.reports.document import Cell, Paragraph, Section, Terms, section, table
from tclose.reports.phrases.audits import alone_words
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.glossary import GLOSSARY
from tclose.reports.phrases.numbers import counted, joined, some_of, units

_EMA = Fraction(1, 11)
"""What 0.09 stands for: classes of eleven."""
_NOTHING_OPEN = "Every column that is published is a quasi-identifier or sensitive."
_SIGN = "The author of this report, and whoever decides about the table; the last page has lines for both."
_NO_PROMISE = "What rules ask is told in short. That a figure is named here is no legal promise."


def decision_section(audit: Audit, about: About, unprotected: Sequence[str]) -> tuple[Section, ...]:
    """Return what whoever decides has to know, on the first page.

    Parameters
    ----------
    audit
        The audit of what is to be published.
    about
        What it is for, and who answers for it.
    unprotected
        What is not protected, in the sentences that the heading has too.
    """
    told = tuple(Paragraph(sentence, "care") for sentence in unprotected)
    rows = (
        ("The risk that is left", tuple(map(Paragraph, residual_risk(audit)))),
        ("Not protected", told or (Paragraph(_NOTHING_OPEN),)),
        ("Asked to sign", (Paragraph(_signers(about)),)),
    )
    return section("Decision", Terms(rows), anchor="decision")


def purpose_section(about: About) -> tuple[Section, ...]:
    """Return what the table is for and who answers for it, as far as that was said."""
    rows = [
        (term, (Paragraph(visible(text)),))
        for term, text in (
            ("Purpose", about.purpose),
            ("Recipient", about.recipient),
            ("Author", about.author),
            ("Approver", about.approver),
            ("To be reviewed", about.review),
        )
        if text
    ]
    return section("Purpose and people", Terms(tuple(rows)), anchor="purpose")


def glossary_section() -> tuple[Section, ...]:
    """Return the words that readers may not know, with their meaning."""
    rows = tuple((word, (Paragraph(meaning.replace("`", "")),)) for word, meaning in GLOSSARY.items())
    return section("Glossary", Terms(rows), anchor="glossary")


def _signers(about: About) -> str:
    named = [visible(name) for name in (about.author, about.approver) if name]
    return f"{joined(named)}. The last page has lines for both." if len(named) == 2 else _SIGN


def residual_risk(audit: Audit) -> Iterator[str]:
    """Give the risk that is left, in sentences."""
    yield risk_of_being_found(audit)
    for name in audit.attributes:
        yield from risk_of_being_told(audit, name)


def risk_of_being_found(audit: Audit) -> str:
    """Return how likely someone finds a person in the table."""
    known = joined(audit.roles.quasi)
    fit, fits = units(audit.k, audit.unit), "fits" if audit.k == 1 else "fit"
    chance = "surely" if audit.k == 1 else f"with a chance of at most 1 in {audit.k:,}"
    told = (
        f"Someone who knows {known} of a person, and that the person is in the table, finds at least {fit} that "
        f"{fits}: in the worst case the person is found {chance}."
    )
    return " ".join([told, *reservations(audit)])


def reservations(audit: Audit) -> Iterator[str]:
    """Give who may find a person more easily than the sizes of classes say, in sentences."""
    if audit.naming:
        yield f"Whoever reads {some_of(audit.naming)} needs none of that: these name people."
    if audit.exposed is not None:
        known, more = some_of(audit.exposed.columns), alone_words(audit)
        yield f"Someone who also knows {known} finds at least {units(audit.exposed.k, audit.unit)}, {more}."
    if audit.k == 1:
        return
    if audit.unprotected and audit.exposed is None:
        yield f"Someone who also knows {some_of(audit.unprotected)} may find the person surely."
    if audit.unit == "rows":
        yield "Rows are counted: where several rows of a class are one person's, the chance is higher."


def risk_of_being_told(audit: Audit, name: str) -> Iterator[str]:
    """Give what someone learns of a sensitive attribute who finds the class of a person."""
    attribute, seen = audit.attributes[name], visible(name)
    if "l" in attribute.figures and attribute.l == 1:
        yield (
            f"Some class has a single value of {seen}: whoever knows that somebody is in it knows the value too, "
            "without finding the row."
        )
    if "t" in attribute.figures:
        yield (
            f"What a class says of {seen} is at most {shown(attribute.t)} from what the whole says, where 0 tells "
            f"nothing new and {shown(attribute.largest_t)} is the most that any class could tell."
        )


def rules_section(audit: Audit, *, attacked: bool = False) -> tuple[Section, ...]:
    """Return what rules ask of a release, and what this report answers; ``attacked``: it tells of a test by attack."""
    rows = [(Cell(rule, "strong"), asks, answer) for rule, asks, answer in _rules(audit, attacked=attacked)]
    titles = ("rule", "asks", "in this report")
    return section("What rules ask", table(titles, rows, name="What rules ask"), Paragraph(_NO_PROMISE), anchor="rules")


def _rules(audit: Audit, *, attacked: bool) -> Iterator[tuple[str, str, str]]:
    risk = audit.figures.get("prosecutor")
    attacker = counted(len(audit.roles.quasi), "quasi-identifier")
    test = "What attackers got is told under Attackers." if attacked else "No test by attack is here."
    smallest = f"The smallest class has {units(audit.k, audit.unit)}."
    told = [f"{visible(name)}: t = {shown(each.t)}" for name, each in audit.attributes.items() if "t" in each.figures]
    alone = f"{smallest} A class of one is a person singled out."
    yield "GDPR, opinion WP216", "Can a person be singled out?", " ".join([alone, *reservations(audit)])
    linked = "" if audit.roles.pseudonym is None else "Within this table pseudonyms link the rows of a person. "
    yield (
        "GDPR, opinion WP216",
        "Can records of a person be linked?",
        f"{linked}Not answered by one table: two about the same people may together give them away.",
    )
    yield "GDPR, opinion WP216", "Can something be inferred?", "; ".join(told) or "No sensitive attribute was measured."
    yield (
        "HIPAA, expert determination",
        "A very small risk, with methods and results documented",
        "The risk is told under Decision, the methods under What was assumed; what is very small is for the expert.",
    )
    yield "HIPAA, safe harbour", "18 identifiers removed", _preset_words(audit, "safe")
    yield (
        "ISO/IEC 27559",
        "A threat model, the maximum or average risk, and tests by attack",
        f"Someone who knows the {attacker} and who is in the table. {_risk_words(audit)} {test}",
    )
    unassessed = not_assessed(audit)
    if unassessed:
        yield "EMA Policy 0070", "A maximum risk of at most 0.09, read as 1 in 11", unassessed
    elif risk is not None:
        met = "within" if Fraction(risk.value) <= _EMA else "above"
        value = decimal_beside(Fraction(risk.value), _EMA)
        alone = "By the quasi-identifiers alone " if audit.naming or audit.unprotected else ""
        yield "EMA Policy 0070", "A maximum risk of at most 0.09, read as 1 in 11", f"{alone}{value}, {met} it."


def not_assessed(audit: Audit) -> str:
    """Return why no rule about people can be assessed, in words; empty where one can."""
    if audit.unit == "rows" and not audit.roles.rows_are_people:
        return "Not assessed: rows are counted. Count people, or declare that each row is another person."
    open_columns = [each.name for each in audit.columns if each.decision is None or each.decision == "undecided"]
    if open_columns:
        return f"Not assessed: nobody decided on {some_of(open_columns)}."
    return ""


def _risk_words(audit: Audit) -> str:
    unassessed = not_assessed(audit)
    if unassessed:
        return unassessed
    risk = audit.figures.get("prosecutor")
    if risk is None:
        return "The maximum risk was not measured."
    average = risk.details.get("average")
    mean = "" if average is None else f", the average {shown(average)}"
    return f"The maximum risk is {shown(risk.value)}{mean}."


def _preset_words(audit: Audit, word: str) -> str:
    if audit.preset is None or word not in audit.preset.preset.key:
        return "Not checked in this report."
    return "Checked: see above."
