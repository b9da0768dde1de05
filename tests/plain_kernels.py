"""The kernels as plain Python, in the place of the compiled ones or beside them."""

from __future__ import annotations

import ast
import contextlib
import threading
from pathlib import Path

import numpy as np
import pytest

from tclose.models import kernels

SOURCE = Path(kernels.__file__).parent


def public(name):
    """Return the kernels and the classes of a module, as its source names them."""
    body = ast.parse((SOURCE / f"{name}.py").read_text(encoding="utf-8")).body
    there = [node.name for node in body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    return there, [node.name for node in body if isinstance(node, ast.ClassDef)]


class Plain:
    """Stands in for the compiled kernels while a test runs.

    With ``beside`` each call is made both ways, and all that comes out is compared, byte by byte.
    """

    def __init__(self, patch, *, beside):
        self.calls = {}
        self._beside = beside
        self._made = {}
        self._one_at_a_time = threading.Lock()  # threads write into parts of the same array
        for name in kernels.COMPILED:
            module = getattr(kernels, name)
            functions, classes = public(name)
            for each in classes:
                patch.setattr(module, each, self._remembering(each, getattr(module, each)))
            for each in functions:
                self.calls[name, each] = 0
                patch.setattr(module, each, self._calling(name, each, getattr(module, each)))

    def _remembering(self, kind, make):
        def made(*arguments):
            one = make(*arguments)
            self._made[id(one)] = one, kind, arguments
            return one

        return made

    def _as_plain(self, name, argument, arrays):
        """Return an argument as plain Python takes it; what was an array is kept beside it."""
        if isinstance(argument, np.ndarray):
            plain = argument.copy() if argument.ndim > 1 or name == "annealing" else argument.tolist()
            arrays.append((argument, plain))
            return plain
        if id(argument) in self._made:
            _, kind, arguments = self._made[id(argument)]
            return getattr(kernels.plain(name), kind)(*(self._as_plain(name, each, arrays) for each in arguments))
        if isinstance(argument, tuple):
            return tuple(self._as_plain(name, each, arrays) for each in argument)
        return argument.item() if isinstance(argument, np.generic) else argument

    def _calling(self, name, kernel, compiled):
        def call(*arguments, **named):
            with self._one_at_a_time:
                return called(arguments, named)

        def called(arguments, named):
            arrays = []
            expected = getattr(kernels.plain(name), kernel)(
                *(self._as_plain(name, each, arrays) for each in arguments), **named
            )
            self.calls[name, kernel] += 1
            if self._beside:
                found = compiled(*arguments, **named)
                assert found == expected, (name, kernel)
            for given, plain in arrays:
                written = np.array(plain, dtype=given.dtype).reshape(given.shape)
                if self._beside:
                    assert given.tobytes() == written.tobytes(), (name, kernel)
                elif given.flags.writeable:
                    given[...] = written
            return expected

        return call


@contextlib.contextmanager
def plainly(*, beside=False):
    """Let the kernels inside run as plain Python; with ``beside`` compiled as well, and compare the two."""
    with pytest.MonkeyPatch.context() as patch:
        yield Plain(patch, beside=beside)


MODES = {"in Python": plainly, "compiled": contextlib.nullcontext}
"""Both ways to run the kernels, for tests of what they find."""
