"""A released table: audited like any other on its cluster, written from there or handed over as a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from tclose.data.targets import FolderTarget, Target, committing
from tclose.engines.base import RecodedTable
from tclose.engines.spark.errors import translated
from tclose.engines.spark.reading import read_path
from tclose.engines.spark.table import Column, SparkTable, bound
from tclose.errors import EngineFailedError, InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


# Folders written from Spark: the ending says the format of the parts.


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


_LABEL = RecodedTable.label


class SparkRecodedTable(RecodedTable[Column]):
    """A released table as a frame that Spark computes whenever it is read.

    Parameters
    ----------
    frame
        Its rows, with columns ``c0``, ``c1`` and so on.
    columns
        The published columns.
    rows
        How many rows are published.
    unknown
        How many rows were dropped because the recoding did not know their values.
    seed
        Decides the order of rows, together with their content.
    """

    def __init__(self, frame: DataFrame, columns: tuple[Column, ...], rows: int, unknown: int, seed: int) -> None:
        self.table = SparkTable(frame, columns, _LABEL)
        self.columns = columns
        self.rows = rows
        self.unknown = unknown
        self._seed = seed

    def keep(self, columns: Sequence[str]) -> SparkTable:
        """Return the table of just these columns."""
        return self.table.keep(columns)

    def _ordered(self) -> DataFrame:
        """Return the rows in an order that follows from their content and the seed alone."""
        aliases = [column.alias for column in self.columns]
        ordered = self.table.frame.orderBy(F.xxhash64(*aliases, F.lit(self._seed)), *aliases)
        return ordered.select(*(column.published for column in self.columns))

    def to_spark(self) -> DataFrame:
        """Return the table as a frame of Spark, in the order of its content."""
        return self._ordered().toDF(*self.names)

    def write(self, path: str | Path) -> None:
        """Write the table from Spark to a folder, as the ending of the path says."""
        write_frame(self._ordered(), self.names, path, _LABEL)

    def target(self, path: str | Path) -> Target:
        """Return the folder that the table is written to."""
        return target(path)

    def write_to(self, path: str | Path) -> None:
        """Write to just this folder, which need not be whole after a failure."""
        write_to(self._ordered(), self.names, Path(path), _LABEL)

    def read_back(self, path: str | Path) -> SparkTable:
        """Open a folder that this table was written to, as somebody who knows nothing else of it would."""
        with translated(_LABEL):
            return bound(read_path(self.table.frame.sparkSession, f"file://{Path(path).absolute()}"), _LABEL)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> Any:
        """Return the table as a pyarrow table."""
        with translated(_LABEL):
            return self._ordered().toArrow().rename_columns(self.names)

    def to_pandas(self) -> Any:
        """Return the table as a pandas frame."""
        return self.to_arrow().to_pandas()
