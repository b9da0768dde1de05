"""The verb ``audit``: from a table, roles and requirements to figures and a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tclose.auditing.baselines import Reference, is_joint, population_of
from tclose.auditing.composition.composed import composed
from tclose.auditing.facts.learned import learned_of_table, linked_rows
from tclose.auditing.leave_one_out import driven
from tclose.auditing.measurement import Driving, Finding, Inspection, Run, attribute_audit, figures_by_key
from tclose.auditing.open_table import opened_with
from tclose.auditing.partial_knowledge import SubsetFinding, any_columns, subset_findings
from tclose.auditing.population_risk import surveyed
from tclose.auditing.results import AttributeAudit, Audit, ClassTable, ColumnDecision, Evidence, Exposed
from tclose.auditing.verdicts import LINKED, reasons_of, with_facts
from tclose.data.progress import silent
from tclose.data.sources.examples import is_example
from tclose.engines.base import Engine, Progress, RecodedTable, Table
from tclose.engines.statistics import is_text
from tclose.errors import Ask, ColumnNotFoundError, Hint, InputError, Note, Problems, RoleConflictError, listed
from tclose.models.base import Model
from tclose.models.catalogue import MODELS, Requirement, columns_known, few, measurable_models, usual_models
from tclose.models.traits import AT_RISK, at_risk
from tclose.models.value_order import Observed
from tclose.policy.policy import Policy
from tclose.policy.presets import preset_named
from tclose.policy.profiling.column_words import ROWS_EACH, people_in, person_in
from tclose.policy.roles import IDENTIFIERS_PUBLISHED, Distance, Nominal, Roles
from tclose.policy.safe_harbor import applied
from tclose.policy.several_tables import TableAsked
from tclose.policy.verbs import AuditKeywords, verb_of_several

if TYPE_CHECKING:
    from tclose.auditing.facts.database_audits import DatabaseAudit

_DRIVERS_UP_TO = 1_000_000
_MOST_EXPOSED = 50
"""With more columns published as they are, nobody asks whether rows are alone by all of them."""


def _together(tables: Sequence[TableAsked], *, progress: Progress | None) -> DatabaseAudit:
    """Audit several tables about the same people."""
    from tclose.auditing.database_audit import audit_tables

    return audit_tables(tables, progress=progress)


@verb_of_several(AuditKeywords, _together)
def audit(policy: Policy, *, progress: Progress | None) -> Audit:
    """Measure what a table reveals, and judge it by its requirements.

    Parameters
    ----------
    table
        A path, a frame, anything with an Arrow stream, a database's table, or a built-in example such as
        ``"example:salary"``; or a :class:`~tclose.Policy`, which names one. Several tables about the same people: a
        mapping from names to tables, or a list of policies.
    roles
        Which column is what; an example brings its own. Of several tables the roles of all, a policy of all, or a
        mapping from the same names to either.
    {options}
    read
        How to read files.
    progress
        Called with a stage and a share done, from time to time.

    Returns
    -------
    Audit
        Figures, verdicts and classes; a :class:`~tclose.DatabaseAudit` of several tables.

    Examples
    --------
    >>> import tclose
    >>> audit = tclose.audit("example:salary", require={"k": 3, "t": "0.2"})
    >>> audit.k, audit["salary"].t, audit["disease"].t, audit.holds
    (3, Fraction(3, 8), Fraction(4, 9), False)

    >>> people = {"id": [1, 2, 3], "sex": ["F", "F", "F"], "hiv": ["no", "no", "yes"]}
    >>> visits = {"id": [1, 2, 3, 3], "ward": ["A", "A", "A", "B"]}
    >>> roles = tclose.Roles(["sex", "ward"], "hiv:nominal", person="id")
    >>> asked = tclose.Policy(roles=roles).with_options({"facts": 1, "require": {"k": 2}, "fact_columns": ["ward"]})
    >>> found = tclose.audit({"people": people, "visits": visits}, asked)
    >>> found.verdict, [(power.k.value, power.alone) for power in found.facts.powers]
    ('fail', [(3, 0), (1, 1)])
    """
    from tclose.engines.dispatch import working_session

    baseline, preset = policy.baseline, policy.required.preset
    with working_session(policy.table, read=policy.read, **policy.resources.given) as session:
        wanted = policy.requirements()
        fit = partial(check_attributes, wanted)
        opened, roles = opened_with(session, policy.table, policy.roles, progress, fit)
        if not roles.sensitive and not (preset and preset_named(preset).checks_columns):
            _check_sizes_alone(policy.measuring.measure, wanted)
        population, sampling = baseline.population, baseline.sampling
        if sampling is not None and population is not None:
            raise InputError(
                "Name the table of a population or say how the table was drawn from it, not both.", field="population"
            )
        inspection = Inspection(
            session=session,
            table=_to_count(opened, [*roles.counted, *suspects(opened, roles)], roles).counting(roles.person),
            wanted=wanted,
            models=_models(
                policy.measuring.measure, wanted, population=population is not None, averaged=sampling is not None
            ),
            population=population_of(session, population, roles),
            progress=progress or silent,
            any=columns_known(wanted, policy.required.any),
            sampling=sampling,
        )
        reference = Reference.of(baseline.reference, session, roles)
        found = _audited(inspection, roles, reference, opened, drivers=policy.measuring.drivers)
        if policy.required.facts is not None:
            found = _with_facts(found, inspection, roles, reference, policy)
        elif any(each.code == LINKED for each in found.reasons) and found.rows <= _DRIVERS_UP_TO:
            table = session.brought(inspection.table, roles.counted, inspection.progress)
            found = replace(found, linked=linked_rows(table, roles, policy.required, inspection.progress))
        decided = [name for name in found.unprotected if name in roles.publish or roles.others == "publish"]
        found = replace(
            found,
            notes=(*found.notes, *_blanks(found)),
            naming=roles.naming,
            columns=ColumnDecision.of(roles, (column.name for column in opened.columns)),
            closed=policy.closed,
            exposed=_exposed(inspection, roles, opened, decided, found.rows),
            few=0 if is_example(policy.table) else few(wanted),
        ).accepting(policy.required.accept)
        if baseline.after is not None:
            domains = {name: each.domain for name, each in found.evidence.items()}
            given = (baseline.after, roles, domains, wanted, policy.columns.hierarchies, inspection.progress)
            found = replace(found, composition=composed(session, opened, *given))
        return found if preset is None else replace(found, preset=applied(preset, session, opened, inspection.progress))


def _with_facts(found: Audit, inspection: Inspection, roles: Roles, reference: Reference, policy: Policy) -> Audit:
    """Return an audit with what someone learns who knows facts, and the reasons that this leaves."""
    table = inspection.session.brought(inspection.table, roles.counted, inspection.progress)
    facts = learned_of_table(
        table, roles, policy.required, inspection.wanted, references=reference.for_attribute,
        more=[model for model in inspection.models if model.key == "delta"], progress=inspection.progress,
    )  # fmt: skip
    return replace(found, facts=facts, reasons=tuple(with_facts(found.reasons, certain=facts.certain)))


def audit_release(
    session: Engine,
    table: Table[Any] | RecodedTable[Any],
    roles: Roles,
    wanted: tuple[Requirement, ...],
    original: Mapping[tuple[str, ...], Observed] | None,
    *,
    drivers: bool | None = False,
    exposed: Sequence[str] = (),
    progress: Progress = silent,
) -> Audit:
    """Return the audit of a table that a session has opened.

    Parameters
    ----------
    session, table
        The engine, and the table as it opened it.
    roles
        Which column is what; without a sensitive attribute only class sizes are judged.
    wanted
        What is required.
    original
        The distribution of each attribute in the table that this one was made from, to compare classes with it; None
        compares them with the table itself.
    exposed
        The columns that are published as they are; classes are counted by these, too.
    drivers, progress
        As for :func:`audit`.
    """
    inspection = Inspection(
        session=session,
        table=_to_count(table, roles.counted, roles).counting(roles.person),
        wanted=wanted,
        models=_models("usual", wanted, population=False),
        population=None,
        progress=progress,
        any=columns_known(wanted),
    )
    reference = Reference("the audited table") if original is None else Reference("the original table", seen=original)
    found = _audited(inspection, roles, reference, table, drivers=drivers)
    return replace(found, few=few(wanted), exposed=_exposed(inspection, roles, table, exposed, found.rows))


def _audited(
    inspection: Inspection,
    roles: Roles,
    reference: Reference,
    whole: Table[Any] | RecodedTable[Any],
    *,
    drivers: bool | None,
) -> Audit:
    """Return what the inspection of a table finds; the whole table has the columns that are not counted, too."""
    findings: list[Finding] = []
    attributes: dict[str, AttributeAudit] = {}
    tables: dict[str | None, ClassTable] = {}
    evidence: dict[str, Evidence] = {}
    known: list[SubsetFinding] = []
    risks: list[Note] = []
    rows, people, first = 0, None, None
    traits: list[str] = []
    unknown: list[str] = []
    for run in _runs(roles):
        found = inspection.inspect(run, _distances(run, roles), [reference.for_attribute(n) for n in run.names])
        rows, people, first = found.rows, found.people, first or found
        traits += found.traits if run.attribute_models else []
        unknown += found.without_people if run.attribute_models else []
        tables[run.own] = found.classes
        findings += found.findings
        known += subset_findings(inspection, run, found)
        if run.attribute_models:
            told = [(domain.name, found.rho(at)) for at, domain in enumerate(found.domains)]
            risks += [at_risk(name, rho) for name, rho in told if rho is not None and rho >= AT_RISK]
            measured = any(model.key == "t" for model in inspection.models)
            wanted = measured and rows <= _DRIVERS_UP_TO if drivers is None else drivers
            driving = driven(inspection, run, found, roles.quasi) if wanted else [Driving()] * len(found.domains)
            for traced, each in zip(found.evidence, driving, strict=True):
                attributes[traced.domain.name] = attribute_audit(traced.domain, found.findings, each)
                evidence[traced.domain.name] = traced
    looked = rows <= _DRIVERS_UP_TO or drivers
    trajectories = inspection.trajectories(first) if first and looked else None
    warnings = (*repeated(inspection.session, inspection.table, roles), *risks)
    several = people is not None and people < rows
    return Audit(
        source=inspection.table.label,
        roles=roles,
        rows=rows,
        people=people,
        trajectories=trajectories,
        class_count=len(tables[None]),
        figures=figures_by_key([finding for finding in findings if finding.attribute is None]),
        attributes=attributes,
        verdicts=tuple(verdict for finding in (*findings, *known) for verdict in finding.verdicts()),
        reference=reference.words,
        notes=(*inspection.table.notes, *_notes(roles)),
        warnings=warnings,
        reasons=tuple(
            reasons_of(roles, several=several, apart=trajectories, traits=traits, unknown=unknown, warnings=warnings)
        ),
        unprotected=roles.unprotected(column.name for column in whole.columns),
        tables=tables,
        evidence=evidence,
        population=None
        if inspection.sampling is None
        else surveyed(inspection.sampling, findings, people, inspection.session, whole, roles, inspection.progress),
        any=None if inspection.any is None else any_columns(inspection.any, len(roles.quasi), known),
    )


def _exposed(
    inspection: Inspection, roles: Roles, whole: Table[Any] | RecodedTable[Any], columns: Sequence[str], rows: int
) -> Exposed | None:
    """Return how alike people look by the quasi-identifiers and the columns that are published as they are."""
    known = {column.name: column for column in whole.columns}
    usable = tuple(name for name in columns if name in known and known[name].problem is None)
    if not usable or len(usable) > _MOST_EXPOSED or rows > _DRIVERS_UP_TO or not inspection.session.hands_over_people:
        return None
    every = (*roles.quasi, *usable)
    person = () if roles.person is None else (roles.person,)
    table = whole.keep([*every, *person]).counting(roles.person)
    counted = inspection.session.count(table, every, [(every[0],)], inspection.progress)
    ranks = [np.zeros(len(each.values), dtype=np.int32) for each in counted.observed]
    sizes = np.concatenate(list(counted.map(ranks, lambda part: part.sizes)))
    return Exposed(usable, int(sizes.min()), int(np.count_nonzero(sizes == 1)))


def _to_count(table: Table[Any] | RecodedTable[Any], columns: Sequence[str], roles: Roles) -> Table[Any]:
    """Return the table of some columns to be counted: rows that are alike may be gathered unless they are people's."""
    return table.gathered(columns) if roles.person is None else table.keep(columns)


