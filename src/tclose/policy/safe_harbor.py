"""The columns and values that HIPAA's safe harbor leaves: what each kind of identifier looks like, and which stay.

Names of columns are read word by word, values by what they look like. Nothing here says that a table is free of
identifiers: it finds those that show themselves.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tclose.data.values import as_text
from tclose.engines.base import Engine, Progress, Table
from tclose.models.value_order import Observed
from tclose.policy.presets import Applied, Check, preset_named
from tclose.policy.profiling.column_words import MAY_NAME_A_PERSON, name_words, word_in

SMALL_AREAS = frozenset(
    [
        "036",
        "059",
        "063",
        "102",
        "203",
        "556",
        "692",
        "790",
        "821",
        "823",
        "830",
        "831",
        "878",
        "879",
        "884",
        "890",
        "893",
    ]
)
"""The first three digits of zip codes with at most 20,000 people, by the census of 2000."""
OLDEST = 89
"""The oldest age that may stand for itself."""
_UNIQUE = 19 / 20
_OFTEN_UNIQUE = 1 / 2
_FEW_ROWS = 20
_ZIP = frozenset(["zip", "zipcode", "postcode", "postal", "postalcode", "plz"])
_AGE = frozenset(["age", "ages", "alter", "edad", "eta", "idade", "leeftijd"])
_WHOSE = frozenset(
    [
        "patient",
        "person",
        "member",
        "subject",
        "participant",
        "customer",
        "client",
        "employee",
        "user",
        "relative",
        "mother",
        "father",
    ]
)
_DAY = re.compile(r"\b(?:\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))(?!\d)")
_ROUND_YEAR = re.compile(r"\d{4}-01-01")
_MASK = r"[*xX#]"
_THREE_DIGITS = re.compile(rf"(\d{{3}})(?:{_MASK}{{2}}(?:-?{_MASK}{{4}})?)?")
_FEWER_DIGITS = re.compile(rf"\d{{0,2}}{_MASK}+(?:-{_MASK}+)?")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_OPEN = re.compile(
    r"(?:>=|≥|>)\s*(\d+)|(\d+)\s*(?:\+|(?:years )?(?:or|and) (?:older|over|above|more))|[\[(](\d+),\s*(?:∞|inf)?[\])]"
)


@dataclass(frozen=True)
class _Kind:
    """A kind of identifier: the paragraph that names it, the words of its columns, and what its values look like."""

    rule: str
    text: str
    words: frozenset[str] = frozenset()
    looks: re.Pattern[str] | None = None

    def seen(self, value: object) -> bool:
        """Say whether a value looks like one."""
        return self.looks is not None and self.looks.search(str(value)) is not None


def _kind(rule: str, text: str, words: str, looks: str | None = None) -> _Kind:
    return _Kind(rule, text, frozenset(words.split()), None if looks is None else re.compile(looks))


_KINDS = (
    _kind("(A)", "No names.", "firstname lastname surname forename fullname givenname familyname middlename maidenname "
          "vorname nachname familienname prenom nombre apellido apellidos cognome voornaam achternaam initials"),
    _kind("(B)", "No place smaller than a state, but for three digits of a zip code.",
          "street address city town village county precinct municipality parish ward neighborhood neighbourhood "
          "latitude longitude lat lon lng geocode strasse rue calle straat adresse stadt gemeinde"),
    _kind("(D)", "No telephone numbers.", "phone telephone mobile cell handy telefon telefono telefone telefoon",
          r"(?<!\d)(?:\+?1[-. ])?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?!\d)"),
    _kind("(E)", "No fax numbers.", "fax"),
    _kind("(F)", "No e-mail addresses.", "email mail correo courriel", r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    _kind("(G)", "No social security numbers.", "ssn socialsecurity", r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)"),
    _kind("(H)", "No medical record numbers.", "mrn medicalrecord patientid recordnumber"),
    _kind("(I)", "No numbers of health plan beneficiaries.", "beneficiary memberid healthplan policynumber"),
    _kind("(J)", "No account numbers.", "account accountnumber iban kontonummer creditcard cardnumber"),
    _kind("(K)", "No numbers of certificates or licenses.", "license licence certificate passport fuhrerschein"),
    _kind("(L)", "No vehicle identifiers.", "vin plate licenseplate kennzeichen"),
    _kind("(M)", "No device identifiers.", "deviceid serialnumber imei macaddress",
          r"\b(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b"),
    _kind("(N)", "No web addresses.", "url website homepage", r"https?://\S|\bwww\.\S"),
    _kind("(O)", "No addresses of the internet protocol.", "ip ipaddress",
          r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])"),
    _kind("(P)", "No biometric identifiers.", "biometric fingerprint voiceprint retina iris"),
    _kind("(Q)", "No photographs of faces.", "photo photograph picture portrait face"),
)  # fmt: skip

_PLACE = next(kind for kind in _KINDS if kind.rule == "(B)")
_ZIPS = _Kind("(B)", "Zip codes have three digits, and 000 where at most 20,000 people live.")
_DATES = _Kind("(C)", "No part of a date but the year.")
_AGES = _Kind("(C)", "No age over 89 but in one category, 90 or older.")
_CODES = _Kind("(R)", "No other number or code that is a person's own.")


def applied(key: str, session: Engine, table: Table[Any], progress: Progress) -> Applied:
    """Return a preset with what it checks of the columns of a table, and of their values."""
    preset = preset_named(key)
    return Applied(preset, checks(session, table, progress) if preset.checks_columns else ())


def checks(session: Engine, table: Table[Any], progress: Progress) -> tuple[Check, ...]:
    """Return what safe harbor asks of columns and values, and which columns miss it."""
    every = (*_KINDS, _ZIPS, _DATES, _AGES, _CODES)
    missed: dict[_Kind, dict[str, int]] = {kind: {} for kind in every}
    for at, column in enumerate(table.columns):
        progress("Checking columns", at / len(table.columns))
        if column.problem is None:
            observed = session.values(table.keep([column.name]), (column.name,))
            for kind, rows in _found(column.name, column.type, observed):
                if rows:
                    missed[kind][column.name] = rows
    ordered = sorted(every, key=lambda kind: kind.rule)
    return tuple(Check(f"§164.514(b)(2)(i){kind.rule}", kind.text, missed[kind]) for kind in ordered)


def _found(name: str, kind_of_column: str, observed: Observed) -> Iterator[tuple[_Kind, int]]:
    """Give the kinds of identifiers that a column may be, with how many of its rows are."""
    values = observed.listed
    present = int(
        sum(count for value, count in zip(values, observed.counts.tolist(), strict=True) if value is not None)
    )
    is_zip, is_age = word_in(name, _ZIP) is not None, word_in(name, _AGE) is not None
    for kind in _KINDS:
        if word_in(name, kind.words) and not (kind is _PLACE and is_zip):
            yield kind, present
        elif kind.looks is not None and observed.kind == "text":
            yield kind, _rows(observed, kind.seen)
    if _names_somebody(name):
        yield _KINDS[0], present
    if is_zip:
        yield _ZIPS, _rows(observed, lambda value: not zip_allowed(value))
    if is_age:
        yield _AGES, _rows(observed, lambda value: not age_allowed(value))
    if kind_of_column.startswith(("DATE", "TIMESTAMP")) or observed.kind == "text":
        yield _DATES, _rows(observed, lambda value: not date_allowed(value))
    yield _CODES, present if _is_code(name, observed, present) else 0


def _rows(observed: Observed, misses: Callable[[object], bool]) -> int:
    """Return how many rows have a value that misses a rule."""
    pairs = zip(observed.listed, observed.counts.tolist(), strict=True)
    return int(sum(count for value, count in pairs if value is not None and misses(value)))


def _names_somebody(name: str) -> bool:
    words = name_words(name)
    return words == ["name"] or ("name" in words and not _WHOSE.isdisjoint(words))


def _is_code(name: str, observed: Observed, present: int) -> bool:
    """Say whether the values of a column are nearly all different, as numbers and codes of people are."""
    distinct = sum(value is not None for value in observed.listed)
    if word_in(name, MAY_NAME_A_PERSON) and distinct > 1:
        return distinct >= _OFTEN_UNIQUE * present
    return observed.kind == "text" and present >= _FEW_ROWS and distinct >= _UNIQUE * present


def zip_allowed(value: object) -> bool:
    """Say whether a zip code has at most three digits, of an area of more than 20,000 people.

    Examples
    --------
    >>> zip_allowed("476"), zip_allowed("476**"), zip_allowed("4767*"), zip_allowed("47677")
    (True, True, False, False)
    >>> zip_allowed("036"), zip_allowed(36), zip_allowed("000"), zip_allowed("03***")
    (False, False, True, True)
    """
    text = as_text(value)
    if isinstance(value, int):
        text = text.zfill(3)
    found = _THREE_DIGITS.fullmatch(text)
    return found[1] not in SMALL_AREAS if found else _FEWER_DIGITS.fullmatch(text) is not None


def age_allowed(value: object) -> bool:
    """Say whether an age, or a label of ages, tells no age over 89 apart from others.

    Examples
    --------
    >>> [age_allowed(age) for age in (89, 90, "89", "90", "90+", ">=90", "95+", "[80, 90)", "[80, 100)", "*")]
    [True, False, True, False, True, True, False, True, False, True]
    """
    text = as_text(value).strip()
    if _NUMBER.fullmatch(text):
        return float(text) < OLDEST + 1
    if found := _OPEN.fullmatch(text):
        start = int(next(group for group in found.groups() if group is not None))
        return start + text.startswith(">") * (not text.startswith(">=")) <= OLDEST + 1
    numbers = [float(number) for number in _NUMBER.findall(text)]
    return max(numbers, default=0) <= OLDEST + text.endswith(")")


def date_allowed(value: object) -> bool:
    """Say whether a date, or a label of dates, says no more than a year.

    Examples
    --------
    >>> [date_allowed(day) for day in ("2020", "2020-05", "5/17/2020", "[2020-01-01, 2021-01-01)", "no date")]
    [True, False, False, True, True]
    """
    if isinstance(value, dt.date):
        return (value.month, value.day) == (1, 1)
    text = as_text(value)
    days = _DAY.findall(text)
    return not days or (text.startswith(("[", "(")) and all(_ROUND_YEAR.fullmatch(day) for day in days))
