"""The verb ``audit``: from a table, roles and requirements to figures and a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tclose.domains import Observed
from tclose.engines.interface import Progress, Session, Table
from tclose.errors import ColumnNotFoundError, InputError, RoleConflictError, listed
from tclose.inspection import Finding, Inspection, Run, attribute_audit, figures_by_key
from tclose.models.base import Model
from tclose.models.catalogue import MODELS, Requirement, Wanted, measurable_models, requirements, usual_models
from tclose.results import AttributeAudit, Audit, ClassTable, Evidence
from tclose.roles import Distance, Nominal, Roles

if TYPE_CHECKING:
    from tclose.sources import ReadOptions

_DRIVERS_UP_TO = 1_000_000


def audit(
    table: object,
    roles: Roles | None = None,
    *,
    require: Wanted | Iterable[Requirement] | None = None,
    measure: str | Iterable[str] = "usual",
    reference: object | None = None,
    population: object | None = None,
    drivers: bool | None = None,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Measure what a table gives away, and judge it.

    Parameters
    ----------
    table
        A path, a frame, anything with an Arrow stream, or a built-in example such as ``"example:salary"``.
    roles
        Which column is what; built-in examples bring their own. Without a sensitive attribute only class sizes are
        judged, and only such models may be asked for.
    require
        Thresholds by model: ``{"k": 5, "t": "0.2"}``, or for one attribute ``{"t": {"salary": "1/5"}}``.
    measure
        ``"usual"``, ``"all"`` models that need no further input, or the keys of models.
    reference
        What classes are compared with instead of the table's own distribution: another table, or for
        each sensitive attribute a mapping from value to share.
    population
        A table of the people the table was drawn from, for journalist risk, k-map and δ-presence.
    drivers
        Whether to measure t with each quasi-identifier left out; by default up to a million rows.
    read
        How to read files.
    memory, threads, temp
        What the engine may use: ``"4GB"``, a number of threads, a folder to spill to.
    progress
        Called with a stage and a share done, from time to time.

    Returns
    -------
    Audit
        Figures, verdicts and classes.

    Examples
    --------
    >>> import tclose
    >>> audit = tclose.audit("example:salary", require={"k": 3, "t": "0.2"})
    >>> audit.k, audit["salary"].t, audit["disease"].t, audit.holds
    (3, Fraction(3, 8), Fraction(4, 9), False)
    """
    from tclose.engines.choosing import working_session

    with working_session(table, read=read, memory=memory, threads=threads, temp=temp) as session:
        opened = session.open(table)
        roles = checked(roles if roles is not None else built_in_roles(table), opened)
        wanted = requirements(require)
        if not roles.sensitive:
            _check_sizes_alone(measure, wanted)
        check_attributes(wanted, roles)
        inspection = Inspection(
            session=session,
            table=opened.keep([*roles.quasi, *roles.sensitive]),
            wanted=wanted,
            models=_models(measure, wanted, population=population is not None),
            population=session.open(population).keep(roles.quasi) if population is not None else None,
            progress=progress or (lambda _stage, _share: None),
        )
        return _audited(inspection, roles, _Reference.of(reference, session, roles), drivers=drivers)


