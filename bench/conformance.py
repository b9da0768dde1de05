"""Which figures do other tools give for the same table? Writes docs/conformance.md.

    TCLOSE_DATA=FOLDER TCLOSE_ARX=CLASSPATH TCLOSE_PYCANON=REPOSITORY python bench/conformance.py

Every tool that is missing is named on the page, with what is missing. pycanon and anjana take part where they are
installed, ARX where TCLOSE_ARX is a class path with its classes and libraries and Java is there (it is driven by
bench/arx/Measured.java), Adult and the Census where TCLOSE_DATA has them. What the tests of other tools expect is in
bench/rivals.py; sdcMicro takes part by that alone.
"""

from __future__ import annotations

import io
import math
import os
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import tclose
from rivals import (
    alike,
    anjana_section,
    data,
    installed,
    optima_section,
    published,
    risks_section,
    scores_section,
    shown,
)
from tclose.data.sources import EXAMPLES

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "conformance.md"
MEASURES = ("k", "l", "entropy_l", "recursive", "alpha", "beta", "enhanced_beta", "delta", "delta_present", "t")
CANNOT = {
    ("pycanon", "recursive"): "it chooses ℓ itself, puts the counts in ascending order where the definition has "
    "descending, and rounds c up.",
    ("pycanon", "delta"): "it leaves values out that a class lacks, for which the definition gives ∞; its figure is "
    "`delta_present`.",
    ("ARX", "alpha"): "it has no such model.",
    ("ARX", "delta"): "it leaves the same values out; its figure is `delta_present`, with logarithms to the base 2, "
    "here turned into natural ones.",
}
WHY = {
    ("pycanon", "entropy_l"): "it rounds down, `int(exp(H))`, so that 2.9999999999999996 becomes 2. By the definition "
    "ℓ is a real number.",
    ("pycanon", "enhanced_beta"): "by the definition (Cao and Karras 2012) a class must satisfy "
    "(p − q)/q ≤ min(β, −ln q) for every value. Where a gain exceeds −ln q, no β is large enough, and the figure is ∞. "
    "pycanon prints the largest min(gain, −ln q), a β that the table does not satisfy: on Adult 8.12 = −ln(9/30162), "
    "because 9 of 30,162 people are in the armed forces. ARX, which judges by the definition, finds no β either.",
    ("pycanon", "t"): "its distance follows the type of the column: numbers are ordered, text is nominal. It has no "
    "hierarchical one.",
}
HEAD = """\
<!-- Written by bench/conformance.py. Run it to change this page. -->

# Conformance

Figures of tclose beside those of other tools, on the tables of the literature, on their own examples, and on two
public data sets. `=` says that both are the same to 9 digits, `≠` that they differ, `–` that the tool has no such
figure. ARX judges and does not measure: its figure is the threshold at which its judgement of the table as it is
changes.

{tools}

## Why figures differ

{why}

## Why there is no figure

{cannot}
"""
PYCANON_HOSPITAL = """age,gender,city,disease
"[17, 30[",Female,Kerala,Viral infection
"[17, 30[",Female,Kerala,Heart-related
"[17, 30[",Female,Tamil Nadu,Cancer
"[17, 30[",Female,Tamil Nadu,TB
"[17, 30[",Male,Karnataka,No illness
"[17, 30[",Male,Karnataka,TB
"[17, 30[",Male,Karnataka,Heart-related
"[17, 30[",Male,Kerala,Cancer
"[17, 30[",Male,Kerala,Heart-related
"[17, 30[",Male,Kerala,Viral infection
"[17, 30[",Male,Tamil Nadu,Cancer
"[17, 30[",Male,Tamil Nadu,Cancer
"[17, 30[",Male,Tamil Nadu,Cancer
"""
ARX_EXAMPLE = """zipcode,age,disease
476**,<=40,gastric ulcer
476**,<=40,gastritis
476**,<=40,stomach cancer
479**,>40,gastritis
479**,>40,flu
479**,>40,bronchitis
476**,<=40,bronchitis
476**,<=40,pneumonia
476**,<=40,stomach cancer
"""
ARX_TREE = """flu,respiratory infection,vascular lung disease,*
pneumonia,respiratory infection,vascular lung disease,*
bronchitis,respiratory infection,vascular lung disease,*
pulmonary edema,vascular lung disease,vascular lung disease,*
pulmonary embolism,vascular lung disease,vascular lung disease,*
gastric ulcer,stomach disease,digestive system disease,*
stomach cancer,stomach disease,digestive system disease,*
gastritis,stomach disease,digestive system disease,*
colitis,colon disease,digestive system disease,*
colon cancer,colon disease,digestive system disease,*
"""


