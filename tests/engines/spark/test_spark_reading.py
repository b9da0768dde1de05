"""What is said about reading a file holds for Spark, too, or is refused; nothing that was said is dropped."""

from __future__ import annotations

import pytest

import tclose
from engines.spark.seeded import said
from tclose import errors
from tclose.data.sources import ReadOptions
from tclose.engines.spark.errors import translated
from tclose.engines.spark.reading import read_path

ROLES = tclose.Roles(quasi="zip", sensitive="pay")
HONOURED = {
    "null": ("zip,pay\n1,a\n1,NA\n2,a\n2,\n", ReadOptions(null=("", "NA"))),
    "null in numbers": ("zip,pay\n-9,a\n1,b\n2,a\n", ReadOptions(null=("", "-9"))),
    "delimiter": ("zip;pay\n1;a,b\n1;c\n", ReadOptions(delimiter=";")),
    "tab": ("zip\tpay\n1\ta\n1\tc\n", ReadOptions(delimiter="tab")),
    "quote": ("zip,pay\n1,'a,b'\n1,'it''s'\n", ReadOptions(quote="'")),
    "no quote": ('zip,pay\n1,"a\n1,b\\c\n', ReadOptions(quote="")),
    "encoding": ("zip,pay\n1,é\n1,ü\n", ReadOptions(encoding="latin-1")),
    "format": ("zip\tpay\n1\ta\n2\tc\n", ReadOptions(input_format="tsv")),
    "point": ("zip,pay\n1.5,a\n1.5,b\n", ReadOptions(decimal=".")),
    "comma": ('zip,pay\n"1,234",a\n"1,5",b\n"1,234",b\n', ReadOptions(decimal=",")),
    "several nulls": ("zip,pay\n1,NA\n1,-\n2,a\n", ReadOptions(null=("", "NA", "-"))),
    "a quoted line break": ('zip,pay\n1,"a\nb,c"\n2,d\n', ReadOptions(delimiter=",")),
    "empty cells": ('zip,pay\n1,""\n2,\n1,a\n', ReadOptions(delimiter=",")),
}


@pytest.mark.parametrize("which", HONOURED)
def test_spark_reads_as_it_is_told(spark, tmp_path, which):
    text, read = HONOURED[which]
    path = tmp_path / "people.csv"
    path.write_bytes(text.encode(read.encoding or "utf-8"))
    found = tclose.audit(read_path(spark, str(path), read), ROLES)
    assert said(found) == said(tclose.audit(path, ROLES, read=read))