def suspects(table: Table[Any], roles: Roles) -> list[str]:
    """Return the columns that may tell people apart though nothing says so: rows are counted, and people may repeat."""
    if roles.person is not None or roles.rows_are_people:
        return []
    usable = [column.name for column in table.columns if column.problem is None]
    others = [name for name in usable if name not in roles.columns and (person_in(name) or people_in(name))]
    return [*(name for name in roles.identifiers if name in usable), *others]


def repeated(session: Engine, table: Table[Any], roles: Roles) -> Iterable[Note]:
    """Give a warning for each suspect whose values are in several rows, and for people whom blanks alone tell apart."""
    if roles.person is not None:
        yield from _told_by_blanks(session, table, roles.person)
    for name in suspects(table, roles):
        census = session.census(table, name, several=True)
        several = census.several
        if several and (person_in(name) is not None or ROWS_EACH * census.people >= census.rows):
            people = "1 person" if several == 1 else f"{several:,} people"
            yield Note(
                "rows-not-people",
                f"These figures count rows. {people} ({name!r}) {'has' if several == 1 else 'have'} several rows, so "
                "classes contain fewer people than rows.",
                Hint("Count people with {}.", Ask("person", name)),
                name,
            )


def _told_by_blanks(session: Engine, table: Table[Any], person: str) -> Iterable[Note]:
    """Give a warning where somebody may count as several people, because of blanks around their value."""
    alike = session.told_by_blanks(table, person) if is_text(table.column(person).type) else 0
    if alike:
        values = f"{alike:,} {'value' if alike == 1 else 'values'}"
        yield Note(
            "person-blanks",
            f"{values} of the column {person!r} {'occurs' if alike == 1 else 'occur'} with different blanks around "
            "it, and each spelling counts as another person. If it is one person, classes contain fewer people than "
            "these figures count.",
            Hint("Remove the blanks around its values."),
            person,
        )


