"""What a release is and promises, in the words that catalogues read: Croissant, DCAT and PROV, SPDX."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tclose._version import __version__
from tclose.releases import Release
from tclose.render.data.json import value_data
from tclose.render.data.lineage import LINEAGE_ENDING, Handed, lineage_statement, now
from tclose.render.words import releases as words
from tclose.render.words.audits import attribute_words, found_words
from tclose.render.words.beside import beside
from tclose.render.words.cells import visible
from tclose.render.words.folders import unfoldered_result, without_folders
from tclose.results import Verdict

CROISSANT = "http://mlcommons.org/croissant/1.0"
SPDX_CONTEXT = "https://spdx.org/rdf/3.0.1/spdx-context.jsonld"

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dqv": "http://www.w3.org/ns/dqv#",
    "prov": "http://www.w3.org/ns/prov#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "spdx": "http://spdx.org/rdf/terms#",
}
_MEDIA_TYPES = {
    ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".html": "text/html", ".json": "application/json",
    ".jsonl": "application/jsonlines", ".ndjson": "application/jsonlines", ".toml": "application/toml",
    ".parquet": "application/vnd.apache.parquet", ".arrow": "application/vnd.apache.arrow.file",
    ".feather": "application/vnd.apache.arrow.file", ".gz": "application/gzip",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".sav": "application/x-spss-sav",
    ".dta": "application/x-stata-dta",
}  # fmt: skip
_CROISSANT_TYPES = {"application/vnd.apache.parquet": "application/x-parquet"}
"""Types of content that Croissant has other names for than the registry."""
_TYPES = (
    (r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL\(\d+, ?0\)", "sc:Integer"), (r"DOUBLE|FLOAT|DECIMAL.*", "sc:Float"),
    (r"BOOLEAN", "sc:Boolean"), (r"DATE", "sc:Date"), (r"TIMESTAMP.*", "sc:DateTime"),
)  # fmt: skip
"""What the types of columns are in Croissant; every other one is text."""


def dataset_statement(release: Release, files: Sequence[Handed]) -> dict[str, Any]:
    """Return a release as JSON-LD: a dataset of Croissant and DCAT, its figures, and the activity of PROV behind it."""
    made, name = now(), _name(release)
    return {
        "@context": _CONTEXT,
        "@type": ["sc:Dataset", "dcat:Dataset", "prov:Entity"],
        "name": f"Release of {name}",
        "description": _description(release),
        "conformsTo": CROISSANT,
        "datePublished": made,
        "distribution": [_file_object(file) for file in files],
        "recordSet": [_record_set(release, files[0])],
        "rai:dataPreprocessingProtocol": [_method(release), *_promises(release)],
        "rai:personalSensitiveInformation": _published(release),
        "dct:title": f"Release of {name}",
        "dct:description": _description(release),
        "dct:issued": made,
        "dcat:distribution": [_distribution(file) for file in files],
        "dqv:hasQualityMeasurement": [_measurement(each) for each in release.audits()[0].verdicts],
        "prov:wasDerivedFrom": {"@type": "prov:Entity", "dct:title": name, "dct:description": "the original; not here"},
        "prov:wasGeneratedBy": {
            "@type": "prov:Activity",
            "dct:description": _method(release),
            "prov:endedAtTime": made,
            "prov:wasAssociatedWith": {"@type": "prov:SoftwareAgent", "dct:title": f"tclose {__version__}"},
        },
    }


def spdx_statement(release: Release, files: Sequence[Handed]) -> dict[str, Any]:
    """Return a release as a document of SPDX 3.0.1 in its dataset profile, which has a field for anonymisation."""
    made, file = now(), files[0]
    base = f"urn:uuid:{uuid.uuid4()}"
    info, agent, package = "_:creation", f"{base}#tclose", f"{base}#release"
    common = {"creationInfo": info}
    return {
        "@context": SPDX_CONTEXT,
        "@graph": [
            {"type": "CreationInfo", "@id": info, "specVersion": "3.0.1", "created": made, "createdBy": [agent]},
            {"type": "SoftwareAgent", "spdxId": agent, **common, "name": f"tclose {__version__}"},
            {
                "type": "dataset_DatasetPackage",
                "spdxId": package,
                **common,
                "name": f"Release of {_name(release)}",
                "description": _description(release),
                "builtTime": made,
                "releaseTime": made,
                "originatedBy": [agent],
                "software_downloadLocation": quote(file.name),
                "software_primaryPurpose": "data",
                "verifiedUsing": [{"type": "Hash", "algorithm": "sha256", "hashValue": file.sha256}],
                "dataset_datasetType": ["structured"],
                "dataset_datasetSize": release.released_rows,
                "dataset_hasSensitivePersonalInformation": "yes" if release.roles.sensitive else "noAssertion",
                "dataset_dataPreprocessing": [_method(release)],
                "dataset_anonymizationMethodUsed": _promises(release),
            },
            {
                "type": "SpdxDocument",
                "spdxId": f"{base}#document",
                **common,
                "profileConformance": ["core", "software", "dataset"],
                "rootElement": [package],
                "element": [agent, package],
            },
        ],
    }  # fmt: skip


Statement = Callable[[Release, Sequence[Handed]], dict[str, Any]]
STATEMENTS: Mapping[str, Statement] = {
    ".jsonld": dataset_statement,
    ".spdx.json": spdx_statement,
    LINEAGE_ENDING: lineage_statement,
}
"""Every kind of statement by the ending of its file."""


def _media_type(file: Handed) -> str:
    """Return the type of a file's content, by its ending."""
    return _MEDIA_TYPES.get(Path(file.name).suffix.lower(), "application/octet-stream")


