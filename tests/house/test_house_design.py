"""DESIGN.md: every file that it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tclose"


def test_every_file_of_the_design_is_there():
    named = set(re.findall(r"`([\w/]+\.py)`", (ROOT / "DESIGN.md").read_text(encoding="utf-8")))
    assert len(named) > 50
    assert sorted(name for name in named if not (SOURCE / name).is_file()) == []
