"""What several tables about the same people give away together, with its verdict."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tclose.auditing.facts.findings import Facts
from tclose.auditing.verdicts import Outcome, Reason, verdict_of
from tclose.data.labels import public
from tclose.data.text_encoding import holdable
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

    def redacted(self) -> DatabaseAudit:
        """Return the audit without any trait, or cell of a fact, of anybody."""
        from tclose.reports.content.redaction import facts_without

        return replace(self, facts=facts_without(self.facts, lambda _: True))

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as JSON-ready data; ``docs/database.schema.json`` describes it."""
        from tclose import __version__
        from tclose.auditing.verdicts import reasons_data
        from tclose.reports.machine_readable.audits import SCHEMA_VERSION
        from tclose.reports.machine_readable.facts import facts_data

        return {
            "schema_version": SCHEMA_VERSION,
            "tclose_version": __version__,
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

    def to_csv(self) -> str:
        """Return the figures as CSV, a line for each number of facts and figure."""
        from tclose.reports.machine_readable.facts import facts_csv

        return facts_csv(self.facts)

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
