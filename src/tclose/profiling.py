"""The verb ``profile``: what the columns of a table are, and which of them point at people."""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from tclose.roles import Distance, Nominal, Ordered, Roles

if TYPE_CHECKING:
    from tclose.engines.duckdb.statistics import ColumnStatistics
    from tclose.policy import Policy
    from tclose.sources import ReadOptions

Role = Literal["identifier", "quasi-identifier", "sensitive", "insensitive"]

NEARLY_UNIQUE = Fraction(19, 20)
"""A column with so many different values for its rows can name each person."""
OFTEN_UNIQUE = Fraction(1, 2)
"""A column called a number, a code or a name does so from here on."""
_LONG_ENOUGH = 5
"""Words of so many letters are also found at the ends of compounds: ``Geburtsdatum``, ``incomes``."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words of English, German, French, Spanish, Italian, Portuguese and Dutch, without accents.
NAMES_A_PERSON = _words("""
    ssn socialsecurity nationalinsurance nino sin curp rfc dni nie nif cpf cnpj bsn ahv codicefiscale
    steuerid email mail correo courriel phone telephone telefon telefono telefone telefoon mobile handy
    fax passport passeport pasaporte passaporto reisepass ausweis license licence fuhrerschein plate
    kennzeichen iban accountnumber kontonummer creditcard cardnumber mrn medicalrecord patientid
    versichertennummer firstname lastname surname forename fullname givenname familyname middlename
    maidenname vorname nachname familienname prenom nom nombre apellido apellidos cognome voornaam
    achternaam username login ipaddress macaddress imei deviceid uuid guid street strasse rue calle
    straat fingerprint
""")
MAY_NAME_A_PERSON = _words("""
    id key number nummer numero num nr no code name naam nome address adresse direccion indirizzo
    endereco adres identifier ident record account person patient customer client employee member user
    url link photo ip
""")
KNOWN_OF_PEOPLE = _words("""
    zip zipcode postcode postal postleitzahl plz codepostal codigopostal cap cep postnummer city town
    village municipality ort stadt gemeinde ville ciudad citta cidade gemeente plaats county district
    region state province provincia bundesland kanton departement country land pays pais paese nation
    nationality nationalitat citizenship native born birth birthday birthdate dob yob geburt
    geburtsdatum naissance nacimiento nascita nascimento geboorte age alter edad eta idade leeftijd sex
    gender geschlecht sexe sexo sesso geslacht race ethnicity ethnic ethnie raza razza raca herkunft
    marital civilstatus familienstand zivilstand etatcivil estadocivil statocivile burgerlijke education
    degree school bildung schulabschluss etudes educacion istruzione escolaridade opleiding occupation
    job profession beruf metier empleo ocupacion professione profissao beroep employer workclass
    industry department household family children dependents kinder relationship language sprache langue
    idioma lingua taal height groesse weight gewicht admission discharge visit aufnahme entlassung year
    jahr date datum fecha latitude longitude lat lon lng zone location neighborhood neighbourhood
""")
SECRET = _words("""
    salary wage income pay earnings gehalt lohn einkommen verdienst salaire revenu salario sueldo
    ingresos ingreso stipendio reddito renda inkomen salaris tax steuer impot impuesto imposta imposto
    belasting capital wealth debt schulden credit loan balance score rating disease diagnosis diagnose
    diagnostic diagnostico diagnosi illness condition krankheit maladie enfermedad malattia doenca
    ziekte icd symptom treatment therapy therapie medication drug medikament procedure hiv aids cancer
    disability behinderung handicap pregnancy pregnant allergy bmi bloodtype glucose cholesterol mental
    religion faith konfession religione religiao godsdienst party vote voting politics politik union
    gewerkschaft orientation sexuality crime criminal offence offense conviction arrest straftat
    incident grade marks merit points test result outcome complaint insurance claim genome genotype
""")


@dataclass(frozen=True)
class ColumnProfile:
    """What is known of a column, and the role it seems to have."""

    name: str
    type: str
    rows: int
    nulls: int
    distinct: int
    """Different values; a missing value is not one."""
    separation: Fraction
    """The share of all pairs of rows that the column tells apart."""
    exact: bool
    """Whether ``distinct`` and ``separation`` are counted rather than estimated."""
    role: Role
    distance: Distance | None
    """For a sensitive column: how far apart its values would be taken to be."""
    reason: str

    @property
    def uniqueness(self) -> Fraction:
        """Different values for each row."""
        return Fraction(self.distinct, self.rows)


@dataclass(frozen=True)
class Profile:
    """The columns of a table with suggested roles; suggestions to read and correct, not a verdict."""

    source: str
    rows: int
    columns: tuple[ColumnProfile, ...]
    notes: tuple[str, ...] = ()

    @property
    def roles(self) -> Roles:
        """The suggested roles."""
        return Roles(
            quasi=self._named("quasi-identifier"),
            sensitive={column.name: column.distance for column in self.columns if column.role == "sensitive"},
            identifiers=self._named("identifier"),
        )

    def policy(self, source: str | None = None, read: ReadOptions | None = None) -> Policy:
        """Return a policy to start from: the suggested roles, and thresholds to argue about."""
        from tclose.policy import Policy
        from tclose.sources import ReadOptions

        thresholds: dict[str, dict[str | None, str]] = {"k": {None: "5"}}
        if self.roles.sensitive:
            thresholds |= {"l": {None: "2"}, "t": {None: "0.3"}}
        return Policy(
            self.roles, thresholds, source, read=read or ReadOptions(), insensitive=self._named("insensitive")
        )

    def _named(self, role: Role) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.role == role)

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as JSON-ready data."""
        from tclose.render.profile import profile_data

        return profile_data(self)

    def __str__(self) -> str:
        from tclose.render.profile import profile_text

        return profile_text(self)

    def _repr_html_(self) -> str:
        from tclose.render.profile import profile_html

        return profile_html(self)


