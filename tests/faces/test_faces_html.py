"""The report as a page: everything escaped, no script, nothing fetched, valid nesting."""

import pytest
from html_pages import harmless_tags_of, tags_of

from tclose.auditing import audit
from tclose.profiling import profile
from tclose.render.html import audit_html, page_html
from tclose.render.markdown import audit_markdown
from tclose.render.profile import profile_html
from tclose.render.redact import redacted
from tclose.roles import Nominal, Roles

HOSTILE = "</section></style><script>alert(1)</script><img src=x onerror=y>\"'&"
TABLE = {HOSTILE: [HOSTILE, "b"], "s" + HOSTILE: [HOSTILE, "y"]}


def hostile_audit():
    return audit(TABLE, Roles([HOSTILE], {"s" + HOSTILE: Nominal()}), require={"k": 2, "t": "0.1"})


@pytest.mark.parametrize("make", [lambda: audit_html(hostile_audit()), lambda: profile_html(profile(TABLE))])
def test_a_fragment_escapes_everything_and_runs_nothing(make):
    html = make()
    assert harmless_tags_of(html)
    assert html.startswith('<section class="tclose"')


def test_a_page_is_complete_and_forbids_everything_from_outside():
    html = page_html(HOSTILE, audit_html(hostile_audit()))
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
    html = audit_html(redacted(audit("example:salary", require={"t": "0.2"})))
    assert "476**" not in html
    assert "0.375 (3/8)" in html


def test_markdown_escapes_what_came_from_the_table():
    table = {"q|": ["<b>|`x`", "c", "c"], "s": ["u", "v", "v"]}
    text = audit_markdown(audit(table, Roles(["q|"], {"s": Nominal()}), require={"k": 2}))
    assert "<b>" not in text
    assert "\\<b\\>\\|\\`x\\`" in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in lines} == {5, 7}
