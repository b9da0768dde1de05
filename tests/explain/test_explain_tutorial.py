"""The page that recomputes the tutorial is what tclose computes."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = [sys.executable, ROOT / "scripts" / "tutorial"]


def test_the_page_and_its_figures_are_fresh():
    done = subprocess.run([*SCRIPT, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_stale_page_is_found_and_written_anew(tmp_path):
    assert subprocess.run([*SCRIPT, "--check", tmp_path], capture_output=True, check=False).returncode == 1
    assert subprocess.run([*SCRIPT, tmp_path], capture_output=True, check=False).returncode == 0
    assert (tmp_path / "tutorial.md").read_text(encoding="utf-8") == (ROOT / "docs" / "tutorial.md").read_text(
        encoding="utf-8"
    )


def test_the_page_holds_what_the_paper_prints():
    text = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    printed = ["0.6429", "0.7143", "0.4286", "0.4429", "0.1667", "0.375", "0.2361", "0.3333", "0.0833", "0.4444"]
    assert [number for number in printed if number not in text] == []
    assert all(f"{letter}{number}" in text for letter, number in [("B", "₆"), ("A", "₈"), ("C", "₃")])
