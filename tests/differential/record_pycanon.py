"""Write ``pycanon.json``: random tables and what pycanon measures on them, with nothing of tclose involved.

pycanon pins old versions of NumPy and pandas, so it lives in an environment of its own::

    python -m venv /tmp/pyc && /tmp/pyc/bin/pip install pycanon
    /tmp/pyc/bin/python tests/differential/record_pycanon.py

Every table has a fresh RangeIndex and more than one sensitive value: elsewhere pycanon is wrong
(spec, section 5). Of its models only those are recorded that it computes as the literature defines them.
"""

from __future__ import annotations

import json
import random
from importlib.metadata import version
from pathlib import Path

TABLES = 40


def table(seed: int) -> dict[str, list[object]]:
    draw = random.Random(seed)
    rows = draw.randint(6, 60)
    values = draw.choice([[1, 2, 3, 5, 9], ["a", "b", "c", "d"], list(range(30)), ["x", "y"]])
    found: dict[str, list[object]] = {
        "q0": draw.choices(["a", "b", "c"], k=rows),
        "q1": draw.choices([0, 1], k=rows),
        "s": draw.choices(values, k=rows),
    }
    return found if len(set(found["s"])) > 1 else table(seed + 1000)


def main() -> None:
    import pandas as pd
    from pycanon import anonymity

    recorded = []
    for seed in range(TABLES):
        columns = table(seed)
        frame, quasi, sensitive = pd.DataFrame(columns), ["q0", "q1"], ["s"]
        alpha, k = anonymity.alpha_k_anonymity(frame, quasi, sensitive, gen=True)
        figures = {
            "k": anonymity.k_anonymity(frame, quasi),
            "l": anonymity.l_diversity(frame, quasi, sensitive, gen=True),
            "t": anonymity.t_closeness(frame, quasi, sensitive, gen=True),
            "alpha": alpha,
            "beta": anonymity.basic_beta_likeness(frame, quasi, sensitive, gen=True),
            "delta": anonymity.delta_disclosure(frame, quasi, sensitive, gen=True),
        }
        assert figures["k"] == k
        recorded.append({"columns": columns, "figures": {key: float(value) for key, value in figures.items()}})
    target = Path(__file__).with_name("pycanon.json")
    lines = ",\n".join(json.dumps(entry) for entry in recorded)
    target.write_text(f'{{"pycanon": "{version("pycanon")}", "tables": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
