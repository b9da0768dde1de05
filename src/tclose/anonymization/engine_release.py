"""A release in the engine that holds its rows: audited as it is, and as it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from tclose.anonymization.algorithms.associations import Usefulness
from tclose.anonymization.algorithms.full_domain.neighbourhood import Surroundings
from tclose.anonymization.detail_costs import DetailCosts
from tclose.anonymization.releases import Release, Written
from tclose.auditing.audit import audit_release
from tclose.auditing.results import Audit
from tclose.data.progress import silent
from tclose.engines.base import Engine, Progress, RecodedTable, Table
from tclose.errors import InputError, InternalError
from tclose.models.catalogue import Requirement
from tclose.models.value_order import Observed
from tclose.policy.roles import Roles


@dataclass(frozen=True)
class EngineWork:
    """The rows of a release, and what is needed to judge them."""

    session: Engine
    table: RecodedTable[Any]
    roles: Roles
    wanted: tuple[Requirement, ...]
    original: Mapping[tuple[str, ...], Observed]
    suppressed: int
    own: bool
    source: Table[Any] | None = None
    """The original, as the session opened it."""
    inputs: Mapping[Path, str] = field(default_factory=dict)
    """The files that the original is read from, which are never written over."""
    witness: RecodedTable[Any] | None = None
    """The same rows with the column that tells people apart, where they are counted; it is never published."""
    measured: Callable[[], Usefulness | None] = lambda: None
    """Measures what the release is still good for, from the counts that it was searched with."""

    judged_around: Callable[[], Surroundings | None] = lambda: None
    """Judges the levels around those of the release, where it has the same for all classes."""
    unprotected: tuple[str, ...] = ()
    """The columns that are published as they are; the rows that are judged need not have them."""
    costed: Callable[[Release, Progress], DetailCosts] | None = None
    """Finds what costs the detail, by searching again; None where the release was not searched for alone."""

    @property
    def judged(self) -> RecodedTable[Any]:
        """The rows that are judged."""
        return self.table if self.witness is None else self.witness

    def before(self) -> Audit | None:
        """Return the audit of the original by the same requirements."""
        if self.source is None:
            return None
        return audit_release(self.session, self.source, self.roles, self.wanted, None)

    def drivers(self) -> dict[str, Mapping[str, Fraction] | None]:
        """Return, for each attribute, t of the release with each quasi-identifier left out."""
        audited = audit_release(self.session, self.judged, self.roles, (), None, drivers=None)
        return {name: attribute.drivers for name, attribute in audited.attributes.items()}

    def useful(self) -> Usefulness | None:
        """Return what the release is still good for."""
        return self.measured()

    def around(self) -> Surroundings | None:
        """Return what lies around the levels of the release in the lattice of all levels."""
        return self.judged_around()

    def why(self, release: Release, progress: Progress | None = None) -> DetailCosts | None:
        """Return what costs the detail of the release."""
        return None if self.costed is None else self.costed(release, progress or silent)

    def audits(self, tell: Progress = silent) -> tuple[Audit, Audit]:
        """Return the audit of the release against itself, and against the original."""
        return self._audited(self.session, self.judged, tell)

    def _audited(
        self, session: Engine, table: Table[Any] | RecodedTable[Any], tell: Progress = silent
    ) -> tuple[Audit, Audit]:
        """Audit a table; where no row is left out, the original's distribution is its own."""
        exposed = [name for name in self.unprotected if name not in self.roles.shifted]
        original = audit_release(session, table, self.roles, self.wanted, self.original, exposed=exposed, progress=tell)
        original = replace(original, unprotected=self.unprotected)
        if not self.suppressed:
            return replace(original, reference="the audited table"), original
        own = audit_release(session, table, self.roles, self.wanted, None, progress=tell)
        return replace(own, unprotected=self.unprotected, exposed=original.exposed), original

    def audits_there(self, session: Engine, table: Table[Any], tell: Progress = silent) -> tuple[Audit, Audit] | None:
        """Return the audits of the release as it was written or stored; None where it is not what it should be.

        What is there tells no people apart. Where they are counted, it must have just the rows of the release by every
        figure, and the audits are those of the witness.
        """
        if self.witness is None:
            own, original = self._audited(session, table, tell)
            return None if self.misses(own, original) else (own, original)
        if self._by_rows(session, table) != self._by_rows(self.session, self.table):
            return None
        return self.audits()

    def _by_rows(self, session: Engine, table: Table[Any] | RecodedTable[Any]) -> object:
        """Return what an audit by rows says of a table, whatever its values are and whichever of them comes first."""
        audit = audit_release(session, table, self.roles.by_rows, (), None)
        every = [audit.figures, *(each.figures for each in audit.attributes.values())]
        found = [[(figure.exact, figure.worst and figure.worst.tied) for figure in some.values()] for some in every]
        return audit.rows, audit.class_count, found

    def misses(self, own: Audit, original: Audit) -> bool:
        """Say whether audits of the release miss what is required."""
        return original.met is False or (self.own and own.met is False)

    def _misread(self, named: str) -> InputError | InternalError:
        """Return why the written release misses what the release itself meets."""
        if self.misses(*self.audits()):
            return InternalError("The release does not meet the requirements that its search met.")
        return InputError(
            f"From {named!r}, sensitive values would be read as others than the original's. Write Parquet "
            "(.parquet), which keeps values as they are, or make the sensitive columns text first."
        )

    def written_to(self, place: Path, named: str, tell: Progress = silent) -> tuple[Audit, Audit]:
        """Write the rows where they are to wait, and return the audits of what is there, which must be as they should.

        Parameters
        ----------
        place
            The file or folder in which they wait.
        named
            The name that they will have.
        tell
            Told what is being done.
        """
        tell("Writing the release", None)
        self.table.write_to(place)
        tell("Reading the release back", None)
        audits = self.audits_there(self.session, self.table.read_back(place), tell)
        if audits is None:
            raise self._misread(named)
        if audits[1].rows != self.table.rows:
            raise InternalError("The written release does not have the rows that it should.")
        self.session.give_back()
        return audits

    def write(
        self,
        release: Release,
        place: str | Path,
        *,
        force: bool,
        certificate: str | Path | None = None,
        progress: Progress | None = None,
    ) -> Written:
        """Write the release, its recipe, its report and its certificate; nothing is left half-written."""
        from tclose.anonymization.output import write

        return write(release, place, force=force, certificate=certificate, progress=progress)