@dataclass(frozen=True)
class Case:
    """A table that every tool measures: its title, its frame, and which column is what."""

    title: str
    frame: Callable[[], pd.DataFrame]
    quasi: list[str]
    sensitive: str
    distance: str
    """nominal, ordered, or a hierarchy as CSV"""
    needs: str = ""
    """the file of TCLOSE_DATA that it is read from"""


def example(name: str) -> Callable[[], pd.DataFrame]:
    return lambda: pd.DataFrame(EXAMPLES[name].rows, columns=list(EXAMPLES[name].columns))


def text(csv: str) -> Callable[[], pd.DataFrame]:
    return lambda: pd.read_csv(io.StringIO(csv))


def adult() -> pd.DataFrame:
    return pd.read_csv(data("adult/adult.csv"), sep=";")


def census() -> pd.DataFrame:
    frame = pd.read_csv(data("census/census.csv"))
    return frame.assign(decile=pd.qcut(frame["TAXINC"].rank(method="first"), 10, labels=False))


CASES = (
    Case("Salaries of the literature, ordered", example("salary"), ["zip", "age"], "salary", "ordered"),
    Case("Diseases of the literature, nominal", example("salary"), ["zip", "age"], "disease", "nominal"),
    Case("Incidents of the tutorial", example("incidents"), ["zone"], "incident", "nominal"),
    Case("Merit points of the tutorial", example("merit"), ["project"], "merit_points", "ordered"),
    Case("pycanon's hospital", text(PYCANON_HOSPITAL), ["age", "gender", "city"], "disease", "nominal"),
    Case("ARX's example 13, on levels 1 and 2", text(ARX_EXAMPLE), ["zipcode", "age"], "disease", ARX_TREE),
    Case("Adult: occupations", adult, ["sex", "race", "education"], "occupation", "nominal", "adult/adult.csv"),
    Case("Adult: ages", adult, ["sex", "education"], "age", "ordered", "adult/adult.csv"),
    Case("Census: federal tax by tenths of the income", census, ["decile"], "FEDTAX", "ordered", "census/census.csv"),
)


def ours(case: Case, frame: pd.DataFrame) -> dict[str, float]:
    """Return what tclose measures."""
    roles = tclose.Roles(case.quasi, {case.sensitive: _distance(case.distance)})
    audit = tclose.audit(frame[[*case.quasi, case.sensitive]], roles, measure=MEASURES, drivers=False)
    figures = {**audit.figures, **audit[case.sensitive].figures}
    return {name: float(figures[name].value) for name in MEASURES}


def _distance(distance: str) -> Any:
    if distance in ("nominal", "ordered"):
        return tclose.Nominal() if distance == "nominal" else tclose.Ordered()
    tree: dict[str, Any] = {}
    for line in distance.splitlines():
        leaf, *above = line.split(",")
        node = tree
        for name in reversed(above[:-1]):
            node = node.setdefault(name, {})
        node[leaf] = {}
    return tclose.Hierarchical({"*": tree})


def pycanon(case: Case, frame: pd.DataFrame) -> dict[str, float]:
    """Return what pycanon measures."""
    from pycanon import anonymity

    given: tuple[Any, ...] = (frame.reset_index(drop=True), case.quasi, [case.sensitive])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas, about how pycanon asks it
        found = {
            "k": anonymity.k_anonymity(*given[:2]),
            "l": anonymity.l_diversity(*given),
            "entropy_l": anonymity.entropy_l_diversity(*given),
            "alpha": anonymity.alpha_k_anonymity(*given)[0],
            "beta": anonymity.basic_beta_likeness(*given),
            "enhanced_beta": anonymity.enhanced_beta_likeness(*given),
            "delta_present": anonymity.delta_disclosure(*given),
            "t": anonymity.t_closeness(*given),
        }
    return {name: float(value) for name, value in found.items()}


