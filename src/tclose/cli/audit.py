"""``tclose audit``: measure a table and judge it."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import click

from tclose.cli.asked import Asked, asked
from tclose.cli.failures import FAILS, HOLDS, say
from tclose.cli.lazy import Command
from tclose.cli.options import (
    OUTPUT,
    TableName,
    format_option,
    option,
    output_option,
    reading_options,
    running_options,
    together,
)
from tclose.cli.output import (
    check_not_input,
    colour_wanted,
    deliver,
    deliver_file,
    format_for,
    terminal_width,
)
from tclose.cli.progress import progress
from tclose.models.catalogue import MODELS
from tclose.results import Audit

_HELP = """Measure what TABLE gives away, and judge it by its requirements.

TABLE is a file (CSV, Parquet, JSON, Excel, …), several files or a glob of one
table, '-' for standard input, or a built-in example such as example:salary.

\b
  tclose audit patients.csv -q zip -q age -s salary:ordered --k 5 --t 0.2
  tclose audit patients.csv -q zip,age -s pay,disease --t 1/3 --t pay=0.2
  tclose audit patients.csv -q zip -s disease --hierarchy disease=tree.csv
  tclose audit --policy tclose.toml --format json -o audit.json

Column names may hold any character. A name that starts with a dash is taken
as it is (-q -x). A comma separates names only where no column has the whole
name. NAME:DISTANCE is split at the last colon and only before a distance word;
to name a column that ends in one, add its distance (-s x:ordered:ordered).
NAME=VALUE is split where NAME is a sensitive column.
"""
_FORMATS = ("text", "json", "html", "markdown", "csv")
_ROLES, _REQUIREMENTS, _MEASURING = "Roles", "Requirements", "Measuring"

_role_options = together(
    option(
        "-q",
        "--quasi",
        section=_ROLES,
        metavar="COLUMN",
        multiple=True,
        help="A quasi-identifier: what others may know of a person. Repeatable, or a list with commas.",
    ),
    option(
        "-s",
        "--sensitive",
        section=_ROLES,
        metavar="NAME[:DISTANCE]",
        multiple=True,
        help="A sensitive attribute; its distance is ordered, numeric, nominal or hierarchical. Repeatable.",
    ),
    option(
        "-i",
        "--identifier",
        section=_ROLES,
        metavar="COLUMN",
        multiple=True,
        help="A column that names a person outright. Repeatable.",
    ),
    option(
        "--together",
        section=_ROLES,
        type=click.Choice(["each", "quasi", "joint"]),
        help="Several sensitive attributes: each alone, the others as quasi-identifiers, or as one.",
    ),
    option(
        "--order",
        section=_ROLES,
        metavar="NAME=ORDER",
        multiple=True,
        help="The order of a sensitive attribute: value, frequency, or its values a,b,c.",
    ),
    option(
        "--hierarchy",
        section=_ROLES,
        metavar="NAME=FILE",
        multiple=True,
        help="The hierarchy of a sensitive attribute, which makes it hierarchical.",
    ),
    option(
        "--nulls",
        section=_ROLES,
        metavar="NAME=MEANING",
        multiple=True,
        help="What a missing value means: drop, first, last, category or error.",
    ),
    option(
        "--policy",
        section=_ROLES,
        metavar="FILE",
        type=click.Path(),
        help="Roles and requirements from a file, which other options override. "
        "Without -q and -s, ./tclose.toml is taken by itself.",
    ),
)


def _model_option(key: str) -> Any:
    model = MODELS[key]
    names = [*([f"-{key}"] if len(key) == 1 else []), f"--{key.replace('_', '-')}", f"require_{key}"]
    of_attribute = "" if model.scope == "table" else "[NAME=]"
    return option(
        *names,
        section=_REQUIREMENTS,
        metavar=f"{of_attribute}{','.join(model.form).upper()}",
        multiple=True,
        help=f"{model.title}, such as {model.example}.",
    )


_model_options = together(
    *(_model_option(key) for key in MODELS),
    option(
        "--presence",
        "require_presence",
        section=_REQUIREMENTS,
        metavar="LOW,HIGH",
        multiple=True,
        help="δ-presence between two bounds, such as 0.1,0.5.",
    ),
)

_measuring_options = together(
    option(
        "--measure",
        section=_MEASURING,
        metavar="WHICH",
        default="usual",
        show_default=True,
        help="usual, all, or models by their keys: k,t,js.",
    ),
    option(
        "--reference",
        section=_MEASURING,
        metavar="TABLE",
        help="Compare classes with this table's distribution instead of the audited one's.",
    ),
    option(
        "--population",
        section=_MEASURING,
        metavar="TABLE",
        help="The people the table was drawn from, for journalist risk, k-map and δ-presence.",
    ),
    option(
        "--drivers/--no-drivers",
        section=_MEASURING,
        default=None,
        help="Whether to measure t without each quasi-identifier; by default up to a million rows.",
    ),
)

_output_options = together(
    format_option(*_FORMATS),
    output_option,
    option(
        "--classes",
        section=OUTPUT,
        metavar="FILE",
        type=click.Path(),
        help="Also write every class with its figures, as .csv, .parquet or .jsonl.",
    ),
    option(
        "--show-classes",
        section=OUTPUT,
        metavar="N",
        type=click.IntRange(0),
        default=5,
        show_default=True,
        help="How many of the worst classes to list.",
    ),
    option("--redact-classes", section=OUTPUT, is_flag=True, help="Show no class key and no value of the table."),
)


@click.command("audit", cls=Command, help=_HELP)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=TableName())
@_role_options
@_model_options
@_measuring_options
@_output_options
@reading_options
@running_options
@click.help_option()
def command(tables: tuple[str, ...], **given: Any) -> int:
    """Measure a table and judge it."""
    form = format_for(given["output"], given["form"], _FORMATS)
    if given["redact_classes"] and (form == "csv" or given["classes"]):
        raise click.UsageError("--redact-classes cannot go with the class table, which is made of keys.")
    what = asked(tables, given)
    for target in (given["output"], given["classes"]):
        check_not_input(target, what.tables)
    audit = _audited(what, given)
    if given["classes"]:
        _write_classes(audit, given["classes"], quiet=given["quiet"])
    _deliver(audit, form, given)
    return FAILS if audit.holds is False else HOLDS


def _audited(what: Asked, given: dict[str, Any]) -> Audit:
    from tclose.auditing import audit

    with progress(quiet=given["quiet"]) as report:
        return audit(
            what.table,
            what.policy.roles,
            require=what.policy.requirements(),
            measure=what.measure,
            reference=what.policy.reference,
            population=what.policy.population,
            drivers=given["drivers"],
            read=what.policy.read,
            memory=given["memory"],
            threads=given["threads"],
            temp=given["temp"],
            progress=report,
        )


def _deliver(audit: Audit, form: str, given: dict[str, Any]) -> None:
    target = given["output"]
    if form == "csv":
        _deliver_classes(audit, target, quiet=given["quiet"])
        return
    to_terminal = target in (None, "-")
    deliver(_rendered(audit, form, given, to_terminal=to_terminal), target)


def _rendered(audit: Audit, form: str, given: dict[str, Any], *, to_terminal: bool) -> str:
    if given["redact_classes"]:
        from tclose.render.redact import redacted

        audit = redacted(audit)
    if form == "json":
        return audit.to_json()
    if form == "markdown":
        from tclose.render.markdown import audit_markdown

        return audit_markdown(audit)
    if form == "html":
        from tclose.render.html import audit_html, page_html

        return page_html(f"Privacy audit of {audit.source}", audit_html(audit, show_classes=given["show_classes"]))
    from tclose.render.text import audit_text

    width, colour = (terminal_width(), colour_wanted()) if to_terminal else (80, False)
    return audit_text(audit, width=width, colour=colour, show_classes=given["show_classes"])


def _deliver_classes(audit: Audit, target: str | None, *, quiet: bool) -> None:
    if target not in (None, "-"):
        _write_classes(audit, str(target), quiet=quiet)
        return
    with tempfile.TemporaryDirectory(prefix="tclose-out-") as folder:
        path = Path(folder) / "classes.csv"
        audit.classes.write(path)
        deliver_file(path)


def _write_classes(audit: Audit, target: str, *, quiet: bool) -> None:
    """Write the class table, and beside it those of attributes that have classes of their own."""
    path = Path(target)
    for own, table in audit.tables.items():
        mark = "" if own is None else "." + re.sub(r"[^\w-]+", "_", own)
        written = path.with_name(f"{path.stem}{mark}{path.suffix}")
        table.write(written)
        say(f"{len(table):,} classes written to {written}.", quiet=quiet)
