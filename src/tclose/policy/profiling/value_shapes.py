"""What the values of a column look like: numbers of people, keys, names, bands, months, numbers with codes between.

In come different values of one column as text, some or all; out comes a :class:`Shape`, which holds none of them but
the codes that may mean a missing value.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Literal

from tclose.data.values import bands_in_order

Kind = Literal["bands", "dates", "months", "partial dates"]

_ENOUGH = 10
"""So many different values show a shape; of fewer, some have it by chance."""
_NEARLY_ALL = 0.95
_NAMED = 0.4
"""So many values with a common first name, and the others shaped like names, are those of people: no list has all."""
_FEW_CODES = 3
_LONGEST_CODE = 4
_LEAST_CHECKED = 8
"""Numbers of so many digits have check digits."""
_FLAGS = frozenset(
    "yes no y n true false t f 0 1 2 ja nein oui non si sim nao nee none unknown missing".split()  # noqa: SIM905
)
_PATTERNS: dict[str, re.Pattern[str]] = {
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+"),
    "random keys (UUID)": re.compile(r"\{?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}\}?", re.IGNORECASE),
    "social security numbers": re.compile(r"\d{3}-\d{2}-\d{4}", re.ASCII),
    "addresses of devices": re.compile(r"([0-9]{1,3}\.){3}[0-9]{1,3}|([0-9a-f]{2}[:-]){5}[0-9a-f]{2}", re.IGNORECASE),
    "telephone numbers": re.compile(
        r"(\+|00)[1-9][\d ()/.-]{6,20}\d|\(?0\d{1,5}\)?[ /-]\d[\d /-]{4,12}\d|\(?[2-9]\d{2}\)?[ .-]\d{3}[.-]\d{4}",
        re.ASCII,
    ),
    "addresses of pages": re.compile(r"https?://\S+", re.IGNORECASE),
    "hashes": re.compile(r"[0-9a-f]{32,128}", re.IGNORECASE),
}  # fmt: skip
_NAME = re.compile(r"[^\W\d_][^\W\d_.'’-]*[.'’]?(?:[ '’-]+(?:[^\W\d_]|d['’])[^\W\d_.'’-]*\.?){0,3}", re.UNICODE)
_KEY = re.compile(r"(?P<prefix>[A-Za-z]{0,6}[-_/ .]?)(?P<digits>\d{3,})", re.ASCII)
_PARTIAL = re.compile(
    r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])([T ]\d{2}:\d{2}(:\d{2})?)?)?)?", re.ASCII
)  # fmt: skip
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII)
_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?", re.ASCII)


@dataclass(frozen=True)
class Shape:
    """What the values of a column look like.

    Parameters
    ----------
    of_people
        What its values are, if each is the number or the name of a person; in words for a sentence.
    checked
        Whether check digits say so, which no other numbers have.
    key
        Whether they are keys: a prefix and digits, all of one form.
    flags
        Whether they are a yes and a no.
    kind
        Bands of numbers, dates, months, or dates of which some are known to the month or the year alone.
    codes
        Where the values are numbers but for a few codes: the codes.
    numbers
        Whether the values are numbers, or numbers but for a few codes.
    """

    of_people: str | None = None
    checked: bool = False
    key: bool = False
    flags: bool = False
    kind: Kind | None = None
    codes: tuple[str, ...] = ()
    numbers: bool = False


def shape_of(texts: Sequence[str], *, every: bool) -> Shape:
    """Return what different values look like.

    Parameters
    ----------
    texts
        The values, each once; blank ones count as missing.
    every
        Whether these are all values of the column, rather than some.

    Examples
    --------
    >>> shape_of([f"+49 30 12345{last}" for last in range(100, 120)], every=True).of_people
    'telephone numbers'
    >>> shape_of(["10-20%", "0-10%", ">=20"], every=True).kind, shape_of(["1", "2.5", "30", "N"], every=True).codes
    ('bands', ('N',))
    """
    found = [text.strip() for text in texts if text.strip()]
    if not found:
        return Shape()
    numbered = _numbers_of_people(found)
    of_people = numbered or ("names of people" if _are_names(found) else None)
    flags = len(found) <= len(_FLAGS) and all(re.split(r"\W", text.lower(), maxsplit=1)[0] in _FLAGS for text in found)
    return Shape(
        of_people,
        checked=numbered is not None and _check_digits(found) is not None,
        key=_are_keys(found),
        flags=flags and len(found) <= _FEW_CODES,
        kind=_kind(found, every=every),
        codes=_codes(found) if every else (),
        numbers=_others_few(found) is not None,
    )


def _numbers_of_people(texts: Sequence[str]) -> str | None:
    """Return the words for numbers and addresses that each belong to a person or a device of theirs."""
    if len(texts) < _ENOUGH:
        return None
    for what, pattern in _PATTERNS.items():
        if _nearly_all(pattern.fullmatch, texts):
            return what
    return _check_digits(texts)


def _check_digits(texts: Sequence[str]) -> str | None:
    """Return the words for numbers whose check digits are right; by chance one in ten is, or fewer."""
    if len(texts) < _ENOUGH:
        return None
    plain = [re.sub(r"[ .-]", "", text).upper() for text in texts]
    for what, right in _CHECKS.items():
        if _nearly_all(right, plain):
            return what
    return None


def _nearly_all(holds: Callable[[str], object], texts: Sequence[str]) -> bool:
    """Say whether something holds of nearly all texts, looking at no more of them than it takes."""
    left = int((1 - _NEARLY_ALL) * len(texts))
    for text in texts:
        if not holds(text):
            left -= 1
            if left < 0:
                return False
    return True


def _are_names(texts: Sequence[str]) -> bool:
    """Say whether values are names of people: of the form of names, and many with a common first name."""
    shaped = [text for text in texts if _NAME.fullmatch(text.replace(",", ""))]
    if len(texts) < _ENOUGH or len(shaped) < _NEARLY_ALL * len(texts):
        return False
    known = sum(any(word in _first_names() for word in _words(text)) for text in shaped)
    return known >= _NAMED * len(texts)


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text.lower())
    return re.findall(r"[a-z]+", "".join(letter for letter in plain if not unicodedata.combining(letter)))


@functools.cache
def _first_names() -> frozenset[str]:
    text = (
        resources.files("tclose.policy.profiling.vocabularies").joinpath("first_names.txt").read_text(encoding="utf-8")
    )
    return frozenset(text.split())


def _are_keys(texts: Sequence[str]) -> bool:
    """Say whether values are keys: the same prefix, and digits, as many in all."""
    forms: Counter[tuple[str, int]] = Counter()
    for text in texts:
        if found := _KEY.fullmatch(text):
            forms[found["prefix"], len(found["digits"])] += 1
    return len(texts) >= _ENOUGH and max(forms.values(), default=0) >= _NEARLY_ALL * len(texts)


def _kind(texts: Sequence[str], *, every: bool) -> Kind | None:
    if all(map(_MONTH.fullmatch, texts)):
        return "months"
    if all(map(_PARTIAL.fullmatch, texts)) and any("-" in text for text in texts):
        lengths = {min(len(text), len("2013-05-11")) for text in texts}
        return "partial dates" if len(lengths) > 1 else "dates"
    return "bands" if every and len(texts) > 1 and bands_in_order(texts) is not None else None


def _codes(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the few short texts among numbers."""
    others = _others_few(texts) or []
    return tuple(sorted(others)) if others and max(map(len, others)) <= _LONGEST_CODE else ()


