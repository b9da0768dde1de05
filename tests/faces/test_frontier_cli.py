"""``tclose frontier``: what is swept, its formats, and what is refused."""

import csv
import io
import json
from itertools import pairwise

import pytest

from canaries import CANARY
from faces.hospital import ROLES, write_hospital

ASK = (*ROLES, "--k", "3")


@pytest.fixture
def hospital(tmp_path):
    return write_hospital(tmp_path)


@pytest.fixture
def swept(run, hospital):
    done = run("frontier", hospital, *ASK, "--values", "0.3,0.1,1/5", "--methods", "merge,gather", "--format", "json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_every_threshold_is_tried_with_every_method_in_order(swept):
    found = [(point["threshold"]["exact"], point["method"]) for point in swept["points"]]
    assert found == [(value, method) for value in ("1/10", "1/5", "3/10") for method in ("merge", "gather")]
    assert (swept["kind"], swept["sweep"], swept["loss"], swept["rows"]) == ("frontier", "t", "lm", 9)
    assert swept["requirements"] == ["k ≥ 3"]


def test_the_best_of_a_threshold_has_the_least_loss(swept):
    for exact in ("1/10", "1/5", "3/10"):
        points = [point for point in swept["points"] if point["threshold"]["exact"] == exact and point["holds"]]
        (best,) = [point for point in points if point["best"]]
        assert best["loss"] == min(point["loss"] for point in points)


def test_a_looser_threshold_keeps_no_less_detail(run, hospital):
    """What is 0.1-close is 0.2-close, and auto looks at stricter thresholds too."""
    done = run("frontier", hospital, *ASK, "--values", "0.1,0.2,0.3", "--methods", "auto", "--format", "csv")
    kept = [float(row["kept"]) for row in csv.DictReader(io.StringIO(done.out))]
    assert len(kept) == 3
    assert all(strict <= loose for strict, loose in pairwise(kept))


def test_a_stricter_k_makes_no_more_classes(run, hospital):
    sweep = ("--sweep", "k", "--values", "2,3,9", "--methods", "merge", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(run("frontier", hospital, *ROLES, *sweep).out)))
    assert [row["k"] for row in rows] == ["2", "3", "9"]
    assert all(int(row["classes"]) <= 9 // int(row["k"]) for row in rows)


def test_the_text_fits_the_page_and_marks_the_best(run, hospital):
    done = run("frontier", hospital, *ASK, "--values", "0.2,0.3")
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line for line in lines if line.startswith("t ≤ ")]
    assert [row.count("*") for row in rows] == [1, 1]
    assert CANARY not in done.out


@pytest.mark.parametrize(
    ("name", "sign"),
    [("a.svg", "<svg"), ("a.html", "<!DOCTYPE html>"), ("a.json", "{"), ("a.csv", "method,t,"), ("a.txt", "What t-")],
)
def test_the_ending_of_the_file_chooses_the_format(run, hospital, tmp_path, name, sign):
    assert run("frontier", hospital, *ASK, "--values", "0.3", "--methods", "merge", "-o", tmp_path / name).code == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(sign)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--methods", "gather,gathr"), ["--methods must be one of", "'gathr'", "Did you mean 'gather'?"]),
        (("--sweep", "recursive"), ["cannot be swept"]),
        (("--sweep", "tt"), ["cannot be swept"]),
        (("--sweep", "kl"), ["--values"]),
        (("--values", "0.1,few"), ["--values must be a decimal"]),
        (("--values", "1.5"), ["at most 1"]),
        (("--sweep", "k", "--values", "2.5"), ["whole number"]),
        (("--loss", "ml"), ["'lm'"]),
        (("--hierarchy", "zip=mask:up"), ["mask:left"]),
        (("-o", "FOLDER/a.docx"), ["ending"]),
        (("-o", "FOLDER/hospital.csv"), ["the table itself"]),
    ],
)
def test_what_a_person_can_mend_leaves_with_2(run, hospital, tmp_path, arguments, words):
    done = run("frontier", hospital, *ASK, *(argument.replace("FOLDER", str(tmp_path)) for argument in arguments))
    assert (done.code, done.out) == (2, "")
    assert [word for word in words if word not in done.err] == []
    assert CANARY not in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["hospital.csv"]
