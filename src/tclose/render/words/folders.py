"""What was read named as anyone may know it: files without the folders of this machine, tables without their server."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path, PurePath, PureWindowsPath
from typing import Any, TypeVar

from tclose.attacks.findings import Attack
from tclose.composing import Composition
from tclose.explanations import Explanation
from tclose.frontiers import Frontier
from tclose.profiling import Profile
from tclose.releases import Release
from tclose.results import Audit

_COMPARED = "the distribution of "
_QUOTED = re.compile(r"""(?<!\w)(?P<quote>['"])(?P<path>(?:(?!(?P=quote)).)*[/\\](?:(?!(?P=quote)).)*)(?P=quote)""")
_FILE = re.compile(r"(?:[/\\]|[A-Za-z]:[/\\]).*|(?!\w+://).*(?:\.\w+|[*?\]][^/\\]*)", re.DOTALL)
"""A path from the root, with the ending of a file, or a pattern; names of columns, such as mg/dl, seldom are so."""
Found = TypeVar("Found", Audit, Explanation)
Named = TypeVar("Named", Attack, Frontier, Profile, Release)


def without_folders(source: str) -> str:
    """Return how a table was named, without the folders of this machine and without the server that holds it.

    Examples
    --------
    >>> without_folders("data/a.csv, data/b.csv"), without_folders("the example 'salary'")
    ('a.csv, b.csv', "the example 'salary'")
    >>> without_folders("public.patients of postgresql://db.example/clinic")
    'public.patients'
    """
    if "://" in source:
        return source.partition(" of ")[0] if " of " in source.partition("://")[0] else source
    return ", ".join(PurePath(part).name or part for part in source.split(", "))


def message_without_folders(message: str, files: Iterable[Path]) -> str:
    """Return a message in which the files of a run, and other files in quotes, stand without their folders.

    Examples
    --------
    >>> message_without_folders("'/srv/care/a.csv', line 3: 'mg/dl' is text. Is it 'old/b.csv'?", [])
    "'a.csv', line 3: 'mg/dl' is text. Is it 'b.csv'?"
    >>> message_without_folders("The files of my visits/2026 do not have 3/8.", [Path("my visits/2026/a.csv")])
    'The files of 2026 do not have 3/8.'
    """
    named = {spelled for file in files for folder in file.parents for spelled in _spellings(folder)}
    for folder in sorted(named, key=len, reverse=True):
        message = re.sub(rf"(?<![\w/\\]){re.escape(folder)}[/\\]+", "", message)
    return _QUOTED.sub(_name_alone, message)


def _spellings(folder: Path) -> set[str]:
    """Return a folder as messages write it: plainly, and in quotes, where Windows' strokes are doubled."""
    plain = str(folder)
    return {plain, repr(plain)[1:-1]} if folder.name else set()


def _name_alone(found: re.Match[str]) -> str:
    path, quote = found["path"], found["quote"]
    return f"{quote}{PureWindowsPath(path).name or path}{quote}" if _FILE.fullmatch(path) else found[0]


def unfoldered(found: Found) -> Found:
    """Return an audit or an explanation whose table and reference are named without their folders."""
    compared = found.reference.removeprefix(_COMPARED)
    named = compared != found.reference
    reference = f"{_COMPARED}{without_folders(compared)}" if named else found.reference
    changed: dict[str, Any] = {"source": without_folders(found.source), "reference": reference}
    if isinstance(found, Audit):
        changed["notes"] = _notes(found.notes)
        changed["composition"] = None if found.composition is None else _composition(found.composition)
    return replace(found, **changed)


def unfoldered_result(found: Named) -> Named:
    """Return a result whose table is named without its folders, in its notes too."""
    return replace(found, source=without_folders(found.source), notes=_notes(found.notes))


def _notes(notes: Iterable[str]) -> tuple[str, ...]:
    return tuple(message_without_folders(note, ()) for note in notes)


def _composition(found: Composition) -> Composition:
    linked = (replace(each, previous=tuple(map(without_folders, each.previous))) for each in found.linked)
    verdicts = (replace(each, previous=tuple(map(without_folders, each.previous))) for each in found.verdicts)
    return replace(found, linked=tuple(linked), verdicts=tuple(verdicts))