def _others_few(texts: Sequence[str]) -> list[str] | None:
    """Return the texts that are no numbers, where they are few and the others more than twice as many; else None."""
    others = [text for text in texts if not is_number(text)]
    return others if len(others) <= _FEW_CODES and 3 * len(others) <= len(texts) else None


def is_number(text: str) -> bool:
    """Say whether a text is a number.

    Examples
    --------
    >>> is_number("-2.50"), is_number("N")
    (True, False)
    """
    return _NUMBER.fullmatch(text) is not None


def _digits(text: str, *lengths: int) -> list[int]:
    return [int(digit) for digit in text] if text.isascii() and text.isdigit() and len(text) in lengths else []


def _weighted(digits: Sequence[int], weights: Sequence[int]) -> int:
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=True))


def has_luhn(text: str) -> bool:
    """Say whether the last digit is that of Luhn (ISO/IEC 7812-1, annex B).

    Examples
    --------
    >>> has_luhn("79927398713"), has_luhn("79927398710")
    (True, False)
    """
    digits = _digits(text, *range(_LEAST_CHECKED, 20))
    doubled = [digit * (1 + at % 2) for at, digit in enumerate(reversed(digits))]
    return bool(digits) and any(digits) and sum(digit // 10 + digit % 10 for digit in doubled) % 10 == 0


def is_iban(text: str) -> bool:
    """Say whether a text is an IBAN (ISO 13616, ISO 7064 MOD 97-10).

    Examples
    --------
    >>> is_iban("GB82WEST12345698765432"), is_iban("GB83WEST12345698765432")
    (True, False)
    """
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", text, re.ASCII):
        return False
    return int("".join(str(int(letter, 36)) for letter in text[4:] + text[:4])) % 97 == 1


def is_nhs(text: str) -> bool:
    """Say whether a text is an NHS number: nine digits, and 11 less their sum weighted by 10 to 2, modulo 11.

    Examples
    --------
    >>> is_nhs("9434765919"), is_nhs("9434765918")
    (True, False)
    """
    digits = _digits(text, 10)
    return bool(digits) and any(digits) and -_weighted(digits[:-1], range(10, 1, -1)) % 11 == digits[-1]


def is_bsn(text: str) -> bool:
    """Say whether a text is a Dutch citizen service number: its sum weighted by 9 to 2 and -1 is a multiple of 11.

    Examples
    --------
    >>> is_bsn("111222333"), is_bsn("111222334")
    (True, False)
    """
    digits = _digits(text, 9)
    return bool(digits) and any(digits) and _weighted(digits, (*range(9, 1, -1), -1)) % 11 == 0


def is_cpf(text: str) -> bool:
    """Say whether a text is a Brazilian CPF: two check digits modulo 11, the second over the first.

    Examples
    --------
    >>> is_cpf("52998224725"), is_cpf("52998224735")
    (True, False)
    """
    digits = _digits(text, 11)
    return bool(digits) and any(digits) and all(
        _weighted(digits[:at], range(at + 1, 1, -1)) * 10 % 11 % 10 == digits[at] for at in (9, 10)
    )  # fmt: skip


def is_steuer_id(text: str) -> bool:
    """Say whether a text is a German tax number of a person (ISO 7064 MOD 11,10).

    Examples
    --------
    >>> is_steuer_id("86095742719"), is_steuer_id("86095742710")
    (True, False)
    """
    digits = _digits(text, 11)
    if not digits or digits[0] == 0:
        return False
    product = 10
    for digit in digits[:-1]:
        product = ((digit + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == digits[-1]


def is_ahv(text: str) -> bool:
    """Say whether a text is a Swiss AHV number: an EAN-13 that begins with 756.

    Examples
    --------
    >>> is_ahv("7569217076985"), is_ahv("7569217076986")
    (True, False)
    """
    digits = _digits(text, 13)
    return text.startswith("756") and bool(digits) and _weighted(digits, (1, 3) * 6 + (1,)) % 10 == 0


def is_nir(text: str) -> bool:
    """Say whether a text is a French social security number: its key is 97 less the rest of its number by 97.

    Examples
    --------
    >>> is_nir("255081416802538"), is_nir("255081416802539")
    (True, False)
    """
    return bool(_digits(text, 15)) and 97 - int(text[:13]) % 97 == int(text[13:])


def is_dni(text: str) -> bool:
    """Say whether a text is a Spanish DNI or NIE: the letter is that of its number modulo 23.

    Examples
    --------
    >>> is_dni("12345678Z"), is_dni("X1234567L"), is_dni("12345678A")
    (True, True, False)
    """
    if not re.fullmatch(r"[XYZ\d]\d{7}[A-Z]", text, re.ASCII):
        return False
    number = int(text[:-1].translate(str.maketrans("XYZ", "012")))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] == text[-1]


def is_pesel(text: str) -> bool:
    """Say whether a text is a Polish PESEL: its sum weighted by 1, 3, 7, 9 … and 1 is a multiple of 10.

    Examples
    --------
    >>> is_pesel("44051401359"), is_pesel("44051401358")
    (True, False)
    """
    digits = _digits(text, 11)
    return bool(digits) and any(digits) and _weighted(digits, (1, 3, 7, 9) * 2 + (1, 3, 1)) % 10 == 0


_CHECKS: dict[str, Callable[[str], bool]] = {
    "account numbers (IBAN)": is_iban,
    "NHS numbers": is_nhs,
    "citizen service numbers (BSN)": is_bsn,
    "tax numbers (CPF)": is_cpf,
    "tax numbers (Steuer-ID)": is_steuer_id,
    "insurance numbers (AHV)": is_ahv,
    "social security numbers (NIR)": is_nir,
    "identity numbers (DNI, NIE)": is_dni,
    "identity numbers (PESEL)": is_pesel,
    "numbers with a check digit, as cards and people have": has_luhn,
}
