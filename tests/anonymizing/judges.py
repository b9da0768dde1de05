"""Statements judged by those who read them; the Python of ``scripts/schemas`` runs it and gets problems as JSON.

    judges.py FILE...

Croissant by its own library, which also reads every row that a statement describes; the terms of RDF by the lists of
rdflib; OpenLineage by the classes that are made from its schemas.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any


def croissant(path: Path) -> dict[str, object]:
    """Return what Croissant's library objects to, and the rows that it reads by the statement."""
    import mlcroissant
    from mlcroissant._src.core import constants

    dataset = mlcroissant.Dataset(str(path))
    context = dataset.metadata.ctx
    named = [value for name, value in vars(constants).items() if name.startswith(("ML_COMMONS_", "SCHEMA_ORG_"))]
    own = {str(term(context) if callable(term) else term) for term in named}
    rows = [{key: plain(cell) for key, cell in row.items()} for row in dataset.records("rows")]
    return {"problems": [*context.issues.errors, *foreign_terms(path, own)], "rows": rows}


def plain(cell: object) -> str:
    return cell.decode() if isinstance(cell, bytes) else str(cell)


def used_terms(document: str) -> set[str]:
    """Return every property and class that a document of JSON-LD uses."""
    import rdflib

    graph = rdflib.Graph().parse(data=document, format="json-ld")
    return {str(term) for term in (*graph.predicates(), *graph.objects(None, rdflib.RDF.type))}


def foreign_terms(path: Path, croissants: set[str]) -> list[str]:
    """Return every term of a statement that its vocabulary does not have."""
    from rdflib.namespace import DCTERMS, RDF, SDO

    known = {str(one._NS) + name for one in (DCTERMS, RDF, SDO) for name in one.__annotations__}
    return sorted(used_terms(path.read_text(encoding="utf-8")) - known - croissants)


def lineage(path: Path) -> dict[str, object]:
    """Return where events, one document or a line each, differ from what the classes of OpenLineage make of them."""
    text = path.read_text(encoding="utf-8")
    events = [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]
    return {"problems": [problem for event in events for problem in differences(event, as_openlineage(event))]}


def as_openlineage(event: dict[str, Any]) -> object:
    """Return an event as the classes of OpenLineage write it; the facet of our own is taken out of both."""
    from openlineage.client import event_v2, facet_v2
    from openlineage.client.serde import Serde

    run = dict(event["run"])
    if "facets" in run:
        why = {key: word for key, word in run["facets"]["errorMessage"].items() if not key.startswith("_")}
        run["facets"] = {"errorMessage": facet_v2.error_message_run.ErrorMessageRunFacet(**why)}
    made = event_v2.RunEvent(
        eventTime=event["eventTime"],
        eventType=event_v2.RunState(event["eventType"]),
        run=event_v2.Run(**run),
        job=event_v2.Job(**event["job"]),
        inputs=[event_v2.InputDataset(**each) for each in event["inputs"]],
        outputs=[event_v2.OutputDataset(**{**each, **facets_of(each)}) for each in event["outputs"]],
        producer=event["producer"],
    )
    for output in event["outputs"]:
        del output["facets"]["tclose_privacy"]
    return json.loads(Serde.to_json(made))


def facets_of(output: dict[str, Any]) -> dict[str, object]:
    """Return the facets of what came out as the classes of OpenLineage."""
    from openlineage.client import facet_v2

    fields = output["facets"]["schema"]["fields"]
    counted = output["outputFacets"]["outputStatistics"]
    field = facet_v2.schema_dataset.SchemaDatasetFacetFields
    statistics = facet_v2.output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet
    return {
        "facets": {"schema": facet_v2.schema_dataset.SchemaDatasetFacet(fields=[field(**each) for each in fields])},
        "outputFacets": {"outputStatistics": statistics(rowCount=counted["rowCount"], size=counted.get("size"))},
    }


def differences(one: object, other: object, at: str = "") -> list[str]:
    """Return where two documents differ, apart from who produced what and what is empty."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = {key for key in {*one, *other} if key != "_producer" and (one.get(key) or other.get(key))}
        return [each for key in sorted(keys) for each in differences(one.get(key), other.get(key), f"{at}/{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [
            each
            for place, pair in enumerate(zip(one, other, strict=True))
            for each in differences(*pair, f"{at}/{place}")
        ]
    return [] if unversioned(one) == unversioned(other) else [f"{at}: {one} here, {other} there"]


def unversioned(value: object) -> object:
    """Return the address of a schema without its version, which grows."""
    return re.sub(r"(openlineage\.io/spec/(?:facets/)?)\d+-\d+-\d+", r"\1", value) if isinstance(value, str) else value


JUDGES = {".jsonld": croissant, ".openlineage.json": lineage, ".jsonl": lineage}


def judged(path: Path) -> dict[str, object]:
    judge = next(judge for ending, judge in JUDGES.items() if path.name.endswith(ending))
    try:
        return judge(path)
    except Exception as problem:  # noqa: BLE001 - whatever a judge says is the finding
        return {"problems": [f"{type(problem).__name__}: {problem}"]}


if __name__ == "__main__":
    sys.stdout.write(json.dumps({name: judged(Path(name)) for name in sys.argv[1:]}))
