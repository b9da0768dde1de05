"""A release as a new table of a database, judged there before anybody else can see it."""

from __future__ import annotations

from dataclasses import replace

from tclose.anonymizing.working import EngineWork
from tclose.errors import InputError, InternalError
from tclose.releases import Release
from tclose.results import Audit
from tclose.sources import DatabaseTable


def store(release: Release, target: DatabaseTable | str) -> tuple[Audit, Audit]:
    """Store a release as a new table of a database.

    The table is made, filled and audited in one transaction. Unless the audit of what is in the table meets the
    requirements, nothing of it stays.

    Parameters
    ----------
    release
        A release that meets its requirements.
    target
        The table to make: ``"postgresql://HOST/DATABASE#SCHEMA.TABLE"``. It must not be there already.

    Returns
    -------
    tuple
        The audits of the new table: against itself, and against the original.
    """
    from tclose.engines.database.released import storing

    work = release.work
    if not isinstance(work, EngineWork):
        raise InputError("There is no release that meets the requirements, so there is none to store.")
    place = target if isinstance(target, DatabaseTable) else DatabaseTable(target)
    with storing(work.table, place) as (session, table):
        own, original = replace(work, session=session)._audits(table)
        if original.holds is False or (work.own and own.holds is False):
            raise InternalError("The stored release does not meet the requirements that its search met.")
        if original.rows != work.table.rows:
            raise InternalError("The stored release does not have the rows that it should.")
    return own, original
