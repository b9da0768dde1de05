"""A path that exists is that file, whatever signs its name has; a pattern says that it is one."""

import gzip
import os

import duckdb
import pytest

import tclose

ODD = (
    "p[1]",
    "lit*",
    "q?",
    "[!x]",
    "a]b",
    "back\\*slash",
    "back\\slash",
    "~home",
    "x{1,2}",
    "a:b",
    "sp ace%20",
    "é[ü]",
)
ROLES = tclose.Roles(quasi=["zip"], sensitive={"ill": tclose.Nominal()})


def write(path, kind, rows):
    """Write rows as a table of a kind, by another hand than ours."""
    if kind in ("csv", "csv.gz"):
        text = "zip,ill\n" + "".join(f"{zip_},{ill}\n" for zip_, ill in rows)
        path.write_bytes(gzip.compress(text.encode()) if kind == "csv.gz" else text.encode())
    elif kind == "jsonl":
        path.write_text("".join(f'{{"zip": {zip_}, "ill": "{ill}"}}\n' for zip_, ill in rows), encoding="utf-8")
    else:
        plain = path.parent / "plain.parquet"
        values = ", ".join(f"({zip_}, '{ill}')" for zip_, ill in rows)
        duckdb.sql(f"COPY (FROM (VALUES {values}) AS t(zip, ill)) TO '{plain}' (FORMAT parquet)")
        plain.rename(path)


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "jsonl", "parquet"])
@pytest.mark.parametrize("stem", ODD)
@pytest.mark.parametrize("relative", [False, True])
def test_a_path_that_exists_is_that_file_beside_all_that_it_would_match(tmp_path, monkeypatch, kind, stem, relative):
    monkeypatch.chdir(tmp_path)
    for neighbour in ("p1", "lit2", "q1", "y", "back\\xslash", "x1", "é"):
        write(tmp_path / f"{neighbour}.{kind}", kind, [(1, "flu"), (1, "flu"), (1, "flu")])
    write(tmp_path / f"{stem}.{kind}", kind, [(2, "flu"), (2, "cold")])
    path = f"{stem}.{kind}" if relative else str(tmp_path / f"{stem}.{kind}")
    audit = tclose.audit(path, ROLES)
    assert (audit.rows, audit["ill"]["l"].value) == (2, 2)
    assert "pattern" not in [note.code for note in audit.notes]


def test_a_folder_with_signs_in_its_name_is_that_folder(tmp_path):
    for name in ("d[1]", "d1"):
        (tmp_path / name / "year=2020").mkdir(parents=True)
    write(tmp_path / "d[1]" / "year=2020" / "a*.parquet", "parquet", [(2, "flu"), (2, "cold")])
    write(tmp_path / "d1" / "year=2020" / "ab.parquet", "parquet", [(1, "flu")] * 3)
    assert tclose.audit(tmp_path / "d[1]", ROLES).rows == 2


def test_a_name_that_is_no_text_is_read(tmp_path):
    path = tmp_path / os.fsdecode(b"caf\xe9.csv")
    path.write_bytes(b"zip,ill\n2,flu\n2,cold\n")
    assert tclose.audit(path, ROLES).rows == 2


def test_a_temporary_folder_with_signs_in_its_name_is_that_folder(tmp_path):
    temp = tmp_path / "t[1]*"
    temp.mkdir()
    write(tmp_path / "a.csv.gz", "csv.gz", [(2, "flu"), (2, "cold")])
    assert tclose.audit(tmp_path / "a.csv.gz", ROLES, temp=str(temp)).rows == 2


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_pattern_is_said_to_be_one_with_the_number_of_its_files(tmp_path, kind):
    for name in ("a1", "a2", "b1"):
        write(tmp_path / f"{name}.{kind}", kind, [(1, "flu"), (2, "cold")])
    audit = tclose.audit(str(tmp_path / f"a*.{kind}"), ROLES)
    assert audit.rows == 4
    assert [note.text for note in audit.notes if note.code == "pattern"] == [
        f"{str(tmp_path / f'a*.{kind}')!r} is a pattern; 2 files match it."
    ]
