"""Projects of ARX (``.deid``): the archive's table, hierarchies, roles and criteria become a policy with its files."""

from __future__ import annotations

import re
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from tclose.errors import InputError, SourceError
from tclose.policy.files import policy_of
from tclose.policy.policy import Policy

# The privacy criteria of ARX, as it writes them down, and the models here that are their counterparts.


_OF = r" for attribute '(?P<attribute>.*)'"
_NUMBER = r"[0-9.]+(?:E-?[0-9]+)?"
_TABLE = {
    "k": rf"(?P<number>{_NUMBER})-anonymity",
    "marketer": rf"\((?P<number>{_NUMBER})\)-avg-reidentification-risk",
}
_COLUMN = {
    "t": rf"(?P<number>{_NUMBER})-closeness with (?P<word>equal|hierarchical|ordered) (?:ground-)?distance{_OF}",
    "l": rf"distinct-(?P<number>{_NUMBER})-diversity{_OF}",
    "entropy_l": rf"shannon-entropy-(?P<number>{_NUMBER})-diversity{_OF}",
    "recursive": rf"recursive-\((?P<number>{_NUMBER},{_NUMBER})\)-diversity{_OF}",
    "delta": rf"(?P<number>{_NUMBER})-disclosure privacy{_OF}",
    "beta": rf"basic-(?P<number>{_NUMBER})-likeness{_OF}",
    "enhanced_beta": rf"enhanced-(?P<number>{_NUMBER})-likeness{_OF}",
}
_DISTANCES = {"equal": "nominal", "hierarchical": "hierarchical", "ordered": "ordered"}
_WITHOUT = {
    "inclusion": "The project publishes a subset of its table, whose population the table is: name the subset as "
    "source and say population = FILE in [table].",
    "population-uniqueness": "Population uniqueness is measured here (population_size in [policy]); no release is made "
    "by it.",
    "sample-uniqueness": "Sample uniqueness is k: with k = 2 no row is alone. A share of rows that may be is suppress "
    "in [release].",
    "grassberger": "The entropy is Shannon's here (entropy_l); Grassberger's correction has no counterpart.",
    "-map": "k-map needs the population as a table: say population = FILE in [table], and k_map in [policy].",
    "-presence": "δ-presence needs the population as a table: say population = FILE in [table], and presence.",
    "-dp": "Differential privacy has no counterpart: tclose publishes true rows, only coarser.",
    "profitability": "Games of costs and benefits have no counterpart.",
    "reidentification-risk": "Of the risks, prosecutor and marketer have counterparts; a share at risk has none.",
}


@dataclass(frozen=True)
class Criteria:
    """What a project requires: of the table, of each column, and what has no counterpart."""

    table: Mapping[str, str]
    columns: Mapping[str, Mapping[str, str]]
    notes: tuple[str, ...]


def criteria_of(texts: Iterable[str]) -> Criteria:
    """Return what criteria ask for here.

    Examples
    --------
    >>> found = criteria_of(["5-anonymity", "0.2-closeness with ordered distance for attribute 'pay'", "(2,1.0E-5)-DP"])
    >>> found.table, found.columns
    ({'k': '5'}, {'pay': {'t': '0.2', 'distance': 'ordered'}})
    >>> found.notes
    ('Differential privacy has no counterpart: tclose publishes true rows, only coarser.',)
    """
    table: dict[str, str] = {}
    columns: dict[str, dict[str, str]] = {}
    notes: list[str] = []
    for text in texts:
        if (found := _matched(_TABLE, text)) is not None:
            table[found[0]] = found[1]["number"]
        elif (found := _matched(_COLUMN, text)) is not None:
            key, match = found
            asked = columns.setdefault(match["attribute"], {})
            asked[key] = match["number"]
            if key == "t":
                asked["distance"] = _DISTANCES[match["word"]]
        else:
            notes.append(_without(text))
    return Criteria(table, columns, tuple(dict.fromkeys(notes)))


def _matched(patterns: Mapping[str, str], text: str) -> tuple[str, re.Match[str]] | None:
    """Return the key of the pattern that a criterion has, with its parts."""
    for key, pattern in patterns.items():
        if match := re.fullmatch(pattern, text, re.I | re.S):
            return key, match
    return None


