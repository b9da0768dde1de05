"""The report as a page: everything escaped, no script, nothing fetched, valid nesting."""

import pytest

from faces.html_pages import harmless_tags_of, tags_of
from tclose.auditing.audit import audit
from tclose.policy.profiling.profile import profile
from tclose.policy.roles import Nominal, Roles
from tclose.reports.content.audits import audit_document
from tclose.reports.content.redaction import redacted
from tclose.reports.formats.html import page

HOSTILE = "</section></style><script>alert(1)</script><img src=x onerror=y>\"'&"
TABLE = {HOSTILE: [HOSTILE, "b"], "s" + HOSTILE: [HOSTILE, "y"]}


def hostile_audit():
    return audit(TABLE, Roles([HOSTILE], {"s" + HOSTILE: Nominal()}), require={"k": 2, "t": "0.1"})


@pytest.mark.parametrize("make", [lambda: hostile_audit()._repr_html_(), lambda: profile(TABLE)._repr_html_()])
def test_a_fragment_escapes_everything_and_runs_nothing(make):
    html = make()
    assert harmless_tags_of(html)
    assert html.startswith('<section class="tclose"')


def test_a_page_is_complete_and_forbids_everything_from_outside():
    html = page(audit_document(hostile_audit()))
    tags = tags_of(html.removeprefix("<!DOCTYPE html>"))
    policies = [given["content"] for tag, given in tags if given.get("http-equiv") == "Content-Security-Policy"]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert not [tag for tag, _ in tags if tag == "script"]


def test_a_notebook_shows_the_same_figures():
    html = audit("example:salary", require={"t": "0.2"})._repr_html_()
    assert "0.375 (3/8)" in html
    assert "✗ fails" in html
    assert "prefers-color-scheme: dark" in html
    assert "drives the disclosure" in html


def test_a_redacted_page_shows_no_key():
    html = redacted(audit("example:salary", require={"t": "0.2"}))._repr_html_()
    assert "476**" not in html
    assert "0.375 (3/8)" in html


def test_markdown_escapes_what_came_from_the_table():
    table = {"q|": ["<b>|`x`", "c", "c"], "s": ["u", "v", "v"]}
    text = audit(table, Roles(["q|"], {"s": Nominal()}), require={"k": 2}).with_people().to_markdown()
    assert "<b>" not in text
    assert "\\<b\\>\\|\\`x\\`" in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in lines} == {4, 5, 7}
