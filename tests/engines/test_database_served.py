"""A table of a database named on the command line of the page: all of its work, with the library's numbers."""

from __future__ import annotations

import json
from fractions import Fraction

import tclose
from engines.servers import PASSWORD
from tclose.cli import serve
from web.serving import running

ROLES = tclose.Roles(quasi=["age", "zip"], sensitive="ill:nominal", others="refuse")
REQUIRE = {"k": 5, "t": "0.4"}


def test_a_table_of_a_database_is_profiled_audited_explained_and_anonymized_on_the_page(
    postgresql, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    postgresql.run(
        "DROP TABLE IF EXISTS served",
        "DROP ROLE IF EXISTS keeper",
        "CREATE TABLE served AS SELECT 20 + at % 40 AS age, '47' || at % 9 AS zip, substr('abcd', at * 7 % 4 + 1, 1) "
        "AS ill FROM generate_series(1, 400) AS g(at)",
        f"CREATE ROLE keeper LOGIN PASSWORD '{PASSWORD}'",
        "GRANT SELECT ON served TO keeper",
    )
    address = f"postgresql://keeper:{PASSWORD}@127.0.0.1:{postgresql.port}/postgres"
    given = dict(serve.command.make_context("serve", [address, "--table", "served"]).params)
    with running(serve._named(given.pop("tables"), given)) as page:
        table = page.client.post("/api/tables", json={"named": True}).json()["id"]
        profile = page.done(table, kind="profile")
        policy = {
            **profile["result"]["policy"],
            "columns": {"age": {"role": "quasi-identifier"}, "zip": {"role": "quasi-identifier", "hierarchy": "mask"},
                        "ill": {"role": "sensitive", "distance": "nominal"}},
            "policy": REQUIRE,
        }  # fmt: skip
        audit = page.done(table, kind="audit", policy=policy)
        classes = page.client.get(f"/api/jobs/{audit['id']}/classes").json()
        told = page.client.post(f"/api/jobs/{audit['id']}/explanation", json={"attribute": "ill"}).json()
        release = page.done(table, kind="anonymize", policy=policy)
        taken = page.client.get(f"/api/jobs/{release['id']}/files/release.csv")
        shown = [profile, audit, classes, told, release, page.client.get(f"/api/tables/{table}").json()]
    own = tclose.audit(f"{postgresql.address()}#served", ROLES, require=REQUIRE)
    assert audit["result"]["audit"] == json.loads(own.with_people().to_json())  # who works there has the table
    assert Fraction(told["distance"]["exact"]) == own["ill"].t
    assert classes["total"] == own.class_count
    tclose.anonymize(f"{postgresql.address()}#served", ROLES, require=REQUIRE, hierarchies={"zip": "mask"}).write(
        tmp_path / "own.csv"
    )
    assert taken.content == (tmp_path / "own.csv").read_bytes()
    assert PASSWORD not in json.dumps(shown)
    assert "keeper" not in json.dumps(shown)
    assert postgresql.rows("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'") == [(0,)]
    postgresql.run("DROP OWNED BY keeper", "DROP ROLE keeper")


def test_the_tables_that_a_user_may_read_are_listed_on_the_page_and_one_is_opened(postgresql):
    postgresql.run(
        "DROP SCHEMA IF EXISTS ward CASCADE",
        "DROP ROLE IF EXISTS lister",
        "CREATE SCHEMA ward",
        'CREATE TABLE ward."a.b" AS SELECT 20 + at % 4 AS age FROM generate_series(1, 40) AS g(at)',
        "CREATE VIEW ward.seen AS SELECT 1 AS one",
        "CREATE TABLE ward.closed (age int)",
        f"CREATE ROLE lister LOGIN PASSWORD '{PASSWORD}'",
        "GRANT USAGE ON SCHEMA ward TO lister",
        'GRANT SELECT ON ward."a.b", ward.seen TO lister',
    )
    address = f"postgresql://lister:{PASSWORD}@127.0.0.1:{postgresql.port}/postgres"
    with running() as page:
        told = page.client.post("/api/databases", json={"address": address}).json()
        mine = [name for name in told["tables"] if name.startswith("ward.")]
        assert mine == ['ward."a.b"', "ward.seen"]
        opened = page.client.post("/api/tables", json={"database": told["database"], "table": mine[0]}).json()
        profile = page.done(opened["id"], kind="profile")
        assert profile["result"]["profile"]["rows"] == 40
        assert PASSWORD not in json.dumps([told, opened, profile])
        assert "lister" not in json.dumps([told, opened, profile])
    postgresql.run("DROP SCHEMA ward CASCADE", "DROP OWNED BY lister", "DROP ROLE lister")
