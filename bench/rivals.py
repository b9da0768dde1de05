"""What the tests of other tools expect, beside what tclose finds: sections of docs/conformance.md.

Tables of a few rows stand here. Adult is read from the folder that TCLOSE_DATA names, pycanon's table of scores from
its repository, which TCLOSE_PYCANON names; what is missing is named on the page.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd

import tclose
from tclose.models.populations.estimators import Frequencies, dankar, pitman, snb, zayatz

ADULT = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class",
)  # fmt: skip


def data(name: str) -> Path:
    return Path(os.environ.get("TCLOSE_DATA", "")) / name


def installed(package: str) -> str:
    """Return the version of a package; nothing where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def shown(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.9f}".rstrip("0").rstrip(".")


def alike(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=1e-8, abs_tol=2e-9)


@dataclass(frozen=True)
class Optimum:
    """The best full-domain release of Adult that a test of ARX expects."""

    loss: str
    require: Mapping[str, Any]
    figure: float
    levels: tuple[int, ...] | None
    """One for each quasi-identifier in the order of the file; None where there is no such release."""
    suppress: str = "0"
    distance: str = "nominal"
    why: str = ""
    """Why the figure is another one here."""
    sensitive: str = "occupation"


SPARSE = "a row left out counts among those left out alone, here among all"
HIERARCHY = "hierarchical"
OPTIMA = (
    Optimum("dm_star", {"k": 5, "t": "0.2"}, 311_880_088, (1, 4, 1, 0, 3, 2, 2, 1), "0.04"),
    Optimum("dm_star", {"k": 100, "t": "0.2"}, 311_880_088, (1, 4, 1, 0, 3, 2, 2, 1), "0.04"),
    Optimum("dm_star", {"k": 5, "t": "0.2"}, 456_853_172, (1, 4, 1, 1, 3, 2, 2, 1)),
    Optimum("dm_star", {"k": 100, "t": "0.2"}, 456_853_172, (1, 4, 1, 1, 3, 2, 2, 1)),
    Optimum("dm_star", {"k": 5, "t": "0.2"}, 2_712_340, (0, 0, 1, 1, 2, 2, 2, 0), "0.04", "ordered"),
    Optimum("dm_star", {"k": 100, "t": "0.2"}, 19_937_246, (1, 0, 1, 2, 3, 2, 2, 1), "0.04", "ordered"),
    Optimum("dm_star", {"k": 5, "t": "0.05"}, 201_413_138, (1, 4, 1, 0, 3, 2, 2, 0), "0.04", "ordered"),
    Optimum("dm_star", {"k": 5, "t": "0.1"}, 97_868_020, (1, 1, 1, 2, 3, 2, 2, 1), distance="ordered"),
    Optimum("dm_star", {"k": 100, "t": "0.2"}, 162_312_130, (1, 4, 1, 1, 1, 2, 2, 1), distance="ordered"),
    Optimum("nue", {"t": "0.2"}, 398400.0741806447, (0, 4, 1, 1, 3, 2, 2, 1), distance=HIERARCHY),
    Optimum("nue", {"k": 5, "t": "0.2"}, 398400.0741806447, (0, 4, 1, 1, 3, 2, 2, 1), distance=HIERARCHY),
    Optimum("nue", {"k": 5}, 324620.5269918692, (1, 1, 1, 1, 3, 2, 2, 1)),
    Optimum("nue", {"recursive": "4,5"}, 324620.5269918692, (1, 1, 1, 1, 3, 2, 2, 1)),
    Optimum("nue", {"entropy_l": 5}, 324620.5269918692, (1, 1, 1, 1, 3, 2, 2, 1)),
    Optimum("nue", {"entropy_l": 100}, 0, None, "0.04"),
    Optimum("nue", {"k": 5}, 407289.5388925293, (1, 2, 1, 1, 3, 2, 2, 1, 1), sensitive=""),
    Optimum("nue", {"k": 100}, 453196.8932458743, (0, 4, 1, 1, 3, 2, 2, 1, 1), sensitive=""),
    Optimum("nue", {"k": 5}, 180132.40848244698, (0, 0, 1, 1, 2, 2, 2, 0), "0.05", why=SPARSE),
    Optimum("nue", {"recursive": "4,5"}, 209764.96161974416, (1, 0, 1, 1, 2, 2, 2, 0), "0.05", why=SPARSE),
    Optimum("nue", {"entropy_l": 5}, 228878.2039109517, (1, 0, 1, 1, 2, 2, 2, 1), "0.04", why=SPARSE),
    Optimum("nue", {"t": "0.2"}, 374778.01889889664, (1, 4, 0, 0, 3, 1, 2, 1), "0.05", HIERARCHY, SPARSE),
    Optimum("arx", {"beta": 3}, 0.34883856157237925, (0, 3, 0, 0, 2, 0, 1, 0), "0.5"),
    Optimum("arx", {"beta": 5}, 0.23350465152356303, (0, 2, 0, 0, 2, 0, 1, 0), "0.4"),
    Optimum("arx", {"beta": 1}, 0.6081345989904172, (1, 4, 0, 1, 3, 0, 2, 0), "1"),
    Optimum("arx", {"enhanced_beta": 2}, 0.759176305345683, (1, 4, 1, 1, 3, 2, 2, 0)),
    Optimum("arx", {"enhanced_beta": 10}, 0.3419039849540606, (0, 3, 0, 0, 3, 1, 2, 0), "1"),
)
OPTIMA_HEAD = """\
## The best releases of ARX's own tests

Its tests (`TestAnonymization….java`) name the best full-domain release of Adult for a loss, requirements and a share
of rows that may be left out: the level of each quasi-identifier, and what is lost. tclose searches the same lattice
(`--method full-domain --against original`). Of the tests on Adult, those of differential privacy, profitability,
Grassberger's entropy, weights between generalising and leaving out, and heuristics that stop by the clock have no
counterpart. Where ARX assumes that coarser is never worse although rows are left out, its test with k = 5, t = 0.2
(hierarchical) and 4 % expects a release that loses 390,766 bits; it is not the best, 377,623 bits are.
A requirement for the average risk is met here by every class, so that no few rows make up for others.

| loss | required | left out | levels | lost: tclose | ARX |
|---|---|---|---|---|---|
"""


