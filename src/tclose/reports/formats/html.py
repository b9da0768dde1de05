"""Documents as HTML: a fragment for notebooks, a page, or a report to sign; no script, nothing from outside."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup, escape

from tclose.data.file_reading import read_whole
from tclose.errors import InputError
from tclose.reports.charts.svg import NOTEBOOK_STYLE
from tclose.reports.document import Document
from tclose.reports.formats.svg_compression import leaner, styled_once

_LONGEST_LINE = 70
_LONGEST_WORD = 24
"""So many letters of a word are kept together in a table, whose columns are then wide enough for it."""
_WORD = re.compile(rf"[^\s-]{{{_LONGEST_WORD + 1},}}")
_PIECE = re.compile(rf"[^_/.,=]{{1,{_LONGEST_WORD}}}[_/.,=]?|[_/.,=]")


def fragment(*documents: Document) -> str:
    """Return documents as a fragment that brings its own styles."""
    return _rendered("fragment.html", documents=documents)


def page(*documents: Document) -> str:
    """Return documents as a complete page that asks for nothing from outside."""
    secret = next((each.confidential for each in documents if each.confidential), "")
    inside = Markup(fragment(*documents))  # noqa: S704 - escaped
    return _rendered("page.html", title=documents[0].name, confidential=secret, fragment=inside)


def report(document: Document, appendix: Iterable[Document] = (), *, template: str | Path | None = None) -> str:
    """Return a document as a page to print and sign, with others behind it; its sections need anchors.

    Parameters
    ----------
    document
        The report.
    appendix
        What stands behind it.
    template
        A file of one's own in place of ``report.html``; it may take over its parts, and everything is escaped.
    """
    if template is None:
        return leaner(_rendered("report.html", report=document, appendix=list(appendix)))
    return leaner(_by_own_template(Path(template), report=document, appendix=list(appendix)))


def _by_own_template(path: Path, **variables: Any) -> str:
    """Return a template of the user filled in: it sees the document, and reaches nothing else."""
    environment = SandboxedEnvironment(
        loader=_environment().loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals.update(_environment().globals)
    environment.filters.update(_environment().filters)
    try:
        text = read_whole(path).decode("utf-8")
        return styled_once(environment.from_string(text).render(**variables))
    except TemplateError as problem:
        line = getattr(problem, "lineno", None)
        where = f", line {line}" if line else ""
        raise InputError(
            f"The template {str(path)!r}{where}: {type(problem).__name__}. It is one of Jinja, and has the variables "
            "'report' and 'appendix'; docs/report.md shows one."
        ) from None
    except (OSError, UnicodeDecodeError):
        raise InputError(f"The template {str(path)!r} cannot be read as UTF-8 text.") from None


def _rendered(template: str, **variables: Any) -> str:
    """Return a template filled in, with everything escaped but what is marked as safe."""
    return styled_once(_environment().get_template(template).render(**variables))


@cache
def _environment() -> Environment:
    found = Environment(
        loader=PackageLoader("tclose.reports.formats"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals["notebook_pictures"] = Markup(NOTEBOOK_STYLE)  # noqa: S704 - rules of our own
    found.filters["inline"] = _inline
    found.filters["css_text"] = _css_text
    found.filters["breakable"] = _breakable
    return found


def _css_text(text: str) -> Markup:
    """Return text as a string of a style sheet holds it, whatever letters it has; no more of it than fits a line."""
    short = text if len(text) <= _LONGEST_LINE else f"{text[: _LONGEST_LINE - 1]}…"
    plain = (letter if letter.isascii() and letter.isalnum() else f"\\{ord(letter):x} " for letter in short)
    return Markup("".join(plain))  # noqa: S704 - every letter that means something is written out


def _breakable(text: str) -> Markup:
    """Return text in which long words alone may be broken: behind signs, or where they are too long for a column."""
    text, pieces, at = text.replace(" %", "\u00a0%"), [], 0
    for word in _WORD.finditer(text):
        pieces.append(escape(text[at : word.start()]))
        pieces.append(Markup("<wbr>").join(_PIECE.findall(word[0])))
        at = word.end()
    return Markup("").join([*pieces, escape(text[at:])])


def _inline(svg: str) -> Markup:
    """Return one of our own pictures as part of a page, without what only a file of its own needs."""
    return Markup(svg.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1).strip())  # noqa: S704 - escaped by us
