"""``tclose audit``: measure a table and judge it."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tclose.auditing.results import Audit
from tclose.cli.commands import Command
from tclose.cli.errors import FAILS, FAILURE, HOLDS, USAGE, error_data, say, tell
from tclose.cli.options import (
    OUTPUT,
    TableName,
    format_option,
    option,
    output_option,
    policy_options,
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
from tclose.cli.question import database_policies, policies_of, policy_of_command
from tclose.data.sources import files_read
from tclose.data.targets import Target, private_folder
from tclose.engines.dispatch import target_for
from tclose.errors import InputError, TcloseError
from tclose.policy.policy import Policy
from tclose.policy.several_tables import TableAsked
from tclose.reports.machine_readable.ci_formats import FORMS, Judged
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.numbers import counted

if TYPE_CHECKING:
    from tclose.auditing.explanations import Explanations
    from tclose.engines.class_tables import ClassTable
    from tclose.reports.document import Document


# Several tables in one run: each judged by itself, one text of all, one exit code.


PIPELINES = tuple(FORMS)
"""The formats of pipelines."""
TABLES_FORMATS = ("text", "json", "markdown", *PIPELINES)
"""The formats that several tables can have."""


def judged_by(source: str, policy: Callable[[], Policy], audited: Callable[[Policy], Audit]) -> tuple[Judged, int]:
    """Return what an audit found of a table, or why there is none, with its exit code."""
    from tclose.cli.options import shown_names

    (name,) = shown_names((source,))
    try:
        audit = audited(policy())
    except TcloseError as problem:
        told = problem.of(f"{name}: ")
        tell(visible(f"Error: {told}"), "error", error_data(told))
        return Judged(name, None, problem), USAGE if isinstance(problem, InputError) else FAILURE
    return Judged(audit.source, audit), FAILS if audit.holds is False else HOLDS


def tables_text(tables: Sequence[Judged], form: str, given: Mapping[str, Any]) -> str:
    """Return what was judged of tables, in a format."""
    if form in FORMS:
        return FORMS[form](tables)
    audits = [judged.audit for judged in tables if isinstance(judged.audit, Audit)]
    if given["redact_classes"]:
        from tclose.reports.content.redaction import redacted

        audits = [redacted(audit) for audit in audits]
    if form == "json":
        from tclose.reports.machine_readable.audits import json_text

        problems = [_problem(each.source, each.problem) for each in tables if each.problem is not None]
        holds = None if problems else all(audit.holds is not False for audit in audits)
        return json_text({"holds": holds, "tables": [audit.to_dict() for audit in audits], "problems": problems})
    from tclose.reports.content.audits import audit_document

    documents = [audit_document(audit, show_classes=given["show_classes"]) for audit in audits]
    return face(form, documents, given["output"]).rstrip("\n") + f"\n\n{_summary(tables)}\n"


def _problem(source: str, problem: TcloseError) -> dict[str, str | None]:
    return {"source": source, **{key: text for key, text in problem.to_dict().items() if text is not None}}


def _summary(tables: Sequence[Judged]) -> str:
    """Return how many tables hold, in a sentence."""
    numbers = {
        "met": sum(each.audit is not None and each.audit.holds is not False for each in tables),
        "not met": sum(each.audit is not None and each.audit.holds is False for each in tables),
        "not judged": sum(each.audit is None for each in tables),
    }
    said = ", ".join(f"{number} {word}" for word, number in numbers.items() if number)
    return f"{len(tables)} table{'s' * (len(tables) != 1)}: requirements {said}."


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
    from tclose.auditing.database_audit import audit_tables
    from tclose.reports.machine_readable.audits import json_text

    alone = [f"--{name}" for name in ("classes", "explain", "after") if given[name]]
    if alone:
        raise click.UsageError(f"{alone[0]} is for one table, and the policy lists several about the same people.")
    file = file_of(given["output"])
    texts, read = named_targets(file), {name: what for each in policies for name, what in each.inputs.items()}
    check_targets(texts, read)
    with running(given) as settings:
        found = audit_tables([TableAsked(each) for each in policies], progress=settings.get("progress"))
    found = found.with_people() if given["show_people"] else found
    found = found.redacted() if given["redact_classes"] else found
    found = found.in_public() if form == "html" else found
    name = " + ".join(each.label for each in found.facts.tables)
    if form in PIPELINES:
        text = FORMS[form]([Judged(name, found)])
    elif form == "csv":
        text = found.to_csv()
    else:
        text = json_text(found.to_dict()) if form == "json" else face(form, [found.document()], given["output"])
    commit({target: text_writer(text) for target in texts}, read)
    if file is None:
        deliver(text, None)
    return FAILS if found.holds is False else HOLDS


def _audited(policy: Policy, given: dict[str, Any]) -> Audit:
    from tclose.auditing.audit import audit

    with running(given) as settings:
        found = audit(policy, **settings)
    return found.with_people() if given["show_people"] else found


def _rendered(audit: Audit, form: str, given: dict[str, Any]) -> str:
    redact, classes = given["redact_classes"], given["show_classes"]
    explained = _explained(audit, quiet=given["quiet"]) if given["explain"] else None
    if form == "html":
        from tclose.reports.content.audit_reports import audit_report
        from tclose.reports.formats.html import report

        told = audit_report(audit, show_classes=classes, redact=redact, about=given.get("about"))
        return report(told, _appendix(explained, public=True), template=given["template"])
    if redact:
        from tclose.reports.content.redaction import redacted

        audit = redacted(audit)
    if form in PIPELINES:
        return tables_text([Judged(audit.source, audit)], form, given)
    if form == "json":
        from tclose.reports.machine_readable.audits import json_text

        data = audit.to_dict()
        return json_text(data if explained is None else {**data, "explanations": explained.to_dict()["explanations"]})
    from tclose.reports.content.audits import audit_document

    return face(form, [audit_document(audit, show_classes=classes), *_appendix(explained)], given["output"])


def _appendix(explained: Explanations | None, *, public: bool = False) -> list[Document]:
    """Return what explains an audit, without the folders of this machine where it is for others."""
    if not explained:
        return []
    from tclose.reports.content.explanations import explanation_documents
    from tclose.reports.phrases.cells import unfoldered

    return explanation_documents([unfoldered(each) for each in explained] if public else explained.items)


def _explained(audit: Audit, *, quiet: bool) -> Explanations:
    from tclose.auditing.explain import explain_failures
    from tclose.auditing.explanations import Explanations

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