def distance_of(optimum: Optimum) -> Any:
    """Return the distance that a test of ARX has between occupations; it orders them by the alphabet."""
    if optimum.distance == "nominal":
        return tclose.Nominal()
    tree = data("adult/adult_hierarchy_occupation.csv")
    if optimum.distance == HIERARCHY:
        return tclose.Hierarchical(tree)
    return tclose.Ordered(sorted(line.split(";")[0] for line in tree.read_text(encoding="utf-8").splitlines()))


def best_release(optimum: Optimum) -> tuple[tuple[int, ...] | None, float]:
    """Return the levels and the loss of the release that tclose finds; no levels where there is none."""
    quasi = [name for name in ADULT if name != optimum.sensitive]
    roles = tclose.Roles(quasi, {optimum.sensitive: distance_of(optimum)} if optimum.sensitive else {})
    release = tclose.anonymize(
        data("adult/adult.csv"), roles, require=dict(optimum.require), suppress=optimum.suppress, loss=optimum.loss,
        hierarchies={name: data(f"adult/adult_hierarchy_{name}.csv") for name in quasi},
        method="full-domain", against="original", pruned=False,
    )  # fmt: skip
    if not release.holds or release.levels is None:
        return None, 0.0
    return tuple(release.levels[name] for name in quasi), float(release.losses[optimum.loss])


def optima_section() -> str:
    if not data("adult/adult.csv").exists():
        return "## The best releases of ARX's own tests\n\nLeft out: TCLOSE_DATA has no adult/adult.csv.\n"
    return OPTIMA_HEAD + "".join(optimum_line(optimum) for optimum in OPTIMA)


def optimum_line(optimum: Optimum) -> str:
    """Return the row of the page; other levels, or a loss that differs for no known reason, are an error."""
    levels, lost = best_release(optimum)
    required = ", ".join(f"{key} {value}" for key, value in optimum.require.items())
    if levels != optimum.levels or alike(lost, optimum.figure) == bool(optimum.why):
        raise SystemExit(f"{optimum.loss}, {required}: {levels} {lost}, ARX has {optimum.levels} {optimum.figure}.")
    kind = f", {optimum.distance}" if "t" in optimum.require else ""
    found = " ".join(map(str, levels)) if levels else "none"
    theirs = f"≠ {shown(optimum.figure)}: {optimum.why}" if optimum.why else "="
    return f"| `{optimum.loss}` | {required}{kind} | {optimum.suppress} | {found} | {shown(lost)} | {theirs} |\n"


