"""Every kernel run twice, compiled and as plain Python, on what real work hands it: the same bytes come out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from compiled import real_work
from plain_kernels import SOURCE, plainly
from tclose import kernels

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS.parent))  # where the hook of the build lies
import hatch_build  # noqa: E402


def test_the_compiled_kernels_are_loaded():
    for name in kernels.COMPILED:
        assert not getattr(kernels, name).__file__.endswith(".py"), name
        assert not hasattr(kernels.plain(name), "__file__"), name


def test_every_module_with_types_is_listed():
    assert sorted(kernels.COMPILED) == sorted({path.stem for path in SOURCE.glob("*.pxd")} - {"native"})


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
        f"from tclose import kernels; kernels.__path__.insert(0, {str(tmp_path)!r})\n"
        "from compiled import real_work; real_work.everything()\n"
        f"assert kernels.annealing.__file__.startswith({str(tmp_path)!r})\n"
        "sys.exit(str(beyond) if beyond else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=TESTS, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
