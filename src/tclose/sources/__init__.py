"""Where rows are: a file, a frame, a database, standard input or a built-in example; never the rows themselves."""

from tclose.sources.database import DatabaseTable, is_database
from tclose.sources.examples import EXAMPLES, Example, example_named
from tclose.sources.locate import locate
from tclose.sources.source import (
    FORMATS,
    ExampleSource,
    FileSource,
    FrameSource,
    ReadOptions,
    Source,
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
    "StreamSource",
    "ValuesSource",
    "example_named",
    "is_database",
    "locate",
]
