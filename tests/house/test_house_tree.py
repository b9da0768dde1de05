"""The tracked tree: nothing in it points to one machine or to a package registry."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_OF_ONE_MACHINE = re.compile(r"(?<![\w.*])/(?:home|Users|root|work|mnt|opt|var/folders)/[\w.-]+|[A-Z]:\\Users\\")
_REGISTRY = re.compile(
    r"https?://[^\s\"')>]*(?:pypi|pythonhosted|anaconda|conda-forge|npmjs|yarnpkg|jfrog|artifactory|nexus)[^\s\"')>]*",
    re.IGNORECASE,
)
_OWN = {"tests/house/test_house_tree.py"}


def tracked():
    """Return the files that belong to the project: what git tracks or would take in."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        [git, "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        capture_output=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def texts():
    """Return the tracked text files with their content."""
    found = {}
    for path in tracked():
        name = path.relative_to(ROOT).as_posix()
        try:
            found[name] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
    return {name: text for name, text in found.items() if name not in _OWN}


def test_a_folder_of_one_machine_and_a_registry_are_recognised():
    assert _OF_ONE_MACHINE.search("open('/home/ann/table.csv')")
    assert not _OF_ONE_MACHINE.search("a/home/ann and /usr/bin/env")
    assert _REGISTRY.search("index-url = https://pypi.example.org/simple")


def test_no_file_names_a_folder_of_one_machine():
    assert {name: hits for name, text in texts().items() if (hits := _OF_ONE_MACHINE.findall(text))} == {}


def test_no_file_names_a_package_registry():
    assert {name: hits for name, text in texts().items() if (hits := _REGISTRY.findall(text))} == {}


def test_no_lock_file_of_one_machine_is_tracked():
    names = {path.name for path in tracked()}
    assert names & {"uv.lock", "pylock.toml", "pip.conf", ".pypirc"} == set()


def test_text_files_end_with_one_line_end():
    untidy = [
        name
        for name, text in texts().items()
        if name.endswith((".py", ".md", ".toml", ".yaml", ".json")) and text and not re.search(r"[^\n]\n\Z", text)
    ]
    assert untidy == []
