"""An installation whose compiled part is missing, damaged or of another version: one sentence, and exit code 3."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tclose


def remove(folder: Path) -> None:
    for library in folder.glob("counting.*.so"):
        library.unlink()


def damage(folder: Path) -> None:
    for library in folder.glob("counting.*.so"):
        library.write_bytes(library.read_bytes()[:40])


def mix(folder: Path) -> None:
    with (folder / "counting.py").open("a", encoding="utf-8") as source:
        source.write("# from another version\n")


@pytest.mark.skipif(sys.platform == "win32", reason="libraries have other names there")
@pytest.mark.parametrize(
    ("spoil", "said"), [(remove, "is missing"), (damage, "cannot be loaded"), (mix, "belongs to another version")]
)
def test_a_broken_installation_says_so_and_what_to_type(spoil, said, tmp_path):
    package = tmp_path / "tclose"
    shutil.copytree(Path(tclose.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "static"))
    spoil(package / "models" / "kernels")
    done = subprocess.run(
        [sys.executable, "-m", "tclose", "audit", "example:salary"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, cwd=tmp_path, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "")
    assert said in done.stderr
    assert "pip install --force-reinstall" in done.stderr
    assert "Traceback" not in done.stderr
