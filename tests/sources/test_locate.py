"""Naming a table: paths, globs, folders, streams, objects, and what is refused."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tclose.data.sources import ExampleSource, FileSource, FrameSource, ReadOptions, StreamSource, ValuesSource, locate
from tclose.errors import InputError, SourceError
from tclose.policy.files import read_policy


def write(path: Path, text: str = "a,b\n1,2\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def located(table: object, **options: object) -> FileSource:
    source = locate(table, options=ReadOptions(**options))  # type: ignore[arg-type]
    assert isinstance(source, FileSource)
    return source


def test_a_path_may_be_text_or_a_path(tmp_path: Path) -> None:
    path = write(tmp_path / "people.csv")
    assert located(str(path)) == located(path)
    assert located(path).label == str(path)


def test_the_home_folder_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    path = write(tmp_path / "people.csv")
    assert located("~/people.csv").paths == (path,)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("t.csv", "csv"),
        ("t.CSV.GZ", "csv"),
        ("t.tsv", "tsv"),
        ("t.txt", "csv"),
        ("t.json", "json"),
        ("t.ndjson", "jsonl"),
        ("t.jsonl.zst", "jsonl"),
        ("t.parquet", "parquet"),
        ("t.feather", "arrow"),
        ("t.xlsx", "excel"),
        ("t.sav", "spss"),
        ("t.sas7bdat", "sas"),
        ("t.dta", "stata"),
    ],
)
def test_the_name_of_a_file_tells_its_format(tmp_path: Path, name: str, expected: str) -> None:
    assert located(write(tmp_path / name, "x")).format == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"PAR1....", "parquet"),
        (b"ARROW1..", "arrow"),
        (b'  [{"a": 1}]', "json"),
        (b"\xef\xbb\xbf{}", "json"),
        (b"a;b", "csv"),
    ],
)
def test_a_file_without_a_telling_name_is_known_by_its_content(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "table"
    path.write_bytes(content)
    assert located(path).format == expected


def test_a_declared_format_wins_over_the_name(tmp_path: Path) -> None:
    assert located(write(tmp_path / "t.dat.old"), input_format="json").format == "json"


def test_a_glob_gives_its_files_sorted(tmp_path: Path) -> None:
    paths = [write(tmp_path / name) for name in ("b.csv", "a.csv", "c.csv")]
    assert located(str(tmp_path / "*.csv")).paths == tuple(sorted(paths))


def test_a_file_whose_name_looks_like_a_glob_is_that_file(tmp_path: Path) -> None:
    path = write(tmp_path / "people[1].csv")
    write(tmp_path / "people1.csv")
    assert located(path).paths == (path,)


def test_a_folder_gives_the_tables_below_it_without_hidden_files(tmp_path: Path) -> None:
    kept = [write(tmp_path / "a.csv"), write(tmp_path / "deep" / "b.csv")]
    for name in ("_SUCCESS", ".c.csv", "_temporary/d.csv", "notes.md"):
        write(tmp_path / name)
    assert located(tmp_path).paths == tuple(kept)


def test_folders_of_a_partition_give_columns(tmp_path: Path) -> None:
    write(tmp_path / "year=2020" / "zip=00%201" / "a.csv")
    write(tmp_path / "year=2021" / "zip=__HIVE_DEFAULT_PARTITION__" / "a.csv")
    assert located(tmp_path).partitions == (
        {"year": "2020", "zip": "00 1"},
        {"year": "2021", "zip": None},
    )


def test_files_in_different_kinds_of_folders_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "year=2020" / "a.csv")
    write(tmp_path / "b.csv")
    with pytest.raises(SourceError, match="folders of different kinds"):
        locate(tmp_path)


def test_a_list_of_paths_is_one_table(tmp_path: Path) -> None:
    paths = [write(tmp_path / "b.csv"), write(tmp_path / "a.csv")]
    assert located([str(paths[0]), paths[1]]).paths == tuple(sorted(paths))


def test_files_of_different_formats_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.csv")
    write(tmp_path / "b.json", "[]")
    with pytest.raises(SourceError, match=r"different formats \('csv', 'json'\)"):
        locate(tmp_path)


def test_a_missing_file_is_named_with_one_like_it(tmp_path: Path) -> None:
    write(tmp_path / "patients.csv")
    with pytest.raises(SourceError, match=r"There is no file .*patient\.csv'\. Did you mean .*patients\.csv'"):
        locate(tmp_path / "patient.csv")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"the folder .*nowhere' does not exist"):
        locate(tmp_path / "nowhere" / "t.csv")


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="holds no table"):
        locate(tmp_path)


def test_a_glob_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="No file matches"):
        locate(str(tmp_path / "*.csv"))


def test_a_link_to_nothing_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "t.csv"
    link.symlink_to(tmp_path / "gone.csv")
    with pytest.raises(SourceError, match="link to a file that does not exist"):
        locate(link)


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero"])
def test_a_device_is_refused(path: str) -> None:
    with pytest.raises(SourceError, match="device or a socket"):
        locate(path)


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket may not be long
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("t.csv")
        with pytest.raises(SourceError, match="device or a socket"):
            locate("t.csv")


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "t.csv")

    def refuse(*_: object, **__: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SourceError, match="permission denied"):
        locate(path)


def test_a_path_with_a_nul_is_refused() -> None:
    with pytest.raises(SourceError):
        locate("a\0b.csv")


@pytest.mark.parametrize("address", ["s3://b/t.csv", "https://x.example/t.csv", "http://x.example/t", "gs://b/t"])
def test_no_address_is_opened(address: str) -> None:
    with pytest.raises(SourceError, match="makes no network connection"):
        locate(address)
    with pytest.raises(SourceError, match="stand alone"):
        locate([address, "t.csv"])


@pytest.mark.parametrize(("at", "magic"), [(0, b"SQLite format 3\0"), (8, b"DUCK")])
def test_a_database_file_is_not_a_table(tmp_path: Path, at: int, magic: bytes) -> None:
    path = tmp_path / "t.db"
    path.write_bytes(bytes(at) + magic + bytes(50))
    with pytest.raises(SourceError, match="database file"):
        locate(path)


def test_a_workbook_named_csv_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"PK\x03\x04......")
    with pytest.raises(SourceError, match="read as CSV but holds excel"):
        locate(path)


def test_standard_input_and_pipes_are_streams(tmp_path: Path) -> None:
    assert locate("-") == StreamSource("standard input")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert locate(pipe) == StreamSource(str(pipe), pipe)


def test_an_example_is_addressed_by_name() -> None:
    source = locate("example:merit")
    assert isinstance(source, ExampleSource)
    assert source.label == "the example 'merit'"
    with pytest.raises(SourceError, match="Did you mean 'example:salary'"):
        locate("example:salry")
    with pytest.raises(SourceError, match="Did you mean 'example:salary'"):
        locate("exmaple:salary")


def test_a_located_source_stays_as_it_is() -> None:
    source = locate("example:merit")
    assert locate(source) is source


def test_columns_and_records_are_values() -> None:
    assert locate({"a": [1], 2: [3]}) == ValuesSource("a mapping of columns", {"a": [1], "2": [3]})
    assert locate([{"a": 1}, {"b": 2}]) == ValuesSource("a list of records", {"a": [1, None], "b": [None, 2]})
    with pytest.raises(SourceError, match="same name as text"):
        locate([{1: "x", "1": "y"}])


def test_anything_with_an_arrow_stream_is_a_frame() -> None:
    class Foreign:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise NotImplementedError

    source = locate(Foreign())
    assert isinstance(source, FrameSource)
    assert (source.label, source.kind) == ("a Foreign", "stream")


@pytest.mark.parametrize("thing", [5, None, b"bytes", [], [1, "a"], object()])
def test_what_is_no_table_is_refused_by_type_not_by_value(thing: object) -> None:
    with pytest.raises(SourceError, match="is not a table"):
        locate(thing)


def test_the_repr_of_a_source_shows_no_cell() -> None:
    assert "CANARY" not in repr(locate({"a": ["CANARY"]}))
    assert "gastritis" not in repr(locate("example:salary"))


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ";;"},
        {"delimiter": "\n"},
        {"delimiter": ";", "quote": ";"},
        {"quote": "ab"},
        {"decimal": "'"},
        {"input_format": "xml"},
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(InputError):
        ReadOptions(**options)  # type: ignore[arg-type]


def test_a_format_near_to_a_known_one_is_suggested() -> None:
    with pytest.raises(InputError, match="Did you mean 'parquet'"):
        ReadOptions(input_format="parqet")


def test_naming_sources_loads_no_engine_and_no_frame_library() -> None:
    code = (
        "import sys, tclose.data.sources; tclose.data.sources.locate('example:salary'); "
        "heavy = {'duckdb', 'pyarrow', 'pandas', 'polars', 'numpy', 'nanoarrow'} & set(sys.modules); "
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("address", "instead"),
    [
        ("jdbc:postgresql://ann:hidden@host/clinic", "postgresql://"),
        ("jdbc:oracle:thin:ann/hidden@//host:1521/clinic", "data frame"),
        ("odbc:DSN=clinic;PWD=hidden", "data frame"),
        ("mysql+pymysql://ann:hidden@host/clinic", "data frame"),
        ("snowflake://ann:hidden@account/clinic", "adbc:snowflake:"),
        ("s3a://ann:hidden@bucket/a.parquet", "--engine spark"),
    ],
)
@pytest.mark.parametrize("way", ["named", "in a policy"])
def test_an_address_that_is_not_read_says_what_to_use_and_no_password(address, instead, way, tmp_path):
    if way == "in a policy":
        (tmp_path / "policy.toml").write_text(f"[table]\nsource = '{address}'\n")
        address = read_policy(tmp_path / "policy.toml").table
    with pytest.raises(SourceError) as refused:
        locate(address)
    assert instead in str(refused.value)
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("table", ["", [""], ["a.csv", ""]])
def test_an_empty_name_is_not_the_folder_one_is_in(
    table: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match="An empty name names no table"):
        locate(table)


@pytest.mark.parametrize("name", ["people.zip", "people.csv.zip", "people.csv", "people"])
def test_an_archive_is_refused_as_one(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr("people.csv", "a,b\n1,CANARY\n")
    with pytest.raises(SourceError, match="is a ZIP archive, not a table"):
        locate(tmp_path / name)


@pytest.mark.parametrize("first", ["[Content_Types].xml", "_rels/.rels", "docProps/app.xml", "xl/workbook.xml"])
def test_a_workbook_is_no_archive_whichever_part_comes_first(tmp_path: Path, first: str) -> None:
    with zipfile.ZipFile(tmp_path / "people.xlsx", "w") as archive:
        archive.writestr(first, "")
    assert located(tmp_path / "people.xlsx").format == "excel"


@pytest.mark.parametrize("name", ["people.parquet", "people.csv", "people"])
def test_an_encrypted_parquet_file_is_refused_as_one(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"PARE" + bytes(100) + b"PARE")
    with pytest.raises(SourceError, match="is an encrypted Parquet file"):
        locate(tmp_path / name)
