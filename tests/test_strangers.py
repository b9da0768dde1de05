"""What a stranger's try-out found wrong once: drivers, forks, closed streams, many keys, other types, being ended."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import tclose
from faces.command_line import SOURCE
from tclose.errors import InputError, ThresholdError

ENVIRONMENT = {"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin"}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tclose.cli", *arguments]


def test_drivers_of_text_are_those_of_an_audit_without_the_quasi_identifier(tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    rows = 60_000
    table = {
        "a": generator.integers(0, 5, rows),
        "b": generator.integers(0, 7, rows),
        "s": np.array([f"value {number:02}" for number in generator.integers(0, 40, rows)]),
    }
    whole = tclose.audit(table, tclose.Roles(["a", "b"], "s:ordered"), drivers=True)["s"]
    for left_out, kept in (("a", "b"), ("b", "a")):
        assert whole.drivers[left_out] == tclose.audit(table, tclose.Roles(kept, "s:ordered"))["s"].t


def test_a_dictionary_has_the_same_codes_each_time_whatever_the_order_of_rows() -> None:
    from tclose.data.sources import locate
    from tclose.engines.duckdb.codes import dictionary_coding
    from tclose.engines.duckdb.connection import connect
    from tclose.engines.duckdb.load import load

    orders = []
    for values in (["b", "c", None, "a"], ["a", None, "c", "b"]):
        table = load(connect(), locate({"s": values})).keep(["s"])
        name = dictionary_coding([table], (table.column("s"),)).dictionary
        orders.append(table.connection.execute(f"SELECT v0 FROM {name} ORDER BY code").fetchall())
    assert orders[0] == orders[1]


def audited_in_a_child(_: int) -> Fraction:
    return tclose.audit("example:salary")["salary"].t


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_audits_after_its_parent_did() -> None:
    assert tclose.audit("example:salary").k == 3
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(audited_in_a_child, range(2)).get(timeout=60) == [Fraction(3, 8)] * 2


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_closed_stream_does_not_turn_into_a_verdict(closed: str, tmp_path: Path) -> None:
    number = {"stdout": 1, "stderr": 2}[closed]
    done = subprocess.run(
        command("audit", "example:salary", "--k", "3", "-o", str(tmp_path / "x.json")),
        env=ENVIRONMENT,
        preexec_fn=lambda: os.close(number),
        check=False,
    )
    assert done.returncode == 0
    assert json.loads((tmp_path / "x.json").read_text())["holds"] is True


def test_closed_standard_input_is_an_input_error() -> None:
    done = subprocess.run(
        command("audit", "-", "-q", "a", "-s", "b"), env=ENVIRONMENT, preexec_fn=lambda: os.close(0),
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert "Standard input is closed" in done.stderr


def test_being_ended_leaves_nothing_half_written(tmp_path: Path) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    process = subprocess.Popen(
        command("audit", "-", "-q", "a", "-s", "b", "-o", str(tmp_path / "x.json"), "--temp", str(temp)),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    while process.poll() is None and not list(temp.glob("*/*stream*")):
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 130
    assert list(tmp_path.rglob("*")) == [temp]


@pytest.mark.parametrize("rows", [[{f"c{at}": at for at in range(300)}] * 3, [{f"c{at}": 1} for at in range(300)]])
def test_json_of_many_keys_is_a_table(rows: list[dict[str, int]], tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    assert tclose.audit(path, tclose.Roles("c0", "c1:nominal")).rows == len(rows)


def test_a_population_of_another_type_leaves_the_tables_own_figures_alone() -> None:
    table = {"q": [2**53, 2**53 + 1], "s": ["a", "b"]}
    people = {"q": [str(2**53), str(2**53 + 1), str(2**53)]}
    audit = tclose.audit(table, tclose.Roles("q", "s"), population=people)
    assert (audit.k, audit.figures["k_map"].value) == (1, 1)


@pytest.mark.parametrize(
    "required", [{"t": "1e400"}, {"smoothed_js": "0.1,1e300"}, {"smoothed_js": "0.1,1e-300"}, {"presence": "0.5,0.1"}]
)
def test_numbers_out_of_reach_are_refused_as_thresholds(required: dict[str, str]) -> None:
    with pytest.raises(ThresholdError):
        tclose.audit("example:salary", require=required)


def test_threads_columns_and_null_texts_are_checked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="threads"):
        tclose.audit("example:salary", threads=100_000)
    with pytest.raises(InputError, match="int"):
        tclose.Roles(0, 1)  # type: ignore[arg-type]
    policy = tmp_path / "tclose.toml"
    policy.write_text('[table]\nsource = "x.csv"\nnull = [1]\n', encoding="utf-8")
    with pytest.raises(InputError, match="null must be a text, not 1"):
        tclose.read_policy(policy)
