"""Every exception of DuckDB is one of ours, and none of its texts gets through."""

from __future__ import annotations

import threading
import time
import traceback

import duckdb
import pytest

from canaries import CANARY
from engines.loading import connection
from tclose.engines.duckdb.errors import translated
from tclose.errors import EngineFailedError, HeadroomError, SourceError, TcloseError

__all__ = ["connection"]

PUBLIC = [
    thing
    for thing in vars(duckdb).values()
    if isinstance(thing, type) and issubclass(thing, Exception) and thing.__module__.lstrip("_").startswith("duckdb")
]
TEXTS = [
    "",
    f"Conversion Error: Could not convert string '{CANARY}' to INT32",
    f"CSV Error on Line: 3\nOriginal Line: {CANARY}\nExpected Number of Columns: 3 Found: 2\n",
    f"CSV Error on Line: 3\nOriginal Line: {CANARY}\nSomething new about {CANARY}",
    f'Malformed JSON in file "x", at byte 6 in record/value 3: {CANARY}',
    f"Parquet {CANARY}",
]


def test_duckdb_shows_its_exceptions() -> None:
    assert len(PUBLIC) > 25


@pytest.mark.parametrize("kind", PUBLIC, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_every_exception_is_mapped_and_its_text_withheld(kind: type[Exception], text: str) -> None:
    with pytest.raises((TcloseError, KeyboardInterrupt)) as caught, translated("people.csv"):
        raise kind(text)
    assert CANARY not in "".join(traceback.format_exception(caught.value))
    if issubclass(kind, duckdb.InterruptException):
        assert isinstance(caught.value, KeyboardInterrupt)
    elif not isinstance(caught.value, HeadroomError):
        named = "x, record 3" if "Malformed JSON" in text and issubclass(kind, duckdb.Error) else "people.csv"
        assert named in str(caught.value)


@pytest.mark.parametrize(
    ("problem", "ours"),
    [
        (duckdb.InvalidInputException, SourceError),
        (duckdb.ConversionException, SourceError),
        (duckdb.IOException, SourceError),
        (duckdb.OutOfMemoryException, HeadroomError),
        (duckdb.BinderException, EngineFailedError),
        (duckdb.InternalException, EngineFailedError),
        (duckdb.HTTPException, SourceError),
    ],
)
def test_kinds_of_exceptions_have_the_meaning_they_should(problem: type[Exception], ours: type[TcloseError]) -> None:
    with pytest.raises(ours), translated("people.csv"):
        raise problem("text")


@pytest.mark.parametrize("reason", ["No space left on device", "File too large"])
def test_a_full_disk_is_a_lack_of_headroom(reason: str) -> None:
    with pytest.raises(HeadroomError), translated("people.csv"):
        raise duckdb.IOException(f"Could not write file: {reason}")


def test_our_own_errors_pass_unchanged() -> None:
    ours = SourceError("ours")
    with pytest.raises(SourceError) as caught, translated("people.csv"):
        raise ours
    assert caught.value is ours


def test_too_little_memory_is_a_lack_of_headroom(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("SET memory_limit = '12MB'")
    connection.execute("SET max_temp_directory_size = '1MB'")
    with pytest.raises(HeadroomError), translated("big.csv", connection=connection):
        connection.execute("CREATE TEMP TABLE t AS SELECT range, random() FROM range(10000000)").fetchall()


def test_an_interrupted_query_is_the_persons_wish_and_frees_the_connection(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    def interrupt() -> None:
        time.sleep(0.3)
        connection.interrupt()

    slow = "SELECT count(*) FROM range(100000000) AS a(x), range(1000) AS b(y) WHERE x % 7 = y % 5"
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt), translated("people.csv", connection=connection):
        connection.execute(slow).fetchall()
    assert connection.execute("SELECT 1").fetchall() == [(1,)]


def test_an_interruption_in_another_thread_is_an_error_there() -> None:
    caught: list[BaseException] = []

    def work() -> None:
        try:
            with translated("people.csv"):
                raise duckdb.InterruptException("Interrupted!")
        except EngineFailedError as problem:
            caught.append(problem)

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    assert "people.csv was interrupted" in str(caught[0])
