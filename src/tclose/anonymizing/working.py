"""A release in the engine that holds its rows: audited, and written so that nothing is left half-written."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from tclose.auditing import audit_release
from tclose.domains import Observed
from tclose.engines.interface import ReleasedTable, Session, Table
from tclose.engines.spark.writing import may_be_replaced
from tclose.errors import InputError, InternalError, SourceError
from tclose.models.catalogue import Requirement
from tclose.releases import Release, Written
from tclose.results import Audit
from tclose.roles import Roles


@dataclass(frozen=True)
class EngineWork:
    """The rows of a release, and what is needed to judge them."""

    session: Session
    table: ReleasedTable
    roles: Roles
    wanted: tuple[Requirement, ...]
    original: Mapping[tuple[str, ...], Observed]
    suppressed: int
    own: bool
    source: Table | None = None
    """The original, as the session opened it."""

    def before(self) -> Audit | None:
        """Return the audit of the original by the same requirements."""
        if self.source is None:
            return None
        return audit_release(self.session, self.source, self.roles, self.wanted, None)

    def drivers(self) -> dict[str, Mapping[str, Fraction] | None]:
        """Return, for each attribute, t of the release with each quasi-identifier left out."""
        audited = audit_release(self.session, self.table, self.roles, (), None, drivers=None)
        return {name: attribute.drivers for name, attribute in audited.attributes.items()}

    def audits(self) -> tuple[Audit, Audit]:
        """Return the audit of the release against itself, and against the original."""
        return self._audits(self.table)

    def _audits(self, table: Table) -> tuple[Audit, Audit]:
        """Audit a table; where no row is left out, the original's distribution is its own."""
        original = audit_release(self.session, table, self.roles, self.wanted, self.original)
        if not self.suppressed:
            return replace(original, reference="the audited table"), original
        return audit_release(self.session, table, self.roles, self.wanted, None), original

    def _missed(self, own: Audit, original: Audit) -> bool:
        return original.holds is False or (self.own and own.holds is False)

    def _misread(self, path: Path) -> InputError | InternalError:
        """Return why the written release misses what the release itself meets."""
        if self._missed(*self.audits()):
            return InternalError("The release does not meet the requirements that its search met.")
        return InputError(
            f"From {path.name!r}, sensitive values would be read as others than the original's. Write Parquet "
            "(.parquet), which keeps values as they are, or make the sensitive columns text first."
        )

    def write(self, release: Release, path: Path, *, force: bool) -> Written:
        """Write the release, its recipe and its report, after auditing the file that will bear the name."""
        targets = Targets.beside(path)
        targets.check(force=force)
        with self.table.writing(path) as temporary:
            own, original = self._audits(self.table.read_back(temporary))
            if self._missed(own, original):
                raise self._misread(path)
            if original.rows != self.table.rows:
                raise InternalError("The written release does not have the rows that it should.")
            written = Written(path, targets.recipe, targets.report, own, original)
            recipe = release.recipe.to_json() if release.recipe is not None else ""
            with (
                written_beside(targets.recipe, recipe, 0o600),
                written_beside(targets.report, _report(release, written), 0o666),
            ):
                pass
        return written


@dataclass(frozen=True)
class Targets:
    """The files of a release."""

    table: Path
    recipe: Path
    report: Path

    @staticmethod
    def beside(path: Path) -> Targets:
        """Return the files that go with a table."""
        return Targets(path, path.with_name(f"{path.name}.recipe.json"), path.with_name(f"{path.name}.report.json"))

    def check(self, *, force: bool) -> None:
        """Refuse files that are there already, and folders that are not, before any work is done."""
        if not self.table.parent.is_dir():
            raise SourceError(f"There is no folder {str(self.table.parent)!r} to write to.")
        if not os.access(self.table.parent, os.W_OK):
            raise SourceError(f"Nothing can be written to the folder {str(self.table.parent)!r}.")
        for path in (self.table, self.recipe, self.report):
            try:
                folder, there = path.is_dir(), path.exists()
            except OSError as problem:
                raise SourceError(f"{str(path)!r} cannot be written: {problem.strerror}.") from None
            if folder and not (path == self.table and may_be_replaced(path)):
                raise SourceError(f"{str(path)!r} is a folder; name a file to write to.")
            if there and not force:
                raise InputError(f"{str(path)!r} is there already; say --force (force=True) to replace it.")


def _report(release: Release, written: Written) -> str:
    from tclose.render.json import json_text
    from tclose.render.release_json import report_data

    return json_text(report_data(release, written))


@contextmanager
def written_beside(path: Path, text: str, mode: int) -> Iterator[None]:
    """Write a small file under another name, and give it its own when the block ends without an error."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        yield
        beside.replace(path)
    except OSError as problem:
        raise SourceError(f"{str(path)!r} cannot be written: {problem.strerror}.") from None
    finally:
        beside.unlink(missing_ok=True)
