"""How much of the facts of a trial a release keeps, and how long its search takes.

The trial is the pilot of CDISC (dm and ae of pharmaversesdtm): 306 people. Facts are adverse events with four levels,
k ≥ 5, known as sets. The first numbers are the best cuts of each base for one fact, by a dynamic program, and for two
what an integer program keeps where all events are published by their body system.

    python bench/facts_release.py ../shared/data/people
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tclose.anonymization.database.release import anonymize_database
from tclose.policy.files import read_policies

POLICY = """version = 1
[policy]
k = 5
facts = {facts}
facts_as = "set"
others = "remove"
unprotected = "tell"
fact_columns = ["AEDECOD"]
[[table]]
source = "{data}/dm.csv"
[table.columns]
USUBJID = {{ role = "person" }}
AGE = {{ role = "quasi-identifier", hierarchy = "intervals:10", levels = "{age}" }}
SEX = {{ role = "quasi-identifier", hierarchy = "flat", levels = "0..0" }}
[[table]]
source = "{data}/ae.csv"
[table.columns]
USUBJID = {{ role = "person" }}
AEDECOD = {{ role = "quasi-identifier", hierarchy = "columns:AEDECOD,AEHLT,AEHLGT,AEBODSYS" }}
"""
CASES = (
    ("age by decade, sex", "1..1", 1, 0.724),
    ("sex", "2..2", 1, 0.869),
    ("age by decade, sex", "1..1", 2, 0.508),
    ("sex", "2..2", 2, 0.704),
)


def main(data: str) -> None:
    """Print a line for each case."""
    for base, age, facts, best in CASES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "trial.toml")
            path.write_text(POLICY.format(data=Path(data).resolve(), facts=facts, age=age))
            begun = time.perf_counter()
            found = anonymize_database(read_policies(path))
            taken = time.perf_counter() - begun
        kept = next(each.detail for each in found.kept if each.column == "AEDECOD")
        print(f"{base:20} m = {facts}  kept {kept:.4f}  known best {best:.3f}  {taken:5.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
