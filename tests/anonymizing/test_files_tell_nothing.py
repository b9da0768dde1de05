"""Files of a release: their order is secret, and no statistic, dictionary or property tells who was left out."""

from __future__ import annotations

import itertools
import zipfile

import pandas as pd
import pytest

import tclose

KEY = b"a key of sixteen bytes or more"
ROLES = tclose.Roles(["town", "age"], ["illness:nominal"], publish=["ward", "cost"])
OUT = {"town": "Zzyzxville", "age": 4321, "illness": "zygomycosis", "ward": "Zulu", "cost": -987_654_321.25}
"""Who is left out: no other person is like them in anything."""


def table():
    """Sixty people of two towns in the order of their costs, and one who is left out, in columns of categories."""
    people = [
        {"town": "AB"[at % 2], "age": 30, "illness": "xyz"[at % 3], "ward": "NS"[at % 2], "cost": at + 0.5}
        for at in range(60)
    ]
    frame = pd.DataFrame([*people, OUT])
    return frame.astype(dict.fromkeys(("illness", "ward"), "category"))


def released(key=KEY, rows=None):
    found = tclose.anonymize(
        table() if rows is None else rows, ROLES, require={"k": 5}, hierarchies={"town": "flat"}, levels={"town": 0},
        method="mondrian", suppress="0.02", effort=0, key=key,
    )  # fmt: skip
    assert found.suppressed == 1
    return found


def parts(path):
    """Return what a file consists of, unpacked where it is an archive."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return [archive.read(name) for name in archive.namelist()]
    return [path.read_bytes()]


@pytest.mark.parametrize(
    "ending", [".csv", ".json", ".jsonl", ".parquet", ".feather", ".arrow", ".xlsx", ".sav", ".dta"]
)
def test_no_part_of_a_file_holds_what_a_row_left_out_had(tmp_path, ending):
    path = tmp_path / f"release{ending}"
    released().write(path)
    texts = [text for text in OUT.values() if isinstance(text, str)] + ["4321", "987654321"]
    coded = [text.encode(code) for text in texts for code in ("utf-8", "utf-16-le")]
    assert not [code for part in parts(path) for code in coded if code in part]


def test_statistics_and_dictionaries_of_parquet_are_those_of_released_rows(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    released().write(tmp_path / "release.parquet")
    file = parquet.ParquetFile(tmp_path / "release.parquet", read_dictionary=["illness", "ward"])
    group = file.metadata.row_group(0)
    found = {group.column(at).path_in_schema: group.column(at).statistics for at in range(group.num_columns)}
    assert (found["cost"].min, found["cost"].max) == (0.5, 59.5)
    assert (found["illness"].min, found["illness"].max) == ("x", "z")
    dictionaries = {name: file.read()[name].chunk(0).dictionary.to_pylist() for name in ("illness", "ward")}
    assert {name: sorted(values) for name, values in dictionaries.items()} == {
        "illness": list("xyz"),
        "ward": list("NS"),
    }
    assert set(file.metadata.metadata or {}) <= {b"ARROW:schema", b"pandas"}
    assert b"Zulu" not in b"".join((file.metadata.metadata or {}).values())


def test_categories_and_schemas_of_arrow_are_those_of_released_rows(tmp_path):
    feather = pytest.importorskip("pyarrow.feather")
    released().write(tmp_path / "release.feather")
    found = feather.read_table(tmp_path / "release.feather")
    assert not found.schema.metadata
    columns = [found[name].chunk(0) for name in ("illness", "ward")]
    every = [column.dictionary if hasattr(column, "dictionary") else column.unique() for column in columns]
    assert [sorted(values.to_pylist()) for values in every] == [list("xyz"), list("NS")]


def costs(path):
    return pd.read_csv(path)["cost"].tolist()


def test_rows_of_a_file_are_in_an_order_that_the_key_decides(tmp_path):
    shuffled = table().sample(frac=1, random_state=1)
    made = {"one": released(), "again": released(rows=shuffled), "other": released(key=KEY[::-1])}
    for name, found in made.items():
        found.write(tmp_path / f"{name}.csv")
    one, again, other = (costs(tmp_path / f"{name}.csv") for name in ("one", "again", "other"))
    assert one == again
    assert one != other
    assert sorted(one) == sorted(other) == [at + 0.5 for at in range(60)]
    # of 60 rows in random order 59 neighbours rise 29.5 times on average, with a deviation of √(61/12) = 2.25
    rises = sum(after > before for before, after in itertools.pairwise(one))
    assert abs(rises - 29.5) < 5 * 2.25
