"""The verb ``audit_database``: several tables about the same people, judged for someone who knows facts from all."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tclose.auditing.audit import check_attributes
from tclose.auditing.facts import Facts
from tclose.auditing.facts.learned import learned_of_tables, other_engine
from tclose.auditing.open_table import opened_with
from tclose.auditing.results import ColumnDecision
from tclose.auditing.verdicts import TRAIT, Outcome, Reason, accepted, check_accepted, reason_of, verdict_of, with_facts
from tclose.data.labels import public
from tclose.data.progress import shows_progress, silent
from tclose.data.sources import is_database
from tclose.data.text_encoding import holdable
from tclose.engines.base import Engine, Progress
from tclose.engines.dispatch import working_session
from tclose.errors import Ask, ColumnNotFoundError, Hint, InputError, Problems
from tclose.models.catalogue import Requirement, few
from tclose.policy.policy import Policy
from tclose.reports.document import Document


@dataclass(frozen=True)
class DatabaseAudit:
    """What tables about the same people give away to someone who knows traits and some facts of a person."""

    facts: Facts
    reasons: tuple[Reason, ...]
    """Why the verdict is not true of people, or cannot be given, although every requirement is met."""
    withheld: Mapping[str, tuple[str, ...]]
    """By table, the columns that it has although its policy withholds them; none where that is only told."""
    naming: Mapping[str, tuple[str, ...]]
    """By table, the columns that name people."""
    few: int
    """Fewer candidates show single people: the k that is required, else 5."""
    shows_people: bool = False

    @property
    def verdict(self) -> Outcome | None:
        """The verdict; None if nothing was required, and no column fails."""
        if not self.facts.verdicts and not self.withheld:
            return None
        met = not self.withheld and all(each.holds for each in self.facts.verdicts)
        return verdict_of(self.reasons, met=met)

    @property
    def holds(self) -> bool | None:
        """Whether the verdict is a pass; None if nothing was required, and no column fails."""
        return None if self.verdict is None else self.verdict == "pass"

    def with_people(self) -> DatabaseAudit:
        """Return the audit for those who may see single people."""
        return replace(self, shows_people=True)

    def in_public(self) -> DatabaseAudit:
        """Return the audit with tables named without their folders, as others may know them."""
        from tclose.reports.phrases.cells import unfoldered_facts

        withheld, naming = (
            {public(name): each for name, each in some.items()} for some in (self.withheld, self.naming)
        )
        return replace(self, facts=unfoldered_facts(self.facts), withheld=withheld, naming=naming)

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as JSON-ready data; the schema of audits describes its facts and reasons."""
        from tclose.auditing.verdicts import reasons_data
        from tclose.reports.machine_readable.audits import SCHEMA_VERSION
        from tclose.reports.machine_readable.facts import facts_data

        return {
            "schema_version": SCHEMA_VERSION,
            "holds": self.holds,
            "verdict": self.verdict,
            "reasons": reasons_data(self.reasons),
            "withheld": {name: list(columns) for name, columns in self.withheld.items()},
            "naming": {name: list(columns) for name, columns in self.naming.items()},
            **facts_data(self._shown),
        }

    def to_json(self) -> str:
        """Return the audit as JSON text."""
        from tclose.reports.machine_readable.audits import json_text

        return json_text(self.to_dict())

    def document(self) -> Document:
        """Return the audit as a document."""
        from tclose.reports.content.facts import database_document

        return database_document(
            self._shown, self.verdict, self.reasons, withheld=self.withheld, naming=self.naming
        )  # fmt: skip

    @property
    def _shown(self) -> Facts:
        from tclose.reports.content.redaction import facts_without

        return facts_without(self.facts, lambda worst: worst.size < self.few and not self.shows_people)

    def __str__(self) -> str:
        from tclose.reports.formats.text import text

        return holdable(text(self.document()), sys.stdout)


