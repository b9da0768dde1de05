"""Clients that do nothing, come in crowds or break off: the page stays reachable, and nothing is logged."""

import os
import re
import socket
import stat
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tclose.web import server as connections
from web.serving import running

PATIENCE = 20
UPLOAD = "POST /api/uploads?name=a.csv HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nx-tclose-token: {token}\r\n"


def connected(port):
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def closed(line):
    """Say whether the other side closes a connection before patience ends."""
    try:
        return line.recv(1000) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize("sent", [b"", b"GET", b"GET / HTTP/1.1\r\nhost: 127"])
def test_a_request_that_does_not_arrive_is_not_waited_for(monkeypatch, sent):
    monkeypatch.setattr(connections, "REQUEST_WITHIN", 0.3)
    with running() as server, connected(server.door.port) as line:
        line.sendall(sent)
        assert closed(line)
        assert server.client.get("/api").status_code == 200


def test_a_request_that_trickles_in_after_another_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(connections, "REQUEST_WITHIN", 0.5)
    with running() as server, connected(server.door.port) as line:
        line.sendall(f"GET / HTTP/1.1\r\nhost: 127.0.0.1:{server.door.port}\r\n\r\n".encode())
        assert line.recv(12) == b"HTTP/1.1 200"
        until = time.monotonic() + PATIENCE
        try:
            while time.monotonic() < until:
                line.sendall(b"G")
                time.sleep(0.05)
                line.recv(1 << 20, socket.MSG_DONTWAIT)
        except BlockingIOError:
            raise
        except OSError:
            return
    pytest.fail("the connection was kept")


def test_the_rest_of_a_refused_request_is_not_waited_for():
    with running() as server, connected(server.door.port) as line:
        line.sendall(UPLOAD.format(port=server.door.port, token="wrong").encode() + b"content-length: 99\r\n\r\nab")
        answer = b"".join(iter(lambda: line.recv(1000), b""))
    assert b"403" in answer.splitlines()[0]


def test_a_crowd_of_idle_connections_does_not_lock_the_page_out(monkeypatch):
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 8)
    with running() as server:
        crowd = [connected(server.door.port) for _ in range(40)]
        with server.stranger(**{"x-tclose-token": server.door.token}) as late:
            assert late.get("/api").status_code == 200
        assert sum(map(closed, crowd[:30])) == 30
        for line in crowd:
            line.close()


@contextmanager
def served(tmp_path, *arguments, **surroundings):
    """Give a server in a process of its own, its address and its token."""
    env = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1", **surroundings}
    command = [sys.executable, "-m", "tclose.cli", "serve", "--quiet", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, text=True, env=env, cwd=tmp_path, **pipes)
    try:
        port, token = re.fullmatch(r"http://127.0.0.1:(\d+)/#token=(\S+)\n", process.stdout.readline()).groups()
        yield process, int(port), token
    finally:
        process.kill()
        process.communicate()


def test_an_upload_that_is_broken_off_logs_nothing_and_leaves_nothing(tmp_path):
    with served(tmp_path, "--no-browser") as (process, port, token):
        for chunk in (b"", b"a,b\n"):
            with connected(port) as line:
                line.sendall(UPLOAD.format(port=port, token=token).encode() + b"content-length: 9999\r\n\r\n" + chunk)
                time.sleep(0.3)
        until = time.monotonic() + PATIENCE
        while list(tmp_path.glob("*/open-*")) and time.monotonic() < until:
            time.sleep(0.05)
        assert not list(tmp_path.glob("*/open-*"))
        with connected(port) as line:
            line.sendall(b"no request\r\n\r\n")
            line.recv(1000)
        process.terminate()
        assert process.communicate(timeout=PATIENCE)[1] == ""


def test_the_token_is_in_no_arguments(tmp_path):
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$*" > {seen}.part\nmv {seen}.part {seen}\n')
    browser.chmod(0o700)
    with served(tmp_path, BROWSER=str(browser)) as (_, _, token):
        until = time.monotonic() + PATIENCE
        while not seen.exists() and time.monotonic() < until:
            time.sleep(0.05)
        opened = seen.read_text()
        assert token not in opened
        way = Path(opened.removeprefix("file://"))
        assert token in way.read_text()
        assert stat.S_IMODE(way.stat().st_mode) == 0o600
        assert stat.S_IMODE(way.parent.stat().st_mode) == 0o700
