"""What a release says of itself to catalogues: well-formed in each language, true of the file, no value in it.

The schemas below say what the specifications demand: Croissant 1.0, SPDX 3.0.1 (dataset profile), OpenLineage 2-0-2.
"""

import csv
import hashlib
import json
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest

from tclose.cli.failures import exit_code_of
from tclose.cli.root import commands

DOCS = Path(__file__).parents[2] / "docs"
SHA256 = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
TIME = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"}


def an_object(**properties):
    return {"type": "object", "required": list(properties), "properties": properties}


def some(items):
    return {"type": "array", "items": items, "minItems": 1}


TEXT = {"type": "string", "minLength": 1}
LINK = an_object(**{"@id": TEXT})
FILE = an_object(
    **{
        "@type": {"const": "cr:FileObject"},
        "@id": TEXT,
        "name": TEXT,
        "contentUrl": TEXT,
        "encodingFormat": TEXT,
        "sha256": SHA256,
    }
)
FIELD = an_object(
    **{
        "@type": {"const": "cr:Field"},
        "@id": TEXT,
        "name": TEXT,
        "dataType": {"enum": ["sc:Text", "sc:Integer", "sc:Float", "sc:Date", "sc:Boolean"]},
        "source": an_object(fileObject=LINK, extract=an_object(column=TEXT)),
    }
)
CROISSANT = an_object(
    **{
        "@context": an_object(
            **{"@vocab": {"const": "https://schema.org/"}, "cr": {"const": "http://mlcommons.org/croissant/"}}
        ),
        "@type": {"contains": {"const": "sc:Dataset"}},
        "name": TEXT,
        "conformsTo": {"const": "http://mlcommons.org/croissant/1.0"},
        "distribution": some(FILE),
        "recordSet": some(an_object(**{"@type": {"const": "cr:RecordSet"}, "field": some(FIELD)})),
    }
)
DCAT = an_object(
    **{
        "@type": {"contains": {"const": "dcat:Dataset"}},
        "dct:title": TEXT,
        "dct:issued": TIME,
        "dcat:distribution": some(
            an_object(
                **{
                    "@type": {"const": "dcat:Distribution"},
                    "dcat:mediaType": TEXT,
                    "dcat:byteSize": {"type": "integer"},
                }
            )
        ),
        "dqv:hasQualityMeasurement": some(
            an_object(**{"@type": {"const": "dqv:QualityMeasurement"}, "dqv:isMeasurementOf": {"type": "object"}})
        ),
        "prov:wasGeneratedBy": an_object(**{"@type": {"const": "prov:Activity"}, "prov:endedAtTime": TIME}),
    }
)
ELEMENT = {"spdxId": TEXT, "creationInfo": {"const": "_:creation"}}
PACKAGE = an_object(
    **ELEMENT,
    name=TEXT,
    builtTime=TIME,
    releaseTime=TIME,
    originatedBy={"type": "array", "minItems": 1, "maxItems": 1},
    software_downloadLocation=TEXT,
    software_primaryPurpose={"const": "data"},
    dataset_datasetType=some({"const": "structured"}),
    dataset_hasSensitivePersonalInformation={"enum": ["yes", "no", "noAssertion"]},
    dataset_anonymizationMethodUsed=some(TEXT),
    verifiedUsing=some(an_object(type={"const": "Hash"}, algorithm={"const": "sha256"}, hashValue=SHA256)),
)
SPDX = {
    "CreationInfo": an_object(specVersion={"const": "3.0.1"}, created=TIME, createdBy=some(TEXT)),
    "SoftwareAgent": an_object(**ELEMENT, name=TEXT),
    "dataset_DatasetPackage": PACKAGE,
    "SpdxDocument": an_object(**ELEMENT, profileConformance=some(TEXT), rootElement=some(TEXT)),
}
FACET = an_object(_producer=TEXT, _schemaURL=TEXT)
FACETS = {"type": "object", "additionalProperties": FACET}
DATASET = an_object(namespace=TEXT, name=TEXT) | {"additionalProperties": True}
LINEAGE = an_object(
    eventType={"const": "COMPLETE"},
    eventTime=TIME,
    producer=TEXT,
    schemaURL=TEXT,
    run=an_object(runId=TEXT),
    job=an_object(namespace=TEXT, name=TEXT),
    inputs=some(DATASET),
    outputs=some(an_object(namespace=TEXT, name=TEXT, facets=FACETS, outputFacets=FACETS)),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A release with all of its statements, and how the table was: every cell of the original is a telltale."""
    folder = tmp_path_factory.mktemp("statements")
    rows = [(f"secret{at}", 47600 + at, 20 + at % 9, 100 * (at % 4)) for at in range(40)]
    with (folder / "visits.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("name", "zip", "age", "the cost"), *rows])
    words = "anonymize visits.csv -i name -q zip,age --k 4 --t 0.4 --method full-domain --hierarchy age=flat"
    told = ["release.jsonld", "release.spdx.json", "release.openlineage.json"]
    script = [
        *words.split(),
        "-s",
        "the cost:ordered",
        "-o",
        "re lease.csv",
        *(word for name in told for word in ("--statement", name)),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert exit_code_of(commands, [*script, "--quiet"]) == 0
    return folder, *(json.loads((folder / name).read_text(encoding="utf-8")) for name in told)


def test_a_dataset_is_one_of_croissant_and_of_dcat(made):
    for schema in (CROISSANT, DCAT):
        jsonschema.validate(made[1], schema)


def test_a_document_of_spdx_has_what_its_dataset_profile_demands(made):
    graph = made[2]["@graph"]
    assert made[2]["@context"] == "https://spdx.org/rdf/3.0.1/spdx-context.jsonld"
    for element in graph:
        jsonschema.validate(element, SPDX[element["type"]])
    ids = {element["spdxId"] for element in graph if "spdxId" in element}
    document = next(element for element in graph if element["type"] == "SpdxDocument")
    assert len(graph) == len(SPDX)
    assert {*document["rootElement"], *document["element"]} <= ids


def test_an_event_of_lineage_has_facets_by_their_schemas(made):
    jsonschema.validate(made[3], LINEAGE)
    facet = json.loads((DOCS / "lineage-facet.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(facet)
    jsonschema.validate(made[3]["outputs"][0]["facets"]["tclose_privacy"], facet)


def test_statements_are_true_of_the_file(made):
    folder, dataset, spdx, lineage = made
    content = (folder / "re lease.csv").read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    package = next(element for element in spdx["@graph"] if element["type"] == "dataset_DatasetPackage")
    assert dataset["distribution"][0]["sha256"] == package["verifiedUsing"][0]["hashValue"] == digest
    assert dataset["distribution"][0]["contentUrl"] == package["software_downloadLocation"] == "re%20lease.csv"
    output = lineage["outputs"][0]
    assert (output["name"], output["outputFacets"]["outputStatistics"]["size"]) == ("re lease.csv", len(content))
    header, *rows = csv.reader(content.decode().splitlines())
    assert [field["name"] for field in dataset["recordSet"][0]["field"]] == header == ["zip", "age", "the cost"]
    assert [field["name"] for field in output["facets"]["schema"]["fields"]] == header
    assert output["outputFacets"]["outputStatistics"]["rowCount"] == package["dataset_datasetSize"] == len(rows)


def test_figures_are_those_of_the_rows_that_were_written(made):
    folder, dataset, spdx, lineage = made
    assertions = lineage["outputs"][0]["facets"]["tclose_privacy"]["assertions"]
    assert [each["assertion"] for each in assertions] == ["k ≥ 4", "t ≤ 0.4"]
    assert all(each["success"] for each in assertions)
    _, *rows = csv.reader((folder / "re lease.csv").read_text(encoding="utf-8").splitlines())
    classes = {}
    for *key, cost in rows:
        classes.setdefault(tuple(key), []).append(int(cost) // 100)
    by_hand = max(distance(values, [row[2] for row in rows]) for values in classes.values())
    found = {each["assertion"][0]: each["found"] for each in assertions}
    assert found["k"]["value"] == min(map(len, classes.values()))
    assert Fraction(found["t"].get("exact", found["t"]["value"])) == by_hand
    assert [each["dqv:value"] for each in dataset["dqv:hasQualityMeasurement"]] == [
        each["found"]["value"] for each in assertions
    ]
    package = next(element for element in spdx["@graph"] if element["type"] == "dataset_DatasetPackage")
    assert package["dataset_anonymizationMethodUsed"][0] == "Rows are counted, not people."


def distance(values, whole):
    """The ordered distance of four values, by its definition."""
    everything = [int(cost) // 100 for cost in whole]
    shares = [
        Fraction(values.count(at), len(values)) - Fraction(everything.count(at), len(everything)) for at in range(4)
    ]
    return sum(abs(sum(shares[: at + 1])) for at in range(4)) / 3


def test_no_statement_has_a_value_of_the_original(made):
    for name in ("release.jsonld", "release.spdx.json", "release.openlineage.json"):
        text = (made[0] / name).read_text(encoding="utf-8")
        assert "secret" not in text
        assert not any(str(47600 + at) in text for at in range(40))


@pytest.mark.parametrize(
    "more",
    [
        ["--statement", "a.jsonld"],
        ["-o", "-", "--statement", "a.jsonld"],
        ["-o", "a.csv", "--statement", "a.json"],
        ["-o", "a.csv", "--statement", "visits.csv.jsonld/../visits.csv"],
        ["-o", "a.jsonld", "--statement", "a.jsonld"],
    ],
)
def test_what_no_statement_can_be_written_of_is_refused_before_the_work(made, more, monkeypatch, capsys):
    monkeypatch.chdir(made[0])
    before = sorted(made[0].iterdir())
    assert exit_code_of(commands, ["anonymize", "visits.csv", "-q", "zip", "-s", "age", "--k", "4", *more]) == 2
    assert sorted(made[0].iterdir()) == before
    assert "Error: " in capsys.readouterr().err


def test_where_there_is_no_release_there_is_no_statement(made, monkeypatch, capsys):
    monkeypatch.chdir(made[0])
    words = [
        "anonymize",
        "visits.csv",
        "-q",
        "zip",
        "-s",
        "age:nominal",
        "--l",
        "30",
        "-o",
        "none.csv",
        "--statement",
        "none.jsonld",
    ]
    assert exit_code_of(commands, words) == 1
    assert not (made[0] / "none.jsonld").exists()
    capsys.readouterr()
