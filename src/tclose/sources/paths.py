"""From paths, globs and folders to the files of one table."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from tclose.errors import Hint, SourceError, closest, counted, listed
from tclose.labels import named_in_full, naming, quoted
from tclose.notes import Note
from tclose.sources.examples import EXAMPLES
from tclose.sources.formats import check_is_table, compression_of, format_by_content, format_by_name
from tclose.sources.lakes import check_beside_no_log, files_of_lake, kind_of_lake
from tclose.sources.source import FileSource, ReadOptions, Source, StreamSource

_HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
_HEAD_BYTES = 512


def files_at(given: Sequence[str | Path], options: ReadOptions) -> Source:
    """Return the source that paths, globs and folders stand for together."""
    label = named_in_full(*given)
    found: list[Path] = []
    notes: list[Note] = []
    partitions: list[Mapping[str, str | None]] = []
    for item in given:
        if not str(item):
            raise SourceError("An empty name names no table. Give the path of a file or a folder.")
        path = named_path(item)
        if len(given) == 1 and is_pipe(path):
            return StreamSource(label, path, options)
        root, files = _expand(path)
        if not os.path.lexists(path):
            matching = f"{counted(len(files), 'file')} {_match(len(files))}"
            notes.append(Note("pattern", naming("{} is a pattern; {} it.", quoted(path), matching)))
        found += files
        partitions += [_partitions(file.relative_to(root)) for file in files]
    order = sorted(range(len(found)), key=lambda at: str(found[at]))
    paths = tuple(dict.fromkeys(found[at] for at in order))
    by_path = dict(zip(found, partitions, strict=True))
    if len({tuple(partition) for partition in partitions}) > 1:
        raise SourceError(f"The files of {label} lie in folders of different kinds. Give those of one table.")
    folders = tuple(by_path[path] for path in paths) if any(by_path.values()) else ()
    return FileSource(label, paths, _one_format(paths, options), options, folders, notes=tuple(notes))


def named_path(name: str | Path) -> Path:
    """Return the path that a person named: in a home where it begins with ``~``, unless it is there as it is."""
    return Path(name) if os.path.lexists(name) else Path(os.path.expanduser(name))  # noqa: PTH111 - no user, no error


def files_below(name: str | Path) -> list[Path]:
    """Return every file that a path, a folder or a pattern stands for, whether it holds a table or not.

    What cannot be looked at has none.
    """
    path = named_path(name)
    try:
        if os.path.lexists(path):
            return [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
        matching = map(Path, glob.glob(str(path), recursive=True))  # noqa: PTH207 - Path.glob has no absolute patterns
        return [file for match in matching for file in files_below(match)]
    except (OSError, ValueError):
        return []


def _match(files: int) -> str:
    return "matches" if files == 1 else "match"


def _expand(path: Path) -> tuple[Path, list[Path]]:
    """Return the fixed folder of a path, and the files it stands for."""
    try:
        if path.is_dir():
            kind = kind_of_lake(path)
            return path, _files_in(path) if kind is None else files_of_lake(path, kind)
        if path.exists() or path.is_symlink():
            _check_readable(path)
            check_beside_no_log([path])
            return path.parent, [path]
        if glob.has_magic(str(path)):
            return _globbed(path)
    except PermissionError:
        raise SourceError(f"{str(path)!r} cannot be opened: permission denied.") from None
    except OSError as problem:
        raise SourceError(f"{str(path)!r} cannot be opened: {problem.strerror or 'not a valid path'}.") from None
    raise _missing(path)


def _globbed(pattern: Path) -> tuple[Path, list[Path]]:
    fixed: list[str] = []
    for part in pattern.parts:
        if glob.has_magic(part):
            break
        fixed.append(part)
    root = Path(*fixed) if fixed else Path()
    found = glob.glob(str(pattern), recursive=True)  # noqa: PTH207 - Path.glob has no absolute patterns
    matched = [Path(text) for text in sorted(found)]
    files = [file for path in matched for file in (_files_in(path) if path.is_dir() else [path])]
    check_beside_no_log(files)
    if not files:
        raise SourceError(f"No file matches {str(pattern)!r}. Check the folder and the pattern.")
    for file in files:
        _check_readable(file)
    return root, list(dict.fromkeys(files))


def _files_in(folder: Path) -> list[Path]:
    """Return the tables in and below a folder, leaving out the hidden and ``_`` files that Spark writes."""
    with os.scandir(folder):
        pass  # a folder without permission is an error here, not an empty one
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and format_by_name(path)
        and not any(part.startswith((".", "_")) and "=" not in part for part in path.relative_to(folder).parts)
    )
    check_beside_no_log(files)
    if not files:
        raise SourceError(f"The folder {str(folder)!r} holds no table. It needs files such as .csv, .parquet or .json.")
    for file in files:
        _check_readable(file)
    return files


def is_pipe(path: Path) -> bool:
    """Say whether a path leads to a pipe, whose rows come only once."""
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _check_readable(path: Path) -> None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise SourceError(f"{str(path)!r} is a link to a file that does not exist.") from None
    if not stat.S_ISREG(mode):
        raise SourceError(f"{str(path)!r} is a device or a socket, not a file with a table.")
    with path.open("rb"):
        pass


def _missing(path: Path) -> SourceError:
    folder = path.parent
    if not folder.is_dir():
        missing = naming("There is no file {}: the folder {} does not exist.", quoted(path), quoted(folder))
        return SourceError(missing, code="no-such-file")
    try:
        there = [entry.name for entry in folder.iterdir() if not entry.name.startswith(".")]
        near = closest(path.name, [*there, *(f"example:{name}" for name in EXAMPLES if ":" in path.name)])
    except OSError:
        near = None
    hint = Hint("Did you mean {}?", repr(str(folder / near))) if near else Hint("Check the name and the folder.")
    return SourceError(naming("There is no file {}.", quoted(path)), code="no-such-file", hint=hint)


def _partitions(relative: Path) -> dict[str, str | None]:
    """Return what folders such as ``year=2020`` say about a file below them."""
    pairs = (part.split("=", 1) for part in relative.parts[:-1] if "=" in part[1:])
    return {unquote(name): None if value == _HIVE_NULL else unquote(value) for name, value in pairs}


def _one_format(paths: Iterable[Path], options: ReadOptions) -> str:
    formats = {}
    for path in paths:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
        name = options.input_format or format_by_name(path)
        if name is None and compression_of(head) is None:
            name = format_by_content(head)
        check_is_table(head, name or "csv", repr(str(path)))
        formats[name or "csv"] = path
    if len(formats) > 1:
        raise SourceError(f"The files are of different formats ({listed(sorted(formats))}). Give those of one table.")
    return next(iter(formats))