def test_a_file_without_a_header_has_the_names_that_it_has_elsewhere(spark, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("1,a\n1,b\n", encoding="utf-8")
    read, roles = ReadOptions(header=False), tclose.Roles(quasi="column_1", sensitive="column_2")
    found = tclose.audit(read_path(spark, str(path), read), roles)
    assert said(found) == said(tclose.audit(path, roles, read=read))


REFUSED = {
    "sheet": ReadOptions(sheet=1),
    "format": ReadOptions(input_format="excel"),
    "encoding": ReadOptions(encoding="utf-16"),
    "no encoding": ReadOptions(encoding="hex"),
    "empty texts": ReadOptions(null=("NA",)),
}


@pytest.mark.parametrize("which", REFUSED)
def test_what_spark_cannot_read_is_refused(spark, tmp_path, which):
    path = tmp_path / "people.csv"
    path.write_text("zip,pay\n1,a\n", encoding="utf-8")
    with pytest.raises(errors.InputError, match="Spark does not read"):
        read_path(spark, str(path), REFUSED[which])


SPOILED = {
    "too many cells": ("people.csv", b"zip,pay\n1,a\n1,b,c\n", "more or fewer cells"),
    "too few cells": ("people.csv", b"zip,pay\n1,a\n1\n", "more or fewer cells"),
    "no UTF-8": ("people.csv", b"zip,pay\n1,\xe9\n1,\xe8\n", "not valid UTF-8"),
    "no UTF-8 in JSON": ("people.jsonl", b'{"zip":1,"pay":"\xe9"}\n', "not valid UTF-8"),
    "half an object": ("people.jsonl", b'{"zip":1,"pay":"a"}\n{"zip":1\n', "JSON lines"),
    "two objects in a line": ("people.jsonl", b'{"zip":1,"pay":"a"} {"zip":1}\n', "JSON lines"),
    "lists in a line": (
        "people.jsonl",
        b'[{"zip":1,"pay":"a"}] [{"zip":2,"pay":"b"}]\n{"zip":3,"pay":"c"}\n',
        "JSON lines",
    ),
    "a list closed twice": ("people.json", b'[{"zip":1,"pay":"a"}]]\n', "JSON lines"),
    "an object that ends early": ("people.jsonl", b'{"zip":1,"pay":"a"}], [{"zip":2,"pay":"b"}\n', "JSON lines"),
    "an end of its own": ("people.jsonl", b'{"zip":1,"pay":"a"},"end"] {"zip":2,"pay":"b"}\n', "JSON lines"),
    "words behind a list": ("people.json", b'[{"zip":1,"pay":"a"}] and so on\n', "one list of objects"),
    "two lists": ("people.json", b'[\n{"zip":1,"pay":"a"}\n]\n[\n{"zip":2,"pay":"b"}\n]\n', "one list of objects"),
    "a list that does not end": (
        "people.json",
        b'[\n{"zip":1,"pay":"a"},\n{"zip":2,"pay":"b"}\n',
        "one list of objects",
    ),
    "a list among lines": ("people.jsonl", b'[\n{"zip":1,"pay":"a"}\n]\n', "JSON lines"),
    "no rows": ("people.json", b"[\n]\n", "has no records"),
    "other quotes": ("people.jsonl", b"{'zip':1,'pay':2}\n", "JSON lines"),
    "a number alone": ("people.jsonl", b"1\n", "JSON lines"),
    "a key twice": ("people.jsonl", b'{"zip":1,"pay":"a","zip":2}\n', "given twice"),
    "text and numbers": ("people.jsonl", b'{"zip":1,"pay":"a"}\n{"zip":"1","pay":"b"}\n', "of different types"),
    "long numbers": ("people.jsonl", b'{"zip":1' + b"0" * 40 + b',"pay":"a"}\n', "more than 38 digits"),
}


@pytest.mark.parametrize("which", SPOILED)
def test_what_would_be_guessed_or_dropped_is_refused_as_elsewhere(spark, tmp_path, which):
    name, content, words = SPOILED[which]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(errors.InputError, match=words):
        tclose.audit(read_path(spark, str(path)), ROLES)
    if "UTF-8" not in which:
        with pytest.raises(errors.InputError):
            tclose.audit(path, ROLES)


LISTED = {
    "a line each": b'[\n {"zip": 1, "pay": "a,]"},\n {"zip": 2,\n  "pay": "[b"}\n]\n',
    "a mark before": b'\xef\xbb\xbf[{"zip": 1, "pay": "a,]"},\r\n{"zip": 2, "pay": "[b"}]\r\n',
}


@pytest.mark.parametrize("which", LISTED)
def test_a_list_over_several_lines_is_read_as_elsewhere(spark, tmp_path, which):
    path = tmp_path / "people.json"
    path.write_bytes(LISTED[which])
    for table in (path, read_path(spark, str(path))):
        audit = tclose.audit(table, ROLES)
        assert sorted(tuple(row.values())[:1] for row in audit.classes.rows()) == [(1,), (2,)]
        assert sorted(audit.evidence["pay"].domain.values) == ["[b", "a,]"]


def test_files_whose_headers_differ_are_no_table(spark, tmp_path):
    folder = tmp_path / "people.csv"
    folder.mkdir()
    for name, header in (("a", "zip,pay"), ("b", "pay,zip")):
        (folder / f"{name}.csv").write_text(f"{header}\n1,2\n", encoding="utf-8")
    with pytest.raises(errors.SourceError), translated("the table"):
        tclose.audit(read_path(spark, str(folder)), ROLES)


def test_options_are_refused_of_a_frame_that_has_been_read(spark):
    frame = spark.createDataFrame([(1, "a"), (1, "NA")], "zip int, pay string")
    for given in ({"read": ReadOptions(null=("", "NA"))}, {"memory": "1GB"}, {"threads": 1}, {"temp": "."}):
        with pytest.raises(errors.InputError, match="not for tclose"):
            tclose.audit(frame, ROLES, **given)
        with pytest.raises(errors.InputError, match="not for tclose"):
            tclose.profile(frame, **given)
    assert tclose.audit(frame, ROLES, read=ReadOptions()).rows == 2


def test_the_command_line_hands_every_option_to_spark_also_for_the_reference(spark, tmp_path, capsys):
    from tclose.cli import outcome

    for name, text in (("people", "zip;pay\n1;a\n1;NA\n2;a\n"), ("others", "zip;pay\n1;a\n1;NA\n")):
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    command = ["audit", str(tmp_path / "people.csv"), "-q", "zip", "-s", "pay", "--null", "NA", "--delimiter", ";",
               "--reference", str(tmp_path / "others.csv"), "--format", "json", "--quiet"]  # fmt: skip
    told = []
    for engine in ([], ["--engine", "spark"]):
        assert outcome([*command, *engine]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    assert outcome([*command, "--engine", "spark", "--encoding", "utf-16"]) == 2
    assert "Spark does not read" in capsys.readouterr().err


def test_the_worst_classes_come_with_the_tallies(spark, monkeypatch):
    """Nothing is measured again to list them, whichever figure they are the worst of."""
    rows = [(at % 37 if at % 5 else None, f"{at % 3}", at * at % 11, "ab"[at % 2]) for at in range(400)]
    columns = dict(zip(("q", "r", "pay", "ill"), map(list, zip(*rows, strict=True)), strict=True))
    roles = tclose.Roles(quasi=["q", "r"], sensitive={"pay": tclose.Ordered(), "ill": None})
    asked = {"require": {"k": 3, "t": "0.2"}, "drivers": False}
    expected = tclose.audit(columns, roles, **asked)
    frame = spark.createDataFrame(rows, "q int, r string, pay int, ill string").repartition(4)
    found = tclose.audit(frame, roles, **asked)

    def again(_classes):
        pytest.fail("the classes were measured again")

    monkeypatch.setattr(type(found.classes), "_frame", again)
    listed = [(sort, limit, offset) for sort in found.classes.columns[2:] for limit, offset in ((5, 0), (12, 8))]
    for sort, limit, offset in listed:
        mine, theirs = (list(audit.classes.rows(sort=sort, limit=limit, offset=offset)) for audit in (found, expected))
        assert mine == theirs, sort
    assert str(found).partition("\n")[2] == str(expected).partition("\n")[2]
