"""The verb ``anonymize``: the least damage that meets the requirements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from tclose.anonymizing.framing import Frame, GivenHierarchy, Levels, Wishes, attributes_of, framed
from tclose.anonymizing.labels import recipe_of, recoding_of
from tclose.anonymizing.obstacles import obstacles
from tclose.anonymizing.working import EngineWork
from tclose.auditing import built_in_roles, check_attributes, checked
from tclose.compiled import load_compiler
from tclose.engines.interface import Progress, Session, SpreadsRows, Table
from tclose.errors import InputError, ThresholdError, closest, listed
from tclose.exact import Number, fraction
from tclose.models.catalogue import Requirement, Wanted, requirements
from tclose.recoding.losses.catalogue import LOSSES, all_losses, losses_by_column
from tclose.recoding.methods import check_method, found
from tclose.recoding.partition import published
from tclose.recoding.search import Search
from tclose.releases import Release
from tclose.roles import Roles

if TYPE_CHECKING:
    from tclose.sources import ReadOptions

_LARGE_FILE = 500_000
"""Bytes from which on a file's rows are worth compiled loops."""


def anonymize(
    table: object,
    roles: Roles | None = None,
    *,
    require: Wanted | Iterable[Requirement],
    hierarchies: Mapping[str, GivenHierarchy] | None = None,
    method: str = "auto",
    suppress: Number = 0,
    loss: str = "lm",
    levels: Mapping[str, Levels] | None = None,
    weights: Mapping[str, float] | None = None,
    whole_classes: bool = False,
    intervals: bool = True,
    pruned: bool = False,
    against: str = "both",
    seed: int = 0,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    progress: Progress | None = None,
) -> Release:
    """Find the release of a table that meets the requirements with the least damage.

    Parameters
    ----------
    table
        A path, a frame, anything with an Arrow stream, or a built-in example such as ``"example:salary"``.
    roles
        Which column is what. Identifiers are removed, quasi-identifiers recoded, all other columns published.
    require
        What the release must meet: ``{"k": 5, "t": "0.2"}``, or for one attribute ``{"t": {"salary": "1/5"}}``.
    hierarchies
        How quasi-identifiers are generalised: for each a :class:`Hierarchy`, a file, a nested mapping, or words such
        as ``"intervals:5,10,20"`` or ``"flat"``. Numbers, dates and codes get one by themselves.
    method
        ``"auto"`` tries what applies and keeps the least loss; or one of ``peel``, ``mondrian``, ``full-domain``,
        ``microaggregation``, ``sabre`` and ``merge``.
    suppress
        The largest share of rows that may be left out, such as ``"0.04"``.
    loss
        What to minimise; ``docs/losses.md`` lists the losses.
    levels
        For a quasi-identifier the level it is published on, or the finest and the coarsest level it may be.
    weights
        How much each quasi-identifier counts in the loss; 1 if it is not named.
    whole_classes
        Keep rows with the same quasi-identifiers together, so that no sensitive value decides how coarse a row is.
    intervals
        Whether classes of numbers, dates and ordered categories may be published as intervals of their own.
    pruned
        Whether a full-domain search with suppression may leave out nodes that are unlikely to be best.
    against
        ``"both"``: the release meets the requirements against the original's distribution and against its own;
        ``"original"``: against the original's only.
    seed
        Decides what is left to chance; the same seed gives the same release.
    read, memory, threads, temp, progress
        As for :func:`tclose.audit`.

    Returns
    -------
    Release
        The release, or what stands in the way of one.

    Examples
    --------
    >>> import tclose
    >>> release = tclose.anonymize("example:salary", require={"k": 3, "t": "0.4"}, hierarchies={"age": "flat"})
    >>> release.holds, release.rows, release.suppressed
    (True, 9, 0)
    """
    from tclose.engines.choosing import working_session

    check_method(method)
    if _is_large(table):
        load_compiler()
    with working_session(table, read=read, memory=memory, threads=threads, temp=temp) as session:
        opened = session.open(table)
        roles = checked(roles if roles is not None else built_in_roles(table), opened)
        wanted = requirements(require)
        check_attributes(wanted, roles)
        search = chosen_search(loss, against, progress, whole_classes=whole_classes, pruned=pruned)
        wishes = Wishes(
            hierarchies or {}, levels or {}, weights or {}, share_of_rows(suppress), intervals, whole_seed(seed)
        )
        if not wanted:
            raise ThresholdError(
                "Say what the release must meet, such as require={'k': 5, 't': '0.2'} (--k 5 --t 0.2)."
            )
        kept = opened.keep([column.name for column in opened.columns if column.name not in roles.identifiers])
        frame = framed_table(session, kept, roles, wanted, wishes, search)
        if frame.problem.k > frame.problem.rows:
            raise InputError(
                f"Classes of {frame.problem.k} rows are required, but the table has {frame.problem.rows}; require less."
            )
        return released(session, kept, frame.settled(roles), wanted, frame, method, search)


