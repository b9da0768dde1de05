"""Text and numbers as LaTeX takes them, whatever letters a table holds."""

from __future__ import annotations

import re

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}", "-": r"-{}",
    "[": r"{[}", "]": r"{]}",
}  # fmt: skip
_MATHEMATICS = {
    "−": "-", "·": r"\cdot", "→": r"\rightarrow", "≤": r"\leq", "≥": r"\geq", "≈": r"\approx", "∞": r"\infty",
    "Σ": r"\Sigma", "∅": r"\varnothing", "α": r"\alpha", "β": r"\beta", "δ": r"\delta", "ε": r"\varepsilon",
    "ℓ": r"\ell", "×": r"\times", "½": r"\tfrac{1}{2}", "ᵢ": "_i", "•": r"\bullet",
    **{small: f"_{{{digit}}}" for digit, small in enumerate("₀₁₂₃₄₅₆₇₈₉")},
}  # fmt: skip
_PLAIN = {"–": "--", "—": "---", "…": r"\dots{}", "’": "'", "\u00a0": "~"}
_FRACTION = re.compile(r"(?P<sign>−?)(?P<above>\d+)/(?P<below>\d+)")
_POWER = re.compile(r"(?P<digits>[−\d.]+)e(?P<power>[+-]?\d+)")


def escaped(text: str) -> str:
    r"""Return text that LaTeX sets letter by letter; letters it may lack are left to :func:`declarations`.

    Examples
    --------
    >>> print(escaped("50% of A_1 & {x} → y"))
    50\% of A\_1 \& \{x\} $\rightarrow$ y
    """
    return "".join(_letter(letter) for letter in text)


def _letter(letter: str) -> str:
    if letter in _MATHEMATICS:
        return f"${_MATHEMATICS[letter]}$"
    return _SPECIAL.get(letter) or _PLAIN.get(letter) or letter


def declarations(body: str) -> str:
    """Return what pdflatex must be told of the letters that its fonts lack: it shows their code points."""
    strange = sorted({letter for letter in body if ord(letter) > 127 and not _in_the_font(letter)})
    lines = [rf"  \DeclareUnicodeCharacter{{{ord(letter):04X}}}{{[U+{ord(letter):04X}]}}" for letter in strange]
    return "\n".join([r"\ifdefined\pdfoutput", *lines, r"\fi", ""]) if lines else ""


def _in_the_font(letter: str) -> bool:
    """Say whether the T1 fonts have a letter: those of western and central European languages."""
    return "\u00a1" <= letter <= "\u00ff" or ("\u0100" <= letter <= "\u017e" and letter not in "ĦħĸŉŦŧĿŀ")


def number(text: str) -> str:
    r"""Return a number as mathematics.

    Examples
    --------
    >>> print(number("−2/9"), number("0.375"), number("3.315e-05"))
    -\tfrac{2}{9} 0.375 3.315\cdot 10^{-5}
    """
    if found := _FRACTION.fullmatch(text):
        return rf"{'-' if found['sign'] else ''}\tfrac{{{found['above']}}}{{{found['below']}}}"
    if found := _POWER.fullmatch(text):
        return rf"{found['digits'].replace('−', '-')}\cdot 10^{{{int(found['power'])}}}"
    return text.replace("−", "-")
