"""Who is let in, and what they cannot reach: token, host, origin, sizes, paths."""

import re
import socket

import pytest

from tclose.web.app import ROUTES
from tclose.web.openapi import openapi
from tclose.web.security import HEADERS, Limits
from web.serving import running

DOORS = [
    (method.upper(), path.replace("{table}", "x").replace("{job}", "x").replace("{name}", "x"))
    for path, methods in openapi()["paths"].items()
    for method in methods
]


@pytest.mark.parametrize(("method", "path"), DOORS, ids=lambda part: part)
def test_no_door_opens_without_the_token(server, method, path):
    for token in ({}, {"x-tclose-token": ""}, {"x-tclose-token": "x" * 43}, {"x-tclose-token": "é"}):
        with server.stranger() as stranger:
            raw = {name: value.encode() for name, value in token.items()}
            assert stranger.request(method, path, headers=raw, content=b"{}").status_code == 403


@pytest.mark.parametrize(("method", "path"), [*DOORS, ("GET", "/"), ("GET", "/static/main.js")], ids=lambda part: part)
@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "localhost", "127.0.0.1:1", "[::1]"])
def test_a_foreign_host_is_refused_even_with_the_token(server, method, path, host):
    answer = server.client.request(method, path, headers={"host": host}, content=b"{}")
    assert answer.status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
@pytest.mark.parametrize(("method", "path"), DOORS, ids=lambda part: part)
def test_a_request_of_another_site_is_refused_even_with_the_token(server, method, path, headers):
    assert server.client.request(method, path, headers=headers, content=b"{}").status_code == 403


def test_the_page_itself_may_ask(server):
    own = {"origin": server.base, "sec-fetch-site": "same-origin"}
    assert server.client.get("/api", headers=own).status_code == 200


@pytest.mark.parametrize("name", ["host", "origin", "sec-fetch-site", "x-tclose-token"])
def test_a_header_that_decides_may_not_be_given_twice(server, name):
    right = {
        "host": server.door.hosts[0],
        "origin": server.base,
        "sec-fetch-site": "same-origin",
        "x-tclose-token": server.door.token,
    }
    lines = ["GET /api HTTP/1.1", "connection: close", f"{name}: evil"]
    lines += [f"{header}: {value}" for header, value in right.items()]
    with socket.create_connection(("127.0.0.1", server.door.port), timeout=10) as line:
        line.sendall("\r\n".join([*lines, "", ""]).encode())
        status = line.recv(4096).split(b" ")[1]
    assert int(status) in (400, 421)


@pytest.mark.parametrize("path", ["/", "/static/main.js", "/static/nothing.js", "/api", "/nowhere", "/api/jobs/x"])
def test_every_answer_carries_the_headers_that_protect(server, path):
    answer = server.client.get(path)
    assert {name: answer.headers.get(name) for name in HEADERS} == dict(HEADERS)
    with server.stranger() as stranger:
        assert {name: stranger.get(path).headers.get(name) for name in HEADERS} == dict(HEADERS)


def test_the_content_policy_admits_nothing_from_outside_and_no_inline_code():
    policy = HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert re.findall(r"https?:|\*|data:", policy) == []


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
        "/static/..%5capp.py",
        "/static/index.html",
        "/api/jobs/..%2f..%2fetc/files/passwd",
    ],
)
def test_no_path_leads_out_of_what_is_served(server, path):
    answer = server.client.get(path)
    assert answer.status_code == 404
    assert "root:" not in answer.text
    assert "def " not in answer.text


@pytest.mark.parametrize("name", ["../../up.csv", "/etc/up.csv", "..\\..\\up.csv", "a/../../up.csv", "\x00up.csv", ""])
def test_an_upload_lies_in_the_private_folder_whatever_its_name(server, name):
    answer = server.client.post("/api/uploads", params={"name": name}, content=b"zip,pay\n1,2\n3,4\n")
    assert answer.status_code == 201
    folder = server.workspace.table(answer.json()["id"]).folder
    assert folder.parent == server.workspace.folder
    assert [path.name for path in folder.iterdir()] == ["table.csv"]
    assert folder.stat().st_mode & 0o077 == 0
    assert server.workspace.folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("hierarchy", ["/etc/passwd", "../secret.csv", "secret.csv", "./flat", "file:///etc/passwd"])
@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive"])
@pytest.mark.parametrize("kind", ["audit", "hierarchies", "levels", "anonymize", "frontier"])
def test_a_page_reads_no_file_by_its_path(server, hierarchy, role, kind):
    table = server.opened()
    policy = server.policy(table)
    name = "zip" if role == "quasi-identifier" else "disease"
    policy["columns"][name] = {"role": role, "hierarchy": hierarchy}
    job = server.job(table, kind=kind, policy=policy)
    assert (job["state"], job["error"]["kind"]) == ("failed", "PolicyError")
    assert "path" in job["error"]["message"]


@pytest.mark.parametrize("section", ["table", "read"])
def test_a_page_cannot_name_another_table(server, section):
    table = server.opened()
    policy = {**server.policy(table), section: {"source": "/etc/passwd", "reference": "/etc/passwd"}}
    assert server.job(table, kind="audit", policy=policy)["error"]["kind"] == "PolicyError"


def test_bodies_beyond_the_limits_are_refused_declared_or_not():
    with running(limits=Limits(json=1_000, upload=5_000)) as server:
        client = server.client
        small, large = b"a,b\n1,2\n", b"x" * 6_000
        assert client.post("/api/uploads?name=a.csv", content=small).status_code == 201
        assert client.post("/api/uploads?name=a.csv", content=large).status_code == 413
        assert client.post("/api/uploads?name=a.csv", content=iter([large[:3_000], large[:3_000]])).status_code == 413
        assert client.post("/api/tables", content=b"{" + b" " * 2_000).status_code == 413
        assert client.post("/api/tables", content=iter([b"{", b" " * 2_000])).status_code == 413
        assert len(list(server.workspace.folder.glob("open-*"))) == 1


def test_what_is_described_is_what_is_served():
    described = {(path, method.upper()) for path, methods in openapi()["paths"].items() for method in methods}
    served = {(route.path, method) for route in ROUTES for method in route.methods if method != "HEAD"}
    assert described == served
