"""Kernels that are plain Python on small input and compiled machine code on large."""

from __future__ import annotations

import functools
import pickle
import threading
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any, cast

import numpy as np

from tclose.errors import InputError
from tclose.progress import meanwhile

PAYS_FROM = 40_000
"""From this many steps on, loading the compiler costs less time than it saves."""

LOADED_PAYS_FROM = 400
"""From this many steps on, calling a loop that is compiled already costs less than running it as Python."""

PAYS_AFTER = 1_000_000
"""After this many steps as Python, call by call, so many more are likely that the compiler is loaded for them."""

COMPILING = "compiling, once after an installation"
_SETTINGS = "Its settings are those variables of the environment whose names begin with NUMBA_; unset them."
_lock = threading.RLock()


class Kernel:
    """A loop over arrays, written once.

    Called with ``work`` below :data:`PAYS_FROM` (:data:`LOADED_PAYS_FROM` once it is compiled, or has done
    :data:`PAYS_AFTER` steps) it runs as Python on lists of Python integers, which cannot overflow; above, it runs
    compiled, outside the interpreter lock and cached on disk.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.plain = function
        self.steps = 0
        functools.update_wrapper(self, function)

    @functools.cached_property
    def compiled(self) -> Callable[..., Any]:
        """The compiled loop; compiled at the first call, taken from the cache afterwards."""
        with _lock:
            return machine_code(self.plain)

    def __call__(self, *arguments: Any, work: int) -> Any:
        """Run the loop; ``work`` is how many steps it will take."""
        pays = "compiled" in self.__dict__ or self.steps >= PAYS_AFTER
        if work >= (LOADED_PAYS_FROM if pays else PAYS_FROM):
            return self.compiled(*arguments)
        self.steps += work
        lists = [item.tolist() if isinstance(item, np.ndarray) else item for item in arguments]
        result = self.plain(*lists)
        for given, after in zip(arguments, lists, strict=True):
            if isinstance(given, np.ndarray) and given.flags.writeable:
                given[...] = after
        return result


def load_compiler() -> None:
    """Load the compiler in the background, while something else is read or counted."""

    def load() -> None:
        with suppress(InputError):  # whoever needs it will hear of it
            _nothing.compiled(np.zeros(1, dtype=np.int64))

    threading.Thread(target=load, name="tclose-compiler", daemon=True).start()


def compiler() -> Any:
    """Load the compiler, by the one door through which its own settings in the environment are heard of.

    Raises
    ------
    InputError
        If they keep it from compiling.
    """
    try:
        import numba
    except ValueError as problem:  # of a setting; no table is known to it
        raise InputError(f"The compiler was not loaded: {problem} {_SETTINGS}") from problem
    if getattr(numba.config, "DISABLE_JIT", 0):
        raise InputError(f"The compiler is told to compile nothing. {_SETTINGS}")
    return numba


def machine_code(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a loop that is compiled at its first call, outside the interpreter lock, and cached on disk.

    Where no cache can be written, or one was damaged, it is compiled anew: slower, never wrong.
    """
    numba = compiler()
    try:
        compiled = numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no folder to cache in can be written
        return cast("Callable[..., Any]", numba.njit(nogil=True)(function))

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        nonlocal compiled
        try:
            with nullcontext() if getattr(compiled, "overloads", True) else meanwhile(COMPILING):
                return compiled(*arguments)
        except (EOFError, pickle.UnpicklingError):  # reading the cache failed, before the loop began
            compiled = numba.njit(nogil=True)(function)
            return compiled(*arguments)

    return call


def uncounted(function: Callable[..., Any]) -> Any:
    """Return a loop for other compiled loops to call, on arrays that it neither makes nor keeps.

    Nobody counts the owners of these arrays while it runs. Counting was two thirds of the work of the search by
    moves, since it is atomic, and threads wait for each other at the counters of what they share.
    """
    return _without_counting(function)


def uncounted_orderless(function: Callable[..., Any]) -> Any:
    """Return such a loop whose numbers, none of them NaN, may be compared in any order, many at once."""
    return _without_counting(function, fastmath={"nnan", "nsz"})


def _without_counting(function: Callable[..., Any], **options: Any) -> Any:
    numba = compiler()
    options = {"_nrt": False, **options}
    return numba.njit(**options)(function)


def kernel(function: Callable[..., Any]) -> Kernel:
    """Mark a plain loop over arrays as a kernel.

    A kernel calls no other Python function, writes its results into arrays it is given, and relies
    on its caller for valid positions: compiled loops check no bounds.
    """
    return Kernel(function)


@kernel
def _nothing(numbers):  # type: ignore[no-untyped-def]
    """Do nothing: calling it loads the compiler."""
    numbers[0] = 0
