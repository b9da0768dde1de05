"""Releases of NIST's national2019 with values in the place of cells, scored as its collaborative research cycle does.

Run: .venv/bin/python bench/usefulness.py [FILE] [--keys N] [--k K]
FILE is national2019.csv of NIST's data excerpts; by default it is looked for in the shared data. Each feature set is
released with k = 6 for several seeds, with a value for each class and for each row, drawn evenly and fitted to
published counts. The median of the scores is printed: 2-marginals from 0 to 1000, within areas where the set has them,
ages and the ratio to poverty in twenty groups; and unique exact matches in percent of all rows.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import statistics
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import tclose
from tclose import ReadOptions, Roles

SETS = {
    "demographic": "AGEP SEX MSP RAC1P HOUSING_TYPE OWN_RENT EDU PINCP_DECILE DVET DEYE",
    "family": "PUMA AGEP SEX MSP HISP RAC1P NOC NPF OWN_RENT PINCP_DECILE POVPIP",
    "industry": "PUMA SEX MSP HISP RAC1P OWN_RENT INDP_CAT EDU PINCP_DECILE",
}
GROUPED = ("AGEP", "POVPIP")
"""Columns that are scored in twenty groups of about as many people."""
GROUPS = 20
AREA = "PUMA"
FORMS = (("class", False), ("class", True), ("row", False), ("row", True))
Rows = list[tuple[str, ...]]


def in_groups(names: Sequence[str], original: Rows, release: Rows) -> tuple[Rows, Rows]:
    """Return both tables with some columns in groups, by the original's numbers."""
    made = [[list(column) for column in zip(*rows, strict=True)] for rows in (original, release)]
    for at, name in enumerate(names):
        if name not in GROUPED:
            continue
        ordered = sorted(int(value) for value in made[0][at] if value)
        cuts = [ordered[len(ordered) * part // GROUPS] for part in range(1, GROUPS)]
        for table in made:
            table[at] = [str(bisect_left(cuts, int(value))) if value else value for value in table[at]]
    first, second = ([*zip(*table, strict=True)] for table in made)
    return first, second


def marginals(names: Sequence[str], original: Rows, release: Rows) -> float:
    """Return the score of pairs of columns, with the area where there is one."""
    area = [names.index(AREA)] if AREA in names else []
    others = [at for at in range(len(names)) if at not in area]
    apart = []
    for pair in itertools.combinations(others, 2):
        one, other = (Counter(tuple(row[at] for at in (*area, *pair)) for row in rows) for rows in (original, release))
        apart.append(sum(abs(one[key] / len(original) - other[key] / len(release)) for key in one | other))
    return (2 - statistics.fmean(apart)) * 500


def matches(original: Rows, release: Rows) -> float:
    """Return rows that stand once in the original and are in the release, in percent of all rows."""
    alone = {row for row, count in Counter(original).items() if count == 1}
    return 100 * len(alone & {*release}) / len(original)


def read(path: Path, names: Sequence[str]) -> Rows:
    """Return columns of a file as texts, a missing value as an empty one."""
    with path.open(newline="", encoding="utf-8") as file:
        return [tuple("" if row[name] == "N" else row[name] for name in names) for row in csv.DictReader(file)]


def scored(path: Path, names: Sequence[str], k: int, seed: int, form: str, *, rake: bool) -> tuple[float, float]:
    """Return the scores of one release."""
    hierarchies = {AREA: "flat"} if AREA in names else {}
    release = tclose.anonymize(
        path, Roles(names), require={"k": k}, hierarchies=hierarchies, seed=seed, points=form, rake=rake,
        read=ReadOptions(null=("N",)),
    )  # fmt: skip
    rows = [
        tuple("" if value is None else str(value) for value in row.values()) for row in release.to_arrow().to_pylist()
    ]
    original = read(path, names)
    return marginals(names, *in_groups(names, original, rows)), matches(original, rows)


def main() -> None:
    """Release each feature set and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    usual = Path(__file__).parents[2] / "shared" / "data" / "people" / "national2019.csv"
    parser.add_argument("file", nargs="?", type=Path, default=usual)
    parser.add_argument("--keys", type=int, default=5)
    parser.add_argument("--k", type=int, default=6)
    parser.add_argument("--sets", nargs="*", choices=SETS, default=[*SETS])
    given = parser.parse_args()
    for name in given.sets:
        names = SETS[name].split()
        for form, rake in FORMS:
            found = [scored(given.file, names, given.k, seed, form, rake=rake) for seed in range(given.keys)]
            score, share = (statistics.median(some) for some in zip(*found, strict=True))
            print(f"{name:12} {form:6} {'raked' if rake else 'even':6} {score:7.1f} {share:5.1f} %", flush=True)


if __name__ == "__main__":
    main()
