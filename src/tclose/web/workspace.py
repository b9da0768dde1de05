"""The tables that a page may look at: the one named at the start, the examples, and what was uploaded."""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
import threading
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from tclose.data.labels import Label
from tclose.data.sources import EXAMPLES, DatabaseTable, is_database, locate
from tclose.data.sources.examples import example_named
from tclose.data.sources.formats import COMPRESSION_OF_SUFFIX, FORMAT_OF_SUFFIX
from tclose.data.sources.source import FileSource
from tclose.data.targets.private_folders import private_folder
from tclose.engines.base import Progress
from tclose.engines.dispatch import held_rows
from tclose.errors import InputError, SourceError
from tclose.policy.policy import Policy, Required

MOST_TABLES = 48
"""So many tables are open at once; opening a further one closes the one opened first."""
MOST_DATABASES = 8
"""So many databases are known of which no table is open."""
DATABASE_ENDINGS = (".sqlite", ".sqlite3", ".db")
"""The endings of files that are databases."""
Result = TypeVar("Result")
_LOOKING_UP = 0.1
"""Seconds after which work that waits for other work looks whether it is still wanted."""
_LONGEST_NAME = 120
EXAMPLE_THRESHOLDS: Mapping[str, Mapping[str | None, str]] = {"k": {None: "3"}, "t": {None: "0.3"}}
"""What an example is asked for at first; it is there to be changed."""


@dataclass(frozen=True)
class Named:
    """The table that was named on the command line, with what was said of it."""

    table: Any
    label: str
    policy: Policy
    roles_known: bool
    """Whether roles were given; otherwise they are suggested."""
    database: str | None = None
    """The address of a database of which a table is still to be chosen."""


@dataclass(frozen=True)
class Database:
    """A database of which tables may be opened."""

    id: str
    uri: str = field(repr=False)
    label: str
    folder: Path | None = None
    """Where it lies, if it was uploaded."""