RISKS_HEAD = """\
## The risks of ARX's own tests

`TestRiskMetrics.java` on Adult, all nine columns quasi-identifiers: the average risk of the table as it is, and the
share of people who are alone in populations that the table is a part of, by Dankar's rule.

| figure | tclose | ARX |
|---|---|---|
"""
NO_SNB = "≠ {}: its iteration for SNB does not end there, and it takes Zayatz ({}, the same here); SNB has a solution"


def risks_section() -> str:
    if not data("adult/adult.csv").exists():
        return "## The risks of ARX's own tests\n\nLeft out: TCLOSE_DATA has no adult/adult.csv.\n"
    people = pd.read_csv(data("adult/adult.csv"), sep=";")
    audit = tclose.audit(people, tclose.Roles(list(people.columns)), measure="marketer", drivers=False)
    sample = Frequencies(Counter(people.value_counts().tolist()))
    rows = [("average risk", float(audit.figures["marketer"].value), 0.6465751607983555, "")]
    for share, expected in ((1, 0.5142895033485844), (0.2, 0.3577099234829125), (0.1, 0.27684993883653597),
                            (0.01, 0.1446083531167384)):  # fmt: skip
        drawn = round(len(people) / share)
        found, other = (float(by(sample, drawn).uniques or 0.0) / drawn for by in (dankar, zayatz))
        why = NO_SNB.format(shown(expected), shown(other)) if share == 0.2 and alike(other, expected) else ""
        rows.append((f"alone, the table is {share:.0%} of the people", found, expected, why))
    for name, by, expected in (("Pitman", pitman, 0.27684993883653597), ("Zayatz", zayatz, 0.3207402393466189)):
        rows.append((f"alone, 10%, {name}", float(by(sample, 301_620).uniques or 0.0) / 301_620, expected, ""))
    solved = snb(sample, 5 * len(people)).uniques
    if solved is None:
        raise SystemExit("SNB has no solution for a fifth of the people, and the page says that it has.")
    return RISKS_HEAD + "".join(told(name, mine, theirs, why) for name, mine, theirs, why in rows)


def told(name: str, mine: float, theirs: float, why: str = "") -> str:
    """Return a row of figure, tclose and the other tool; a difference without a reason is an error."""
    if alike(mine, theirs) == bool(why):
        raise SystemExit(f"{name}: {shown(mine)}, the other tool has {shown(theirs)}.")
    return f"| {name} | {shown(mine)} | {why or '='} |\n"


SCORES: dict[str, dict[str, float]] = {
    "StudentsMath_Score.csv": {
        "k": 1, "l": 1, "entropy_l": 1, "alpha": 1, "beta": 71, "enhanced_beta": 5.375278407684164,
        "delta_present": 4.276666119016055, "t": 0.4165919952210274,
    },
    "StudentsMath_Score_k5.csv": {
        "k": 5, "l": 4, "entropy_l": 3, "alpha": 0.5, "beta": 29.8, "enhanced_beta": 5.036952602413629,
        "delta_present": 3.4275146899795286, "t": 0.31023287057769827,
    },
}  # fmt: skip
SCORES_HEAD = """\
## pycanon's own tests

`tests/test_anonymity.py` and `tests/test_reports.py` expect these figures of two tables of its repository,
{files}; quasi-identifiers Teacher, Gender, Ethnic, Freeredu, wesson; sensitive Score, ordered.

| figure | table | tclose | pycanon |
|---|---|---|---|
"""


def scores_section(compared: Callable[[str, str, float, float | None], str]) -> str:
    folder = Path(os.environ.get("TCLOSE_PYCANON", "")) / "data" / "processed"
    if not all((folder / name).is_file() for name in SCORES):
        return "## pycanon's own tests\n\nLeft out: TCLOSE_PYCANON names no repository of pycanon.\n"
    lines = []
    for name, expected in SCORES.items():
        roles = tclose.Roles(["Teacher", "Gender", "Ethnic", "Freeredu", "wesson"], {"Score": tclose.Ordered()})
        audit = tclose.audit(folder / name, roles, measure=list(expected), drivers=False)
        found = {**audit.figures, **audit["Score"].figures}
        for figure, theirs in expected.items():
            mine = float(found[figure].value)
            lines.append(f"| `{figure}` | {name} | {shown(mine)} | {compared('pycanon', figure, mine, theirs)} |\n")
    return SCORES_HEAD.format(files=" and ".join(f"`{name}`" for name in SCORES)) + "".join(lines)


