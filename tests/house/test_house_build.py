"""What is built and what it stands on: the same archive twice, nothing in it by accident, licences that permit use."""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PERMISSIVE = re.compile(
    r"BSD|MIT|Apache|PSF|Python Software Foundation|ISC|Zlib|CC0|0BSD|Unlicense|The Unlicense", re.IGNORECASE
)
COPYLEFT = re.compile(r"\b(A?GPL|LGPL|EUPL|CDDL|SSPL)", re.IGNORECASE)
FLOORS = {
    "jinja2": ("3.1.6", "templates escape the sandbox (CVE-2025-27516)"),
    "starlette": ("0.49.1", "a Range header takes quadratic time (CVE-2025-62727)"),
    "h11": ("0.16.0", "malformed chunked bodies are accepted (CVE-2025-43859)"),
    "pyarrow": ("14.0.1", "reading Arrow files runs code (CVE-2023-47248)"),
}
"""The first versions without holes that are known, and what these were."""


def shipped():
    """Return what tclose and its extras ask for, without what only its tests need."""
    extras = PROJECT["optional-dependencies"]
    texts = [*PROJECT["dependencies"], *(text for name, some in extras.items() if name != "test" for text in some)]
    return [Requirement(text) for text in texts]


def installed_with(names):
    """Return the distributions that some names bring with them, as they are installed here."""
    found = {}
    open_names = list(names)
    while open_names:
        name = open_names.pop()
        if name.lower() in found:
            continue
        distribution = importlib.metadata.distribution(name)
        found[name.lower()] = distribution
        for text in distribution.requires or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                open_names.append(needed.name)
    return found


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """The wheel and the source archive, built twice."""
    folders = [tmp_path_factory.mktemp(name) for name in ("one", "two")]
    for folder in folders:
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, check=True, capture_output=True
        )
    return folders


def test_two_builds_are_the_same_to_the_last_bit(archives):
    one, two = ({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
                for folder in archives)  # fmt: skip
    assert len(one) == 2
    assert one == two


def test_the_wheel_holds_the_package_and_nothing_else(archives):
    (wheel,) = archives[0].glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"tclose"}
    assert [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".nbi", ".nbc"))] == []
    source = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*") if path.is_file()}
    assert {name for name in source if "__pycache__" not in name} <= set(names)


def test_the_source_archive_can_run_its_tests(archives):
    (archive,) = archives[0].glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    assert {"pyproject.toml", "README.md", "SECURITY.md", "scripts/test", "tests/conftest.py"} <= names


def test_everything_shipped_with_may_be_used_freely():
    licences = {}
    for name, distribution in installed_with(need.name for need in shipped()).items():
        about = distribution.metadata
        classified = [text for text in about.get_all("Classifier") or [] if text.startswith("License ::")]
        licences[name] = " ".join([about.get("License-Expression") or (about.get("License") or "")[:200], *classified])
    assert {name: text for name, text in licences.items() if not PERMISSIVE.search(text)} == {}
    assert {name: text for name, text in licences.items() if COPYLEFT.search(text)} == {}


@pytest.mark.parametrize("name", FLOORS)
def test_versions_with_known_holes_are_not_accepted(name):
    floor, _hole = FLOORS[name]
    asked = [need for need in shipped() if need.name.lower() == name]
    assert asked, f"{name} is not asked for by name, so that its floor is not ours to say"
    below = Version(f"{floor}.dev0")
    assert [str(need) for need in asked if need.specifier.contains(below, prereleases=True)] == []


def test_every_dependency_has_a_floor():
    assert [need.name for need in shipped() if not any(part.operator == ">=" for part in need.specifier)] == []


def test_the_container_runs_without_rights():
    """The stages of the Containerfile agree: what is copied, the extras, and who runs it."""
    build, run = (ROOT / "Containerfile").read_text(encoding="utf-8").split("\nFROM ")[1:]
    assert re.search(r"COPY --from=build (\S+) ", run)[1] == re.search(r"-m venv (\S+) ", build)[1]
    assert set(re.search(r"/source\[(.*?)\]", build)[1].split(",")) <= set(PROJECT["optional-dependencies"])
    assert run.index("useradd") < run.index("USER tclose") < run.index("ENTRYPOINT")
