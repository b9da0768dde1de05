"""``tclose audit``: measure a table and judge it."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tclose.cli.commands import Command
from tclose.cli.failures import FAILS, HOLDS, say
from tclose.cli.options import (
    OUTPUT,
    TableName,
    format_option,
    option,
    output_option,
    reading_options,
    running,
    running_options,
    template_option,
    together,
)
from tclose.cli.output import (
    Writer,
    check_targets,
    commit,
    deliver,
    deliver_file,
    face,
    file_of,
    file_word,
    format_for,
    named_targets,
    text_writer,
)
from tclose.cli.policy_options import policy_options
from tclose.cli.question import database_policies, policies_of, policy_of_command
from tclose.cli.several import PIPELINES, TABLES_FORMATS, judged_by, tables_text
from tclose.engines.choosing import target_for
from tclose.policy import Policy
from tclose.render.data.judgements import Judged
from tclose.render.words.phrases import counted
from tclose.sources import files_read
from tclose.targets import Target, private_folder

if TYPE_CHECKING:
    from tclose.engines.class_tables import ClassTable
    from tclose.explanations import Explanations
    from tclose.render.document import Document
    from tclose.results import Audit

_HELP = """Measure what TABLE reveals about people, and judge it by the requirements.

TABLE is a file (CSV, Parquet, JSON, Excel, …), several files or a glob of one
table, '-' for standard input, a database (postgresql://HOST/DATABASE, sqlite:PATH)
with --table or --query, or a built-in example such as example:salary.

\b
  tclose audit patients.csv -q zip -q age -s salary:ordered --k 5 --t 0.2
  tclose audit patients.csv -q zip,age -s pay,disease --t 1/3 --t pay=0.2
  tclose audit --policy tclose.toml --format json -o audit.json
  tclose audit --policy tclose.toml --all --format junit -o tclose.xml
  tclose audit release2.csv -q zip,age -s disease --t 0.3 --after release1.csv

A comma separates column names only where no column has the whole name.
"""
_FORMATS = ("text", "json", "html", "markdown", "latex", "csv", "junit", "sarif", "github")

_output_options = together(
    option(
        "--all",
        section=OUTPUT,
        is_flag=True,
        help="Audit every table that the policy lists as [[table]], with one summary and one exit code.",
    ),
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
    option(
        "--show-people",
        section=OUTPUT,
        is_flag=True,
        help="Show classes below k, or of fewer than 5 where no k is required: they show single people.",
    ),
    template_option(OUTPUT),
    option("--redact-classes", section=OUTPUT, is_flag=True, help="Show no class key and no value of the table."),
)


@click.command("audit", cls=Command, help=_HELP)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=TableName())
@policy_options("audit")
@_output_options
@reading_options
@running_options
@click.help_option()
def command(tables: tuple[str, ...], **given: Any) -> int:
    """Measure a table and judge it."""
    form = format_for(given["output"], given["form"], _FORMATS)
    if given["redact_classes"] and given["show_people"]:
        raise click.UsageError("--show-people shows classes, and --redact-classes none of them; give one of the two.")
    if given["all"]:
        return _every_table(tables, form, given)
    if not tables and (policies := database_policies(given)):
        return _database(policies, form, given)
    if given["redact_classes"] and (form == "csv" or given["classes"]):
        raise click.UsageError("--redact-classes cannot go with the class table, which is made of keys.")
    if given["explain"] and (form == "csv" or given["redact_classes"]):
        with_what = "--format csv" if form == "csv" else "--redact-classes"
        raise click.UsageError(f"--explain shows a class and its values; it cannot go with {with_what}.")
    policy = policy_of_command(tables, given, "audit")
    file = file_of(given["output"])
    listings = [name for name in (given["classes"], file if form == "csv" else None) if name is not None]
    texts = named_targets(file) if form != "csv" else []
    check_targets([*texts, *(target_for(policy.table, name) for name in listings)], policy.inputs)
    audit = _audited(policy, given)
    given["about"] = policy.about
    text = None if form == "csv" else _rendered(audit, form, given)
    classes = [pair for name in listings for pair in _class_files(audit, name)]
    writers: dict[Target, Writer] = {target: text_writer(text or "") for target in texts}
    commit(writers | {target: table.write_to for target, table in classes}, policy.inputs)
    for target, table in classes:
        few = f" Some have fewer than {audit.few} and show single people: it is confidential." if audit.has_few else ""
        say(f"{len(table):,} classes written to {target.shown}.{few}", quiet=given["quiet"])
    if file is None:
        _show_classes(audit) if text is None else deliver(text, None)
    return FAILS if audit.holds is False else HOLDS


def _every_table(tables: tuple[str, ...], form: str, given: dict[str, Any]) -> int:
    """Audit every table that the policy lists; one that cannot be judged does not keep the others from it."""
    if tables:
        raise click.UsageError("--all audits the tables that the policy lists; name no TABLE beside it.")
    alone = [f"--{name}" for name in ("classes", "explain", "after") if given[name]]
    if form not in TABLES_FORMATS or alone:
        one = alone[0] if alone else f"--format {form}"
        raise click.UsageError(f"{one} is for one table; with --all the formats are {', '.join(TABLES_FORMATS)}.")
    file = file_of(given["output"])
    texts = named_targets(file)
    check_targets(texts, files_read(given["policy"] or (), "the policy"))
    judged, codes = [], []
    for source, policy in policies_of(given, "audit"):
        found, code = judged_by(source, policy, functools.partial(_audited, given=given))
        judged.append(found)
        codes.append(code)
    text = tables_text(judged, form, given)
    commit({target: text_writer(text) for target in texts}, {})
    if file is None:
        deliver(text, None)
    return max(codes)


def _database(policies: list[Policy], form: str, given: dict[str, Any]) -> int:
    """Audit the tables of a policy as one database of people."""
    from tclose.databases import audit_database
    from tclose.render.data.json import json_text

    alone = [f"--{name}" for name in ("classes", "explain", "after") if given[name]]
    formats = ("text", "json", "markdown", "html")
    if form not in formats or alone:
        one = alone[0] if alone else f"--format {form}"
        raise click.UsageError(f"{one} is for one table; for a database the formats are {', '.join(formats)}.")
    file = file_of(given["output"])
    texts, read = named_targets(file), {name: what for each in policies for name, what in each.inputs.items()}
    check_targets(texts, read)
    with running(given) as settings:
        found = audit_database(policies, progress=settings.get("progress"))
    found = found.with_people() if given["show_people"] else found
    found = found.without_folders() if form == "html" else found
    text = json_text(found.to_dict()) if form == "json" else face(form, [found.document()], given["output"])
    commit({target: text_writer(text) for target in texts}, read)
    if file is None:
        deliver(text, None)
    return FAILS if found.holds is False else HOLDS


def _audited(policy: Policy, given: dict[str, Any]) -> Audit:
    from tclose.auditing import audit

    with running(given) as settings:
        found = audit(policy, **settings)
    return found.with_people() if given["show_people"] else found


def _rendered(audit: Audit, form: str, given: dict[str, Any]) -> str:
    redact, classes = given["redact_classes"], given["show_classes"]
    explained = _explained(audit, quiet=given["quiet"]) if given["explain"] else None
    if form == "html":
        from tclose.render.faces.html import report
        from tclose.render.telling.audit_reports import audit_report

        told = audit_report(audit, show_classes=classes, redact=redact, about=given.get("about"))
        return report(told, _appendix(explained, public=True), template=given["template"])
    if redact:
        from tclose.render.telling.redaction import redacted

        audit = redacted(audit)
    if form in PIPELINES:
        return tables_text([Judged(audit.source, audit)], form, given)
    if form == "json":
        from tclose.render.data.json import json_text

        data = audit.to_dict()
        return json_text(data if explained is None else {**data, "explanations": explained.to_dict()["explanations"]})
    from tclose.render.telling.audits import audit_document

    return face(form, [audit_document(audit, show_classes=classes), *_appendix(explained)], given["output"])


def _appendix(explained: Explanations | None, *, public: bool = False) -> list[Document]:
    """Return what explains an audit, without the folders of this machine where it is for others."""
    if not explained:
        return []
    from tclose.render.telling.explanations import explanation_documents
    from tclose.render.words.folders import unfoldered

    return explanation_documents([unfoldered(each) for each in explained] if public else explained.items)


def _explained(audit: Audit, *, quiet: bool) -> Explanations:
    from tclose.explaining import explain_failures
    from tclose.explanations import Explanations

    found = explain_failures(audit)
    if not found:
        say("No sensitive attribute misses a requirement; there is nothing to explain.", quiet=quiet)
    shown = tuple(each for each in found if audit.shows_people or not each.shows_people)
    hidden = len(found) - len(shown)
    if hidden:
        say(
            f"Not explained, as they show single people: {counted(hidden, 'class', 'classes')}. --show-people does.",
            quiet=quiet,
        )
    return Explanations(shown)


def _show_classes(audit: Audit) -> None:
    """Write the class table to standard output."""
    folder = private_folder(Path(tempfile.gettempdir()))
    try:
        path = folder.path / "classes.csv"
        audit.classes.write_here(path)
        deliver_file(path)
    finally:
        folder.remove()


def _class_files(audit: Audit, name: str) -> list[tuple[Target, ClassTable]]:
    """Return where the class table goes, and beside it those of attributes that have classes of their own."""
    path = Path(name)
    marks = {own: "" if own is None else f".{file_word(own)}" for own in audit.tables}
    return [
        (table.target(path.with_name(f"{path.stem}{marks[own]}{path.suffix}") if own else path), table)
        for own, table in audit.tables.items()
    ]
