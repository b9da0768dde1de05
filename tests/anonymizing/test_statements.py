"""What a release says of itself to catalogues: well-formed in each language, true of the file, no value in it.

Judged by the libraries of Croissant and OpenLineage and by the terms of Dublin Core and schema.org: judges.py.
"""

import csv
import hashlib
import json
import os
import subprocess
from fractions import Fraction
from pathlib import Path

import duckdb
import jsonschema
import pytest

from tclose.cli.commands import commands
from tclose.cli.errors import exit_code_of

DOCS = Path(__file__).parents[2] / "docs"
JUDGE = Path(__file__).with_name("judges.py")
PYTHON = Path(__file__).parents[2] / ".venv" / "share" / "tclose" / "schemas" / "bin" / "python"
TOLD = ["release.jsonld", "release.openlineage.json"]
VALUES = [
    ("day", "DATE '2024-01-01' + (i % 5)::INTEGER"),
    ("moment", "TIMESTAMP '2024-01-01 10:00' + INTERVAL (i % 3) HOUR"),
    ("price", "(i % 4)::DECIMAL(9, 2) / 4"),
    ("share", "(i % 4)::DOUBLE / 3"),
    ("many", "(100000000000000000 + i % 2)::DECIMAL(38, 0)"),
    ("well", "i % 2 = 0"),
    ("word, with a comma", "chr((65 + i % 3)::INTEGER) || ' é'"),
    ("spell", "INTERVAL (i % 2) DAY"),
]
"""Columns of every kind, as DuckDB makes them from the number of a row."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A release with all of its statements, and how the table was: every cell of the original is a telltale."""
    folder = tmp_path_factory.mktemp("statements")
    rows = [(f"secret{at}", 47600 + at, 20 + at % 9, 100 * (at % 4)) for at in range(40)]
    with (folder / "visits.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("name", "zip", "age", "the cost"), *rows])
    words = "anonymize visits.csv -i name -q zip,age --k 4 --t 0.4 --method full-domain --hierarchy age=flat"
    script = [
        *words.split(),
        "-s",
        "the cost:ordered",
        "-o",
        "re lease.csv",
        *(word for name in TOLD for word in ("--statement", name)),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert exit_code_of(commands, [*script, "--quiet"]) == 0
    return folder, *(json.loads((folder / name).read_text(encoding="utf-8")) for name in TOLD)


def judged(*files):
    """What those who read statements object to, and what they read."""
    if not (PYTHON.with_name("mlcroissant")).exists():
        missing = "the judges of statements are not here: scripts/schemas brings them"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    done = subprocess.run([PYTHON, JUDGE, *map(str, files)], capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout).values())


def test_those_who_read_statements_object_to_none_and_find_the_rows_by_them(made):
    folder = made[0]
    croissant, lineage = judged(*(folder / name for name in TOLD))
    assert [each["problems"] for each in (croissant, lineage)] == [[], []]
    header, *rows = csv.reader((folder / "re lease.csv").read_text(encoding="utf-8").splitlines())
    assert [list(row.values()) for row in croissant["rows"]] == rows
    assert [name.removeprefix("rows/") for name in croissant["rows"][0]] == ["zip", "age", "the%20cost"]
    assert header == ["zip", "age", "the cost"]


WRONG = {
    "a column that is not there": (
        0,
        lambda told: told["recordSet"][0]["field"][0]["source"]["extract"].update(column="q"),
    ),
    "no record set": (0, lambda told: told.pop("recordSet")),
    "a term that nobody has": (0, lambda told: told.update({"dct:privacy": "good"})),
    "a term that Croissant has not": (0, lambda told: told.update({"rai:promise": "good"})),
    "no identifier of a run": (1, lambda told: told["run"].update(runId="monday")),
    "no time": (1, lambda told: told.update(eventTime="monday")),
    "a field that is not in the schema": (1, lambda told: told["job"].update(place="here")),
    "a facet by another schema": (
        1,
        lambda told: told["outputs"][0]["facets"]["schema"].update(_schemaURL="urn:tclose:schema"),
    ),
}


@pytest.fixture(scope="module")
def spoiled(made):
    """What is said of statements that are wrong in one place each."""
    files = []
    for number, (which, spoil) in enumerate(WRONG.values()):
        told = json.loads((made[0] / TOLD[which]).read_text(encoding="utf-8"))
        spoil(told)
        files.append(made[0] / f"spoiled{number}{TOLD[which].removeprefix('release')}")
        files[-1].write_text(json.dumps(told), encoding="utf-8")
    found = judged(*files)
    for file in files:
        file.unlink()
    return dict(zip(WRONG, found, strict=True))


@pytest.mark.parametrize("wrong", WRONG)
def test_they_object_to_what_is_wrong(spoiled, wrong):
    assert spoiled[wrong]["problems"]


def test_every_type_of_column_and_file_is_read_by_its_statement(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = ", ".join(f'{expression} AS "{column}"' for column, expression in VALUES)
    with duckdb.connect() as connection:
        connection.sql(f"SELECT i % 3 AS q, {columns} FROM range(30) r(i)").to_parquet("table.parquet")
    published = [word for column, _ in VALUES for word in ("--publish", column)]
    for name in ("a.csv", "b.parquet", "c.jsonl", "d.tsv"):
        words = f"anonymize table.parquet -q q --k 3 -o {name} --quiet --statement {name}.jsonld".split()
        assert exit_code_of(commands, [*words, *published]) == 0
    found = judged(*sorted(tmp_path.glob("*.jsonld")))
    assert [(each["problems"], len(each.get("rows", []))) for each in found] == [([], 30)] * 4
    fields = json.loads((tmp_path / "b.parquet.jsonld").read_text(encoding="utf-8"))["recordSet"][0]["field"]
    kinds = ["Text", "Date", "DateTime", "Float", "Float", "Integer", "Boolean", "Text", "Text"]
    assert [field["dataType"] for field in fields] == [f"sc:{kind}" for kind in kinds]


def test_the_facet_of_our_own_is_by_its_schema(made):
    facet = json.loads((DOCS / "lineage-facet.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(facet)
    jsonschema.validate(made[2]["outputs"][0]["facets"]["tclose_privacy"], facet)


def test_statements_are_true_of_the_file(made):
    folder, dataset, lineage = made
    content = (folder / "re lease.csv").read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    assert dataset["distribution"][0]["sha256"] == digest
    assert dataset["distribution"][0]["contentUrl"] == "re lease.csv"
    output = lineage["outputs"][0]
    assert (output["name"], output["outputFacets"]["outputStatistics"]["size"]) == ("re lease.csv", len(content))
    header, *rows = csv.reader(content.decode().splitlines())
    assert [field["name"] for field in dataset["recordSet"][0]["field"]] == header == ["zip", "age", "the cost"]
    assert [field["name"] for field in output["facets"]["schema"]["fields"]] == header
    assert output["outputFacets"]["outputStatistics"]["rowCount"] == len(rows)


def test_figures_are_those_of_the_rows_that_were_written(made):
    folder, dataset, lineage = made
    assertions = lineage["outputs"][0]["facets"]["tclose_privacy"]["assertions"]
    assert [each["assertion"] for each in assertions] == ["k ≥ 4", "t ≤ 0.4"]
    assert all(each["success"] for each in assertions)
    _, *rows = csv.reader((folder / "re lease.csv").read_text(encoding="utf-8").splitlines())
    classes = {}
    for *key, cost in rows:
        classes.setdefault(tuple(key), []).append(int(cost) // 100)
    by_hand = max(distance(values, [row[2] for row in rows]) for values in classes.values())
    found = {each["assertion"][0]: each["found"] for each in assertions}
    assert found["k"]["value"] == min(map(len, classes.values()))
    assert Fraction(found["t"].get("exact", found["t"]["value"])) == by_hand
    _method, counted, *promised = dataset["rai:dataPreprocessingProtocol"]
    assert counted == "Rows are counted, not people."
    promises = [each.partition(" of ")[0] for each in promised]
    figures = [Fraction(each.partition(" holds: found ")[2].split()[0]) for each in promised]
    assert (promises, figures) == (["k ≥ 4", "t ≤ 0.4"], [found["k"]["value"], by_hand])


def distance(values, whole):
    """The ordered distance of four values, by its definition."""
    everything = [int(cost) // 100 for cost in whole]
    shares = [
        Fraction(values.count(at), len(values)) - Fraction(everything.count(at), len(everything)) for at in range(4)
    ]
    return sum(abs(sum(shares[: at + 1])) for at in range(4)) / 3


def test_no_statement_has_a_value_of_the_original(made):
    for name in TOLD:
        text = (made[0] / name).read_text(encoding="utf-8")
        assert "secret" not in text
        assert not any(str(47600 + at) in text for at in range(40))


@pytest.mark.parametrize("named", ["visits.csv", "vis*.csv", "vis*"])
def test_nothing_beside_a_release_has_the_folders_of_the_original(made, tmp_path, monkeypatch, named):
    folder = tmp_path / "ward of Dr Canary"
    folder.mkdir()
    (folder / "visits.csv").write_bytes((made[0] / "visits.csv").read_bytes())
    monkeypatch.chdir(tmp_path)
    words = "-i name -q zip,age --k 4 --method full-domain --hierarchy age=flat --quiet --effort 0"
    told = [word for name in TOLD for word in ("--statement", name)]
    for source in (folder / named, Path(folder.name) / named):
        for report in ("report.html", "report.json"):
            targets = ["-o", "out.csv", "--report", report, *told, "--force"]
            assert exit_code_of(commands, ["anonymize", str(source), *words.split(), *targets]) == 0
            for name in (*TOLD, report, "out.csv.report.json"):
                text = (tmp_path / name).read_text(encoding="utf-8")
                assert "visits.csv" in text or "vis*" in text
                assert "Canary" not in text
                assert str(tmp_path) not in text


@pytest.mark.parametrize(
    "more",
    [
        ["--statement", "a.jsonld"],
        ["-o", "-", "--statement", "a.jsonld"],
        ["-o", "a.csv", "--statement", "a.json"],
        ["-o", "a.csv", "--statement", "visits.csv.jsonld/../visits.csv"],
        ["-o", "a.jsonld", "--statement", "a.jsonld"],
    ],
)
def test_what_no_statement_can_be_written_of_is_refused_before_the_work(made, more, monkeypatch, capsys):
    monkeypatch.chdir(made[0])
    before = sorted(made[0].iterdir())
    assert exit_code_of(commands, ["anonymize", "visits.csv", "-q", "zip", "-s", "age", "--k", "4", *more]) == 2
    assert sorted(made[0].iterdir()) == before
    assert "Error: " in capsys.readouterr().err


def test_where_there_is_no_release_there_is_no_statement(made, monkeypatch, capsys):
    monkeypatch.chdir(made[0])
    words = [
        "anonymize",
        "visits.csv",
        "-q",
        "zip",
        "-s",
        "age:nominal",
        "--l",
        "30",
        "-o",
        "none.csv",
        "--statement",
        "none.jsonld",
    ]
    assert exit_code_of(commands, words) == 1
    assert not (made[0] / "none.jsonld").exists()
    capsys.readouterr()