def published() -> str:
    """Return the section of sdcMicro: what its own tests expect, beside the classes of the same tables."""
    whole = pd.DataFrame({"A": [2, 3, 2, 2, 3, 3, 1, 2], "B": [3, 3, 3, 3, 3, 3, 4, 3], "C": [1, 3, 1, 2, 1, 1, 1, 1]})
    holed = whole.assign(C=[1, 3, None, 2, 1, 1, None, 1])
    weighted = whole.assign(weight=[18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51.0])
    people = tclose.audit(weighted, tclose.Roles(["A", "B", "C"]), measure="k", weight_column="weight").population
    if people is None or people.weighted is None:
        raise SystemExit("The audit has no weights.")
    sizes = class_sizes(whole)
    rows: tuple[tuple[str, list[float], list[float]], ...] = (
        ("fk, no cell missing", [*sizes], [3, 1, 3, 1, 2, 2, 1, 3]),
        ("n1 and n2, rows alone and in pairs", [sizes.count(1), sizes.count(2)], [3, 2]),
        ("rk without weights", [round(1 / size, 5) for size in sizes], [0.33333, 1, 0.33333, 1, 0.5, 0.5, 1, 0.33333]),
        ("fk, C missing in rows 3 and 7", [*class_sizes(holed)], [3, 1, 4, 2, 2, 2, 1, 3]),
        ("the smallest Fk", [int(people.weighted.smallest)], [17]),
        ("distinct ℓ of each class, an occupation missing", [*diversities(OCCUPATIONS, "sensitive")], [3, 2, 2]),
        ("distinct ℓ of two attributes", [diversities(LETTERS, name)[0] for name in ("one", "two")], [2, 3]),
    )
    told = [
        (title, *(", ".join(map(str, each)) for each in (mine, theirs)), mine == theirs) for title, mine, theirs in rows
    ]
    return SDCMICRO + "".join(
        f"| {title} | {mine} | {'=' if same else '≠ ' + theirs} |\n" for title, mine, theirs, same in told
    )


OCCUPATIONS = """sex,occupation,ethnicity,sensitive
female,,other,1
female,,other,0
female,,other,2
male,teacher,other,1
male,teacher,other,0
female,nurse,majority,0
female,nurse,majority,1
"""
LETTERS = """key,one,two
1,A,X
1,B,Y
1,A,Z
"""


def diversities(csv: str, sensitive: str) -> list[int]:
    """Return how many values each class has, the classes in the order of their first rows."""
    table = pd.read_csv(io.StringIO(csv))
    quasi = [name for name in table.columns if name not in ("sensitive", "one", "two")]
    roles = tclose.Roles(quasi, {sensitive: tclose.Nominal()})
    rows = tclose.audit(table[[*quasi, sensitive]], roles, measure="l", drivers=False).classes.rows()
    found = {tuple(row[name] for name in quasi): int(row[f"{sensitive}.l"]) for row in rows}
    firsts = table[quasi].drop_duplicates().astype(object)
    return [found[key] for key in firsts.where(firsts.notna(), None).itertuples(index=False, name=None)]


SDCMICRO = """\
## sdcMicro's own tests

The tables and the figures are those of its tests (`test_freqCalc.R`, `test_indivRisk.R`, `test_ldiversity.R`); sdcMicro
itself did not run.
Where a cell is missing, sdcMicro lets it agree with every value, and counts it for all classes that it may belong to.
Here a missing cell is a value of its own, in a class with other missing ones ([special-values.md](special-values.md)),
so that nobody looks safer than they are to somebody who sees that the cell is missing.

| figure | tclose | sdcMicro |
|---|---|---|
"""


