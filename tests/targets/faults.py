"""Kill, refuse and race a release at every step, and look at what is left.

``--small`` tries a part of it, ``--every 10`` each tenth step of a release and each tenth moment.

Each trial makes a release or commits three files, lets something go wrong, looks at the folder as a reader would, lets
a next run come by, and looks again. Python's own audit events tell when a file is opened for writing, renamed or
removed; ``strace`` knows every system call, those of DuckDB too. It ends with 1 if anything was found.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import tclose

SOURCE = Path(tclose.__file__).parents[1]
CANARY = "Zebulon-7731"
NAMES = ("r.csv", "r.csv.recipe.json", "r.csv.report.json")
EVENTS = ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.chmod", "os.symlink")
CALLS = ("write", "pwrite64", "fsync", "rename", "renameat", "unlink", "unlinkat", "mkdir", "link", "linkat", "chmod",
         "fchmodat", "ftruncate", "rmdir")  # fmt: skip
PEOPLE = "name,zip,ill\n" + "".join(
    f"{CANARY if at == 0 else f'p{at}'},{47600 + at % 7},{('flu', 'cold', 'ulcer')[at % 3]}\n" for at in range(24)
)
Files = dict[str, bytes]
Fault = Callable[[int], None]


@dataclass
class Workplace:
    """A folder with a table, a place for its release and a temporary folder, made anew for each trial."""

    base: Path
    old: Files
    folder: Path = field(init=False)
    temp: Path = field(init=False)

    def __post_init__(self) -> None:
        shutil.rmtree(self.base, ignore_errors=True)
        self.folder, self.temp = self.base / "release", self.base / "temp"
        self.folder.mkdir(parents=True)
        self.temp.mkdir()
        (self.base / "people.csv").write_text(PEOPLE)
        for name, content in self.old.items():
            (self.folder / name).write_bytes(content)

    def content(self) -> Files:
        return {name: (self.folder / name).read_bytes() for name in NAMES if (self.folder / name).exists()}

    def arguments(self, k: int = 3) -> list[str]:
        made = ["anonymize", str(self.base / "people.csv"), "-i", "name", "-q", "zip", "-s", "ill", "--k", str(k)]
        return [*made, "--force", "-o", str(self.folder / "r.csv"), "--threads", "1", "--quiet"]

    def process(self, *before: str, k: int = 3) -> subprocess.Popen[bytes]:
        surroundings = {**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": str(self.temp)}
        line = [*before, sys.executable, "-m", "tclose.cli", *self.arguments(k)]
        return subprocess.Popen(line, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def seen_at_once(self, new: Iterable[Files]) -> Iterator[str]:
        """Give what a reader may not see: half a file, or a companion beside a table that it does not belong to."""
        sets, found = [self.old, *new], self.content()
        for name, content in found.items():
            if not any(content == each.get(name) for each in sets):
                yield f"{name} is half-written"
        if not any(found.items() <= each.items() for each in sets):
            yield "a companion beside a table of another run"

    def seen_later(self, new: Iterable[Files]) -> Iterator[str]:
        """Give what may not be there after another run came by: a mixture, or anything left behind."""
        if self.content() not in (self.old, *new):
            yield "neither all of the old nor all of the new"
        known = {*NAMES, "other.txt"}
        yield from (f"left in the folder: {path.name}" for path in self.folder.iterdir() if path.name not in known)
        yield from (f"left in TMPDIR: {path.name}" for path in self.temp.iterdir() if not _is_pythons_trial(path))

    def next_run(self) -> None:
        """Let another run come by, which writes another file to the same folder."""
        from tclose.data.targets import target_at, write_text
        from tclose.errors import SourceError

        before = tempfile.tempdir
        tempfile.tempdir = str(self.temp)
        try:
            with contextlib.suppress(SourceError):  # the disk is still full, or read-only
                write_text(target_at(self.folder / "other.txt"), "next")
        finally:
            tempfile.tempdir = before


def _is_pythons_trial(path: Path) -> bool:
    """Say whether a file is one by which Python itself tries, when it starts, whether a folder can be written to."""
    return path.is_file() and path.read_bytes() in (b"", b"blat")


def make_release(work: Workplace) -> int:
    from tclose.cli import outcome

    return outcome(work.arguments())


def commit(work: Workplace, new: Files) -> int:
    from tclose.data.targets import committing, target_at

    with committing([target_at(work.folder / name) for name in NAMES]) as places:
        for place, name in zip(places, NAMES, strict=True):
            place.write_bytes(new[name])
    return 0


def in_a_child(work: Workplace, task: Callable[[], int], fault: Fault) -> tuple[int, int]:
    """Run a task in a forked child with a fault; return its status, and how many writes it came to."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child:
        os.close(sender)
        status = os.waitpid(child, 0)[1]
        with os.fdopen(receiver) as answer:
            return status, int(answer.read() or 0)
    counted = _counting(work, fault)
    code = 70
    with contextlib.suppress(BaseException):
        code = task()
    with contextlib.suppress(BaseException):
        atexit._run_exitfuncs()
    os.write(sender, str(counted()).encode())
    os._exit(code)