@dataclass
class Opened:
    """A table that one tab works with; nothing is shared between two of them."""

    id: str
    label: str
    table: Any
    folder: Path
    policy: Policy
    roles_known: bool
    paths: frozenset[str] = frozenset()
    """The files that the policy itself named, and that requests may therefore name."""
    kept: dict[str, Any] = field(default_factory=dict, repr=False)
    """What is kept to answer the next request faster."""
    settings: object = None
    """The policy as the page last left it, for when it comes back."""
    history: object = None
    """What the page had set before, and what it took back."""
    left: float | None = None
    """When the page went away; None while it is there."""
    database: str | None = None
    """The database that it is of, where that was chosen on the page."""
    _locks: dict[str, threading.Lock] = field(default_factory=lambda: defaultdict(threading.Lock), repr=False)
    """One for each thing that is made once: whoever waits for rows does not wait for what is counted of them."""

    def once(self, name: str, asked: object, make: Callable[[], Result], tell: Progress) -> Result:
        """Return what was made of the table when this was last asked, or make it now.

        Parameters
        ----------
        name
            What it is.
        asked
            What it depends on besides the table.
        make
            How it is made; one at a time.
        tell
            Told, and allowed to stop the work, while another makes it.
        """
        with _held(self._locks[name], tell):
            known = self.kept.get(name)
            if known is None or known[0] != asked:
                known = self.kept[name] = (asked, make())
            return known[1]

    def rows(self, tell: Progress) -> object:
        """Return the table to work with: a text file is read once, then its rows are held."""
        if not _is_slow_to_read(self.table, self.policy):
            return self.table
        tell("Reading rows", None)
        return self.once("rows", None, lambda: held_rows(self.table, read=self.policy.read), tell)

    def forget(self) -> None:
        """Free what was held, and remove what was written."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._free()

    def read_anew(self, source: FileSource) -> None:
        """Read the table in another way from now on; what was held and set is gone."""
        self.table, self.policy = source, replace(self.policy, read=source.options)
        self.settings = self.history = None
        self._free()

    def _free(self) -> None:
        held = self.kept.pop("rows", None)
        self.kept.clear()
        if held is not None:
            held[1].drop()


@contextmanager
def _held(lock: threading.Lock, tell: Progress) -> Iterator[None]:
    """Hold a lock while the block runs.

    Work that is stopped (:mod:`tclose.web.jobs`) is not left while it enters a block, so that no lock is taken by
    work that is no more: what waits here looks by itself whether it is still wanted.
    """
    while not lock.acquire(timeout=_LOOKING_UP):
        tell("Reading rows", None)
    try:
        yield
    finally:
        lock.release()


def _is_slow_to_read(table: object, policy: Policy) -> bool:
    """Say whether reading a table costs more than looking at it: text files and workbooks do, Parquet does not."""
    if is_database(table):
        return False
    source = locate(table, options=policy.read)
    return isinstance(source, FileSource) and source.format != "parquet"


class Workspace:
    """A private folder, removed at exit and, after a crash, by the next process that starts."""

    def __init__(self, named: Named | None = None) -> None:
        private = private_folder(Path(tempfile.gettempdir()))
        self.folder = private.path
        self.close = weakref.finalize(self, private.remove)
        """Removes the folder and everything in it."""
        self.named = named
        self._tables: dict[str, Opened] = {}
        self._databases: dict[str, Database] = {}
        self._lock = threading.Lock()

    def table(self, table_id: str) -> Opened | None:
        """Return an open table."""
        return self._tables.get(table_id)

    def open_named(self) -> Opened:
        """Open the table that was named on the command line."""
        if self.named is None:
            raise InputError("No table was named on the command line; take an example, or upload a file.")
        named = self.named
        if named.database is not None:
            raise InputError("A database was named on the command line; choose one of its tables.")
        return self._opened(named.label, named.table, named.policy, roles_known=named.roles_known)

    def open_example(self, name: str) -> Opened:
        """Open a built-in example."""
        example = example_named(name)
        policy = Policy(table=f"example:{name}", roles=example.roles, required=Required(require=EXAMPLE_THRESHOLDS))
        return self._opened(f"the example '{name}'", f"example:{name}", policy, roles_known=True)

    def open_upload(self, file: Path, name: str) -> Opened:
        """Open a file that was uploaded into a folder of its own, or the folder itself with all of its files."""
        source = locate(file)
        if isinstance(source, FileSource):
            source = replace(source, label=name, shown_as=repr(name))
        folder = file if file.is_dir() else file.parent
        return self._opened(name, source, Policy(), roles_known=False, folder=folder)

    def know(self, uri: str, label: str, folder: Path | None = None) -> Database:
        """Take note of a database of which tables may be opened."""
        found = Database(secrets.token_urlsafe(12), uri, label, folder)
        with self._lock:
            self._databases[found.id] = found
            unused = [key for key in self._databases if key not in {each.database for each in self._tables.values()}]
            dropped = [self._databases.pop(key) for key in unused[:-MOST_DATABASES]]
        for each in dropped:
            _remove(each)
        return found

    def open_from(self, database_id: str, table: str) -> Opened:
        """Open a table of a database that is known."""
        database = self._databases.get(database_id)
        if database is None:
            raise InputError("There is no such database any more; choose it again.")
        source = DatabaseTable(database.uri, table=table)
        if database.folder is not None:
            source = source.named(Label(f"{table} of {database.label}", table))
        policy = Policy(table=source.address if database.folder is None else None)
        opened = self._opened(source.label, source, policy, roles_known=False)
        opened.database = database.id
        return opened

    def place_for(self, name: str, upload: str | None = None) -> tuple[Path, str]:
        """Return where an uploaded file goes, and the name it is shown under; of its own name only the ending counts.

        Parameters
        ----------
        name
            Its name.
        upload
            The folder of the files that came before it, where it is one of several.

        Raises
        ------
        SourceError
            If the ending is that of no table.
        """
        shown = re.split(r"[/\\]", name)[-1].strip()[:_LONGEST_NAME] or "table.csv"
        endings = [ending.lower() for ending in Path(shown).suffixes]
        packed = endings.pop() if endings and endings[-1] in COMPRESSION_OF_SUFFIX else ""
        ending = endings[-1] if endings else ".csv"
        if ending not in (*FORMAT_OF_SUFFIX, *DATABASE_ENDINGS):
            raise SourceError(f"A file that ends in {ending!r} is not read. Tables end in .csv, .parquet, .xlsx, …")
        if upload is None:
            return self._new_folder() / f"table{ending}{packed}", shown
        folder = self._folder_of(upload)
        return folder / f"table{sum(1 for _ in folder.iterdir()):06d}{ending}{packed}", shown

    def begin_folder(self) -> str:
        """Return the name of a new folder for several files of one table."""
        return self._new_folder().name

    def _folder_of(self, upload: str) -> Path:
        folder = self.folder / upload
        taken = {opened.folder for opened in self._tables.values()}
        if not re.fullmatch(r"open-[0-9a-f]{16}", upload) or not folder.is_dir() or folder in taken:
            raise InputError("There is no such upload; begin it again.")
        return folder

    def finish_folder(self, upload: str, name: str) -> Opened:
        """Open all files that were uploaded into a folder as one table."""
        return self.open_upload(self._folder_of(upload), name)

    def close_table(self, table_id: str) -> bool:
        """Forget a table and remove what was written for it; say whether there was one."""
        with self._lock:
            opened = self._tables.pop(table_id, None)
            used = {each.database for each in self._tables.values()}
            database = None if opened is None or opened.database in used else opened.database
            unused = None if database is None else self._databases.pop(database, None)
        if opened is not None:
            opened.forget()
        if unused is not None:
            _remove(unused)
        return opened is not None

    def _new_folder(self) -> Path:
        folder = self.folder / f"open-{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        return folder

    def _opened(
        self, label: str, table: Any, policy: Policy, *, roles_known: bool, folder: Path | None = None
    ) -> Opened:
        paths = frozenset(text for text in _hierarchy_texts(policy) if text)
        opened = Opened(
            secrets.token_urlsafe(12), label, table, folder or self._new_folder(), policy, roles_known, paths
        )
        with self._lock:
            self._tables[opened.id] = opened
            oldest = list(self._tables)[:-MOST_TABLES]
        for table_id in oldest:
            self.close_table(table_id)
        return opened


def _remove(database: Database) -> None:
    """Remove a database that was uploaded."""
    if database.folder is not None:
        shutil.rmtree(database.folder, ignore_errors=True)


def _hierarchy_texts(policy: Policy) -> list[str]:
    trees = [getattr(distance, "tree", None) for distance in policy.roles.sensitive.values()]
    return [str(tree) for tree in (*trees, *policy.columns.hierarchies.values()) if isinstance(tree, str | Path)]


def examples() -> list[dict[str, Any]]:
    """Return the built-in tables, as a page lists them."""
    return [
        {"name": example.name, "description": example.description, "rows": len(example.rows)}
        for example in EXAMPLES.values()
    ]
