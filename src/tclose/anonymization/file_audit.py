"""A file audited alone: by its own columns and distribution, as whoever has nothing else can do it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tclose.anonymization.certificates import certified_columns, roles_of
from tclose.anonymization.releases import Release, Written
from tclose.auditing.audit import audit_release
from tclose.auditing.open_table import checked
from tclose.auditing.results import Audit
from tclose.data.progress import silent
from tclose.engines.base import Engine, Progress, Table
from tclose.engines.dispatch import working_session
from tclose.models.catalogue import Requirement
from tclose.policy.roles import Roles


def written_alone(release: Release, found: Written, place: Path) -> Audit:
    """Return the audit of the file of a release alone, where it waits."""
    roles = roles_of(certified_columns(release, found.audit), release.roles.together)
    with working_session(place) as session:
        return audited_alone(session, session.open(place), roles, release.requirements)


def audited_alone(
    session: Engine,
    table: Table[Any],
    roles: Roles,
    wanted: Sequence[Requirement],
    tell: Progress = silent,
) -> Audit:
    """Return the audit of a table against its own distribution, by roles that its columns have."""
    return audit_release(session, table, checked(roles, table), tuple(wanted), None, progress=tell)