def _counting(work: Workplace, fault: Fault) -> Callable[[], int]:
    """Let a fault happen at its time among the writes of this process, and return what counts them."""
    tempfile.tempdir = os.environ["TMPDIR"] = str(work.temp)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    writes = [0]

    def happened() -> None:
        writes[0] += 1
        fault(writes[0])

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        opened = event == "open" and isinstance(arguments[2], int) and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))
        if (opened or event in EVENTS) and str(work.base) in os.fsdecode(arguments[0] if _is_path(arguments) else ""):
            happened()

    def sync(descriptor: int, settle: Callable[[int], None] = os.fsync) -> None:
        happened()
        settle(descriptor)

    sys.addaudithook(hook)
    os.fsync = sync
    return lambda: writes[0]


def _is_path(arguments: tuple[object, ...]) -> bool:
    return isinstance(arguments[0], str | bytes)


def kill(at: int) -> Fault:
    return lambda number: os.kill(os.getpid(), signal.SIGKILL) if number == at else None


def refuse(at: int, code: int = errno.ENOSPC) -> Fault:
    def fault(number: int) -> None:
        if number == at:
            raise OSError(code, os.strerror(code))

    return fault


@dataclass
class Findings:
    """How many trials there were of each kind, and what they found."""

    base: Path
    tried: Counter[str] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)

    def judge(self, kind: str, work: Workplace, new: Iterable[Files], where: str = "") -> None:
        new = list(new)
        self.tried[kind] += 1
        seen = [*work.seen_at_once(new)]
        work.next_run()
        seen += work.seen_later(new)
        self.found += [f"{kind}, {where}: {each}" for each in seen]


def sets(findings: Findings) -> tuple[Files, Files]:
    """Return what two runs write that differ in k, made without any fault."""
    made = []
    for k in (2, 3):
        work = Workplace(findings.base / "made", {})
        work.process(k=k).wait()
        made.append(work.content())
    assert all(len(each) == 3 for each in made), "nothing goes wrong where nothing is done to it"
    return made[0], made[1]


