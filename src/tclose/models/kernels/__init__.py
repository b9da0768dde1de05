"""The loops that carry the work, written once as plain Python and compiled when the package is built.

In come NumPy arrays, out go numbers that a kernel writes into arrays it is given. ``kernels.counting`` is the compiled
module, loaded when it is first asked for, so that ``--help`` and an audit do not wait for what they do not need.
:func:`plain` gives the same source run by Python, whose whole numbers have any size: for numbers beyond 63 bits, and
for tests. Open ``counting.py`` first; ``hatch_build.py`` compiles it, with the types that ``counting.pxd`` declares.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
from importlib.machinery import EXTENSION_SUFFIXES, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from tclose.errors import EngineFailedError

if TYPE_CHECKING:  # arrays of any of the types that a kernel's .pxd file names
    annealing: Any
    clusters: Any
    counting: Any
    covering: Any
    distances: Any
    lattice: Any
    neighbours: Any
    partitions: Any
    people: Any
    prevalence: Any

COMPILED = (
    "annealing", "clusters", "counting", "covering", "distances", "lattice", "neighbours", "partitions", "people",
    "prevalence",
)  # fmt: skip
_FOLDER = Path(__file__).parent
_AGAIN = "Install it again, in the folder of its repository: pip install --force-reinstall --no-deps ."


def __getattr__(name: str) -> ModuleType:
    """Load a compiled kernel module, and refuse to do without."""
    if name not in COMPILED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if not any((_FOLDER / f"{name}{suffix}").is_file() for suffix in EXTENSION_SUFFIXES):
        raise EngineFailedError(f"The compiled part {name!r} of tclose is missing for this Python. {_AGAIN}")
    try:
        module = importlib.import_module(f"{__name__}.{name}")
    except ImportError as problem:
        raise EngineFailedError(f"The compiled part {name!r} of tclose cannot be loaded. {_AGAIN}") from problem
    source = (_FOLDER / f"{name}.py").read_bytes()
    if getattr(module, "SOURCE", None) != hashlib.sha256(source).hexdigest():
        globals().pop(name, None)
        raise EngineFailedError(f"The compiled part {name!r} of tclose belongs to another version of it. {_AGAIN}")
    return module


@functools.cache
def plain(name: str) -> ModuleType:
    """Return a kernel module run by Python itself: slow, with whole numbers of any size."""
    loader = SourceFileLoader(f"{__name__}.plain_{name}", str(_FOLDER / f"{name}.py"))
    module = ModuleType(loader.name)
    loader.exec_module(module)
    return module


def in_python(name: str, kernel: str, *arguments: Any) -> Any:
    """Run a kernel as plain Python on Python's own numbers, and write what it wrote into the arrays that were given."""
    lists = [each.tolist() if isinstance(each, np.ndarray) else each for each in arguments]
    result = getattr(plain(name), kernel)(*lists)
    for given, after in zip(arguments, lists, strict=True):
        if isinstance(given, np.ndarray) and given.flags.writeable:
            given[...] = after
    return result
