"""``tclose audit``: measure a table and judge it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tclose.cli.asked import Asked, asked
from tclose.cli.failures import FAILS, HOLDS, say
from tclose.cli.lazy import Command
from tclose.cli.options import (
    MEASURING,
    OUTPUT,
    TableName,
    format_option,
    option,
    output_option,
    reading_options,
    reference_option,
    role_options,
    running,
    running_options,
    together,
)
from tclose.cli.output import (
    check_not_input,
    deliver,
    deliver_file,
    file_of,
    file_word,
    format_for,
    text_shape,
)
from tclose.cli.requirement_options import requirement_options
from tclose.results import Audit

if TYPE_CHECKING:
    from tclose.explanations import Explanations

_HELP = """Measure what TABLE gives away, and judge it by its requirements.

TABLE is a file (CSV, Parquet, JSON, Excel, …), several files or a glob of one
table, '-' for standard input, a database (postgresql://HOST/DATABASE, sqlite:PATH)
with --table or --query, or a built-in example such as example:salary.

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

_measuring_options = together(
    option(
        "--measure",
        section=MEASURING,
        metavar="WHICH",
        default="usual",
        show_default=True,
        help="usual, all, or models by their keys: k,t,js.",
    ),
    reference_option,
    option(
        "--population",
        section=MEASURING,
        metavar="TABLE",
        help="The people the table was drawn from, for journalist risk, k-map and δ-presence.",
    ),
    option(
        "--drivers/--no-drivers",
        section=MEASURING,
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
    option(
        "--explain",
        section=OUTPUT,
        is_flag=True,
        help="Also explain the worst class of each attribute that misses a requirement.",
    ),
    option("--redact-classes", section=OUTPUT, is_flag=True, help="Show no class key and no value of the table."),
)


@click.command("audit", cls=Command, help=_HELP)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=TableName())
@role_options
@requirement_options
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
    if given["explain"] and (form == "csv" or given["redact_classes"]):
        with_what = "--format csv" if form == "csv" else "--redact-classes"
        raise click.UsageError(f"--explain shows a class and its values; it cannot go with {with_what}.")
    what = asked(tables, given)
    for target in (given["output"], given["classes"]):
        check_not_input(target, what.tables)
    audit = _audited(what, given)
    if given["classes"]:
        _write_classes(audit, given["classes"], quiet=given["quiet"])
    if form == "csv":
        _deliver_classes(audit, given["output"], quiet=given["quiet"])
    else:
        deliver(_rendered(audit, form, given), given["output"])
    return FAILS if audit.holds is False else HOLDS


def _audited(what: Asked, given: dict[str, Any]) -> Audit:
    from tclose.auditing import audit

    with running(given) as settings:
        return audit(
            what.table,
            what.policy.roles,
            require=what.policy.requirements(),
            measure=_measure(given["measure"]),
            reference=what.policy.reference,
            population=what.policy.population,
            drivers=given["drivers"],
            read=what.policy.read,
            **settings,
        )


def _measure(text: str) -> str | list[str]:
    """Return what to measure: a word, or models by their keys."""
    return text if text in ("usual", "all") else [key.strip().replace("-", "_") for key in text.split(",")]


def _rendered(audit: Audit, form: str, given: dict[str, Any]) -> str:
    if form == "html":
        return _report(audit, given)
    if given["redact_classes"]:
        from tclose.render.redact import redacted

        audit = redacted(audit)
    explained = _explained(audit, quiet=given["quiet"]) if given["explain"] else None
    if form == "json":
        from tclose.render.json import json_text

        data = audit.to_dict()
        return json_text(data if explained is None else {**data, "explanations": explained.to_dict()["explanations"]})
    if form == "markdown":
        from tclose.render.markdown import audit_markdown

        return "\n".join([audit_markdown(audit), *([explained.to_markdown()] if explained else [])])
    from tclose.render.text import audit_text

    width, colour = text_shape(given["output"])
    text = audit_text(audit, width=width, colour=colour, show_classes=given["show_classes"])
    if not explained:
        return text
    from tclose.render.explanation_text import explanations_text

    return f"{text}\n\n{explanations_text(explained.items, width=width, colour=colour)}"


def _report(audit: Audit, given: dict[str, Any]) -> str:
    from tclose.render.report import report_html

    explained = _explained(audit, quiet=given["quiet"]) if given["explain"] else None
    return report_html(audit, show_classes=given["show_classes"], redact=given["redact_classes"], explained=explained)


def _explained(audit: Audit, *, quiet: bool) -> Explanations:
    from tclose.explaining import explain_failures

    found = explain_failures(audit)
    if not found:
        say("No sensitive attribute misses a requirement; there is nothing to explain.", quiet=quiet)
    return found


def _deliver_classes(audit: Audit, target: str | None, *, quiet: bool) -> None:
    if (file := file_of(target)) is not None:
        _write_classes(audit, file, quiet=quiet)
        return
    with tempfile.TemporaryDirectory(prefix="tclose-out-") as folder:
        path = Path(folder) / "classes.csv"
        write_here: Callable[[Path], None] = getattr(audit.classes, "write_here", audit.classes.write)
        write_here(path)
        deliver_file(path)


def _write_classes(audit: Audit, target: str, *, quiet: bool) -> None:
    """Write the class table, and beside it those of attributes that have classes of their own."""
    path = Path(target)
    for own, table in audit.tables.items():
        mark = "" if own is None else f".{file_word(own)}"
        written = path.with_name(f"{path.stem}{mark}{path.suffix}")
        table.write(written)
        say(f"{len(table):,} classes written to {written}.", quiet=quiet)