def _name(release: Release) -> str:
    return visible(without_folders(release.source))


def _description(release: Release) -> str:
    told = unfoldered_result(beside(release))
    return " ".join([words.verdict(told), *words.care_sentences(told)])


def _method(release: Release) -> str:
    return words.method_sentence(release)


def _sentence(verdict: Verdict) -> str:
    held = "holds" if verdict.holds else "does not hold"
    return f"{verdict.requirement.text} of {attribute_words(verdict)} {held}: found {found_words(verdict)}"


def _promises(release: Release) -> list[str]:
    """Return what holds, sentence by sentence, and first of what."""
    told = "People are counted." if release.people is not None else "Rows are counted, not people."
    return [told, *(_sentence(each) for each in release.audits()[0].verdicts)]


def _published(release: Release) -> list[str]:
    """Return which columns are of people's private matters, and how each kind is protected."""
    told = [f"sensitive, as it is: {visible(name)}" for name in release.roles.sensitive]
    told += [f"quasi-identifier, generalised: {visible(name)}" for name in release.roles.quasi]
    return told + [f"published without protection: {visible(name)}" for name in release.unprotected]


def _file_object(file: Handed) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": quote(file.name),
        "name": file.name,
        "contentUrl": file.name,  # Croissant's readers take it for a path as it is
        "contentSize": f"{file.size} B",
        "encodingFormat": _CROISSANT_TYPES.get(_media_type(file), _media_type(file)),
        "sha256": file.sha256,
    }


def _record_set(release: Release, file: Handed) -> dict[str, Any]:
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"rows/{quote(column.name, safe='')}",
            "name": column.name,
            "dataType": next((kind for word, kind in _TYPES if re.fullmatch(word, column.type.upper())), "sc:Text"),
            "source": {"fileObject": {"@id": quote(file.name)}, "extract": {"column": column.name}},
        }
        for column in release.table.columns
    ]
    return {"@type": "cr:RecordSet", "@id": "rows", "name": "rows", "field": fields}


def _distribution(file: Handed) -> dict[str, Any]:
    checksum = {
        "@type": "spdx:Checksum",
        "spdx:algorithm": {"@id": "spdx:checksumAlgorithm_sha256"},
        "spdx:checksumValue": file.sha256,
    }
    return {
        "@type": "dcat:Distribution",
        "dct:title": file.name,
        "dcat:mediaType": _media_type(file),
        "dcat:byteSize": file.size,
        "spdx:checksum": checksum,
    }


def _measurement(verdict: Verdict) -> dict[str, Any]:
    """Return a figure as a measurement of quality, with its exact text."""
    model = verdict.requirement.model
    return {
        "@type": "dqv:QualityMeasurement",
        "dqv:isMeasurementOf": {"@type": "dqv:Metric", "skos:prefLabel": model.title, "skos:definition": model.meaning},
        "dqv:value": value_data(verdict.figure.value)["value"],
        "dct:description": _sentence(verdict),
    }
