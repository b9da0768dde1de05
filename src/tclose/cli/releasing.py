"""Where a release goes: checked before any work, then written, summed up, and told by the exit code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tclose.cli.failures import FAILS, HOLDS, say
from tclose.cli.output import check_not_input, deliver, text_shape
from tclose.errors import InputError, SourceError
from tclose.releases import Release, Written


def release_target(output: str | None, inputs: Iterable[str], *, force: bool) -> Path | None:
    """Return the file that a release goes to, refused if nothing can or may be written there.

    Parameters
    ----------
    output
        The file as named, or None.
    inputs
        The files that are read, which must stay as they are.
    force
        Whether files that are there already may be replaced.
    """
    if output is None:
        return None
    from tclose.anonymizing.working import Targets
    from tclose.engines.duckdb.writing import check_ending

    path = Path(output)
    check_ending(path)
    targets = Targets.beside(path)
    inputs = tuple(inputs)
    for file in (targets.table, targets.recipe, targets.report):
        check_not_input(str(file), inputs)
    targets.check(force=force)
    return path


def check_report(given: Mapping[str, Any], inputs: Iterable[str]) -> None:
    """Refuse a page to report on that cannot or may not be written, before any work is done."""
    if given["report"] is None:
        return
    path = Path(given["report"])
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError("--report writes a page; name a file that ends in .html.")
    check_not_input(str(path), inputs)
    if not path.parent.is_dir() or path.is_dir():
        raise SourceError(f"{str(path)!r} cannot be written: it is a folder, or in none.")
    if path.exists() and not given["force"]:
        raise InputError(f"{str(path)!r} is there already; say --force to replace it.")


def deliver_release(release: Release, target: Path | None, given: Mapping[str, Any]) -> int:
    """Write a release if there is one, sum it up on standard output, and return the exit code."""
    written = release.write(target, force=given["force"]) if target is not None and release.holds else None
    if release.holds and given["into"]:
        _store(release, given["into"], quiet=given["quiet"])
    if given["report"] is not None:
        deliver(release.to_html(written), given["report"])
    deliver(_summary(release, written, given["form"]), None)
    if release.holds and target is None and not given["into"]:
        say("Nothing was written; -o FILE writes the release.", quiet=given["quiet"])
    if not release.holds and target is not None:
        say(f"{target} was not written.", quiet=given["quiet"])
    return HOLDS if release.holds else FAILS


def _store(release: Release, address: str, *, quiet: bool) -> None:
    from tclose.anonymizing.storing import store
    from tclose.sources import DatabaseTable

    target = DatabaseTable(address)
    _, original = store(release, target)
    say(f"{original.rows:,} rows stored as {target.label}, audited there.", quiet=quiet)


def _summary(release: Release, written: Written | None, form: str) -> str:
    if form == "json":
        from tclose.render.json import json_text
        from tclose.render.release_json import release_data, report_data

        return json_text(release_data(release) if written is None else report_data(release, written))
    if form == "html":
        return release.to_html(written)
    from tclose.render.release_text import release_text

    width, colour = text_shape(None)
    return release_text(release, width, colour=colour, written=written)