def _is_large(table: object) -> bool:
    """Say whether a table is certainly large enough for compiled loops: a file of some size."""
    try:
        return isinstance(table, str | Path) and Path(table).stat().st_size > _LARGE_FILE
    except (OSError, ValueError):
        return False


def framed_table(
    session: Session, table: Table, roles: Roles, wanted: Sequence[Requirement], wishes: Wishes, search: Search
) -> Frame:
    """Return the problem that a table poses."""
    attributes = attributes_of(roles)
    distinct = session.distinct(table, roles.quasi, attributes, search.tell)
    return framed(distinct, roles, wanted, wishes)


def released(
    session: Session,
    table: Table,
    roles: Roles,
    wanted: Sequence[Requirement],
    frame: Frame,
    method: str,
    search: Search,
) -> Release:
    """Return the release that a method finds, ready to be written, or what stands in its way."""
    spreads: SpreadsRows | None = getattr(session, "spread", None)
    there = None if spreads is None else spreads(table)
    best = found(method, frame.problem, replace(search, spread=there))
    if best is None:
        return _none(table, roles, wanted, frame, method)
    partition = published(best.partition)
    columns = [column.name for column in table.columns]
    recipe = recipe_of(
        frame, partition, method=best.method, roles=roles, requirements=wanted, published=columns, own=search.own
    )
    work = EngineWork(
        session,
        session.recode(table, recoding_of(recipe, frame.distinct, frame.attributes)),
        Roles(roles.quasi, roles.sensitive, (), roles.together),
        tuple(wanted),
        frame.original(),
        partition.suppressed(),
        search.own,
        table,
    )
    return Release(
        source=table.label,
        roles=roles,
        requirements=tuple(wanted),
        method=best.method,
        rows=frame.problem.rows,
        classes=len(recipe.cells),
        suppressed=partition.suppressed(),
        levels=recipe.levels,
        losses=all_losses(frame.problem, partition),
        column_losses=losses_by_column(frame.problem, partition),
        notes=(*table.notes, *frame.notes, *best.partition.notes, *_notes(columns, roles)),
        recipe=recipe,
        work=work,
    )


def _none(table: Table, roles: Roles, wanted: Sequence[Requirement], frame: Frame, method: str) -> Release:
    standing = obstacles(frame.problem)
    note = () if standing else (f"The method {method!r} found no release, though there is one; try 'auto'.",)
    return Release(
        source=table.label,
        roles=roles,
        requirements=tuple(wanted),
        method=method,
        rows=frame.problem.rows,
        classes=0,
        suppressed=0,
        levels=None,
        losses={},
        column_losses={},
        notes=(*table.notes, *frame.notes, *note),
        obstacles=standing,
    )


def _notes(columns: Sequence[str], roles: Roles) -> Iterable[str]:
    others = [name for name in columns if name not in roles.quasi and name not in roles.sensitive]
    if others:
        yield (
            f"Published as they are: {listed(others)}. If someone may know them of a person, name them as "
            "quasi-identifiers, or as identifiers to remove them."
        )


def chosen_search(loss: str, against: str, progress: Progress | None, *, whole_classes: bool, pruned: bool) -> Search:
    """Return the search that a person's choices stand for, checked."""
    if loss not in LOSSES:
        near = closest(str(loss), LOSSES)
        hint = f" Did you mean {near!r}?" if near else ""
        raise InputError(f"{loss!r} is not a loss; there are {listed(LOSSES, 30)}.{hint}")
    if against not in ("both", "original"):
        raise InputError(f"against is 'both' or 'original', not {against!r}.")
    return Search(
        loss=LOSSES[loss],
        whole_classes=whole_classes,
        pruned=pruned,
        own=against == "both",
        tell=progress or (lambda _stage, _share: None),
    )


def share_of_rows(suppress: Number) -> Fraction:
    """Return the share of rows that may be left out, checked."""
    share = fraction(suppress, "suppress")
    if not 0 <= share < 1:
        raise ThresholdError("The share of rows that may be left out must be at least 0 and less than 1.")
    return share


def whole_seed(seed: int) -> int:
    """Return the seed, checked."""
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**63:
        raise InputError("The seed is a whole number from 0 to 2⁶³ − 1.")
    return seed