def profile(
    table: object,
    *,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    progress: Callable[[str, float | None], None] | None = None,
) -> Profile:
    """Say of each column what it is, how well it tells people apart, and which role it seems to have.

    Parameters
    ----------
    table
        Anything that :func:`tclose.audit` takes.
    read
        How to read files.
    memory, threads, temp
        What the engine may use: ``"4GB"``, a number of threads, a folder to spill to.
    progress
        Called with a stage and a share done, from time to time.

    Returns
    -------
    Profile
        The columns, without any of their values.

    Examples
    --------
    >>> found = profile("example:salary")
    >>> found.roles.quasi, list(found.roles.sensitive)
    (('zip', 'age'), ['salary', 'disease'])
    """
    from tclose.engines.choosing import statistics_of

    found = statistics_of(table, read=read, memory=memory, threads=threads, temp=temp, progress=progress)
    return Profile(found.label, found.rows, tuple(profiled(column) for column in found.columns), found.notes)


def profiled(column: ColumnStatistics) -> ColumnProfile:
    """Return a column with the role that its name and its figures suggest."""
    role, reason = suggested(column)
    distance: Distance | None = None
    if role == "sensitive":
        distance, remark = suggested_distance(column)
        reason += remark
    pairs = column.rows * (column.rows - 1)
    separation = (
        1 - min(Fraction(1), 2 * column.same_pairs / pairs) if pairs and column.problem is None else Fraction(0)
    )
    return ColumnProfile(
        column.name, column.type, column.rows, column.nulls, column.distinct, separation, column.exact, role,
        distance, reason,
    )  # fmt: skip


def suggested(column: ColumnStatistics) -> tuple[Role, str]:
    """Return the role that a column seems to have, and why."""
    if column.problem is not None:
        return "insensitive", f"Left out: {column.problem}"
    if column.distinct + (column.nulls > 0) <= 1:
        return "insensitive", "It is the same in every row."
    uniqueness = Fraction(column.distinct, column.rows)
    if word := word_in(column.name, NAMES_A_PERSON):
        return "identifier", f"Its name ({word}) says that it names a person."
    if column.emails > 0.5:
        return "identifier", "Most of its values look like e-mail addresses."
    if word := word_in(column.name, SECRET):
        return "sensitive", f"Its name ({word}) is that of something people keep to themselves."
    if word := word_in(column.name, KNOWN_OF_PEOPLE):
        return "quasi-identifier", f"Its name ({word}) is that of something others know of a person."
    word = word_in(column.name, MAY_NAME_A_PERSON)
    if word and uniqueness >= OFTEN_UNIQUE:
        return "identifier", f"Its name ({word}) and its many different values point at single people."
    return _by_figures(column, uniqueness)


def _by_figures(column: ColumnStatistics, uniqueness: Fraction) -> tuple[Role, str]:
    if column.type.startswith(("DATE", "TIME")):
        return "quasi-identifier", "A date in a person's life is easily known to others."
    measured = column.type.startswith(("DOUBLE", "FLOAT", "DECIMAL"))
    if uniqueness >= NEARLY_UNIQUE and column.rows > 1 and not measured:
        return "identifier", "Nearly every row has a value of its own."
    return (
        "insensitive",
        "Its name is not known; if others can know it of a person, make it a quasi-identifier.",
    )


def suggested_distance(column: ColumnStatistics) -> tuple[Distance, str]:
    """Return how far apart the values of a sensitive column may be taken to be, and what to say of it."""
    if column.type in {"VARCHAR", "BOOLEAN"}:
        return Nominal(), ""
    if not column.nulls:
        return Ordered(), ""
    remark = f" {column.nulls:,} missing values are left out; 'first' or 'last' would place them."
    return Ordered(nulls="drop"), remark


def word_in(name: str, words: Collection[str]) -> str | None:
    """Return the word of a list that a column name speaks, or None.

    Examples
    --------
    >>> word_in("ZIP_Code", KNOWN_OF_PEOPLE), word_in("Geburtsdatum", KNOWN_OF_PEOPLE)
    ('zipcode', 'geburtsdatum')
    >>> word_in("package", ["age"]) is None
    True
    """
    tokens = name_words(name)
    pairs = [first + second for first, second in itertools.pairwise(tokens)]
    for token in ["".join(tokens), *pairs, *tokens]:
        if token in words:
            return token
    long_words = _long_words(frozenset(words))
    return next(
        (word for token in tokens for word in long_words if token.startswith(word) or token.endswith(word)),
        None,
    )


@functools.cache
def _long_words(words: frozenset[str]) -> tuple[str, ...]:
    """Return the words that are looked for at the ends of compounds, the longest first."""
    long = (word for word in words if len(word) >= _LONG_ENOUGH)
    return tuple(sorted(long, key=lambda word: (-len(word), word)))


def name_words(name: str) -> list[str]:
    """Return the words of a column name, small and without accents.

    Examples
    --------
    >>> name_words("dateOfBirth"), name_words("Código postal"), name_words("ZIP2020")
    (['date', 'of', 'birth'], ['codigo', 'postal'], ['zip'])
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", plain)]
