"""Released files: whole or absent, and read back as the values that were written."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import os
import signal
import stat
import subprocess
import sys
import time
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.recodings import functional, listed, recoding, released, text
from tclose.data.targets import committing, target_at, write_text
from tclose.engines.duckdb.writing import check_ending
from tclose.errors import InputError, SourceError

TYPED_FILES = ("release.parquet", "release.feather", "release.arrow")
TEXT_FILES = ("release.csv", "release.tsv", "release.csv.gz", "release.json", "release.jsonl", "release.ndjson.gz")
HOSTILE = [
    "", " ", "007", "7", "7.0", "7.00", "1e5", "1e+05", "100000.0", "true", "True", "NULL", "NaN", "nan", " x ", "x",
    "a,b", "a;b", "a\tb", "a|b", 'a"b', '"', "'a'", "a\nb", "a\r\nb", "a\rb", "\n", "#a", "=1+1", "+a", "-a", "@a",
    "é", "ÅÄ", "日本", "2020-01-01", "2020-1-1", "2020-01-01 00:00", "2020-01-01T00:00:00Z", "01.02.2020", "1/2/2020",
    "12:30", "1,5", "1.000", "1,000", "1.5", " 1", "1 ", "sep=;", "\\", "\\N", "{}", "[1]", "a" * 300,
]  # fmt: skip
texts = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"], max_codepoint=0x2FF), max_size=4)
KINDS = [
    texts,
    st.integers(-(2**70), 2**70),
    st.integers(-3, 3),
    st.floats(allow_nan=False),
    st.decimals(-1000, 1000, places=2),
    st.dates(),
    st.datetimes().map(lambda time: time.replace(fold=0)),
    st.times().map(lambda time: time.replace(fold=0)),
    st.booleans(),
]


@st.composite
def typed_columns(draw, least=1):
    """Columns of one type each, the hostile texts most of all, with missing values."""
    rows = draw(st.integers(1, 6))
    kinds = draw(st.lists(st.sampled_from([texts, *KINDS]), min_size=least, max_size=3))
    cells = [st.lists(kind | st.none(), min_size=rows, max_size=rows) for kind in kinds]
    return {f"col {at}": draw(values) for at, values in enumerate(cells)}


def identity(columns, *, known=None):
    """Publish all columns as they are, all of them keys; or let other columns be cells alone."""
    names = list(columns)
    return functional(columns, [], names if known is None else known, lambda _: (), published=names)


def read(release, path):
    table = release.read_back(path).keep([column.name for column in release.columns])
    aliases = ", ".join(table.column(column.name).alias for column in release.columns)
    return table.connection.execute(f"SELECT {aliases} FROM {table.name}").fetchall()


def normal(value):
    """Return a value of a frame or a table so that equal ones compare equal: one zero."""
    return value + 0 if isinstance(value, float) and value == 0 else value


def original(columns):
    return [tuple(normal(value) for value in row) for row in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize("name", TYPED_FILES)
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(columns=typed_columns())
def test_a_typed_file_keeps_every_value(tmp_path, name, columns):
    release = released(columns, identity(columns))
    release.write(tmp_path / name)
    assert Counter(read(release, tmp_path / name)) == Counter(original(columns))


@pytest.mark.parametrize("name", TEXT_FILES)
@pytest.mark.parametrize("alone", [False, True], ids=["with others", "keys alone"])
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(columns=typed_columns(least=1))
def test_a_text_file_is_refused_or_keeps_different_values_different(tmp_path, name, alone, columns):
    """Each row is found again by its number; then every column must pair the values one to one."""
    columns = columns | {"number": [f"n{at}" for at in range(len(columns["col 0"]))]}
    release = released(columns, identity(columns, known=None if alone else list(columns)[:1]))
    path = tmp_path / name
    path.unlink(missing_ok=True)
    try:
        release.write(path)
    except InputError:
        assert not path.exists()
        return
    found = {row[-1]: row for row in read(release, path)}
    assert set(found) == set(columns["number"])
    for at, values in enumerate(columns.values()):
        pairs = {(repr(normal(value)), repr(found[f"n{row}"][at])) for row, value in enumerate(values)}
        assert len(pairs) == len({mine for mine, _ in pairs}) == len({theirs for _, theirs in pairs})
        for row, value in enumerate(values):
            again = found[f"n{row}"][at]
            if isinstance(value, str) and isinstance(again, str):
                assert again == value or "\r" in value


@pytest.mark.parametrize("name", TEXT_FILES)
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(texts | st.none(), min_size=1, max_size=8))
def test_a_single_column_keeps_its_rows_and_their_counts(tmp_path, name, values):
    columns = {"cell": values}
    release = released(columns, identity(columns))
    try:
        release.write(tmp_path / name)
    except InputError:
        return
    again = Counter(value for (value,) in read(release, tmp_path / name))
    assert sorted(again.values()) == sorted(Counter(values).values())


@pytest.mark.parametrize("name", TEXT_FILES)
@pytest.mark.parametrize(
    "values",
    [
        ["Ann", "Bob's", 'a "b"', "x, y", "line\nbreak", " blank ", "=1+1", "é", "007", "NULL", None],
        ["007", "1e5", "abc"],
        ["[20, 30)", "[30, 40)", "*"],
        [1, 2, None],
        [0.1, 1e-7, -3.5],
        [decimal.Decimal("1.50"), decimal.Decimal("2.25")],
        [dt.date(2020, 1, 1), dt.date(1999, 12, 31)],
        [True, False],
        [2**62, -(2**62)],
    ],
    ids=["hostile", "codes", "labels", "whole", "real", "decimal", "date", "truth", "large"],
)
def test_what_text_files_can_keep_is_not_refused(tmp_path, name, values):
    columns = {"value": values, "other": [f"other {at}" for at in range(len(values))]}
    release = released(columns, identity(columns))
    release.write(tmp_path / name)
    found = {other: value for value, other in read(release, tmp_path / name)}
    expected = dict(zip(columns["other"], values, strict=True))
    if isinstance(values[0], bool) and "csv" in name + name.replace("tsv", "csv"):
        expected = {other: str(value).lower() for other, value in expected.items()}
    for other, value in expected.items():
        again = found[other]
        same = isinstance(value, float | decimal.Decimal) and math.isclose(float(again), float(value), rel_tol=1e-15)
        assert same or again == value


@pytest.mark.parametrize("name", TEXT_FILES[:3])
@pytest.mark.parametrize(
    "values",
    [["", None, "a"], ["1.0", "1.00"], [" 1", "1"], ["NaN", None, "1"], ["2020-01-01", "2020-01-01 00:00"],
     ["a\0b", "ab"]],
    ids=["empty", "zeros", "blanks", "nan", "midnight", "nul"],
)  # fmt: skip
def test_values_that_a_text_file_would_confuse_are_refused_and_kept_by_parquet(tmp_path, name, values):
    columns = {"value": values, "other": [f"other {at}" for at in range(len(values))]}
    release = released(columns, identity(columns))
    with pytest.raises(InputError, match=r"'value'.*Parquet"):
        release.write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    release.write(tmp_path / "release.parquet")
    assert sorted(read(release, tmp_path / "release.parquet"), key=str) == sorted(original(columns), key=str)


def test_infinite_numbers_are_refused_by_json_which_has_none(tmp_path):
    columns = {"value": [math.inf, 1.0], "other": ["x", "y"]}
    release = released(columns, identity(columns))
    with pytest.raises(InputError, match=r"'value' has infinite numbers.*Parquet"):
        release.write(tmp_path / "release.jsonl")
    assert list(tmp_path.iterdir()) == []
    release.write(tmp_path / "release.csv")


@pytest.mark.parametrize("name", [*TEXT_FILES[:3], "release.parquet"])
def test_long_numbers_keep_every_digit(tmp_path, name):
    columns = {
        "whole": [10**30, 10**30 + 1],
        "decimal": [decimal.Decimal("0.1234567890123456789"), decimal.Decimal("12345678901234567.1")],
    }
    release = released(columns, identity(columns))
    release.write(tmp_path / name)
    assert Counter(read(release, tmp_path / name)) == Counter(original(columns))


NAMES = [
    "a", "A", "a b", 'a"b', "a,b", "a;b;c", "a\tb", "é", "c0", "k0", "piece", "n", "sep=;", "2020", "", " ", "a\nb",
    "'a'", "select",
]  # fmt: skip


@pytest.mark.parametrize("name", [*TYPED_FILES, *TEXT_FILES])
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True), number=st.booleans())
def test_columns_may_have_any_name_that_the_format_keeps(tmp_path, name, names, number):
    columns = {title: [at, at + 1, at + 2] if number else ["x", "y", "z"] for at, title in enumerate(names)}
    path = tmp_path / name
    path.unlink(missing_ok=True)
    try:
        release = released(columns, identity(columns))
        release.write(path)
    except InputError:
        assert not path.exists()
        folded = {title.casefold() for title in names}
        refusable = "" in names or len(folded) < len(names) or (number and "2020" in names)
        assert refusable or any("\n" in title or not title.strip() for title in names) or "sep=;" in names
        return
    assert [column.name for column in release.read_back(path).columns] == names
    assert Counter(read(release, path)) == Counter(original(columns))


PEOPLE = {"zip": ["476", "479", "476"], "disease": ["flu", "ulcer", "flu"]}


@pytest.fixture
def release():
    return released(PEOPLE, functional(PEOPLE, ["zip"], ["disease"], text))


def test_a_file_is_complete_before_it_has_its_name(release, tmp_path):
    path = tmp_path / "release.csv"
    path.write_text("old")
    path.chmod(0o640)
    with committing([release.target(path)]) as (place,):
        release.write_to(place)
        assert path.read_text() == "old"
        assert place.parent.parent == tmp_path
        assert Counter(read(release, place)) == Counter(read_rows(release))
        if os.name == "posix":
            assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    assert Counter(read(release, path)) == Counter(read_rows(release))
    assert list(tmp_path.iterdir()) == [path]
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o640


def read_rows(release):
    """The rows as a file of text gives them: codes that look like numbers are numbers."""
    return [(int(row["zip"]), row["disease"]) for row in listed(release)]


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit])
def test_whatever_fails_before_the_end_leaves_the_old_file_and_nothing_beside_it(release, tmp_path, failure):
    path = tmp_path / "release.csv"
    path.write_text("old")
    with pytest.raises(failure), committing([release.target(path)]) as (place,):  # noqa: PT012
        release.write_to(place)
        raise failure
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="permissions of files are those of POSIX")
def test_a_new_file_has_the_permissions_that_new_files_have(release, tmp_path):
    (tmp_path / "usual").touch()
    release.write(tmp_path / "release.csv")
    assert (tmp_path / "release.csv").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.skipif(os.name != "posix", reason="links are those of POSIX")
def test_a_link_stays_a_link_to_the_file_that_is_written(release, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "release.csv").symlink_to(tmp_path / "data" / "real.csv")
    release.write(tmp_path / "release.csv")
    assert (tmp_path / "release.csv").is_symlink()
    assert (tmp_path / "data" / "real.csv").is_file()


def test_an_unknown_ending_is_refused_with_the_list_of_endings(release, tmp_path):
    for name in ("release", "release.xls", ".csv"):
        with pytest.raises(InputError, match=r"\.csv, .*\.parquet"):
            check_ending(tmp_path / name)
        with pytest.raises(InputError, match=r"\.parquet"):
            release.write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_said_so(release, tmp_path):
    with pytest.raises(InputError, match="cannot be written: there is no folder"):
        release.write(tmp_path / "absent" / "release.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        release.write(tmp_path / "folder.csv")


def test_a_file_without_its_ending_is_not_read_by_guess(release, tmp_path):
    release.write(tmp_path / "release.csv")
    with pytest.raises(SourceError):
        release.read_back(tmp_path / "absent.csv")


WRITER = """
import sys
import numpy as np
import pyarrow as pa
from tclose.engines.duckdb.session import DuckDBSession
from tclose.engines.recoding import Recoding

