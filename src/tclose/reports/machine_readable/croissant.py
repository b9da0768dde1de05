"""What a release is and promises, for catalogues: a dataset of Croissant."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tclose.anonymization.releases import Release
from tclose.auditing.results import Verdict
from tclose.data.labels import public
from tclose.reports.machine_readable.openlineage import LINEAGE_ENDING, Handed, lineage_statement, now
from tclose.reports.phrases import releases as words
from tclose.reports.phrases.audits import attribute_words, found_words
from tclose.reports.phrases.cells import unfoldered_result, visible
from tclose.reports.phrases.releases import beside

CROISSANT = "http://mlcommons.org/croissant/1.0"

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
}
_MEDIA_TYPES = {
    ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".html": "text/html", ".json": "application/json",
    ".jsonl": "application/jsonlines", ".ndjson": "application/jsonlines", ".toml": "application/toml",
    ".parquet": "application/x-parquet",  # as Croissant names it; the registry has another name
    ".arrow": "application/vnd.apache.arrow.file", ".feather": "application/vnd.apache.arrow.file",
    ".gz": "application/gzip",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".sav": "application/x-spss-sav",
    ".dta": "application/x-stata-dta",
}  # fmt: skip
_TYPES = (
    (r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL\(\d+, ?0\)", "sc:Integer"), (r"DOUBLE|FLOAT|DECIMAL.*", "sc:Float"),
    (r"BOOLEAN", "sc:Boolean"), (r"DATE", "sc:Date"), (r"TIMESTAMP.*", "sc:DateTime"),
)  # fmt: skip
"""What the types of columns are in Croissant; every other one is text."""


def dataset_statement(release: Release, files: Sequence[Handed]) -> dict[str, Any]:
    """Return a release as a dataset of Croissant, in JSON-LD."""
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": f"Release of {visible(public(release.source))}",
        "description": _description(release),
        "conformsTo": CROISSANT,
        "datePublished": now(),
        "distribution": [_file_object(file) for file in files],
        "recordSet": [_record_set(release, files[0])],
        "rai:dataPreprocessingProtocol": [words.method_sentence(release), *_promises(release)],
        "rai:personalSensitiveInformation": _published(release),
    }


Statement = Callable[[Release, Sequence[Handed]], dict[str, Any]]
STATEMENTS: Mapping[str, Statement] = {".jsonld": dataset_statement, LINEAGE_ENDING: lineage_statement}
"""Every kind of statement by the ending of its file."""


def _description(release: Release) -> str:
    told = unfoldered_result(beside(release))
    return " ".join([words.verdict(told), *words.care_sentences(told)])


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
        "encodingFormat": _MEDIA_TYPES.get(Path(file.name).suffix.lower(), "application/octet-stream"),
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
