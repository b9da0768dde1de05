"""Where a release goes: checked before any work, then written, summed up, and told by the exit code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tclose.cli.failures import FAILS, HOLDS, say
from tclose.cli.output import check_not_input, deliver, text_shape
from tclose.cli.release_options import is_recoding
from tclose.errors import InputError, SourceError
from tclose.frontiers import Frontier
from tclose.releases import Release, Written
from tclose.sources import locate
from tclose.sources.database import DatabaseTable, is_database, is_database_address

PAGES = (".html", ".htm")
"""The endings of a page."""


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


def stored_as(table: object, into: str | None) -> str | None:
    """Return the address of the table that a release is stored as; a name alone is one in the original's database."""
    if into is None or is_database_address(into):
        return into
    source = locate(table) if is_database(table) else None
    if not isinstance(source, DatabaseTable):
        raise InputError("--into names a table of a database, such as postgresql://HOST/DATABASE#SCHEMA.TABLE.")
    return f"{source.uri}#{into}"


def check_files(given: Mapping[str, Any], inputs: Iterable[str]) -> None:
    """Refuse a report or a recipe that cannot or may not be written, before any work is done."""
    if given["report"] is not None and Path(given["report"]).suffix.lower() not in (*PAGES, ".json"):
        raise InputError("--report writes a page or data; name a file that ends in .html or in .json.")
    inputs = tuple(inputs)
    for named in (given["report"], given["recipe_file"]):
        if named is None:
            continue
        path = Path(named)
        check_not_input(named, inputs)
        if not path.parent.is_dir() or path.is_dir():
            raise SourceError(f"{named!r} cannot be written: it is a folder, or in none.")
        if path.exists() and not given["force"]:
            raise InputError(f"{named!r} is there already; say --force to replace it.")


def deliver_release(
    release: Release, target: Path | None, given: Mapping[str, Any], frontier: Frontier | None = None
) -> int:
    """Write a release if there is one, sum it up on standard output, and return the exit code."""
    written = _written(release, target, given) if release.holds else None
    if given["report"] is not None:
        page = Path(given["report"]).suffix.lower() in PAGES
        report = release.to_html(written, frontier=frontier) if page else _data(release, written)
        deliver(report, given["report"])
    deliver(_summary(release, written, frontier, given["form"]), None)
    _remark(release, target, given)
    return HOLDS if release.holds else FAILS


def _written(release: Release, target: Path | None, given: Mapping[str, Any]) -> Written | None:
    """Write a release to its file and into its database, as far as they are named, and its recipe."""
    from tclose.anonymizing.storing import store
    from tclose.anonymizing.working import written_beside

    written = release.write(target, force=given["force"]) if target is not None else None
    recipe = None if given["recipe_file"] is None else Path(given["recipe_file"])
    if given["into"]:
        place = DatabaseTable(given["into"])
        stored = store(release, place, recipe=recipe)
        say(f"{stored.audit.rows:,} rows stored as {place.label}, audited there.", quiet=given["quiet"])
        return written or stored
    if recipe is not None and release.recipe is not None:
        with written_beside(recipe, release.recipe.to_json(), 0o600):
            pass
    return written


def _remark(release: Release, target: Path | None, given: Mapping[str, Any]) -> None:
    """Say what was not written."""
    quiet = given["quiet"]
    if not release.holds:
        names = [str(target)] if target is not None else []
        names += [DatabaseTable(given["into"]).label] if given["into"] else []
        for name in names:
            say(f"{name} was not written.", quiet=quiet)
    elif target is None and not given["into"]:
        say("Nothing was written; -o FILE writes the release.", quiet=quiet)
    elif target is None and given["recipe_file"] is None and is_recoding(given):
        say("The recipe was not kept; --recipe FILE keeps it, with the original.", quiet=quiet)


def _data(release: Release, written: Written | None) -> str:
    from tclose.render.json import json_text
    from tclose.render.release_json import release_data, report_data

    return json_text(release_data(release) if written is None else report_data(release, written))


def _summary(release: Release, written: Written | None, frontier: Frontier | None, form: str) -> str:
    if form == "json":
        return _data(release, written)
    if form == "html":
        return release.to_html(written, frontier=frontier)
    from tclose.render.release_text import release_text

    width, colour = text_shape(None)
    return release_text(release, width, colour=colour, written=written)
