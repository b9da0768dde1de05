"""The verb ``explain``: why a class is as far from the table as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tclose.auditing.explanations import Explanation, Explanations, explained
from tclose.auditing.facts import Candidates, Facts
from tclose.auditing.facts.database_audits import DatabaseAudit
from tclose.auditing.results import Audit, ClassTable, Evidence
from tclose.engines.base import Progress
from tclose.errors import ColumnNotFoundError, InputError, listed, meant
from tclose.models.transport import RULES, Rule
from tclose.policy.policy import Policy
from tclose.policy.verbs import ExplainKeywords, verb


@verb(ExplainKeywords)
def explain(
    policy: Policy,
    *,
    attribute: str | None,
    key: Mapping[str, object] | None,
    worst: int,
    rule: Rule,
    progress: Progress | None,
) -> Explanations:
    """Explain the distance of a class, move by move.

    Parameters
    ----------
    table
        An :class:`~tclose.auditing.results.Audit`, or anything that :func:`tclose.audit` takes.
    roles
        Which column is what, if it is a table; or, after an audit, the attribute's name.
    attribute
        The sensitive attribute to explain; all of them by default.
    key
        The class, by the values of its quasi-identifiers; the worst classes by default.
    worst
        How many of the worst classes to explain where no key is given.
    rule
        Which optimal plan to show: ``"stay"``, ``"monotone"`` or ``"tutorial"``.
    {options}
    read, progress
        As for :func:`tclose.audit`.

    Returns
    -------
    Explanations
        One for each class and attribute, the worst class first.

    Examples
    --------
    >>> import tclose
    >>> (explanation,) = tclose.explain("example:salary", attribute="salary", rule="tutorial")
    >>> explanation.key, explanation.value
    ({'zip': '476**', 'age': '2*'}, Fraction(3, 8))
    >>> [(move.start, move.end) for move in explanation.moves]
    [(1, 4), (1, 5), (2, 6), (2, 7), (3, 8), (3, 9)]
    """
    if rule not in RULES:
        raise InputError(
            f"{rule!r} is not a rule; it is one of {listed(RULES)}.", field="rule", hint=meant(rule, RULES)
        )
    if worst < 1:
        raise InputError("The number of worst classes to explain must be at least 1.", field="worst")
    audit = policy.table if isinstance(policy.table, Audit | DatabaseAudit) else _audited(policy, progress)
    if audit.facts is not None and key is None:
        return Explanations(tuple(_of_facts(audit, audit.facts, attribute, worst, rule)))
    if isinstance(audit, DatabaseAudit):
        raise InputError("Tables about the same people have no classes; leave the class out.", field="key")
    if attribute is not None and attribute not in audit.evidence:
        raise ColumnNotFoundError(attribute, audit.evidence, "explained", field="attribute")
    names = [attribute] if attribute is not None else list(audit.evidence)
    return Explanations(
        tuple(
            explained(
                audit.evidence[name],
                found,
                audit.source,
                audit.reference,
                rule,
                audit.unit,
                shows_people=size < audit.few,
            )
            for name in names
            for found, size in _classes(audit, name, audit.evidence[name], key, worst)
        )
    )


def _of_facts(
    audit: Audit | DatabaseAudit, facts: Facts, attribute: str | None, worst: int, rule: Rule
) -> Iterator[Explanation]:
    """Explain the candidates whose distance is largest, attribute by attribute, for someone who knows facts."""
    figures = {name: each["t"] for name, each in facts.last.attributes.items() if "t" in each}
    if attribute is not None and attribute not in figures:
        raise ColumnNotFoundError(attribute, figures, "explained", field="attribute")
    if worst > 1:
        raise InputError("Of the people who share facts, those furthest apart are explained alone.", field="worst")
    source = " + ".join(table.label for table in facts.tables)
    for name in figures if attribute is None else [attribute]:
        figure = figures[name]
        if figure.evidence is not None:
            reference = audit.reference if isinstance(audit, Audit) else "all people of these tables"
            size = figure.worst.size
            yield explained(
                figure.evidence,
                known_of(figure.worst),
                source,
                reference,
                rule,
                "people",
                shows_people=size < audit.few,
            )


def known_of(worst: Candidates) -> dict[str, object]:
    """Return what is known of candidates as the key of a class: traits, and the cells of facts by their number."""
    found = dict(worst.base)
    for number, fact in enumerate(worst.facts, start=1):
        found |= {f"fact {number}: {name}": value for name, value in fact.cells.items()}
    return found


def explain_failures(audit: Audit, *, rule: Rule = "stay") -> Explanations:
    """Explain, for each attribute that misses a requirement, the class that misses it most.

    Parameters
    ----------
    audit
        What was found. Of several missed requirements that of t counts, else the first.
    rule
        Which optimal plan to show.
    """
    worst: dict[str, Mapping[str, object]] = {}
    for verdict in sorted(audit.verdicts, key=lambda verdict: verdict.requirement.model.key != "t"):
        if not verdict.holds and verdict.attribute is not None and verdict.figure.worst is not None:
            worst.setdefault(verdict.attribute, verdict.figure.worst.key)
    return Explanations(
        tuple(
            explanation
            for name in audit.evidence
            if name in worst
            for explanation in explain(audit, attribute=name, key=worst[name], rule=rule)
        )
    )


def _audited(policy: Policy, progress: Progress | None) -> Audit:
    from tclose.auditing.audit import audit

    return audit(policy, measure=["t"], drivers=False, progress=progress)


def _classes(
    audit: Audit, name: str, evidence: Evidence, key: Mapping[str, object] | None, worst: int
) -> Iterable[tuple[Mapping[str, object], int]]:
    """Give the classes to explain with their sizes.

    People may have several values: the size of a class that somebody named is known where it decides a figure.
    """
    if key is not None:
        _check_key(key, evidence.quasi, 0 if audit.any is None else audit.any.most)
        counts = evidence.histogram(key)
        if not sum(counts):
            raise InputError(_no_such_class(key, evidence))
        worst_sizes = (each.worst.size for each in audit.figures_of(name) if each.worst and each.worst.key == key)
        size = next(worst_sizes, sum(counts))
        yield {column: key[column] for column in evidence.quasi if column in key}, size
        return
    table = audit.tables.get(name, audit.tables[None])
    for row in table.rows(sort=_column_of_t(table, name, len(evidence.quasi)), limit=worst):
        found = {column: row[column] for column in evidence.quasi}
        if any(evidence.histogram(found)):
            yield found, int(row[table.columns[len(evidence.quasi)]])


def _column_of_t(table: ClassTable, name: str, keys: int) -> str:
    """Return the column with an attribute's t; it bears a mark where a quasi-identifier has that name."""
    wanted = f"{name}.t"
    found = next((column for column in table.columns[keys:] if column.rstrip("_") == wanted.rstrip("_")), None)
    if found is None:
        raise InputError(f"The audit did not measure t for {name!r}; measure it, or name the class to explain.")
    return found


def _check_key(key: Mapping[str, object], quasi: tuple[str, ...], most: int) -> None:
    """Refuse a key of other columns, or of fewer unless they are as few as someone may know."""
    for column in key:
        if column not in quasi:
            raise ColumnNotFoundError(column, quasi, "class key's", field="key")
    missing = [column for column in quasi if column not in key]
    if missing and not 1 <= len(key) <= most:
        raise InputError(f"The class key names every quasi-identifier; {listed(missing)} is missing.")


def _no_such_class(key: Mapping[str, object], evidence: Evidence) -> str:
    """Say which part of a key no class has, without naming what the classes have."""
    for column in evidence.quasi:
        others = {name: value for name, value in key.items() if name != column}
        if others and (near := evidence.matching(others)):
            classes = "1 class matches" if near == 1 else f"{near} classes match"
            return f"No class has this key; {classes} in everything but {column!r}."
    if len(evidence.quasi) == 1:
        return f"No class has this key; check the value of {evidence.quasi[0]!r} and its spelling."
    return (
        "No class has this key, nor one that differs in a single quasi-identifier; check the values and their spelling."
    )
