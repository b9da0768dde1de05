"""Audits as pipelines read them: JUnit's XML, SARIF, and the commands of GitHub's log; no key of a class, no cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

from tclose import __version__
from tclose.auditing.facts.database_audits import DatabaseAudit
from tclose.auditing.results import Audit, Verdict
from tclose.auditing.verdicts import CODES
from tclose.data.sources.database import is_database_address
from tclose.errors import TcloseError
from tclose.models.catalogue import MODELS
from tclose.policy.exact_numbers import shown
from tclose.reports.machine_readable.audits import json_text
from tclose.reports.phrases.audits import (
    attribute_words,
    care_sentences,
    columns_found,
    failing_words,
    found_words,
    missed_words,
)
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.numbers import counted, naming_sentence, withheld_columns

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_WORDS = {True: "holds", False: "does not hold"}


@dataclass(frozen=True)
class Judged:
    """A table of a policy: what its audit found, or why there is none."""

    source: str
    audit: Audit | DatabaseAudit | None
    problem: TcloseError | None = None

    @property
    def file(self) -> str | None:
        """The table's file, as a path with slashes; None where it is none, or there are several."""
        if isinstance(self.audit, DatabaseAudit):
            return None
        plain = not is_database_address(self.source) and ":" not in self.source[2:] and self.source != "-"
        return PurePath(self.source).as_posix() if plain else None


@dataclass(frozen=True)
class _Item:
    """One requirement of one table, in words."""

    judged: Judged
    rule: str
    name: str
    holds: bool | None
    """None where nothing could be judged."""
    message: str


def junit_text(tables: Sequence[Judged]) -> str:
    """Return what was judged as a document of JUnit: a suite for each table, a case for each requirement."""
    root = ET.Element("testsuites", name="tclose")
    for judged in tables:
        items = list(_items(judged))
        failures, errors = sum(each.holds is False for each in items), sum(each.holds is None for each in items)
        numbers = {"tests": str(len(items)), "failures": str(failures), "errors": str(errors), "skipped": "0"}
        suite = ET.SubElement(root, "testsuite", {"name": visible(judged.source), **numbers})
        for item in items:
            case = ET.SubElement(suite, "testcase", classname=visible(judged.source), name=item.name)
            if not item.holds:
                ET.SubElement(case, "error" if item.holds is None else "failure", message=item.message, type=item.rule)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False)


def sarif_text(tables: Sequence[Judged]) -> str:
    """Return what does not hold, and what is published without protection, as SARIF 2.1.0."""
    items = [item for judged in tables for item in (*_items(judged), *_remarks(judged)) if not _passed(item)]
    keys = sorted({item.rule for item in items})
    rules = [{"id": key, "shortDescription": {"text": _title(key)}} for key in keys]
    driver = {"name": "tclose", "version": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": all(judged.audit is not None for judged in tables)}],
        "results": [_result(item, keys) for item in items],
    }
    return json_text({"$schema": _SARIF, "version": "2.1.0", "runs": [run]})


def github_text(tables: Sequence[Judged]) -> str:
    """Return what was judged as commands of GitHub's log, which shows them beside the change."""
    items = [item for judged in tables for item in (*_items(judged), *_remarks(judged))]
    return "\n".join(_command(item) for item in items)


def _items(judged: Judged) -> Iterator[_Item]:
    audit = judged.audit
    if audit is None:
        yield _Item(judged, "tclose", "can be judged", None, visible(str(judged.problem)))
        return
    for verdict in audit.verdicts if isinstance(audit, Audit) else ():
        name = f"{verdict.requirement.text} of {attribute_words(verdict)}"
        yield _Item(judged, verdict.requirement.model.key, name, verdict.holds, _found(verdict))
    for told in () if audit.facts is None else audit.facts.verdicts:
        name = f"{told.text} of {visible(told.requirement.attribute or 'people')}"
        missed = "" if told.holds else f"; failing: {counted(told.failing, 'set')} of facts"
        yield _Item(judged, told.requirement.model.key, name, told.holds, f"found {shown(told.figure.value)}{missed}")
    for reason in audit.reasons:
        holds = None if reason.outcome == "undetermined" else reason.accepted is not None
        said = str(reason) if reason.accepted is None else f"{reason} Accepted: {reason.accepted}"
        yield _Item(judged, reason.code, f"true of people ({visible(reason.name)})", holds, visible(said))
    if isinstance(audit, DatabaseAudit):
        for table, columns in audit.withheld.items():
            found = f"{visible(table)} holds {withheld_columns(columns)}"
            yield _Item(judged, "unprotected", "the list of published columns", False, found)  # noqa: FBT003
        return
    if audit.closed:
        holds = not audit.failing_columns
        yield _Item(judged, "unprotected", "the list of published columns", holds, columns_found(audit))
    for check in () if audit.preset is None else audit.preset.checks:
        yield _Item(judged, "preset", visible(check.text), check.holds, visible(missed_words(check)))


def _remarks(judged: Judged) -> Iterator[_Item]:
    """Return what somebody must know who reads the verdicts."""
    audit = judged.audit
    if audit is None:
        return
    if isinstance(audit, Audit):
        sentences = (*care_sentences(audit), *map(str, audit.warnings))
    else:
        sentences = tuple(f"{table}: {naming_sentence(columns)}" for table, columns in audit.naming.items() if columns)
    for sentence in sentences:
        if sentence:
            yield _Item(judged, "warning", "warning", None, visible(sentence))


def _found(verdict: Verdict) -> str:
    found = f"found {found_words(verdict)}"
    return found if verdict.holds else f"{found}; failing: {failing_words(verdict)}"


def _passed(item: _Item) -> bool:
    return item.holds is True


def _title(rule: str) -> str:
    others = {
        "tclose": "The table can be judged",
        "unprotected": "No column that the policy withholds",
        "preset": "What a rule asks of columns",
        "warning": "A warning",
    }
    return others.get(rule) or ("A verdict that is true of people" if rule in CODES else MODELS[rule].title)


def _level(item: _Item) -> str:
    return "warning" if item.rule == "warning" else "notice" if item.holds else "error"


def _sentence(item: _Item) -> str:
    if item.rule == "warning" or item.holds is None:
        return item.message
    return f"{item.name} {_WORDS[item.holds]}: {item.message}."


def _result(item: _Item, keys: list[str]) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": quote(item.judged.file)}} if item.judged.file else None
    named = {"logicalLocations": [{"name": visible(item.judged.source), "kind": "module"}]}
    return {
        "ruleId": item.rule,
        "ruleIndex": keys.index(item.rule),
        "level": _level(item),
        "message": {"text": _sentence(item)},
        "locations": [{**named, **({} if place is None else {"physicalLocation": place})}],
    }


def _command(item: _Item) -> str:
    """Return a command of the log; its own signs in texts are written as the log wants them.

    Examples
    --------
    >>> _escaped("50 % of a:b,c", "%:,")
    '50 %25 of a%3Ab%2Cc'
    """
    file = f"file={_escaped(item.judged.file, '%:,')}," if item.judged.file else ""
    title = f"title={_escaped(f'tclose: {visible(item.judged.source)}', '%:,')}"
    return f"::{_level(item)} {file}{title}::{_escaped(_sentence(item), '%')}"


def _escaped(text: str, signs: str) -> str:
    return "".join(f"%{ord(letter):02X}" if letter in f"{signs}\r\n" else letter for letter in text)


FORMS = {"junit": junit_text, "sarif": sarif_text, "github": github_text}
"""The formats of pipelines, by their names."""