def _without(text: str) -> str:
    lowered = text.lower()
    return next(
        (note for word, note in _WITHOUT.items() if word in lowered), "A criterion of the project is not known here."
    )


_MOST_XML = 2**26
_MOST_TIMES = 300
_MOST_LETTERS = 40
_ROLES = {
    "QUASI_IDENTIFYING_ATTRIBUTE": "quasi-identifier",
    "SENSITIVE_ATTRIBUTE": "sensitive",
    "IDENTIFYING_ATTRIBUTE": "identifier",
    "INSENSITIVE_ATTRIBUTE": "publish",
}
_LOSSES = (("loss", "arx"), ("precision", "precision"), ("non-uniform entropy", "nue"))
TABLE, POLICY, HIERARCHIES = "table.csv", "tclose.toml", "hierarchies"
"""What an imported folder has."""


@dataclass(frozen=True)
class Imported:
    """A project as a policy, with what of it has no counterpart.

    Parameters
    ----------
    path
        The project's file.
    policy
        What it asks for; its paths are relative to the folder that :meth:`write` fills.
    members
        Which member of the archive each of the folder's files is.
    notes
        What has no counterpart here, or is meant otherwise, in sentences.
    """

    path: Path
    policy: Policy
    members: Mapping[str, str] = field(repr=False)
    notes: tuple[str, ...]

    def write(self, folder: Path) -> None:
        """Write the policy, the table and the hierarchies into a folder that is there and empty."""
        from tclose.policy.writing import policy_text

        with _archive(self.path) as archive:
            for name, member in self.members.items():
                place = folder / name
                place.parent.mkdir(exist_ok=True)
                with archive.open(member) as source, place.open("wb") as target:
                    shutil.copyfileobj(source, target)
        remarks = "".join(f"# {' '.join(note.split())}\n" for note in self.notes)
        text = policy_text(self.policy, folder=".")
        (folder / POLICY).write_text(f"{remarks}{text}", encoding="utf-8", newline="\n")


def read_arx(path: str | Path) -> Imported:
    """Return the policy of a project that ARX saved.

    Parameters
    ----------
    path
        The project, a file that ends in ``.deid``.

    Raises
    ------
    SourceError
        If it is no project of ARX, or says of itself what does not fit together.
    """
    path = Path(path)
    with _archive(path) as archive:
        members = {info.filename: info for info in archive.infolist()}
        project, config, definition = (
            _document(archive, members, name) for name in ("project.xml", "input/config.xml", "input/definition.xml")
        )
        listed = enumerate(definition.iter("assigment"), start=1)
        found = [_column(archive, members, number, each) for number, each in listed]
        if "data/input.csv" not in members:
            raise SourceError(f"{str(path)!r} has no table: it is no project that ARX saved whole.")
    criteria = criteria_of(each.text or "" for each in config.iter("criterion"))
    columns = {name: _with_criteria(name, column, criteria) for name, column, _ in found}
    files = {place: member for _, _, kept in found for place, member in kept.items()}
    data = {
        "table": {"source": TABLE, **_reading(project)},
        "columns": columns,
        "policy": dict(criteria.table),
        "release": _release(config),
    }
    notes = (*criteria.notes, *_remarks(config))
    return Imported(path, policy_of(data, Path()), {TABLE: "data/input.csv", **files}, notes)


@contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a project's archive, and say in one sentence why it cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                _check_packing(member)
            yield archive
    except FileNotFoundError:
        raise SourceError(f"There is no file {str(path)!r}.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as problem:
        if isinstance(problem, InputError):
            raise
        raise SourceError(f"{str(path)!r} is no project of ARX, or it is damaged: no archive can be read.") from None
    except OSError as problem:
        raise SourceError(f"{str(path)!r} cannot be read: {problem.strerror or 'its archive is damaged'}.") from None


def _check_packing(member: zipfile.ZipInfo) -> None:
    """Refuse what ARX does not write: other ways of packing, and so little that would become so much."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise SourceError("The archive is packed in a way in which ARX packs none.")
    if member.file_size > _MOST_XML and member.file_size > _MOST_TIMES * member.compress_size:
        raise SourceError(
            f"A file of the archive would be unpacked to more than {_MOST_TIMES} times its size, as no table is; if it "
            "is one, unpack data/input.csv and take 'tclose profile'."
        )


def _document(archive: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo], name: str) -> ET.Element:
    """Return a document of the project, refused if it is missing, too large, or declares anything of its own."""
    if name not in members:
        raise SourceError(f"The archive has no {name!r}: it is no project that ARX saved.")
    with archive.open(name) as file:
        text = file.read(_MOST_XML + 1)
    if len(text) > _MOST_XML or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        raise SourceError(f"{name!r} of the project is larger than any that ARX writes, or declares entities.")
    try:
        return ET.fromstring(text)  # noqa: S314 - a document that declares entities was refused
    except ET.ParseError:
        raise SourceError(f"{name!r} of the project is not valid XML.") from None


def _column(
    archive: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo], number: int, assigned: ET.Element
) -> tuple[str, dict[str, Any], dict[str, str]]:
    """Return a column's name, what a policy says of it, and its hierarchy's file."""
    name, kind = assigned.findtext("name", ""), assigned.findtext("type", "")
    if not name or kind not in _ROLES:
        raise SourceError("A column of the project has no name, or a role that ARX does not have.")
    member = f"input/{assigned.findtext('ref', '')}"
    if kind not in ("QUASI_IDENTIFYING_ATTRIBUTE", "SENSITIVE_ATTRIBUTE") or member not in members:
        return name, {"role": _ROLES[kind]}, {}
    word = re.sub(r"[^\w-]+", "_", name)[:_MOST_LETTERS]
    place = f"{HIERARCHIES}/{number:02}-{word}.csv"
    column: dict[str, Any] = {"role": _ROLES[kind], "hierarchy": place}
    limits = [assigned.findtext(end, "All") for end in ("min", "max")]
    if kind == "QUASI_IDENTIFYING_ATTRIBUTE" and any(limit.isdecimal() for limit in limits):
        height = _height(archive, member)
        usual = (0, height)
        ends = [int(limit) if limit.isdecimal() else end for limit, end in zip(limits, usual, strict=True)]
        column["levels"] = [min(end, height) for end in ends]
    return name, column, {place: member}


def _height(archive: zipfile.ZipFile, member: str) -> int:
    """Return how high a hierarchy is: the signs between the cells of its first line."""
    with archive.open(member) as file:
        first = file.readline(2**20).decode("utf-8", "replace")
    return max(first.count(";"), first.count(","), first.count("\t"), 1)


def _with_criteria(name: str, column: dict[str, Any], criteria: Criteria) -> dict[str, Any]:
    """Return what a policy says of a column, with what is required of it."""
    if column["role"] != "sensitive":
        return column
    asked = dict(criteria.columns.get(name, {}))
    word = asked.pop("distance", None)
    tree = column.pop("hierarchy", None)
    if word == "hierarchical" and tree is not None:
        column["hierarchy"] = tree
    return {**column, **({} if word is None else {"distance": word}), **asked}


def _reading(project: ET.Element) -> dict[str, Any]:
    """Return how the table and the hierarchies are read."""
    delimiter = project.findtext("separator") or ";"
    return {"delimiter": delimiter, "quote": project.findtext("quote") or '"', "header": True}


def _release(config: ET.Element) -> dict[str, Any]:
    """Return how the project makes a release: the loss, and how many rows may be left out."""
    metric = (config.findtext("metric") or "").lower()
    loss = next((key for word, key in _LOSSES if metric.startswith(word)), "lm")
    limit = config.findtext("relativeMaxOutliers") or "0"
    suppress = limit if re.fullmatch(r"0(\.\d+)?|1(\.0+)?", limit) else "1" if limit else "0"
    return {"suppress": suppress, "loss": loss}


def _remarks(config: ET.Element) -> Iterator[str]:
    """Return what of a project's settings has no counterpart."""
    weights = {each.findtext("weight", "") for each in config.iter("attributeWeight")}
    if len(weights) > 1:
        yield "ARX weighs columns; give each its weight = NUMBER here."
    yield "ARX writes missing values as NULL: say null = ['', 'NULL'] in [table] if the table has them."