def class_sizes(table: pd.DataFrame) -> list[int]:
    """Return how many rows are in the class of each row."""
    audit = tclose.audit(table[["A", "B", "C"]], tclose.Roles(["A", "B", "C"]), measure="k", drivers=False)
    sizes = {_key(row): int(row["size"]) for row in audit.classes.rows()}
    return [sizes[_key(row)] for row in table.to_dict("records")]


def _key(row: Mapping[Any, Any]) -> tuple[float | None, ...]:
    return tuple(None if row[name] is None or row[name] != row[name] else float(row[name]) for name in "ABC")


def anjana_section() -> str:
    """Return what tclose finds in releases that anjana made of its own example."""
    head = "## Releases of anjana\n\n"
    if not installed("anjana"):
        return f"{head}Left out: anjana is not installed.\n"
    from anjana import anonymity
    from anjana.anonymity.utils import utils

    people = pd.read_csv(io.StringIO(ANJANA_HOSPITAL))
    people = people.astype(dict.fromkeys(people.select_dtypes("str"), object))  # it knows no other text
    years, quasi = people["age"].tolist(), ["age", "gender", "city"]
    ages = {0: people["age"].to_numpy(), **{at: utils.generate_intervals(years, 0, 100, 10 * at) for at in (1, 2)}}
    flat = {name: {0: people[name].to_numpy(), 1: ["*"] * len(people)} for name in ("gender", "city")}
    given, trees = (people, ["name", "religion"], quasi), {"age": ages, **flat}
    with contextlib.redirect_stdout(io.StringIO()), pd.option_context("future.infer_string", False):
        made = {
            "k ≥ 2": anonymity.k_anonymity(*given, 2, 50, trees),
            "k ≥ 2, l ≥ 2": anonymity.l_diversity(*given, "disease", 2, 2, 50, trees),
            "k ≥ 2, t ≤ 0.5": anonymity.t_closeness(*given, "disease", 2, 0.5, 50, trees),
        }
    lines = [f"| {asked} | {' | '.join(anjana_figures(frame, quasi))} |" for asked, frame in made.items()]
    return head + ANJANA + "\n".join(lines) + "\n" + ANJANA_TESTS


def anjana_figures(frame: pd.DataFrame, quasi: list[str]) -> list[str]:
    roles = tclose.Roles(quasi, {"disease": tclose.Nominal()})
    audit = tclose.audit(frame[[*quasi, "disease"]].reset_index(drop=True), roles, drivers=False)
    return [str(audit.k), str(audit["disease"].l), shown(float(audit["disease"].t))]


ANJANA = """\
anjana anonymises its `hospital_extended.csv`, whose people are those of pycanon's hospital; up to half of them may be
left out. tclose audits what it published: each release has what was asked of it.

| asked of anjana | k | l | t of disease, nominal |
|---|---|---|---|
"""
ANJANA_TESTS = """
Its own tests (`tests/test_anonymity.py`, with pandas 2.3) were run with tclose beside pycanon at 18 figures that they
ask of releases of Adult, all but recursive (c,ℓ)-diversity. The figures are the same but one: asked for enhanced
β ≤ 10, anjana publishes a release of which pycanon says 1.261 and the definition ∞ (above). Of the levels of age,
gender and city that its tests expect of the hospital if nobody is left out, tclose finds the same for k ≥ 2 (2, 0, 0)
and finer ones for k ≥ 2 and l ≥ 2: (1, 0, 1), where anjana goes on from the levels of k alone to (2, 0, 1).
"""
ANJANA_HOSPITAL = """name,age,gender,city,religion,disease
Ramsha,29,Female,Tamil Nadu,Hindu,Cancer
Gabu,24,Male,Tamil Nadu,Hindu,Cancer
Sabu,23,Male,Tamil Nadu,Hindu,Cancer
Jonas,22,Male,Tamil Nadu,Hindu,Cancer
Yadu,24,Female,Kerala,Hindu,Viral infection
Salima,28,Female,Tamil Nadu,Muslim,TB
Sunny,27,Male,Karnataka,Parsi,No illness
Joan,24,Female,Kerala,Christian,Heart-related
Bahuksana,23,Male,Karnataka,Buddhist,TB
Rambha,19,Male,Kerala,Hindu,Cancer
Kishor,29,Male,Karnataka,Hindu,Heart-related
Johnson,17,Male,Kerala,Christian,Heart-related
John,19,Male,Kerala,Christian,Viral infection
"""