def _check_sizes_alone(measure: str | Iterable[str], wanted: Sequence[Requirement]) -> None:
    """Refuse a table without a sensitive attribute, unless nothing but class sizes is asked for."""
    named = [] if measure in ("usual", "all") else [measure] if isinstance(measure, str) else list(measure)
    asked = [MODELS[key].scope for key in named if key in MODELS] + [each.model.scope for each in wanted]
    if not asked or any(scope != "table" for scope in asked):
        raise RoleConflictError(
            "No sensitive attribute is named: what is to be protected?",
            code="no-sensitive-attribute",
            field="sensitive",
            hint=Hint(
                "Name at least one: {}. Or judge class sizes alone: require {}, or measure them, {}.",
                Ask("sensitive"),
                Ask("k", 5),
                Ask("measure", "k"),
            ),
        )


def _runs(roles: Roles) -> list[Run]:
    """Return the groupings that the roles ask for."""
    quasi, names = roles.quasi, tuple(roles.sensitive)
    if not names:
        return [Run(quasi, ((quasi[0],),), attribute_models=False)]
    if is_joint(roles):
        return [Run(quasi, (names,))]
    if roles.together == "quasi" and len(names) > 1:
        own = [
            Run(
                (*quasi, *(other for other in names if other != name)),
                ((name,),),
                table_models=False,
                own=name,
            )
            for name in names
        ]
        return [Run(quasi, ((names[0],),), attribute_models=False), *own]
    return [Run(quasi, tuple((name,) for name in names))]


