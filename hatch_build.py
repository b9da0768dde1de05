"""Compile the kernels while the package is built: Cython turns them into C, a C compiler turns that into libraries.

The libraries use Python's limited interface, so that one build serves every Python from 3.11 on. Where the machine has
no working C compiler, the one of the package ``ziglang`` takes its place.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = Path("tclose", "models", "kernels")
SHARED = "_shared"
"""What Cython's own code needs in every kernel, once for all of them."""
DECLARATIONS = "native"
"""Declarations that kernels share, without code of their own."""
CYTHON = "cython>=3.2,<3.3"
ZIG = "ziglang>=0.13,<1"
OLDEST = 0x030B0000
"""The limited interface of Python 3.11, which every later Python has."""
DIRECTIVES = {
    "language_level": "3", "boundscheck": "False", "wraparound": "False", "initializedcheck": "False",
    "binding": "False", "infer_types": "True",
}  # fmt: skip
CHECKED = {**DIRECTIVES, "boundscheck": "True", "initializedcheck": "True"}
"""A build that stops at an index out of bounds, for tests."""
FLAGS = ("-O3", "-g0", "-fPIC", "-shared", "-fwrapv", "-ffp-contract=off", "-DNDEBUG")
"""Numbers wrap, and no two floating-point operations become one: results are the same with every compiler."""
LINKING = {"darwin": ("-undefined", "dynamic_lookup"), "win32": ("-lpython3",)}
HEADERS_MISSING = (
    "tclose: Python's C headers (Python.h) are missing. Install them, on Debian or Ubuntu with "
    "'apt install python3-dev', on Fedora with 'dnf install python3-devel'."
)
FREE_THREADED = (
    "tclose: there is no build for free-threaded Python, whose interface is not the limited one. "
    "Use the ordinary build of Python 3.11 or newer."
)


@dataclass(frozen=True)
class Build:
    """How kernels are compiled.

    Parameters
    ----------
    source
        The folder of the kernels.
    directives
        What Cython is told.
    flags
        What the C compiler is told.
    """

    source: Path
    directives: tuple[tuple[str, str], ...] = tuple(DIRECTIVES.items())
    flags: tuple[str, ...] = FLAGS

    @property
    def kernels(self) -> list[str]:
        """The modules that are compiled: those whose types are declared beside them."""
        return sorted(path.stem for path in self.source.glob("*.pxd") if path.stem != DECLARATIONS)

    def stamp(self, kernel: str) -> str:
        """Return a fingerprint of all that a library is made of; the library holds it."""
        parts = [repr((sorted(self.directives), self.flags, version("cython"))).encode()]
        if kernel != SHARED:
            names = (f"{kernel}.py", f"{kernel}.pxd", f"{DECLARATIONS}.pxd")
            parts += [(self.source / name).read_bytes() for name in names]
        return "built from " + hashlib.sha256(b"\0".join(parts)).hexdigest()

    def made(self, into: Path) -> list[Path]:
        """Compile the kernels into a folder, but for those that are there and unchanged; return the libraries."""
        into.mkdir(parents=True, exist_ok=True)
        libraries = {kernel: into / f"{kernel}{ending()}" for kernel in (SHARED, *self.kernels)}
        stale = [kernel for kernel, library in libraries.items() if not self._is_current(kernel, library)]
        with tempfile.TemporaryDirectory() as work:
            package = Path(work) / PACKAGE  # Cython names a module for its place in the packages around it
            shutil.copytree(self.source, package, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
            [(each / "__init__.py").touch() for each in (package.parent, package.parents[1])]
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(lambda kernel: self._compile(kernel, package, libraries[kernel]), stale))
        return list(libraries.values())

    def _is_current(self, kernel: str, library: Path) -> bool:
        return library.is_file() and self.stamp(kernel).encode() in library.read_bytes()

    def _compile(self, kernel: str, package: Path, library: Path) -> None:
        c = package / f"{kernel}.c"
        if kernel == SHARED:
            what = ["--generate-shared", str(c)]
        else:
            source = package / f"{kernel}.py"
            hashed = hashlib.sha256(source.read_bytes()).hexdigest()
            with source.open("a", encoding="utf-8") as file:
                file.write(f'\nSOURCE = "{hashed}"\n')
            what = ["--shared", f"{'.'.join(PACKAGE.parts)}.{SHARED}", str(source), "-o", str(c)]
        options = [word for key, value in self.directives for word in ("-X", f"{key}={value}")]
        run([sys.executable, "-m", "cython", *options, *what], package.parents[1])
        with c.open("a", encoding="utf-8") as file:
            file.write(f'\nconst char tclose_stamp_{kernel}[] = "{self.stamp(kernel)}";\n')
        made = library.with_name(f".{library.name}.{os.getpid()}")
        paths = [f"-I{sysconfig.get_path('include')}", f"-L{Path(sys.base_prefix, 'libs')}"]
        linked = LINKING.get(sys.platform, ())
        limited = f"-DPy_LIMITED_API={OLDEST:#x}"
        run([*compiler(), *self.flags, limited, *paths, str(c), "-o", str(made), *linked, "-lm"], package)
        made.replace(library)


def run(command: Iterable[str], folder: Path) -> None:
    """Run a command of the build, and end with what it said where it fails."""
    done = subprocess.run([*command], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"tclose: a kernel was not compiled.\n{done.stdout}{done.stderr}")


def ending() -> str:
    """Return how the names of libraries end."""
    return ".pyd" if sys.platform == "win32" else ".abi3.so"


@cache
def own_compiler() -> tuple[str, ...] | None:
    """Return the machine's C compiler, or the one that ``CC`` names, if it can make a library."""
    for words in map(shlex.split, (os.environ.get("CC", ""), "cc", "gcc", "clang")):
        if words and shutil.which(words[0]) and _makes_libraries(words):
            return tuple(words)
    return None


def _makes_libraries(words: list[str]) -> bool:
    with tempfile.TemporaryDirectory() as work:
        c = Path(work, "nothing.c")
        c.write_text("#include <math.h>\nint nothing(void) { return 0; }\n", encoding="utf-8")
        command = [*words, *FLAGS, str(c), "-o", str(c.with_suffix(".so")), "-lm"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def compiler() -> tuple[str, ...]:
    """Return the C compiler: the machine's own, or zig, told not to compile for the processor at hand alone."""
    return own_compiler() or (sys.executable, "-m", "ziglang", "cc", "-fno-sanitize=all", "-mcpu=baseline")


def check_python() -> None:
    """End with one sentence where this Python cannot be compiled for."""
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise SystemExit(FREE_THREADED)
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        raise SystemExit(HEADERS_MISSING)


class KernelsHook(BuildHookInterface[Any]):
    """Put the libraries into the wheel, or beside their sources where these are used in place."""

    _made: tempfile.TemporaryDirectory[str] | None = None

    def dependencies(self) -> list[str]:
        """Return what the build needs; a compiler from PyPI only where the machine has none."""
        check_python()
        return [CYTHON, *([] if own_compiler() else [ZIG])]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the kernels."""
        if self.target_name != "wheel":
            return
        check_python()
        source = Path(self.root, "src") / PACKAGE
        if version == "editable":
            Build(source).made(source)
        else:
            self._made = tempfile.TemporaryDirectory(prefix="tclose-kernels-")
            made = Build(source).made(Path(self._made.name))
            build_data["force_include"].update({str(path): (PACKAGE / path.name).as_posix() for path in made})
        system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{system}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the libraries that are in the wheel now."""
        if self._made is not None:
            self._made.cleanup()
