"""Tables of which a log says which files count, and addresses that are not read: rightly, or with a way out."""

import sqlite3
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tclose
from tclose.errors import SourceError

ROLES = tclose.Roles("q", "s:nominal", publish="all")


@pytest.fixture
def lake(tmp_path):
    """Six rows by month, of which those with q = 2 were deleted; their files are still there."""
    delta = pytest.importorskip("deltalake")
    rows = pa.table({"q": [1, 1, 2, 2, 1, 1], "s": list("ababab"), "month": ["x", "x", "x", "y", "y", "y"]})
    delta.write_deltalake(str(tmp_path / "visits"), rows, partition_by=["month"])
    delta.DeltaTable(str(tmp_path / "visits")).delete("q = 2")
    return tmp_path / "visits"


def test_deleted_rows_of_a_delta_table_are_not_read(lake):
    found = tclose.audit(lake, ROLES, require={"k": 4})
    assert (found.rows, found.k, found.unprotected) == (4, 4, ("month",))
    assert len(list(lake.rglob("*.parquet"))) > len({*lake.glob("month=*")})


def test_files_of_a_delta_table_are_refused_without_its_log(lake):
    file = next(lake.rglob("*.parquet"))
    for named in (file, str(lake / "*" / "*.parquet"), lake.parent):
        with pytest.raises(SourceError, match=r"a table of Delta Lake.* Name that folder"):
            tclose.audit(named, ROLES)


def test_what_a_delta_table_asks_of_its_readers_is_refused_by_name(lake):
    log = sorted((lake / "_delta_log").glob("*.json"))[0]
    text = log.read_text(encoding="utf-8")
    features = '"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]'
    asked = f'"protocol":{{"minReaderVersion":3,"minWriterVersion":7,{features}}}'
    start = text.index('"protocol":{')
    log.write_text(text[:start] + asked + text[text.index("}", start) + 1 :], encoding="utf-8")
    with pytest.raises(SourceError, match=r"uses 'deletionVectors'.*--engine spark"):
        tclose.audit(lake, ROLES)
    log.write_text("{", encoding="utf-8")
    with pytest.raises(SourceError, match="log of the Delta table"):
        tclose.audit(lake, ROLES)


@pytest.mark.parametrize(
    ("log", "kind"), [("metadata/v1.metadata.json", "Iceberg"), (".hoodie/hoodie.properties", "Hudi")]
)
def test_other_lakes_are_refused_by_name(tmp_path, log, kind):
    (tmp_path / log).parent.mkdir()
    (tmp_path / log).write_text("{}", encoding="utf-8")
    (tmp_path / "data").mkdir()
    pq.write_table(pa.table({"q": [1], "s": ["a"]}), tmp_path / "data" / "a.parquet")
    with pytest.raises(SourceError, match=f"a table of {kind}.*--engine spark"):
        tclose.audit(tmp_path, ROLES)
    if kind == "Iceberg":
        with pytest.raises(SourceError, match="a table of Iceberg"):
            tclose.audit(tmp_path / "data" / "a.parquet", ROLES)


@pytest.mark.parametrize(
    ("address", "way_out"),
    [
        ("hdfs://cluster/visits", "--engine spark"), ("s3a://bucket/visits", "--engine spark"),
        ("s3://bucket/visits.csv", "s3a://.*--engine spark"), ("https://example.org/a.csv", "Download it"),
        ("mysql://host/clinic", "data frame"), ("snowflake://account/clinic", "adbc:snowflake:URI"),
        ("postgresql+psycopg2://host/clinic", "postgresql://"), ("duckdb:///clinic.duckdb", "adbc:duckdb:PATH#TABLE"),
        ("mysql+pymysql://user:secret@host/clinic", "no driver"),
    ],
)  # fmt: skip
def test_an_address_that_is_not_read_says_what_to_use_instead(address, way_out):
    with pytest.raises(SourceError, match=way_out) as refused:
        tclose.audit(address, ROLES)
    assert "secret" not in str(refused.value)


def test_files_and_connections_of_databases_say_how_to_name_a_table(tmp_path):
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.execute("CREATE TABLE t (q, s)")
    connection.commit()
    with pytest.raises(SourceError, match=r"sqlite:PATH#TABLE, or adbc:duckdb:PATH#TABLE"):
        tclose.audit(Path(tmp_path / "a.db"), ROLES)
    with pytest.raises(SourceError, match="Connection of sqlite3 is a connection"):
        tclose.audit(connection, ROLES)
    connection.close()
