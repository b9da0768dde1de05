"""Where rows are: a file, a frame, a database, standard input or a built-in example; never the rows themselves."""

from tclose.data.sources.database import DatabaseTable, is_database
from tclose.data.sources.examples import EXAMPLES, Example, example_named
from tclose.data.sources.locate import are_tables, files_read, locate, read_once
from tclose.data.sources.source import (
    FORMATS,
    ExampleSource,
    FileSource,
    FrameSource,
    ReadOptions,
    Source,
    SparkSource,
    StreamSource,
    ValuesSource,
)

__all__ = [
    "EXAMPLES",
    "FORMATS",
    "DatabaseTable",
    "Example",
    "ExampleSource",
    "FileSource",
    "FrameSource",
    "ReadOptions",
    "Source",
    "SparkSource",
    "StreamSource",
    "ValuesSource",
    "are_tables",
    "example_named",
    "files_read",
    "is_database",
    "locate",
    "read_once",
]
