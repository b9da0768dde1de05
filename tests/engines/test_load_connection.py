"""The connection is private: its folder, its settings, its end."""

from __future__ import annotations

import gc
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import pytest

from tclose.engines.duckdb.connection import connect, disconnect, private_folder
from tclose.errors import EngineFailedError, InputError


def setting(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    ((value,),) = connection.execute(f"SELECT current_setting('{name}')::VARCHAR").fetchall()
    return str(value)


def test_the_settings_are_those_of_a_privacy_tool(tmp_path: Path) -> None:
    connection = connect(memory="300MB", threads=1, temp=str(tmp_path))
    expected = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "python_enable_replacements": "false",
        "preserve_insertion_order": "false",
        "enable_progress_bar": "true",
        "enable_progress_bar_print": "false",
        "threads": "1",
    }
    assert {name: setting(connection, name) for name in expected} == expected
    assert setting(connection, "memory_limit").startswith("286")
    disconnect(connection)


NOTEBOOK = """
import sys, types
sys.modules["ipywidgets"] = None
sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(config={"IPKernelApp": {}}))
import duckdb, tclose
try:
    duckdb.connect().execute("SET enable_progress_bar = true")
except duckdb.InvalidInputException:
    print("DuckDB takes this for a notebook")
print(tclose.audit("example:salary").k)
"""


def test_a_notebook_without_widgets_measures_as_any_other_program() -> None:
    told = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, text=True, check=True).stdout
    assert told.splitlines() == ["DuckDB takes this for a notebook", "3"]


def test_no_query_sees_python_variables(tmp_path: Path) -> None:
    connection = connect(temp=str(tmp_path))
    frame = {"a": [1]}
    with pytest.raises(duckdb.CatalogException):
        connection.execute("SELECT * FROM frame").fetchall()
    disconnect(connection)
    del frame


def test_the_folder_is_the_owners_alone_and_goes_with_the_connection(tmp_path: Path) -> None:
    connection = connect(temp=str(tmp_path))
    folder = private_folder(connection)
    assert folder.parent == tmp_path
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    disconnect(connection)
    assert list(tmp_path.iterdir()) == []


def test_a_forgotten_connection_takes_its_folder_along(tmp_path: Path) -> None:
    connection = connect(temp=str(tmp_path))
    assert list(tmp_path.iterdir())
    del connection
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    head = "import os, sys\nfrom tclose.engines.duckdb.connection import connect\n"
    return subprocess.run([sys.executable, "-c", head + code, str(folder)], check=True, capture_output=True, text=True)


def test_at_exit_nothing_stays_and_nothing_is_said(tmp_path: Path) -> None:
    done = run("kept = connect(temp=sys.argv[1])", tmp_path)
    assert (done.stdout, done.stderr) == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_a_forked_child_leaves_its_parents_folder_alone(tmp_path: Path) -> None:
    code = (
        "kept = connect(temp=sys.argv[1])\n"
        "child = os.fork()\n"
        "if not child: sys.exit(0)\n"
        "os.waitpid(child, 0)\n"
        "assert os.listdir(sys.argv[1])"
    )
    run(code, tmp_path)
    assert list(tmp_path.iterdir()) == []


def age(folder: Path) -> None:
    os.utime(folder, (time.time() - 3600, time.time() - 3600))


def test_the_folder_of_a_dead_process_is_swept_at_the_next_start(tmp_path: Path) -> None:
    run("kept = connect(temp=sys.argv[1]); os._exit(0)", tmp_path)
    (left,) = tmp_path.iterdir()
    (left / "copy.txt").write_text("cells")
    disconnect(connect(temp=str(tmp_path)))
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_a_process_that_is_just_starting_stays(tmp_path: Path) -> None:
    starting = tmp_path / "tclose-starting"
    starting.mkdir()
    (starting / "alive").touch()
    disconnect(connect(temp=str(tmp_path)))
    assert starting.exists()


def test_the_folder_of_a_living_process_and_what_is_not_ours_stay(tmp_path: Path) -> None:
    living = connect(temp=str(tmp_path))
    age(private_folder(living))
    other = tmp_path / "tclose-notes"
    other.mkdir()
    age(other)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "tclose-link").symlink_to(elsewhere)
    disconnect(connect(temp=str(tmp_path)))
    assert private_folder(living).exists()
    assert other.exists()
    assert elsewhere.exists()
    disconnect(living)


@pytest.mark.parametrize("settings", [{"memory": "lots"}, {"memory": ""}, {"threads": 0}, {"threads": -1}])
def test_settings_that_make_no_sense_are_refused_and_leave_nothing(tmp_path: Path, settings: dict[str, object]) -> None:
    ((name, value),) = settings.items()
    with pytest.raises(InputError, match=f"does not accept these settings: {name} {value!r}[.]"):
        connect(temp=str(tmp_path), **settings)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineFailedError, match="nowhere"):
        connect(temp=str(tmp_path / "nowhere"))


def test_progress_can_be_followed_from_another_thread(tmp_path: Path) -> None:
    connection = connect(temp=str(tmp_path), threads=1)
    connection.execute("CREATE TEMP TABLE t AS SELECT range AS x FROM range(3000000)").fetchall()
    done = threading.Event()
    seen: set[float] = set()

    def watch() -> None:
        while not done.wait(0.01):
            seen.add(connection.query_progress())

    watcher = threading.Thread(target=watch)
    watcher.start()
    connection.execute("SELECT count(DISTINCT hash(x, 1)), count(DISTINCT hash(x, 2)) FROM t").fetchall()
    done.set()
    watcher.join()
    assert max(seen) >= 0
    disconnect(connection)


def test_threads_have_room_each(tmp_path):
    connection = connect(memory="260MB", temp=str(tmp_path))
    assert setting(connection, "threads") == "1"
    disconnect(connection)
    connection = connect(memory="260MB", threads=2, temp=str(tmp_path))
    assert setting(connection, "threads") == "2"
    disconnect(connection)
