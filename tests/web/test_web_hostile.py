"""Random and hostile requests: refused with words, never a failure of the server."""

import json
import re
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tclose.web.openapi import openapi

DOORS = [(method.upper(), path) for path, methods in openapi()["paths"].items() for method in methods]
KINDS = ["profile", "audit", "hierarchies", "levels", "anonymize", "frontier"]
WORDS = [
    "role", "quasi-identifier", "sensitive", "identifier", "publish", "distance", "ordered", "numeric", "nominal",
    "hierarchical", "order", "value", "frequency", "nulls", "hierarchy", "flat", "mask", "intervals:0", "intervals:1e9",
    "breaks:1,2/3", "levels", "weight", "k", "t", "l", "nt", "recursive", "zip", "age", "salary", "disease", "columns",
    "policy", "release", "method", "suppress", "seed", "1e999999999", "0.2", "1/0", "-1", "nan", "∞", "\x00", "🙂",
    "'; --", "together", "joint", "quasi", "../../etc/passwd", "*",
]  # fmt: skip

texts = st.one_of(st.sampled_from(WORDS), st.text(max_size=20))
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)
column = st.dictionaries(
    st.sampled_from([*WORDS[:16], "k", "t", "levels", "weight"]), st.one_of(texts, values), max_size=4
)
policies = st.one_of(
    values,
    st.fixed_dictionaries(
        {
            "columns": st.dictionaries(
                st.sampled_from(["zip", "age", "salary", "disease", "none"]), column, max_size=4
            ),
            "policy": st.dictionaries(st.sampled_from(["k", "t", "l", "nt", "ke", "together"]), values, max_size=3),
            "release": st.dictionaries(st.sampled_from(["method", "suppress", "seed", "loss"]), values, max_size=2),
        }
    ),
)
often = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture(scope="module")
def table(server):
    return server.opened()


@pytest.fixture(scope="module")
def audit(server, table):
    return server.done(table, kind="audit", policy=server.policy(table))["id"]


def refused_or_answered(answer):
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        error = answer.json()["error"]
        assert error["message"]
        assert error["kind"] != "InternalError"
    return answer


@often
@given(
    kind=st.sampled_from(KINDS),
    policy=policies,
    more=st.dictionaries(st.sampled_from(["levels", "columns", "sweep", "methods", "measure"]), values),
)
def test_no_settings_make_a_job_fail_unexpectedly(server, table, kind, policy, more):
    body = json.dumps({"kind": kind, "policy": policy, **more})
    answer = refused_or_answered(server.client.post(f"/api/tables/{table}/jobs?wait=5000", content=body))
    if answer.status_code == 202:
        job = server.finished(answer.json())
        assert job["state"] in ("done", "failed")
        assert job["error"] is None or job["error"]["kind"] not in ("InternalError", "MemoryError"), job["error"]


@often
@given(body=st.one_of(st.binary(max_size=200), values.map(lambda value: json.dumps(value).encode())))
@pytest.mark.parametrize(
    "path",
    [
        "POST /api/tables",
        "PUT /api/tables/{table}",
        "POST /api/tables/{table}/jobs",
        "POST /api/tables/{table}/policy",
        "POST /api/jobs/{audit}/explanation",
    ],
)
def test_no_body_breaks_a_door(server, table, audit, path, body):
    method, _, address = path.format(table=table, audit=audit).partition(" ")
    refused_or_answered(server.client.request(method, address, content=body))


@settings(often, max_examples=150)
@given(
    door=st.sampled_from(DOORS),
    names=st.lists(st.one_of(texts, st.sampled_from(["table", "audit"])), min_size=2, max_size=2),
    query=st.dictionaries(texts, texts, max_size=3),
    body=st.one_of(st.binary(max_size=60), values.map(lambda value: json.dumps(value).encode())),
)
def test_no_request_to_any_door_makes_the_server_fail(server, table, audit, door, names, query, body):
    """Every operation of the description, with names of tables and jobs that exist, or with any others."""
    method, path = door
    known = {"table": server.opened() if method == "DELETE" else table, "audit": audit}
    parts = iter(quote(known.get(name, name).encode("utf-8", "replace"), safe="") for name in names)
    address = re.sub(r"{\w+}", lambda _found: next(parts), path)
    clean = {name.encode("utf-8", "replace"): value.encode("utf-8", "replace") for name, value in query.items()}
    answer = server.client.request(method, f"{address}?{urlencode(clean)}", content=body)
    assert answer.status_code < 500, answer.text
    assert answer.status_code < 400 or answer.json()["error"]["kind"] != "InternalError"
    assert "root:" not in answer.text
    if answer.status_code == 202:
        assert (server.finished(answer.json())["error"] or {}).get("kind") != "InternalError"


@often
@given(
    query=st.dictionaries(
        st.sampled_from(["sort", "descending", "search", "offset", "limit", "of", "wait"]),
        st.one_of(texts, st.integers().map(str)),
    )
)
def test_no_query_breaks_the_class_table(server, audit, query):
    clean = {name: value.encode("utf-8", "replace").decode() for name, value in query.items()}
    refused_or_answered(server.client.get(f"/api/jobs/{audit}/classes", params=clean))


@often
@given(
    key=st.one_of(values, st.dictionaries(st.sampled_from(["zip", "age", "x"]), st.one_of(st.none(), texts))),
    attribute=st.one_of(values, st.sampled_from(["salary", "disease"])),
    rule=texts,
)
def test_no_key_breaks_an_explanation(server, audit, key, attribute, rule):
    body = json.dumps({"attribute": attribute, "key": key, "rule": rule})
    refused_or_answered(server.client.post(f"/api/jobs/{audit}/explanation", content=body))


@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000,
        '{"a":' * 5_000,
        '{"kind": "audit", "policy": ' + '{"columns":{"zip":{"hierarchy":' + '{"a":' * 200 + "1" + "}" * 200 + "}}}}",
        '{"kind": "\\ud800"}',
        '{"example": "salary", "x": 1e999999999}',
        '{"example": "salary", "x": NaN}',
        '{"example": "salary", "x": ' + "9" * 5_000 + "}",
        "\xff\xfe",
        "null",
    ],
    ids=range(9),
)
def test_bodies_that_were_made_to_hurt_are_refused(server, table, body):
    for path in ("/api/tables", f"/api/tables/{table}/jobs", f"/api/tables/{table}/policy"):
        answer = refused_or_answered(server.client.post(path, content=body.encode("utf-8")))
        if answer.status_code == 202:
            assert server.finished(answer.json())["error"]["kind"] != "InternalError"


@pytest.mark.parametrize("threshold", ["1e999999999", "1e-999999999", 10**400, "9" * 100_000, [1e308, 1e308]])
def test_thresholds_of_no_use_are_refused_at_once(server, table, threshold):
    policy = {**server.policy(table), "policy": {"t": threshold}}
    job = server.job(table, kind="audit", policy=policy)
    assert job["state"] == "failed"
    assert job["error"]["kind"] in ("PolicyError", "ThresholdError")
