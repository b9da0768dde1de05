"""The API gives the library's numbers, and lets work be watched, stopped and taken away."""

import csv
import errno
import hashlib
import io
import json
import os
import re
import shlex
import threading
import time
import tomllib
import zipfile
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import jsonschema
import pytest

import tclose
from canaries import CANARY, shown_in
from tclose.anonymization.anonymize import anonymize
from tclose.cli import outcome
from tclose.data.hierarchies import hierarchy_of
from tclose.data.sources import EXAMPLES
from tclose.policy.files import parse_policy
from tclose.web import downloads as packages
from tclose.web.jobs import Jobs, Outcome
from tclose.web.openapi import openapi
from tclose.web.table_api import taken_in


def described(name, data):
    """Check data by the schema that the description has for it."""
    jsonschema.validate(data, {**openapi()["components"]["schemas"][name], "components": openapi()["components"]})


def test_the_description_is_one_of_openapi_and_every_reference_leads_somewhere():
    text = json.dumps(openapi())
    assert openapi()["openapi"].startswith("3.1")
    named = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named <= set(openapi()["components"]["schemas"])
    for schema in openapi()["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    for path, methods in openapi()["paths"].items():
        for one in methods.values():
            declared = {each["name"] for each in one["parameters"] if each["in"] == "path"}
            assert declared == set(re.findall(r"{(\w+)}", path))
            assert one["responses"]
    identities = [one["operationId"] for path in openapi()["paths"].values() for one in path.values()]
    assert len(set(identities)) == len(identities)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_audit_of_the_page_is_the_audit_of_the_library(server, example, tmp_path):
    table = server.opened(example)
    policy = server.policy(table)
    result = server.done(table, kind="audit", policy=policy)["result"]
    (tmp_path / "tclose.toml").write_bytes(
        server.client.post(f"/api/tables/{table}/policy", json={"policy": policy}).content
    )
    given = tclose.read_policy(tmp_path / "tclose.toml")
    assert given.roles.quasi == EXAMPLES[example].roles.quasi
    withheld = replace(given.roles, others="remove") if given.roles.undecided else given.roles
    same = tclose.audit(f"example:{example}", withheld, require={"k": 3, "t": "0.3"})
    audits = result["audit"], json.loads(same.to_json())
    warned = [audit.pop("warnings") for audit in audits]  # the way out is told in the words of each face
    assert len(warned[0]) == len(warned[1])
    assert audits[0] == audits[1]


def test_the_figures_of_the_tutorial_are_on_the_page(server):
    """Tutorial, section on salaries: t = 3/8 for the salary, 4/9 for the disease, k = l = 3."""
    table = server.opened()
    audit = server.done(table, kind="audit", policy=server.policy(table))["result"]["audit"]
    assert audit["k"]["value"] == audit["attributes"]["salary"]["l"]["value"] == 3
    assert audit["attributes"]["salary"]["t"]["exact"] == "3/8"
    assert audit["attributes"]["disease"]["t"]["exact"] == "4/9"


@pytest.mark.parametrize(("kind", "extra", "meant"), [("audit", "mesure", "measure"), ("anonymize", "sweep", None)])
def test_what_a_kind_of_work_does_not_take_is_refused(server, kind, extra, meant):
    table = server.opened()
    asked = {"kind": kind, "policy": server.policy(table), extra: "t"}
    answer = server.client.post(f"/api/tables/{table}/jobs", json=asked)
    error = answer.json()["error"]
    assert (answer.status_code, error["field"]) == (422, extra)
    assert meant is None or f"Did you mean {meant!r}?" in error["hint"]


def test_a_change_of_roles_changes_what_is_measured(server):
    table = server.opened()
    policy = server.policy(table)
    policy["columns"]["disease"] = {"role": "publish"}
    policy["columns"]["age"] = {"role": "publish"}
    audit = server.done(table, kind="audit", policy=policy)["result"]["audit"]
    same = tclose.audit("example:salary", tclose.Roles(["zip"], {"salary": tclose.Ordered()}))
    assert audit["attributes"]["salary"]["t"]["exact"] == str(same["salary"].t)
    assert list(audit["attributes"]) == ["salary"]


def all_classes(server, job, **query):
    found = server.client.get(f"/api/jobs/{job}/classes", params=query)
    assert found.status_code == 200, found.text
    return found.json()


def test_classes_come_sorted_searched_and_in_pages(server, tmp_path):
    rows = [(f"z{at % 40:02}", at % 7, at % 11) for at in range(560)]
    text = "zip,age,pay\n" + "\n".join(f"{zip_},{age},{pay}" for zip_, age, pay in rows)
    table = server.client.post("/api/uploads?name=people.csv", content=text.encode()).json()["id"]
    policy = {
        "columns": {
            "zip": {"role": "quasi-identifier"},
            "age": {"role": "quasi-identifier"},
            "pay": {"role": "sensitive", "distance": "ordered"},
        }
    }
    job = server.done(table, kind="audit", policy=policy)["id"]
    keys = {(zip_, str(age)) for zip_, age, _ in rows}
    pages = [all_classes(server, job, sort="pay.t", offset=at, limit=50) for at in range(0, len(keys) + 50, 50)]
    described("Classes", pages[0])
    found = [row for page in pages for row in page["rows"]]
    assert {tuple(row[:2]) for row in found} == keys
    assert len(found) == len(keys) == pages[0]["total"]
    place = pages[0]["columns"].index("pay.t")
    assert [row[place] for row in found] == sorted((row[place] for row in found), reverse=True)
    searched = all_classes(server, job, search="Z1", sort="zip", descending="false", limit=500)
    wanted = sorted(key for key in keys if "z1" in key[0])
    assert [tuple(row[:2]) for row in searched["rows"]] == wanted
    assert searched["matching"] == len(wanted)
    assert all_classes(server, job, search="%", limit=5)["rows"] == []


def test_a_class_is_found_again_by_the_texts_of_its_key(server):
    text = "day,flag,share,big,pay\n2024-01-02,true,0.5,9007199254740993,1\n,false,2.0,9007199254740992,2\n"
    table = server.client.post("/api/uploads?name=kinds.csv", content=text.encode()).json()["id"]
    columns = {name: {"role": "quasi-identifier"} for name in ("day", "flag", "share", "big")}
    policy = {"columns": {**columns, "pay": {"role": "sensitive", "distance": "ordered"}}}
    job = server.done(table, kind="audit", policy=policy)["id"]
    page = all_classes(server, job)
    assert len(page["rows"]) == 2
    for row in page["rows"]:
        key = dict(zip(page["columns"], row[: page["keys"]], strict=False))
        told = server.client.post(f"/api/jobs/{job}/explanation", json={"attribute": "pay", "key": key})
        assert told.status_code == 200, told.text
        assert told.json()["size"] == 1


@pytest.mark.parametrize("rule", ["stay", "monotone", "tutorial"])
@pytest.mark.parametrize(
    ("example", "attribute"), [("salary", "salary"), ("salary", "disease"), ("merit", "merit_points")]
)
def test_after_the_last_move_every_column_holds_what_the_table_holds(server, example, attribute, rule):
    table = server.opened(example)
    job = server.done(table, kind="audit", policy=server.policy(table))["id"]
    plan = tclose.explain(f"example:{example}", attribute=attribute, rule=rule)[0]
    told = server.client.post(f"/api/jobs/{job}/explanation", json={"attribute": attribute, "rule": rule}).json()
    described("Explanation", told)
    held = [Fraction(column["class"]["exact"]) for column in told["columns"]]
    assert held == plan.inside
    spent = Fraction(0)
    for step, move in zip(told["steps"], plan.moves, strict=True):
        assert (step["from"] + 1, step["to"] + 1) == (move.start, move.end)
        held[step["from"]] -= Fraction(step["mass"]["exact"])
        held[step["to"]] += Fraction(step["mass"]["exact"])
        spent += move.cost
        assert held[step["from"]] == Fraction(step["from_holds"]["exact"]) >= 0
        assert held[step["to"]] == Fraction(step["to_holds"]["exact"])
        assert spent == Fraction(step["spent"]["exact"])
    assert held == plan.outside == [Fraction(column["reference"]["exact"]) for column in told["columns"]]
    assert spent == plan.value == Fraction(told["distance"]["exact"])


def test_with_many_values_groups_are_moved_and_nothing_is_lost(server):
    text = "zip,pay\n" + "\n".join(f"{at % 3},{at * at % 997}" for at in range(900))
    table = server.client.post("/api/uploads?name=many.csv", content=text.encode()).json()["id"]
    columns = {"zip": {"role": "quasi-identifier"}, "pay": {"role": "sensitive", "distance": "numeric"}}
    job = server.done(table, kind="audit", policy={"columns": columns})["id"]
    told = server.client.post(f"/api/jobs/{job}/explanation", json={"attribute": "pay"}).json()
    assert told["grouped"]
    assert len(told["columns"]) <= 24
    last = {at: column["class"]["exact"] for at, column in enumerate(told["columns"])}
    for step in told["steps"]:
        last[step["from"]], last[step["to"]] = step["from_holds"]["exact"], step["to_holds"]["exact"]
    assert list(last.values()) == [column["reference"]["exact"] for column in told["columns"]]
    spent = Fraction(told["steps"][-1]["spent"]["exact"])
    assert spent + Fraction(told["within_groups"]["exact"]) == Fraction(told["distance"]["exact"])


def test_a_page_asks_for_columns_rules_and_populations_as_the_library_does(server):
    table = server.opened("salary")
    policy = settled(server, table)
    del policy["policy"]["k"]
    policy["policy"] |= {"any": 1, "preset": "pcornet", "population_size": 900, "t": "0.3"}
    result = server.done(table, kind="audit", policy=policy)["result"]
    same = tclose.audit("example:salary", require={"t": "0.3"}, any=1, preset="pcornet", population_size=900).to_dict()
    parts = ("requirements", "any", "preset", "population", "holds")
    assert {part: result["audit"][part] for part in parts} == {part: same[part] for part in parts}
    assert result["audit"]["any"]["subsets"] == 2
    worst = next(each for each in result["audit"]["requirements"] if each["attribute"] == "salary")["worst"]["key"]
    assert set(worst) == {"age"}
    levels = server.done(table, kind="levels", policy=policy, levels={})["result"]
    assert levels["requirements"][0]["text"] == "k ≥ 11 for any column"


def settled(server, table):
    """Return the policy of a table with the hierarchies that the page would write into it."""
    policy = server.policy(table)
    found = server.done(table, kind="hierarchies", policy=policy)["result"]["columns"]
    for name, preview in found.items():
        policy["columns"][name]["hierarchy"] = preview["hierarchy"]
    return policy


@pytest.mark.parametrize("levels", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_levels_show_what_a_release_on_these_levels_has(server, levels):
    table = server.opened()
    wanted = dict(zip(("zip", "age"), levels, strict=True))
    found = server.done(table, kind="levels", policy=settled(server, table), levels=wanted)["result"]
    release = anonymize(
        "example:salary",
        require={"k": 1},
        hierarchies={"zip": "auto", "age": "flat"},
        levels=wanted,
        method="full-domain",
        against="original",
    )
    _, audit = release.audits()
    assert found["k"]["value"] == audit.k
    assert found["classes"] == audit.class_count == release.class_count
    for name in ("salary", "disease"):
        t = found["attributes"][name]["t"]
        assert Fraction(t.get("exact", t["value"])) == audit[name].t
    assert found["loss"] == pytest.approx(release.losses["lm"])
    assert found["column_losses"] == pytest.approx(dict(release.column_losses))


def test_on_levels_people_are_counted_and_not_their_rows(server):
    visits = "who,zip,age,ill\n" + "".join(f"P{at % 4},4{at % 2},{30 + at % 3},{'abc'[at % 3]}\n" for at in range(24))
    table = server.client.post("/api/uploads?name=visits.csv", content=visits).json()["id"]
    policy = {
        "columns": {
            "who": {"role": "person"},
            "zip": {"role": "quasi-identifier", "hierarchy": "flat"},
            "age": {"role": "quasi-identifier", "hierarchy": "flat"},
            "ill": {"role": "sensitive", "distance": "nominal"},
        },
        "policy": {"k": "3"},
    }
    found = server.done(table, kind="levels", policy=policy, levels={"zip": 0, "age": 1})["result"]
    assert (found["k"]["value"], found["holds"], found["requirements"][0]["failing"]["people"]) == (2, False, 4)
    judged = server.done(table, kind="lattice", policy=policy, levels={"zip": 0, "age": 1})["result"]["nodes"]
    smallest = {tuple(node["levels"]): (node["smallest"], node["holds"]) for node in judged}
    assert smallest == {(0, 0): (2, False), (0, 1): (2, False), (1, 0): (4, True), (1, 1): (4, True)}


@pytest.mark.parametrize("levels", [(0, 0), (1, 0), (1, 1)])
def test_on_levels_every_requirement_is_judged_as_an_audit_of_that_release_judges_it(server, tmp_path, levels):
    models = [model for model in server.client.get("/api").json()["models"] if not model["needs_population"]]
    table = server.opened()
    policy = settled(server, table)
    policy["columns"]["disease"] = {"role": "publish"}
    policy["policy"] = {model["key"]: model["example"] for model in models}
    wanted = dict(zip(("zip", "age"), levels, strict=True))
    found = server.done(table, kind="levels", policy=policy, levels=wanted)["result"]
    release = anonymize(
        "example:salary",
        tclose.Roles(["zip", "age"], {"salary": tclose.Ordered()}),
        require={"k": 1},
        hierarchies={"zip": "auto", "age": "flat"},
        levels=wanted,
        method="full-domain",
        against="original",
    )
    release.write(tmp_path / "release.csv")
    same = tclose.audit(
        tmp_path / "release.csv",
        tclose.Roles(["zip", "age"], {"salary": tclose.Ordered()}),
        require=parse_policy(
            server.client.post(f"/api/tables/{table}/policy", json={"policy": policy}).text, tmp_path / "tclose.toml"
        ).requirements(),
    ).to_dict()
    judged = ("text", "attribute", "holds", "found", "failing")
    assert [{key: each[key] for key in judged} for each in found["requirements"]] == [
        {key: each[key] for key in judged} for each in same["requirements"]
    ]
    assert len(found["requirements"]) == len(models)
    assert found["holds"] == same["holds"]


def test_a_requirement_that_needs_a_population_is_named_as_unjudged_on_levels(server):
    table = server.opened()
    policy = settled(server, table)
    policy["policy"] = {"k": 2, "journalist": "0.2"}
    found = server.done(table, kind="levels", policy=policy, levels={})["result"]
    assert [each["text"] for each in found["requirements"]] == ["k ≥ 2"]
    assert len(found["unjudged"]) == 1


def test_a_hierarchy_is_shown_before_it_is_used(server):
    text = "zip,age,pay\n" + "\n".join(f"{12340 + at},{20 + at},{at}" for at in range(30))
    table = server.client.post("/api/uploads?name=people.csv", content=text.encode()).json()["id"]
    tree = {"*": {"young": [str(age) for age in range(20, 35)], "old": [str(age) for age in range(35, 50)]}}
    columns = {
        "zip": {"role": "quasi-identifier", "hierarchy": "mask"},
        "age": {"role": "quasi-identifier", "hierarchy": tree},
        "pay": {"role": "sensitive", "distance": "ordered"},
    }
    found = server.done(table, kind="hierarchies", policy={"columns": columns})["result"]["columns"]
    assert [level["nodes"] for level in found["age"]["levels"]] == [30, 2, 1]
    assert found["zip"]["rows"][0][:2] == ["12340", "1234*"]
    columns["age"]["hierarchy"] = {"*": ["20"]}
    gap = server.done(table, kind="hierarchies", policy={"columns": columns})["result"]["columns"]["age"]
    assert gap["error"]["kind"] == "UncoveredValuesError"
    assert "29 values" in gap["error"]["message"]


def test_rows_before_and_after_are_those_of_the_recipe_and_single_people_are_withheld(server):
    """Oracle: the rows of the release itself, and counts by hand."""
    rows = [("A", 30)] * 7 + [("A", 34)] * 6 + [("B", 41)] * 8 + [("B", 47), ("B", 52), ("B", 58)] + [("B", 44)] * 5
    text = "zip,age,pay\n" + "\n".join(f"{zip_},{age},{at % 5}" for at, (zip_, age) in enumerate(rows))
    table = server.client.post("/api/uploads?name=sides.csv", content=text.encode()).json()["id"]
    columns = {"zip": {"role": "quasi-identifier"}, "age": {"role": "quasi-identifier"}}
    policy = {"columns": {**columns, "pay": {"role": "sensitive", "distance": "ordered"}}, "policy": {"k": 6}}
    job = server.done(table, kind="anonymize", policy=policy)["id"]
    told = server.client.get(f"/api/jobs/{job}/rows").json()
    described("Rows", told)
    found = server.client.get(f"/api/jobs/{job}/files/release.csv").text.splitlines()[1:]
    counts = Counter(rows)
    assert (told["total"], told["withheld"], told["few"]) == (7, 4, 6)
    assert [each["size"] for each in told["rows"]] == sorted(counts.values(), reverse=True)
    open_ = server.client.get(f"/api/jobs/{job}/rows?people=true").json()["rows"]
    assert {tuple(each["before"]): each["size"] for each in open_} == {(z, str(a)): n for (z, a), n in counts.items()}
    for closed, shown in zip(told["rows"], open_, strict=True):
        assert closed["before"] == (None if shown["size"] < 6 else shown["before"])
        assert closed["after"] == shown["after"]
    kept = [each for each in open_ if each["after"] != [each["before"]]]
    assert 0 < len(kept) < len(open_)
    told = server.client.get(f"/api/jobs/{job}/rows?people=true&changed=true&limit=1").json()
    rest = server.client.get(f"/api/jobs/{job}/rows?people=true&changed=true&offset={told['next']}").json()
    assert (told["rows"] + rest["rows"], rest["next"]) == (kept, rest["total"])
    told = server.client.get(f"/api/jobs/{job}/rows").json()
    published = Counter()
    for each in open_:
        (after,) = each["after"]
        published[tuple(after)] += each["size"]
    assert published == Counter(tuple(row[:2]) for row in csv.reader(found))
    for name, at in (("zip", 0), ("age", 1)):
        for side, expected in (("before", Counter(str(row[at]) for row in rows)), ("after", None)):
            bars = {bar["label"]: bar["size"] for bar in told["spread"][name][side]}
            assert sum(bars.values()) == len(rows)
            if expected:
                assert {k: n for k, n in bars.items() if k != "others"} == {k: n for k, n in expected.items() if n >= 6}


def test_numbers_that_are_published_as_many_intervals_are_spread_evenly_over_the_same_bars(server):
    """Oracle: each cell of the release counts evenly for the ages of the table that lie in it."""
    ages = [at * at % 307 for at in range(300)]
    text = "zip,age,pay\n" + "\n".join(f"{at % 3},{age},{at % 5}" for at, age in enumerate(ages))
    table = server.client.post("/api/uploads?name=ages.csv", content=text.encode()).json()["id"]
    columns = {name: {"role": "quasi-identifier"} for name in ("zip", "age")}
    policy = {"columns": {**columns, "pay": {"role": "sensitive"}}, "policy": {"k": 5}}
    job = server.done(table, kind="anonymize", policy=policy)["id"]
    told = server.client.get(f"/api/jobs/{job}/rows").json()["spread"]
    found = server.client.get(f"/api/jobs/{job}/files/release.csv").text.splitlines()[1:]
    expected = Counter()
    for _, published, _ in csv.reader(found):
        ends = [int(number) for number in re.findall(r"\d+", published)] or [min(ages), max(ages)]
        low = min(ages) if published[0] == "<" else ends[0]
        high = ends[0] - 1 if published[0] == "<" else max(ages) if published[0] == "≥" else ends[-1]
        inside = [age for age in set(ages) if low <= age <= high]
        expected.update(dict.fromkeys(inside, 1 / len(inside)))
    assert (told["age"]["evenly"], told["zip"]["evenly"]) == (True, False)
    assert [bar["label"] for bar in told["age"]["after"]] == [bar["label"] for bar in told["age"]["before"]]
    for bar in told["age"]["after"]:
        low, high = map(int, bar["label"].split(" to "))
        assert bar["size"] == pytest.approx(sum(n for age, n in expected.items() if low <= age <= high), abs=1)
    assert sum(bar["size"] for bar in told["age"]["after"]) == len(ages)


def test_whole_rows_have_all_columns_and_what_is_published_of_them(server):
    """Oracle: the rows of the file as they are written, and those of the release, each as often."""
    rows = [(f"n{at}", "AB"[at % 2], 30 + at % 7, 1_000 + 137 * at, f"x{at}") for at in range(60)]
    text = "name,zip,age,pay,note\n" + "\n".join(",".join(map(str, row)) for row in rows)
    table = server.client.post("/api/uploads?name=whole.csv", content=text.encode()).json()["id"]
    columns = {
        "name": {"role": "identifier"},
        "zip": {"role": "quasi-identifier"},
        "age": {"role": "quasi-identifier"},
        "pay": {"role": "sensitive", "distance": "ordered", "round": 500},
        "note": {"role": "publish"},
    }
    job = server.done(table, kind="anonymize", policy={"columns": columns, "policy": {"k": 6}})["id"]
    told = server.client.get(f"/api/jobs/{job}/rows?whole=true").json()
    described("WholeRows", told)
    assert told["columns"] == ["name", "zip", "age", "pay", "note"]
    assert Counter(tuple(each["before"]) for each in told["rows"]) == Counter(tuple(map(str, row)) for row in rows)
    published = list(csv.reader(server.client.get(f"/api/jobs/{job}/files/release.csv").text.splitlines()))
    assert told["published"] == published[0] == ["zip", "age", "pay", "note"]
    assert Counter(tuple(each["after"]) for each in told["rows"]) == Counter(map(tuple, published[1:]))
    assert {each["before"][4] for each in told["rows"]} == {each["after"][3] for each in told["rows"]}


def test_a_release_can_be_taken_away_and_passes_the_audit(server, tmp_path, capsys):
    table = server.opened()
    policy = settled(server, table)
    job = server.done(table, kind="anonymize", policy=policy)
    reports = ("report.json", "report.html", "report.confidential.html")
    for name in ("release.csv", "release.parquet", "release.jsonl", "recipe.json", *reports):
        taken = server.client.get(f"/api/jobs/{job['id']}/files/{name}")
        assert taken.status_code == 200, name
        assert "attachment" in taken.headers["content-disposition"]
        (tmp_path / name).write_bytes(taken.content)
    for name in ("release.csv", "release.parquet", "release.jsonl"):
        roles = ["-q", "zip,age", "-s", "salary:ordered", "-s", "disease:nominal", "--k", "3", "--t", "0.3"]
        assert outcome(["audit", str(tmp_path / name), *roles]) == 0, name
    assert "Confidential" in (tmp_path / "report.confidential.html").read_text()
    assert "Confidential" not in (tmp_path / "report.html").read_text()
    rows = list(csv.reader(io.StringIO((tmp_path / "release.csv").read_text())))
    assert sorted(row[2] for row in rows[1:]) == sorted(str(row[2]) for row in EXAMPLES["salary"].rows)
    assert server.client.get(f"/api/jobs/{job['id']}/files/audit.html").status_code == 404
    assert server.client.get(f"/api/jobs/{job['id']}/files/..%2frelease.csv").status_code == 404


def test_a_package_can_be_checked_and_audited_and_holds_no_value_of_the_original(server, tmp_path, capsys):
    rows = "zip,age,pay,name\n" + "".join(f"{47000 + at},aged{20 + at % 9},{at % 3},SECRET{at}\n" for at in range(40))
    table = server.client.post("/api/uploads?name=visits.csv", content=rows.encode()).json()["id"]
    tree = {"*": {"low": [f"aged{20 + at}" for at in range(5)], "high": [f"aged{25 + at}" for at in range(4)]}}
    columns = {
        "zip": {"role": "quasi-identifier", "hierarchy": "mask"},
        "age": {"role": "quasi-identifier", "hierarchy": tree},
        "pay": {"role": "sensitive", "distance": "ordered"}, "name": {"role": "identifier"},
    }  # fmt: skip
    policy = {"columns": columns, "policy": {"k": "4", "t": "0.4"}, "release": {"intervals": False}}
    job = server.done(table, kind="anonymize", policy=policy)
    content = server.client.get(f"/api/jobs/{job['id']}/files/release.zip").content
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        package.extractall(tmp_path)
        files = set(package.namelist())
    sums = dict(line.split("  ")[::-1] for line in (tmp_path / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == files - {"SHA256SUMS"}
    for name, digest in sums.items():
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == digest
    assert outcome(["audit", str(tmp_path / "release.csv"), "--policy", str(tmp_path / "tclose.toml")]) == 0
    told = json.loads((tmp_path / "statement.jsonld").read_text())
    promised = told["rai:dataPreprocessingProtocol"][2:]
    assert [each.partition(" of ")[0] for each in promised] == ["k ≥ 4", "t ≤ 0.4"]
    assert all(" holds: found " in each for each in promised)
    digests = {each["name"]: each["sha256"] for each in told["distribution"]}
    assert digests.items() <= sums.items()
    assert not any("recipe" in name for name in files)
    for name in files - {"release.csv"}:
        text = (tmp_path / name).read_text()
        assert "SECRET" not in text, name
        assert "aged2" not in text, name
    capsys.readouterr()


def test_a_package_for_which_the_disk_has_no_room_is_never_handed_over_in_part(server, monkeypatch):
    table = server.opened()
    job = server.done(table, kind="anonymize", policy=settled(server, table))["id"]
    usual = packages._added

    def full(package, name, chunks):
        if name == "report.json":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/secret/place")
        return usual(package, name, chunks)

    monkeypatch.setattr(packages, "_added", full)
    refused = server.client.get(f"/api/jobs/{job}/files/release.zip")
    assert refused.status_code == 503
    assert refused.json()["error"]["message"] == "The system refused: No space left on device. Nothing was kept."
    monkeypatch.undo()
    taken = server.client.get(f"/api/jobs/{job}/files/release.zip")
    with zipfile.ZipFile(io.BytesIO(taken.content)) as package:
        assert package.testzip() is None
        assert "SHA256SUMS" in package.namelist()


def test_without_a_release_the_page_is_told_what_stands_in_the_way(server):
    table = server.opened()
    policy = settled(server, table)
    policy["columns"]["age"]["levels"] = 0
    policy["policy"] = {"t": "0.05"}
    result = server.done(table, kind="anonymize", policy=policy)["result"]
    assert result["release"]["holds"] is False
    assert result["ways_out"]


def test_a_frontier_has_a_point_for_every_threshold_and_method(server):
    table = server.opened()
    work = {"kind": "frontier", "policy": settled(server, table), "sweep": "k", "methods": ["full-domain", "merge"]}
    frontier = server.done(table, **work)["result"]["frontier"]
    assert {point["method"] for point in frontier["points"]} == {"full-domain", "merge"}
    assert len(frontier["points"]) == 2 * len({point["threshold"]["value"] for point in frontier["points"]})


def test_the_policy_file_says_what_the_page_says(server, tmp_path):
    table = server.opened()
    policy = settled(server, table)
    policy["policy"] = {"k": "4", "t": "1/3"}
    text = server.client.post(f"/api/tables/{table}/policy", json={"policy": policy}).text
    read = parse_policy(text, tmp_path / "tclose.toml")
    assert tomllib.loads(text)["policy"] == {"k": 4, "t": "1/3"}
    assert read.roles.quasi == ("zip", "age")
    assert [each.text for each in read.requirements()] == ["k ≥ 4", "t ≤ 1/3"]


TEXTS = {
    "dates.csv": "zip;day;share;pay\n"
    + "".join(f"{at % 4};{1 + at % 20}.{1 + at % 9}.2024;{at % 3},5;{at}\n" for at in range(60)),
    "odd.csv": "zip,pay\n" + "".join(f"{at % 4},{at}\n" for at in range(12_000)) + "x,7\n",
    "lines.jsonl": "".join(json.dumps({"zip": at % 4, "pay": at, "more": {"a": 1}}) + "\n" for at in range(60)),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_that_is_held_is_audited_as_the_file_itself(server, tmp_path, name):
    """The second file has a letter after the rows by which types are guessed, the third a column of no use."""
    (tmp_path / name).write_text(TEXTS[name])
    table = server.client.post(f"/api/uploads?name={name}", content=TEXTS[name].encode()).json()["id"]
    columns = {"zip": {"role": "quasi-identifier"}, "pay": {"role": "sensitive", "distance": "ordered"}}
    roles = tclose.Roles(["zip"], {"pay": tclose.Ordered()}, others="publish")
    same = tclose.audit(tmp_path / name, roles, require={"k": 2}).with_people().to_dict()
    policy = {"columns": columns, "policy": {"k": 2, "others": "publish"}}
    for _ in range(2):
        audit = server.done(table, kind="audit", policy=policy)["result"]["audit"]
        assert {**audit, "source": ""} == {**same, "source": ""}


def test_a_text_file_is_read_once_and_its_rows_go_with_the_table(server):
    from tclose.engines.duckdb.connection import connect

    def held():
        return {row[0] for row in connect().execute("SELECT table_name FROM duckdb_tables()").fetchall()}

    before = held()
    table = server.client.post("/api/uploads?name=x.csv", content=b"zip,pay\n1,2\n3,4\n").json()["id"]
    policy = server.policy(table)
    assert len(held() - before) == 1
    (server.workspace.table(table).folder / "table.csv").unlink()
    policy["columns"] = {"zip": {"role": "quasi-identifier"}, "pay": {"role": "sensitive", "distance": "ordered"}}
    assert server.done(table, kind="audit", policy=policy)["result"]["audit"]["rows"] == 2
    assert server.client.delete(f"/api/tables/{table}").status_code == 200
    assert held() == before


def test_a_page_that_comes_back_finds_its_settings_and_its_release(server):
    table = server.opened()
    policy = settled(server, table)
    policy["policy"] = {"k": "2", "t": "1/2"}
    assert server.client.put(f"/api/tables/{table}", json={"policy": policy}).status_code == 200
    job = server.done(table, kind="anonymize", policy=policy)["id"]
    assert server.client.delete(f"/api/tables/{table}?grace=60000").status_code == 200
    found = server.client.get(f"/api/tables/{table}").json()
    described("Visited", found)
    assert found["policy"] == policy
    assert found["jobs"]["anonymize"] == job


def test_a_page_that_does_not_come_back_is_closed_and_one_that_does_is_not(server):
    gone, back = server.opened(), server.opened()
    for table in (gone, back):
        server.client.delete(f"/api/tables/{table}?grace=300")
    server.client.put(f"/api/tables/{gone}", json={"policy": {}})
    assert server.client.get(f"/api/tables/{back}").status_code == 200
    until = time.monotonic() + 20
    while server.workspace.table(gone) is not None and time.monotonic() < until:
        time.sleep(0.02)
    assert server.workspace.table(gone) is None
    assert server.workspace.table(back) is not None


def test_two_tabs_do_not_disturb_each_other(server):
    first, second = server.opened("salary"), server.opened("salary")
    assert first != second
    audits = {table: server.done(table, kind="audit", policy=server.policy(table))["id"] for table in (first, second)}
    assert server.client.delete(f"/api/tables/{first}").status_code == 200
    assert server.client.get(f"/api/jobs/{audits[first]}").status_code == 404
    assert server.client.post(f"/api/tables/{first}/jobs", json={"kind": "profile"}).status_code == 404
    assert server.client.get(f"/api/jobs/{audits[second]}/classes").status_code == 200


def test_an_error_in_a_job_is_told_without_cells(server):
    text = f"zip,pay\n1,{CANARY}\n2,17\n"
    table = server.client.post("/api/uploads?name=x.csv", content=text.encode()).json()["id"]
    columns = {"zip": {"role": "quasi-identifier"}, "pay": {"role": "sensitive", "distance": "numeric"}}
    job = server.job(table, kind="audit", policy={"columns": columns})
    assert (job["state"], job["error"]["kind"]) == ("failed", "DomainError")
    assert shown_in(job) == []


@pytest.mark.parametrize("content", [b"", b"PAR1 broken", b"\xff\xfe\x00"])
def test_a_file_that_is_no_table_is_refused_with_words(server, content):
    answer = server.client.post("/api/uploads?name=x.parquet", content=content)
    if answer.status_code == 201:
        job = server.job(answer.json()["id"], kind="profile")
        assert job["error"]["kind"] == "SourceError"
        assert "x.parquet" in job["error"]["message"]
        assert str(server.workspace.folder) not in job["error"]["message"]
    else:
        assert answer.status_code == 422


def test_a_job_tells_how_far_it_is_and_stops_when_asked():
    jobs, told, go = Jobs(), threading.Event(), threading.Event()

    def work(job):
        job.tell("half-way", 0.5)
        told.set()
        go.wait(10)
        job.tell("never seen", 0.9)
        return Outcome({})

    job = jobs.start("audit", "table", work)
    assert told.wait(10)
    assert (job.data()["state"], job.data()["stage"], job.data()["share"]) == ("running", "half-way", 0.5)
    job.cancel()
    go.set()
    jobs._pool.shutdown(wait=True)
    assert (job.state, job.outcome) == ("cancelled", None)


def test_a_search_that_is_cancelled_stops(server, adult_file):
    table = server.client.post("/api/uploads?name=adult.csv", content=adult_file.read_bytes()).json()["id"]
    names = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
    columns = {name: {"role": "quasi-identifier", "hierarchy": "flat"} for name in names}
    columns["occupation"] = {"role": "sensitive", "distance": "nominal"}
    policy = {"columns": columns, "policy": {"k": 5, "t": "0.2"}}
    job = server.started(table, kind="anonymize", policy=policy)
    assert job["state"] in ("waiting", "running")
    assert server.client.delete(f"/api/jobs/{job['id']}").status_code == 200
    assert server.finished(job)["state"] == "cancelled"


def test_only_the_newest_results_are_kept(server):
    table = server.opened()
    policy = server.policy(table)
    jobs = [server.done(table, kind="audit", policy=policy)["id"] for _ in range(6)]
    assert server.client.get(f"/api/jobs/{jobs[0]}").status_code == 404
    assert server.client.get(f"/api/jobs/{jobs[-1]}").status_code == 200


def test_a_text_file_is_read_in_another_way_and_marks_that_are_none_are_refused(server):
    text = "a;b;pay\n1;x;3\n2;y,z;4\n".encode("utf-16")
    table = server.client.post("/api/uploads?name=strange.csv", content=text).json()
    assert table["text"] is True
    address = f"/api/tables/{table['id']}/reading"
    wrongs = ({"delimiter": ";;"}, {"quote": 3}, {"header": "yes"}, {"sheet": "x"}, {"encoding": "no-such"})
    for wrong in (*wrongs, {"null": "NA"}, {"null": [3]}):
        refused = server.client.post(address, json=wrong)
        found = refused if refused.status_code != 200 else server.job(table["id"], kind="profile")
        assert (found["state"] == "failed") if isinstance(found, dict) else (found.status_code == 422), wrong
    told = server.client.get(address).json()
    described("Reading", told)
    assert (
        server.client.post(address, json={"delimiter": ";", "encoding": "utf-16", "header": False}).status_code == 200
    )
    told = server.client.get(address).json()
    assert told["sample"] == ["a;b;pay", "1;x;3", "2;y,z;4"]
    profile = server.done(table["id"], kind="profile")["result"]["profile"]
    assert (profile["rows"], len(profile["columns"])) == (3, 3)
    assert server.client.post(address, json={"delimiter": ";", "encoding": "utf-16"}).status_code == 200
    profile = server.done(table["id"], kind="profile")["result"]
    assert (profile["profile"]["rows"], list(profile["profile"]["columns"])) == (2, ["a", "b", "pay"])
    policy = server.client.post(f"/api/tables/{table['id']}/policy", json={"policy": profile["policy"]}).text
    assert tomllib.loads(policy)["table"]["delimiter"] == ";"
    assert server.client.get(f"/api/tables/{server.opened()}/reading").status_code == 422


def test_words_for_missing_values_are_named_and_the_column_is_of_numbers_again(server, tmp_path):
    text = b"zip,pay\n1,10\n1,?\n2,30\n2,NA\n"
    table = server.client.post("/api/uploads?name=survey.csv", content=text).json()["id"]
    address = f"/api/tables/{table}/reading"
    assert server.client.get(address).json()["null"] == []
    assert server.done(table, kind="profile")["result"]["profile"]["columns"]["pay"]["type"] == "VARCHAR"
    assert server.client.post(address, json={"null": ["NA", "?"]}).status_code == 200
    assert server.client.get(address).json()["null"] == ["NA", "?"]
    found = server.done(table, kind="profile")["result"]
    assert found["profile"]["columns"]["pay"]["type"] == "BIGINT"
    saved = server.client.post(f"/api/tables/{table}/policy", json={"policy": found["policy"]}).text
    assert tomllib.loads(saved)["table"]["null"] == ["", "NA", "?"]


def test_command_and_script_make_the_release_that_the_page_makes_and_a_policy_file_comes_back(
    server, tmp_path, monkeypatch
):
    table = server.opened()
    policy = settled(server, table)
    policy["policy"]["t"] = "0.45"
    policy["columns"]["age"]["hierarchy"] = {"*": {"young": ["2*"], "older": [">=40", "3*"]}}
    policy["release"] = {"loss": "dm", "seed": 7}
    job = server.done(table, kind="anonymize", policy=policy)["id"]
    taken = server.client.get(f"/api/jobs/{job}/files/release.csv").text
    text = server.client.post(f"/api/tables/{table}/policy", json={"policy": policy}).text
    back = server.client.put(f"/api/tables/{table}/policy", content=text.encode()).json()["policy"]
    assert back == policy
    told = server.client.get(f"/api/tables/{table}/script").json()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tclose.toml").write_text(text, encoding="utf-8")
    exec(compile(told["python"], "script", "exec"), {})
    assert (tmp_path / "release.csv").read_text(encoding="utf-8") == taken
    assert outcome([*shlex.split(told["command"])[1:], "--force"]) == 0
    assert (tmp_path / "release.csv").read_text(encoding="utf-8") == taken


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"[columns", "not valid TOML"),
        (b"\xff\xfe", "UTF-8"),
        (b'[columns]\nzip = {role = "quasi-identifier", hierarchy = "/etc/passwd"}', "is a path"),
        (b"[policy]\nzz = 1", "zz"),
    ],
)
def test_a_policy_file_that_is_none_or_names_files_is_refused(server, text, message):
    refused = server.client.put(f"/api/tables/{server.opened()}/policy", content=text)
    assert refused.status_code == 422
    assert message in refused.json()["error"]["message"]


def test_a_gain_that_the_policy_allows_is_asked_of_the_release_too(server):
    table = server.opened()
    policy = settled(server, table)
    policy["policy"] |= {"t": "0.5", "withstand": "0.5"}
    release = server.done(table, kind="anonymize", policy=policy)["result"]["release"]
    assert release["attack"] is not None


def test_hierarchy_files_become_trees_of_the_columns_that_they_are_named_after(server):
    table = server.opened()
    files = [
        {"name": "my_hierarchy_age.csv", "text": "2*;young;*\n3*;older;*\n>=40;older;*\n"},
        {"name": "/some/where/ZIP.json", "text": '{"*": ["476**", "4790*"]}'},
        {"name": "other.csv", "text": "a;*\n"},
        {"name": "zip.csv", "text": "a;*\n"},
        {"name": "x-age.csv", "text": '"'},
    ]
    address = f"/api/tables/{table}/hierarchies"
    told = server.client.post(address, json={"files": files, "columns": ["zip", "age"]}).json()
    assert told["trees"]["age"] == {"*": {"young": ["2*"], "older": ["3*", ">=40"]}}
    assert told["trees"]["zip"] == {"*": ["476**", "4790*"]}
    assert [each["file"] for each in told["problems"]] == ["other.csv", "zip.csv", "x-age.csv"]
    for wrong in (
        {},
        {"files": [1], "columns": []},
        {"files": [{"name": 1}], "columns": []},
        {"files": [], "columns": 3},
    ):
        assert server.client.post(address, json=wrong).status_code == 422


def test_the_hierarchies_of_adult_are_the_same_as_trees(adult_file):
    paths = sorted(adult_file.parent.glob("adult_hierarchy_*.csv"))
    assert len(paths) > 1
    for path in paths:
        read = tclose.read_hierarchy(path)
        told = taken_in([{"name": path.name, "text": path.read_text(encoding="utf-8")}], [path.stem.split("_")[-1]])
        assert told["problems"] == []
        (tree,) = told["trees"].values()
        assert sorted(hierarchy_of(tree, "x").rows) == sorted(read.rows)


def test_reports_name_the_people_that_the_page_last_named(server):
    table = server.opened()
    policy = settled(server, table)
    policy["policy"]["t"] = "0.5"
    jobs = [server.done(table, kind=kind, policy=policy)["id"] for kind in ("audit", "anonymize")]
    for name in ("First Recipient", "Second Recipient"):
        server.client.put(f"/api/tables/{table}", json={"policy": {**policy, "report": {"recipient": name}}})
        for job, file in zip(jobs, ("audit.html", "report.html"), strict=True):
            assert name in server.client.get(f"/api/jobs/{job}/files/{file}").text
        package = zipfile.ZipFile(io.BytesIO(server.client.get(f"/api/jobs/{jobs[1]}/files/release.zip").content))
        assert name in package.read("report.html").decode()
    server.client.put(f"/api/tables/{table}", json={"policy": {**policy, "report": {"whom": "x"}}})
    assert server.client.get(f"/api/jobs/{jobs[0]}/files/audit.html").status_code == 422
