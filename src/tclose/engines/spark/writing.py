"""Folders written from Spark: the ending says the format of the parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tclose.engines.spark.failures import translated
from tclose.errors import EngineFailedError, InputError
from tclose.targets import FolderTarget, committing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Form:
    """A kind of files, as the ending of a path says it."""

    ending: str
    kind: str
    options: tuple[tuple[str, str], ...] = ()


_UTC = (("timeZone", "UTC"),)
_CSV = (*_UTC, ("header", "true"), ("escape", '"'), ("quoteAll", "false"), ("emptyValue", '""'))
_FORMS = (
    Form(".parquet", "parquet"),
    Form(".orc", "orc"),
    Form(".jsonl", "json", _UTC),
    Form(".ndjson", "json", _UTC),
    Form(".json", "json", _UTC),
    Form(".csv", "csv", _CSV),
    Form(".tsv", "csv", (*_CSV, ("sep", "\t"))),
)


def form_of(path: str | Path) -> Form:
    """Return the kind of files that the ending of a path stands for, or say which endings there are.

    Examples
    --------
    >>> form_of("hdfs://cluster/release.Parquet").kind
    'parquet'
    """
    name = str(path).rstrip("/").rpartition("/")[2].lower()
    found = next((form for form in _FORMS if name.endswith(form.ending) and name != form.ending), None)
    if found is None:
        endings = ", ".join(form.ending for form in _FORMS)
        raise InputError(f"The ending of {name!r} does not say what Spark is to write; it is one of {endings}.")
    return found


def is_remote(path: str | Path) -> bool:
    """Say whether a path names a file system of its own, such as ``hdfs://`` or ``s3a://``."""
    return "://" in str(path)


def target(path: str | Path) -> FolderTarget:
    """Return the folder that a frame is written to, on a file system that the driver and all executors share."""
    return FolderTarget(Path(path), form_of(path).ending)


def write_frame(frame: DataFrame, names: Sequence[str], path: str | Path, label: str) -> None:
    """Write a frame to a folder.

    Parameters
    ----------
    frame
        The rows, in their order.
    names
        The names of the columns in the files.
    path
        The folder. A path with a file system of its own is left to Spark's committer; any other is on a file
        system that the driver and all executors share, and is put in its place when it is whole.
    label
        What is written, for messages.
    """
    if is_remote(path):
        _write(frame, names, str(path), form_of(path), label)
        return
    with committing([target(path)]) as (folder,):
        write_to(frame, names, folder, label)


def write_to(frame: DataFrame, names: Sequence[str], folder: Path, label: str) -> None:
    """Write a frame to just this folder, which need not be whole after a failure."""
    _write(frame, names, f"file://{folder.absolute()}", form_of(folder), label)
    if not (folder / "_SUCCESS").exists() or not any(folder.glob("part-*")):
        raise EngineFailedError(
            f"Spark wrote {label}, but not to this machine. Name a folder that the driver "
            "and the executors share, or a path with its file system, such as hdfs:// or s3a://."
        )


def _write(frame: DataFrame, names: Sequence[str], path: str, form: Form, label: str) -> None:
    with translated(label):
        frame.toDF(*names).write.format(form.kind).options(**dict(form.options)).mode("error").save(path)