def kills_and_refusals(findings: Findings, old: Files, new: Files, *, small: bool, every: int) -> None:
    """Kill and refuse at the writes that Python does: of a commit alone at all, and of a whole release."""
    tasks = {"commit": lambda work: commit(work, new), "release": make_release}
    for name, task in tasks.items():
        for before in (old, {}):
            work = Workplace(findings.base / "trial", before)
            status, writes = in_a_child(work, lambda task=task, work=work: task(work), lambda _: None)
            assert status == 0, f"the {name} fails without any fault"
            few = max(1, writes // (12 if name == "commit" else 4))
            step = few if small and not (name == "commit" and before) else 1 if name == "commit" else every
            for what, fault in (("killed", kill), ("refused", refuse)):
                for at in range(1, writes + 1, step):
                    work = Workplace(findings.base / "trial", before)
                    in_a_child(work, lambda task=task, work=work: task(work), fault(at))
                    findings.judge(f"{name} {what}", work, [new], f"write {at} of {writes}")


def system_calls(findings: Findings, old: Files, new: Files, every: int) -> None:
    """Kill at the system calls that write, those of DuckDB too, by strace."""
    work = Workplace(findings.base / "trial", old)
    log = findings.base / "calls"
    traced = work.process("strace", "-f", "-e", f"trace={','.join(CALLS)}", "-o", str(log))
    if traced.wait():
        print("     0  killed at a system call: strace may not trace here", flush=True)  # noqa: T201
        return
    made = Counter(re.findall(r"^\d+ +(\w+)\(", log.read_text(errors="replace"), re.MULTILINE))
    for call, times in sorted(made.items()):
        for at in range(1, times + 1, every):
            work = Workplace(findings.base / "trial", old)
            inject = f"inject={call}:signal=KILL:when={at}"
            work.process("strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject).wait()
            findings.judge("killed at a system call", work, [new], f"{call} {at}")


def signals(findings: Findings, old: Files, new: Files, times: int) -> None:
    """Send each signal that ends a process at moments spread over the run."""
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        for at in range(times):
            work = Workplace(findings.base / "trial", old)
            process = work.process()
            time.sleep(2.5 * at / times)
            process.send_signal(number)
            process.wait()
            findings.judge(f"{signal.Signals(number).name}", work, [new], f"moment {at}")


def full_disk(findings: Findings, old: Files, new: Files, sizes: Iterable[int]) -> None:
    """Let no file grow beyond a size."""
    for size in sizes:
        work = Workplace(findings.base / "trial", old)

        def limited(work: Workplace = work, size: int = size) -> int:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
            return make_release(work)

        in_a_child(work, limited, lambda _: None)
        findings.judge("no room", work, [new], f"{size} bytes")


def two_writers(findings: Findings, old: Files, both: tuple[Files, Files], times: int) -> None:
    """Let two runs write different releases to the same place at the same time."""
    for at in range(times):
        work = Workplace(findings.base / "trial", old)
        first = work.process(k=2)
        time.sleep(random.Random(at).random() / 5)
        second = work.process(k=3)
        codes = sorted((first.wait(), second.wait()))
        if codes[1] not in (0, 2):
            findings.found.append(f"two writers, {at}: exit codes {codes}")
        findings.judge("two writers", work, both, f"time {at}")


def clock(findings: Findings, old: Files, new: Files) -> None:
    """Kill a run, and let the next one have a clock that was set back or forward since."""
    for shift in (-400 * 86400, -3600, 3600, 400 * 86400):
        work = Workplace(findings.base / "trial", old)
        _, writes = in_a_child(work, lambda work=work: commit(work, new), lambda _: None)
        work = Workplace(findings.base / "trial", old)
        in_a_child(work, lambda work=work: commit(work, new), kill(writes * 2 // 3))
        for path in (*work.folder.rglob("*"), *work.temp.rglob("*")):
            os.utime(path, (time.time() + shift,) * 2, follow_symlinks=False) if path.is_dir() else None
        findings.judge("clock set back or forward", work, [new], f"{shift} seconds")


def mounts(findings: Findings, old: Files, new: Files) -> None:
    """Give the release a small disk, and one that is read-only; for a process that may mount."""
    for size in (*range(4, 64, 4), 0):
        work = Workplace(findings.base / "trial", {})
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size or 64}k", "none", str(work.folder)], check=True)
        for name, content in old.items():
            with contextlib.suppress(OSError):
                (work.folder / name).write_bytes(content)
        work.old = work.content()
        if not size:
            subprocess.run(["mount", "-o", "remount,ro", str(work.folder)], check=True)
        in_a_child(work, lambda work=work: make_release(work), lambda _: None)
        findings.judge("a small disk" if size else "a read-only disk", work, [new], f"{size} kB")
        subprocess.run(["umount", str(work.folder)], check=True)


def in_a_namespace(findings: Findings) -> None:
    """Run what mounts in a namespace of its own, where the system allows that."""
    line = ["unshare", "--user", "--map-root-user", "--mount"]
    if not shutil.which("unshare") or subprocess.run([*line, "true"], capture_output=True, check=False).returncode:
        return
    done = subprocess.run([*line, sys.executable, __file__, "--mounts"], capture_output=True, text=True, check=False)
    for told in done.stdout.splitlines():
        number, _, what = told.strip().partition("  ")
        if number == "FOUND":
            findings.found.append(what)
        else:
            findings.tried[what] += int(number)


def tried(*, small: bool, every: int = 1) -> Findings:
    """Try everything, and tell of each kind when it is done."""
    import tclose.anonymization.anonymize
    import tclose.cli.anonymize
    import tclose.engines.duckdb.session  # noqa: F401 - so that children need not load it

    findings = Findings(Path(tempfile.mkdtemp()))
    old, new = sets(findings)
    largest = max(len(content) for content in new.values())
    sizes = (0, 5, largest - 1) if small else range(0, largest + 64, 64 * every)
    for part in (
        lambda: kills_and_refusals(findings, old, new, small=small, every=every),
        lambda: clock(findings, old, new),
        lambda: full_disk(findings, old, new, sizes),
        lambda: None if small else in_a_namespace(findings),
        lambda: two_writers(findings, old, (old, new), 1 if small else max(1, 40 // every)),
        lambda: None if small else signals(findings, old, new, max(1, 25 // every)),
        lambda: system_calls(findings, old, new, every) if not small and shutil.which("strace") else None,
    ):
        before = Counter(findings.tried)
        part()
        for kind, times in (findings.tried - before).items():
            print(f"{times:6,}  {kind}", flush=True)  # noqa: T201
    shutil.rmtree(findings.base)
    return findings


def told(findings: Findings) -> int:
    """Print what was found, and return the exit code."""
    for each in findings.found:
        print(f"FOUND  {each}")  # noqa: T201
    return 1 if findings.found else 0


def mounted() -> Findings:
    """Try what needs a disk of its own, in a namespace where it can be mounted."""
    findings = Findings(Path(tempfile.mkdtemp()))
    mounts(findings, *sets(findings))
    for kind, times in findings.tried.items():
        print(f"{times:6,}  {kind}")  # noqa: T201
    shutil.rmtree(findings.base)
    return findings


if __name__ == "__main__":
    if "--mounts" in sys.argv:
        sys.exit(told(mounted()))
    steps = int(sys.argv[sys.argv.index("--every") + 1]) if "--every" in sys.argv else 1
    sys.exit(told(tried(small="--small" in sys.argv, every=steps)))