def _distances(run: Run, roles: Roles) -> list[Distance | None]:
    """Return how far apart values are; combinations, and a column that only sizes are counted by, are nominal."""
    return [Nominal() if len(names) > 1 else roles.sensitive.get(names[0], Nominal()) for names in run.names]


def _notes(roles: Roles) -> Iterable[Note]:
    if roles.naming:
        yield Note(
            IDENTIFIERS_PUBLISHED,
            f"The table carries identifiers ({listed(roles.naming)}).",
            Hint("Remove them before it is published."),
        )
    if is_joint(roles):
        yield Note(
            "measured-jointly", "The sensitive attributes are measured together: combinations as nominal values."
        )
    if roles.together == "quasi" and len(roles.sensitive) > 1:
        yield Note(
            "measured-beside-others", "Each sensitive attribute is measured with the others as quasi-identifiers."
        )


def _blanks(audit: Audit) -> Iterable[Note]:
    """Give a note where quasi-identifiers have blanks, which other tools count otherwise."""
    found = audit.classes.blanks() if audit.rows <= _DRIVERS_UP_TO else {}
    if found:
        cells, columns = sum(found.values()), ", ".join(f"{name!r} {number:,}" for name, number in found.items())
        yield Note(
            "blank-quasi-identifiers",
            f"{cells:,} {'cell of the quasi-identifiers is' if cells == 1 else 'cells of the quasi-identifiers are'} "
            f"blank, missing or empty ({columns}). A blank is a value of its own here, which no other value matches. "
            "Tools that leave such rows out, or let a blank match any value, find other classes.",
        )


