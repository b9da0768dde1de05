"""A release as a new table of a database, judged there before anybody else can see it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from tclose.anonymizing.working import EngineWork, written_beside
from tclose.errors import InputError, InternalError
from tclose.releases import Release, Written
from tclose.sources import DatabaseTable, is_database, locate


@contextmanager
def held(table: object, into: str | None) -> Iterator[object]:
    """Give a table to be anonymized, all of whose reading is in one transaction if it is in a database.

    The rows of a release then need not leave the database, and are written in the same transaction where they go
    into the same database. The transaction ends with the block, and what was not stored by then is gone.

    Parameters
    ----------
    table
        What the caller named.
    into
        The address of the table that the release will be stored as; None where it will not be. It is refused here
        if it is there already.
    """
    target = None if into is None else DatabaseTable(into)
    source = locate(table) if is_database(table) else None
    if target is None and not isinstance(source, DatabaseTable):
        yield table
        return
    from tclose.engines.database.released import begun

    with begun(source if isinstance(source, DatabaseTable) else None, target) as transaction:
        yield source.within(transaction) if isinstance(source, DatabaseTable) else table


def store(release: Release, target: DatabaseTable | str, *, recipe: Path | None = None) -> Written:
    """Store a release as a new table of a database.

    The table is made, filled and audited in one transaction. Unless the audit of what is in the table meets the
    requirements, nothing of it stays. The rows are recoded in the database where the original was read in a
    transaction there that :func:`held` keeps open; otherwise they are sent there.

    Parameters
    ----------
    release
        A release that meets its requirements.
    target
        The table to make: ``"postgresql://HOST/DATABASE#SCHEMA.TABLE"``. It must not be there already.
    recipe
        The file to write the recipe to, if it is to be kept; it is there only if the table is.

    Returns
    -------
    Written
        The audits of the new table: against itself, and against the original.
    """
    from tclose.engines.database.released import storing
    from tclose.engines.database.session import DatabaseSession

    work = release.work
    if not isinstance(work, EngineWork):
        raise InputError("There is no release that meets the requirements, so there is none to store.")
    place = target if isinstance(target, DatabaseTable) else DatabaseTable(target)
    session = work.session if isinstance(work.session, DatabaseSession) else DatabaseSession()
    text = release.recipe.to_json() if release.recipe is not None else ""
    with (
        nullcontext() if recipe is None else written_beside(recipe, text, 0o600),
        storing(work.table, place, session) as table,
    ):
        own, original = replace(work, session=session)._audits(table)
        if original.holds is False or (work.own and own.holds is False):
            raise InternalError("The stored release does not meet the requirements that its search met.")
        if original.rows != work.table.rows:
            raise InternalError("The stored release does not have the rows that it should.")
    return Written(Path(place.table or ""), recipe, None, own, original)
