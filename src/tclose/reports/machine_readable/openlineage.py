"""The making of a release as events of OpenLineage: a run starts, and completes, fails or is aborted."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from tclose import __version__
from tclose.anonymization.releases import Release
from tclose.auditing.results import Verdict
from tclose.data.labels import public
from tclose.reports.machine_readable.audits import value_data
from tclose.reports.phrases.cells import visible

LINEAGE_ENDING = ".openlineage.json"
LINEAGE = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
FACETS = "https://openlineage.io/spec/facets"
PRODUCER = f"urn:tclose:{__version__}"
PRIVACY_FACET = "urn:tclose:lineage-facet:1"


Dataset = tuple[str, str]
"""A namespace and a name: the address of a server and a table there, or ``file`` and the name of a file."""
FILE = "file"


@dataclass(frozen=True)
class Handed:
    """A file that is handed over; the first of several is the release."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True)
class LineageRun:
    """One run of a command; all of its events bear its identifier."""

    job: str
    source: Dataset | None = None
    """What is read, as anyone may know it; None where it has no name before it is read."""
    identifier: str = field(default_factory=lambda: str(uuid.uuid4()))

    def started(self) -> dict[str, Any]:
        """Return the event of the beginning."""
        return self._event("START")

    def aborted(self) -> dict[str, Any]:
        """Return the event of an end that somebody asked for before the work was done."""
        return self._event("ABORT")

    def failed(self, message: str) -> dict[str, Any]:
        """Return the event of an end without a release, and why."""
        why = _facet(
            f"{FACETS}/1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet",
            message=message, programmingLanguage="Python",
        )  # fmt: skip
        event = self._event("FAIL")
        event["run"]["facets"] = {"errorMessage": why}
        return event

    def completed(self, release: Release, made: Dataset | None, size: int | None = None) -> dict[str, Any]:
        """Return the event of a release: what came out, by its name, and what it promises."""
        event = self._event("COMPLETE")
        event["inputs"] = [_dataset((FILE, visible(public(release.source))))]
        if made is not None:
            event["outputs"] = [_output(release, made, size)]
        return event

    def _event(self, kind: Literal["START", "COMPLETE", "ABORT", "FAIL"]) -> dict[str, Any]:
        return {
            "eventType": kind,
            "eventTime": now(),
            "producer": PRODUCER,
            "schemaURL": LINEAGE,
            "run": {"runId": self.identifier},
            "job": {"namespace": "tclose", "name": self.job},
            "inputs": [] if self.source is None else [_dataset(self.source)],
            "outputs": [],
        }


def lineage_statement(release: Release, files: Sequence[Handed], run: LineageRun | None = None) -> dict[str, Any]:
    """Return the making of a release as one event, with its verdicts as a facet of what came out."""
    return (run or LineageRun("anonymize")).completed(release, (FILE, files[0].name), files[0].size)


def now() -> str:
    """Return the moment as statements write it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _dataset(dataset: Dataset) -> dict[str, Any]:
    namespace, name = dataset
    return {"namespace": namespace, "name": name}


def _output(release: Release, made: Dataset, size: int | None) -> dict[str, Any]:
    fields = [{"name": column.name, "type": column.type} for column in release.table.columns]
    schema = _facet(f"{FACETS}/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet", fields=fields)
    privacy = _facet(
        PRIVACY_FACET,
        counts="people" if release.people is not None else "rows",
        rowsLeftOut=release.suppressed,
        unprotected=list(release.unprotected),
        assertions=[_assertion(each) for each in release.audits()[0].verdicts],
    )
    statistics = _facet(
        f"{FACETS}/1-0-2/OutputStatisticsOutputDatasetFacet.json#/$defs/OutputStatisticsOutputDatasetFacet",
        rowCount=release.released_rows, **({} if size is None else {"size": size}),
    )  # fmt: skip
    return {
        **_dataset(made),
        "facets": {"schema": schema, "tclose_privacy": privacy},
        "outputFacets": {"outputStatistics": statistics},
    }


def _assertion(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as OpenLineage words assertions of quality, with the figure beside it."""
    of = {} if verdict.attribute is None else {"column": verdict.attribute}
    found = value_data(verdict.figure.value)
    return {"assertion": verdict.requirement.text, "success": verdict.holds, **of, "found": found}


def _facet(schema: str, **content: Any) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": schema, **content}
