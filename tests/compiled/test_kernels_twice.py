"""Every kernel run twice, compiled and as plain Python, on what real work hands it: the same bytes come out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from compiled import real_work
from plain_kernels import SOURCE, plainly
from tclose.models import kernels

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS.parent))  # where the hook of the build lies
import hatch_build  # noqa: E402


def test_the_compiled_kernels_are_loaded():
    for name in kernels.COMPILED:
        assert not getattr(kernels, name).__file__.endswith(".py"), name
        assert not hasattr(kernels.plain(name), "__file__"), name


def test_every_module_with_types_is_listed():
    assert sorted(kernels.COMPILED) == sorted({path.stem for path in SOURCE.glob("*.pxd")} - {"native"})


def test_what_goes_wrong_inside_a_kernel_is_raised():
    """A class of rows whose size is 0 cannot be; if it is, that is not told to standard error and forgotten."""
    one, none = np.ones(1, np.int64), np.zeros(1, np.int64)
    starts, ranks, caps = np.array([0, 1]), np.zeros(1, np.int32), np.zeros(1)
    with pytest.raises(ZeroDivisionError):
        kernels.distances.over_cap(starts, ranks, one, none, one, caps, 1.0, none.copy(), one.copy(), none.copy())


def test_compiled_kernels_do_what_their_source_does():
    with plainly(beside=True) as both:
        real_work.everything()
    assert {name for name, _ in both.calls} == set(kernels.COMPILED)
    assert [call for call, times in both.calls.items() if not times] == []


def test_no_kernel_looks_beyond_an_array(tmp_path):
    """All of it again with kernels that check every index: one that is out of bounds is told at the end."""
    made = hatch_build.Build(SOURCE, tuple(hatch_build.CHECKED.items()), hatch_build.FLAGS[1:]).made(tmp_path)
    assert len(made) == len(kernels.COMPILED) + 1
    script = (
        "import sys; beyond = []; sys.unraisablehook = lambda told: beyond.append(told.exc_value)\n"
        f"from tclose.models import kernels; kernels.__path__.insert(0, {str(tmp_path)!r})\n"
        "from compiled import real_work; real_work.everything()\n"
        f"assert kernels.annealing.__file__.startswith({str(tmp_path)!r})\n"
        "sys.exit(str(beyond) if beyond else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=TESTS, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