def audit_release(
    session: Session,
    table: Table,
    roles: Roles,
    wanted: tuple[Requirement, ...],
    original: Mapping[tuple[str, ...], Observed] | None,
    *,
    drivers: bool | None = False,
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
    drivers
        As for :func:`audit`.
    """
    inspection = Inspection(
        session=session,
        table=table.keep([*roles.quasi, *roles.sensitive]),
        wanted=wanted,
        models=_models("usual", wanted, population=False),
        population=None,
        progress=lambda _stage, _share: None,
    )
    reference = _Reference("the audited table") if original is None else _Reference("the original table", seen=original)
    return _audited(inspection, roles, reference, drivers=drivers)


def _audited(inspection: Inspection, roles: Roles, reference: _Reference, *, drivers: bool | None) -> Audit:
    findings: list[Finding] = []
    attributes: dict[str, AttributeAudit] = {}
    tables: dict[str | None, ClassTable] = {}
    evidence: dict[str, Evidence] = {}
    rows = 0
    for run in _runs(roles):
        found = inspection.inspect(run, _distances(run, roles), [reference.for_attribute(n) for n in run.names])
        rows = found.rows
        tables[run.own] = found.classes
        findings += found.findings
        if run.attribute_models:
            measured = any(model.key == "t" for model in inspection.models)
            wanted = measured and rows <= _DRIVERS_UP_TO if drivers is None else drivers
            driving = inspection.drivers(run, found, roles.quasi) if wanted else [None] * len(found.domains)
            for traced, without in zip(found.evidence, driving, strict=True):
                attributes[traced.domain.name] = attribute_audit(traced.domain, found.findings, without)
                evidence[traced.domain.name] = traced
    return Audit(
        source=inspection.table.label,
        roles=roles,
        rows=rows,
        class_count=len(tables[None]),
        figures=figures_by_key([finding for finding in findings if finding.attribute is None]),
        attributes=attributes,
        verdicts=tuple(verdict for finding in findings for verdict in finding.verdicts()),
        reference=reference.words,
        notes=(*inspection.table.notes, *_notes(roles)),
        tables=tables,
        evidence=evidence,
    )


def _check_sizes_alone(measure: str | Iterable[str], wanted: Sequence[Requirement]) -> None:
    """Refuse a table without a sensitive attribute, unless nothing but class sizes is asked for."""
    named = [] if measure in ("usual", "all") else [measure] if isinstance(measure, str) else list(measure)
    asked = [MODELS[key].scope for key in named if key in MODELS] + [each.model.scope for each in wanted]
    if not asked or any(scope != "table" for scope in asked):
        raise RoleConflictError(
            "Name at least one sensitive attribute: what is to be protected? (-s NAME) Without one, class sizes can be "
            "judged: require k or a risk of being found (--k 5), or measure them (--measure k,prosecutor)."
        )


def is_joint(roles: Roles) -> bool:
    """Say whether several sensitive attributes are measured as one."""
    return roles.together == "joint" and len(roles.sensitive) > 1


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


def _notes(roles: Roles) -> Iterable[str]:
    if roles.identifiers:
        yield f"The table carries identifiers ({listed(roles.identifiers)}); remove them before it is published."
    if is_joint(roles):
        yield "The sensitive attributes are measured together, their combinations as nominal values."
    if roles.together == "quasi" and len(roles.sensitive) > 1:
        yield "Each sensitive attribute is measured with the others among the quasi-identifiers."


def built_in_roles(table: object) -> Roles:
    """Return the roles that an example brings; refuse other tables without roles."""
    from tclose.sources import ExampleSource, locate

    source = locate(table) if isinstance(table, str) and table.startswith("example:") else None
    if isinstance(source, ExampleSource):
        return source.example.roles
    raise RoleConflictError(
        "Name the roles of the columns: Roles(quasi=[…], sensitive=[…]); only examples bring theirs."
    )


def checked(roles: Roles, table: Table) -> Roles:
    """Return the roles if the table has their columns and there is a quasi-identifier; refuse them otherwise."""
    available = [column.name for column in table.columns]
    words = {
        "quasi-identifier": roles.quasi,
        "sensitive": tuple(roles.sensitive),
        "identifier": roles.identifiers,
    }
    for role, names in words.items():
        for name in names:
            if name not in available:
                raise ColumnNotFoundError(name, available, role)
    if not roles.quasi:
        raise RoleConflictError("Name at least one quasi-identifier: what may someone know of a person? (-q NAME)")
    return roles


def check_attributes(wanted: Sequence[Requirement], roles: Roles) -> None:
    """Refuse requirements on attributes that are not measured on their own."""
    for requirement in wanted:
        if requirement.attribute is not None and is_joint(roles):
            raise InputError(
                f"{requirement.model.key} cannot be required of {requirement.attribute!r} alone where the sensitive "
                "attributes are measured together; require it without an attribute, or measure each alone."
            )
        if requirement.attribute is not None and requirement.attribute not in roles.sensitive:
            raise ColumnNotFoundError(requirement.attribute, roles.sensitive, f"required ({requirement.model.key})")


def _models(measure: str | Iterable[str], wanted: Sequence[Requirement], *, population: bool) -> tuple[Model, ...]:
    """Return the models to measure: those asked for, and those that something is required of."""
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
            raise InputError(f"{listed(unknown)}: no such privacy model; there are {listed(MODELS, 30)}.")
        chosen = tuple(MODELS[key]() for key in dict.fromkeys(["k", *keys]))
    required = [requirement.model for requirement in wanted]
    chosen = tuple(model for model in chosen if not any(model.key == other.key for other in required))
    found = tuple(dict.fromkeys([*required, *chosen]))
    if any(model.key == "journalist" for model in found) and not any(model.key == "marketer" for model in found):
        found += (MODELS["marketer"](),)
    for model in found:
        if model.needs_population and not population:
            raise InputError(f"{model.title} needs a population table: population=…, or --population FILE.")
    return tuple(sorted(found, key=lambda model: list(MODELS).index(model.key)))


@dataclass(frozen=True)
class _Reference:
    """What classes are compared with, for each attribute."""

    words: str
    given: Mapping[str, Mapping[object, Any]] | None = None
    table: Table | None = None
    session: Session | None = None
    seen: Mapping[tuple[str, ...], Observed] | None = None

    @staticmethod
    def of(reference: object | None, session: Session, roles: Roles) -> _Reference:
        if reference is None:
            return _Reference("the audited table")
        if isinstance(reference, Mapping) and all(isinstance(part, Mapping) for part in reference.values()):
            for name in reference:
                if name not in roles.sensitive:
                    raise ColumnNotFoundError(str(name), roles.sensitive, "reference's")
            missing = [name for name in roles.sensitive if name not in reference]
            if missing or is_joint(roles):
                what = "the attributes measured together" if is_joint(roles) else listed(missing)
                raise InputError(f"The reference gives no distribution for {what}; give one for each, or name a table.")
            return _Reference("a given distribution", given=reference)
        table = session.open(reference).keep(list(roles.sensitive))
        return _Reference(f"the distribution of {table.label}", table=table, session=session)

    def for_attribute(self, names: tuple[str, ...]) -> Observed | Mapping[object, Any] | None:
        if self.table is not None and self.session is not None:
            return self.session.values(self.table, names)
        if self.seen is not None:
            return self.seen.get(names)
        return self.given.get(names[0]) if self.given is not None and len(names) == 1 else None
