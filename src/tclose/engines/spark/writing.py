"""Folders written from Spark whole or not at all: a temporary folder beside the target takes the parts."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tclose.engines.spark.failures import translated
from tclose.errors import EngineFailedError, InputError, TcloseError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Form:
    """A kind of files, as the ending of a path says it."""

    ending: str
    kind: str
    options: tuple[tuple[str, str], ...] = ()


_CSV = (("header", "true"), ("escape", '"'), ("quoteAll", "false"), ("emptyValue", '""'))
_FORMS = (
    Form(".parquet", "parquet"),
    Form(".orc", "orc"),
    Form(".jsonl", "json"),
    Form(".ndjson", "json"),
    Form(".json", "json"),
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
    with replacing(path) as temporary:
        write_to(frame, names, temporary, label)


def write_to(frame: DataFrame, names: Sequence[str], folder: Path, label: str) -> None:
    """Write a frame to just this folder, which need not be whole after a failure."""
    _write(frame, names, folder.absolute().as_uri(), form_of(folder), label)
    if not (folder / "_SUCCESS").exists() or not any(folder.glob("part-*")):
        raise EngineFailedError(
            f"Spark wrote {label}, but not to this machine's {str(folder.parent)!r}. Name a folder that the driver "
            "and the executors share, or a path with its file system, such as hdfs:// or s3a://."
        )


def _write(frame: DataFrame, names: Sequence[str], path: str, form: Form, label: str) -> None:
    with translated(label):
        frame.toDF(*names).write.format(form.kind).options(**dict(form.options)).mode("error").save(path)


def may_be_replaced(path: Path) -> bool:
    """Say whether nothing is under a path, or a folder that Spark wrote."""
    return not path.exists() or (path.is_dir() and (path / "_SUCCESS").exists())


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give the name of a temporary folder beside a target, and put it in the target's place when the block ends well.

    A folder that Spark wrote before is replaced; anything else that is there is not.
    """
    form = form_of(path)
    target = Path(path).absolute()
    if not may_be_replaced(target):
        raise InputError(f"{str(path)!r} is there already and is no folder that Spark wrote. Name another.")
    if not target.parent.is_dir():
        raise InputError(f"There is no folder {str(target.parent)!r} to write to.")
    mark = uuid.uuid4().hex
    temporary = target.with_name(f".{target.name[:40]}.{mark}.tmp{form.ending}")
    try:
        yield temporary
        _swap(temporary, target, target.with_name(f".{target.name[:40]}.{mark}.old{form.ending}"))
    except TcloseError:
        raise
    except OSError as problem:
        raise InputError(f"{str(path)!r} cannot be written: {problem.strerror or 'the system refused'}.") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _swap(new: Path, target: Path, aside: Path) -> None:
    """Put a folder in the place of another, which comes back if that fails."""
    if not target.exists():
        new.rename(target)
        return
    target.rename(aside)
    try:
        new.rename(target)
    except BaseException:
        aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)
