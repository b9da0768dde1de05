"""Nothing that goes wrong leaves a file half-written, a mixture of two runs, or anything behind past the next run."""

import subprocess
import sys
from pathlib import Path


def test_no_fault_of_the_small_suite_finds_anything():
    """It runs in a process of its own, which forks before it has threads; ``scripts/faults`` tries more."""
    suite = Path(__file__).with_name("faults.py")
    done = subprocess.run([sys.executable, suite, "--small"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "commit killed" in done.stdout
