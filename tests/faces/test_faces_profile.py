"""``tclose profile``: a table for people, JSON for machines, and a policy that an audit accepts."""

import json

import pytest

from canaries import CANARY
from tclose.policy.files import read_policy
from tclose.policy.profiling.profile import profile


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    lines = ["patient id,date of birth,zip,salary,note,constant"]
    lines += [f"P{i:03},1990-01-{i % 28 + 1:02},{i % 5},{i * 10 if i % 7 else ''},{CANARY}{i},x" for i in range(40)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_table_shows_roles_reasons_and_no_cell(run, people):
    done = run("profile", people)
    assert done.code == 0
    assert done.err == ""
    assert CANARY not in done.out
    assert "quasi-identifier" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_json_has_exact_counts(run, people):
    columns = json.loads(run("profile", people, "--format", "json").out)["columns"]
    assert columns["zip"]["distinct"] == 5
    assert columns["zip"]["separation"] == {"value": float(32 / 39), "exact": "32/39"}
    assert columns["salary"]["nulls"] == 6
    assert columns["patient id"]["role"] == "identifier"
    assert columns["constant"]["role"] == "remove"
    assert {key: columns["zip"][key] for key in ("confidence", "change")} == {
        "confidence": "medium",
        "change": "If nobody outside knows it of a person, it is sensitive or harmless.",
    }


def test_undecided_columns_are_named_the_riskiest_first_and_nothing_is_written(run, tmp_path, monkeypatch):
    """By hand: of 60 rows xa has 2 values, xb 6 and xc 12, so that xc tells most pairs of rows apart."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{at % 5},{at},v{at % 2},w{at % 6},u{at % 12}" for at in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["zip,salary,xa,xb,xc", *rows]))
    assert "'xc', 'xb', 'xa'" in run("profile", "t.csv", "-o", "p.toml").err
    for command in (("anonymize", "-o", "out.csv"), ("audit",)):
        done = run(*command, "--policy", "p.toml")
        assert (done.code, done.out) == (2, "")
        assert "3 columns are undecided: 'xc', 'xb', 'xa'" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.toml", "t.csv"]
    assert "# Its name is not known" in (tmp_path / "p.toml").read_text()
    assert "Confidence: low. Decide: it is withheld until then." in (tmp_path / "p.toml").read_text()


def test_the_policy_it_writes_can_be_audited(run, people, monkeypatch):
    monkeypatch.chdir(people.parent)
    done = run("profile", "people.csv", "-o", "tclose.toml")
    assert done.code == 0
    assert done.out == ""
    assert "tclose.toml" in done.err
    policy = read_policy("tclose.toml")
    assert policy.table == "people.csv"
    assert policy.roles.quasi == ("date of birth", "zip")
    assert "constant" in policy.roles.remove
    assert run("audit", "--quiet").code == 1


def test_an_undecided_column_stops_every_verb_until_somebody_decides(run, people, monkeypatch):
    monkeypatch.chdir(people.parent)
    text = people.read_text().splitlines()
    people.write_text(
        "\n".join([f"{text[0]},xq,xr", *(f"{line},{at % 7},{at % 3}" for at, line in enumerate(text[1:]))])
    )
    written = run("profile", "people.csv", "-o", "tclose.toml")
    assert "2 columns are undecided: 'xq', 'xr'" in written.err
    for command in (("audit",), ("anonymize", "--k", "2", "-o", "out.csv")):
        done = run(*command, "--policy", "tclose.toml", "--quiet")
        assert (done.code, done.out) == (2, "")
        assert "2 columns are undecided: 'xq', 'xr'" in done.err
    assert not (people.parent / "out.csv").exists()
    policy = (people.parent / "tclose.toml").read_text()
    (people.parent / "tclose.toml").write_text(policy.replace("\n[policy]\n", '\n[policy]\nothers = "remove"\n'))
    assert run("audit", "--policy", "tclose.toml", "--quiet").code == 1
    decided = run("audit", "--policy", "tclose.toml", "-q", "xq,xr", "--quiet", "--format", "json")
    assert json.loads(decided.out)["roles"]["quasi"] == ["xq", "xr"]


def test_paths_in_a_policy_elsewhere_still_lead_to_the_table(run, people, monkeypatch):
    monkeypatch.chdir(people.parent)
    (people.parent / "policies").mkdir()
    run("profile", "people.csv", "-o", "policies/p.toml")
    assert run("audit", "--policy", "policies/p.toml", "--quiet").code == 1


def test_an_existing_file_is_kept_unless_forced(run, people):
    target = people.parent / "tclose.toml"
    target.write_text("mine")
    done = run("profile", people, "-o", target)
    assert done.code == 2
    assert "--force" in done.err
    assert target.read_text() == "mine"
    assert run("profile", people, "-o", target, "--force").code == 0
    assert target.read_text() != "mine"


def test_html_is_a_whole_page_without_cells(run, people):
    done = run("profile", people, "--format", "html")
    assert done.out.startswith("<!DOCTYPE html>")
    assert CANARY not in done.out
    assert CANARY not in profile(people)._repr_html_()


def test_toml_goes_to_standard_output_too(run, people):
    assert "[columns]\n# " in run("profile", people, "--format", "toml").out