rows = 1_000_000
session = DuckDBSession(threads=1)
table = session.open(pa.table({"q": np.arange(rows) % 50, "person": np.arange(rows)}))
plan = Recoding(
    ("q", "person"), ("q",), (list(range(50)),), np.arange(50, dtype=np.int32)[:, None], np.arange(50), None,
    ("q",), ([f"label {at} " * 20 for at in range(50)],), np.arange(50, dtype=np.int32)[:, None],
)
release = session.recode(table, plan)
print("ready", flush=True)
release.write(sys.argv[1])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill at once")
def test_a_killed_writer_leaves_no_file_of_that_name(tmp_path, tmp_path_factory):
    path, temp = tmp_path / "release.csv", tmp_path_factory.mktemp("temp")
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temp)},  # where no other test sweeps
    )
    try:
        assert writer.stdout.readline() == "ready\n"
        begun = time.monotonic()
        while not any(each.stat().st_size > 1_000_000 for each in tmp_path.rglob("new.csv")):
            assert writer.poll() is None, "the writer ended before anything could be seen of its file"
            assert time.monotonic() - begun < 60
            time.sleep(0.001)
        writer.send_signal(signal.SIGKILL)
        assert writer.wait(30) == -signal.SIGKILL
        assert not path.exists()
        (left,) = tmp_path.iterdir()
        assert stat.S_IMODE(left.stat().st_mode) == 0o700
        write_text(target_at(tmp_path / "other.txt"), "the next run")
        assert [each.name for each in tmp_path.iterdir()] == ["other.txt"]
    finally:
        writer.kill()
        writer.wait(30)
        writer.stdout.close()


def test_a_class_published_as_text_of_numbers_is_read_as_the_same_classes(tmp_path):
    pieces = [((39,), ("30",), 2), ((41,), ("40",), 3), ((None,), ("*",), 1)]
    plan = recoding(pieces, columns=["age"], keys=["age"], quasi=["age"])
    release = released({"age": [39, 39, 41, 41, 41, None]}, plan)
    release.write(tmp_path / "release.csv")
    assert Counter(read(release, tmp_path / "release.csv")) == {("30",): 2, ("40",): 3, ("*",): 1}


@pytest.mark.parametrize("name", TEXT_FILES[:3])
def test_line_ends_within_cells_stay_what_they_are(tmp_path, name):
    columns = {"value": ["a\rb", "a\nb", "a\r\nb"], "other": ["x", "y", "z"]}
    release = released(columns, identity(columns))
    release.write(tmp_path / name)
    assert sorted(read(release, tmp_path / name), key=str) == sorted(original(columns), key=str)
