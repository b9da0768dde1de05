r"""Which letters of a text may be shown where: nothing that a terminal obeys, nothing that a stream cannot hold."""

from __future__ import annotations

import codecs
import sys
import unicodedata
from typing import TextIO

_PLAIN = {
    "✓": "[ok]", "✗": "[NO]", "≤": "<=", "≥": ">=", "≈": "~", "≠": "!=", "−": "-", "–": "-", "—": "-", "…": "...",
    "×": "x", "·": "*", "•": "*", "∅": "(missing)", "→": "->", "ℓ": "l", "α": "alpha", "β": "beta", "δ": "delta",
}  # fmt: skip
_SPELLED = "tclose.spelled"


def visible(text: str) -> str:
    r"""Return text with every character that a terminal or a reader could be misled by written out.

    Examples
    --------
    >>> print(visible("a\x1b[31mb\n"), visible("Müller"), visible("\u202eevil"))
    a\x1b[31mb\n Müller \u202eevil
    """
    return "".join(_escaped(letter) if _misleads(letter) else letter for letter in text)


def _misleads(letter: str) -> bool:
    return unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def holdable(text: str, stream: TextIO | None) -> str:
    """Return text as a stream can hold it: signs that its encoding lacks are spelled in letters that it has.

    Examples
    --------
    >>> import io
    >>> holdable("✗ k ≤ ½", io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
    '[NO] k <= ½'
    """
    encoding = getattr(stream, "encoding", None)
    return text.encode(encoding, _SPELLED).decode(encoding) if encoding else text


def speak_utf8() -> None:
    """Let standard output and standard error be UTF-8 whatever the locale says; a terminal keeps its own letters."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(encoding=stream.encoding if stream.isatty() else "utf-8", errors=_SPELLED)


def _spelled(problem: UnicodeError) -> tuple[str, int]:
    """Spell letters that an encoding lacks."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    lacking = problem.object[problem.start : problem.end]
    return "".join(_PLAIN.get(letter) or _escaped(letter) for letter in lacking), problem.end


codecs.register_error(_SPELLED, _spelled)