@shows_progress
def audit_database(policies: Sequence[Policy], *, progress: Progress | None = None) -> DatabaseAudit:
    """Measure what several tables about the same people reveal together, and judge it by their requirements.

    Parameters
    ----------
    policies
        One for each table: where it is, which column is what, what must hold. They agree in how many facts are known.
    progress
        Called with a stage and a share done, from time to time.

    Returns
    -------
    DatabaseAudit
        Figures for each number of facts, and verdicts.

    Examples
    --------
    >>> import tclose
    >>> people = {"id": [1, 2, 3], "sex": ["F", "F", "F"], "hiv": ["no", "no", "yes"]}
    >>> visits = {"id": [1, 2, 3, 3], "ward": ["A", "A", "A", "B"]}
    >>> asked = {"facts": 1, "require": {"k": 2}, "fact_columns": ["ward"]}
    >>> found = tclose.audit_database([
    ...     tclose.Policy(table=people, roles=tclose.Roles("sex", "hiv:nominal", person="id")).with_options(asked),
    ...     tclose.Policy(table=visits, roles=tclose.Roles("ward", person="id")).with_options(asked),
    ... ])
    >>> found.verdict, [(power.k.value, power.alone) for power in found.facts.powers]
    ('fail', [(3, 0), (1, 1)])
    """
    first = _first(policies)
    with working_session(first.table, read=first.read, **first.resources.given) as session:
        problems, tables, wanted = Problems(), [], dict[Requirement, None]()
        withheld, naming = {}, {}
        for policy in policies:
            with problems.caught():
                opened, roles = _opened(session, policy, progress)
                tables.append((opened.keep(roles.counted), roles))
                wanted |= dict.fromkeys(_spelled_out(policy, tuple(roles.sensitive)))
                names = [column.name for column in opened.columns]
                decided = ColumnDecision.of(roles, names) if policy.closed else ()
                if found := tuple(each.name for each in decided if each.withheld):
                    withheld[opened.label] = found
                naming[opened.label] = roles.naming
        problems.check()
        facts = learned_of_tables(tables, first.required, tuple(wanted), progress=progress or silent)
    steady = [
        reason_of(TRAIT, name) for table in facts.tables if table.rows > table.people for name in table.steady
    ]  # fmt: skip
    reasons = tuple(with_facts(steady, certain=facts.certain))
    check_accepted(reasons, first.required.accept)
    return DatabaseAudit(facts, accepted(reasons, first.required.accept), withheld, naming, few(wanted))


def _first(policies: Sequence[Policy]) -> Policy:
    """Return the policy that says what all say; refuse policies that differ in it."""
    if not policies:
        raise InputError("No table is named.", field="table")
    if any(policy.required.facts is None for policy in policies):
        raise InputError(
            "Tables about the same people are judged for someone who knows facts.",
            field="facts",
            hint=Hint("Say how many: {}.", Ask("facts", 1)),
        )
    asked = [(p.required.facts, p.required.facts_as, p.required.fact_sets) for p in policies]
    if len(set(asked)) > 1:
        raise InputError("The tables do not agree in how many facts are known, or how.", field="facts")
    for policy in policies:
        if is_database(policy.table):
            raise other_engine()
        for field in ("reference", "population", "after"):
            if getattr(policy.baseline, field) is not None:
                raise InputError("Tables about the same people are compared with all of these people.", field=field)
        if policy.required.preset is not None:
            raise InputError("A preset is about one table; require what it asks instead.", field="preset")
    known = {name for policy in policies for name in policy.roles.quasi}
    for field in ("traits", "fact_columns"):
        for name in getattr(policies[0].required, field):
            if name not in known:
                raise ColumnNotFoundError(name, sorted(known), "quasi-identifying", field=field)
    return policies[0]


def _opened(session: Engine, policy: Policy, progress: Progress | None) -> Any:
    """Return a table opened, and its roles; one without anything but sensitive attributes may be there, too."""
    wanted = [each for each in policy.requirements() if each.attribute is not None]
    opened, roles = opened_with(session, policy.table, policy.roles, progress, lambda r: check_attributes(wanted, r))
    if roles.person is None:
        raise InputError(
            f"Nothing says whose the rows of {opened.label} are.",
            code="facts-without-people",
            field="person",
            hint=Hint("Name the column that tells people apart: {}.", Ask("person")),
        )
    return opened, roles


def _spelled_out(policy: Policy, names: Sequence[str]) -> list[Requirement]:
    """Return what is required of a table, with what is required of each attribute written out."""
    found = []
    for each in policy.requirements():
        general = each.model.scope == "attribute" and each.attribute is None
        found += [replace(each, attribute=name) for name in names] if general else [each]
    return found