def arx(case: Case, frame: pd.DataFrame, folder: Path) -> dict[str, float]:
    """Return at which thresholds ARX's judgement changes."""
    table, tree = folder / "table.csv", folder / "tree.csv"
    frame[[*case.quasi, case.sensitive]].to_csv(table, index=False)
    tree.write_text(case.distance, encoding="utf-8")
    kind = case.distance if "," not in case.distance else str(tree)
    path = os.pathsep.join([str(folder), os.environ["TCLOSE_ARX"]])
    words = ["java", "-cp", path, "Measured", str(table), ",".join(case.quasi), case.sensitive, kind]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = {name: float(value) for name, value in (line.split() for line in told.splitlines())}
    found["delta_present"] = found.pop("delta") * math.log(2)  # ARX takes logarithms to the base 2
    return found


def missing_arx() -> str:
    """Return why ARX does not take part; nothing where it does."""
    if not os.environ.get("TCLOSE_ARX"):
        return "TCLOSE_ARX names no class path"
    return "" if shutil.which("javac") else "there is no Java compiler"


def section(case: Case, mine: Mapping[str, float], theirs: Mapping[str, Mapping[str, float]]) -> str:
    """Return what the page says of a table."""
    kind = case.distance if "," not in case.distance else "hierarchical"
    lines = [
        f"## {case.title}", "", f"Quasi-identifiers {', '.join(case.quasi)}; sensitive {case.sensitive}, {kind}.", "",
        f"| figure | tclose | {' | '.join(theirs)} |", f"|---|---|{'---|' * len(theirs)}",
    ]  # fmt: skip
    for name in MEASURES:
        cells = [compared(tool, name, mine[name], figures.get(name)) for tool, figures in theirs.items()]
        lines.append(f"| `{name}` | {shown(mine[name])} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def compared(tool: str, name: str, mine: float, other: float | None) -> str:
    """Return what the page says of a tool's figure; a difference that nobody has explained is an error."""
    if other is None:
        return "–"
    if alike(mine, other):
        return "="
    if (tool, name) not in WHY:
        raise SystemExit(f"{tool} has {shown(other)} for {name}, not {shown(mine)}, and WHY does not say why.")
    return f"≠ {shown(other)}"


def main() -> None:
    why_no_arx = missing_arx()
    tools = [
        f"- pycanon {installed('pycanon')}" if installed("pycanon") else "- pycanon: left out, it is not installed",
        "- ARX, built from its sources" if not why_no_arx else f"- ARX: left out, {why_no_arx}",
        "- sdcMicro: figures that its own tests expect; it needs R and packages of CRAN",
        "- Amnesia: left out, its repository has no tests and no table with figures",
        f"- anjana {installed('anjana')}: its releases, audited"
        if installed("anjana")
        else "- anjana: left out, it is not installed",
    ]
    why, cannot = (
        "\n".join(f"- **{tool}, `{name}`**: {reason}" for (tool, name), reason in reasons.items())
        for reasons in (WHY, CANNOT)
    )
    sections = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if not why_no_arx:
            source = ROOT / "bench" / "arx" / "Measured.java"
            subprocess.run(["javac", "-nowarn", "-d", place, "-cp", os.environ["TCLOSE_ARX"], str(source)], check=True)
        for case in CASES:
            if case.needs and not data(case.needs).exists():
                sections.append(f"## {case.title}\n\nLeft out: TCLOSE_DATA has no {case.needs}.\n")
                continue
            frame = case.frame()
            theirs = {"pycanon": pycanon(case, frame)} if installed("pycanon") else {}
            if not why_no_arx:
                theirs["ARX"] = arx(case, frame, folder)
            sections.append(section(case, ours(case, frame), theirs))
    text = "\n".join(
        [
            HEAD.format(tools="\n".join(tools), why=why, cannot=cannot),
            *sections,
            optima_section(),
            risks_section(),
            scores_section(compared),
            published(),
            anjana_section(),
        ]
    )
    PAGE.write_text(text, encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} was written.")


if __name__ == "__main__":
    main()