def check_attributes(wanted: Sequence[Requirement], roles: Roles) -> None:
    """Refuse requirements on attributes that are not measured on their own."""
    problems = Problems()
    for requirement in wanted:
        with problems.caught():
            _check_attribute(requirement, roles)
    problems.check()


def _check_attribute(requirement: Requirement, roles: Roles) -> None:
    if requirement.attribute is not None and is_joint(roles):
        raise InputError(
            f"{requirement.model.key} cannot be required of {requirement.attribute!r} alone where the sensitive "
            "attributes are measured together.",
            field=requirement.model.key,
            column=requirement.attribute,
            hint=Hint("Require it without an attribute, or measure each alone."),
        )
    if requirement.attribute is not None and requirement.attribute not in roles.sensitive:
        key = requirement.model.key
        raise ColumnNotFoundError(requirement.attribute, roles.sensitive, f"required ({key})", field=key)


def _models(
    measure: str | Iterable[str], wanted: Sequence[Requirement], *, population: bool, averaged: bool = False
) -> tuple[Model, ...]:
    """Return the models to measure: those asked for, those that something is required of, and one that is averaged."""
    if measure == "usual":
        chosen = usual_models()
        if population:
            chosen += tuple(model() for model in MODELS.values() if model.needs_population)
    elif measure == "all":
        chosen = measurable_models(population=population)
    else:
        keys = [measure] if isinstance(measure, str) else list(measure)
        unknown = [key for key in keys if key not in MODELS]
        if unknown:
            raise InputError(
                f"{listed(unknown)}: no such privacy model; there are {listed(MODELS, 30)}.", field="measure"
            )
        chosen = tuple(MODELS[key]() for key in dict.fromkeys(["k", *keys]))
    required = [requirement.model for requirement in wanted]
    chosen = tuple(model for model in chosen if not any(model.key == other.key for other in required))
    found = tuple(dict.fromkeys([*required, *chosen]))
    beside = {key for model in found for key in model.beside} | ({"marketer"} if averaged else set())
    beside -= {model.key for model in found}
    found += tuple(MODELS[key]() for key in beside)
    for model in found:
        if model.needs_population and not population:
            estimated = " Estimates are shown, but cannot be required." if averaged else ""
            raise InputError(
                f"{model.title} needs a population table.{estimated}",
                code="no-population",
                field="population",
                hint=Hint("Name it: {}.", Ask("population")),
            )
    return tuple(sorted(found, key=lambda model: list(MODELS).index(model.key)))
