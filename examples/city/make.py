"""Write incidents.csv and blocks.csv: a year of reports to a city that does not exist, the same on every run."""

import csv
import random
from datetime import date, timedelta
from pathlib import Path

KINDS = {"noise": 30, "parking": 28, "theft": 16, "assault": 7, "domestic violence": 5, "overdose": 3}
DISTRICTS = {"harbour": 3, "old town": 4, "meadows": 2}


def main():
    chance = random.Random(3)  # the same year on every run, and about nobody
    blocks = [
        (f"{district[0].upper()}{quarter}-{block:02}", f"{district}, quarter {quarter}", district)
        for district, quarters in DISTRICTS.items()
        for quarter in range(1, quarters + 1)
        for block in range(1, 9)
    ]
    rows = []
    for number in range(2000):
        block, _, district = chance.choice(blocks)
        kinds = {**KINDS, "overdose": 9} if district == "harbour" else KINDS
        day = date(2025, 1, 1) + timedelta(chance.randrange(365))
        rows.append((f"R-{number:05}", day, block, chance.choices(list(kinds), kinds.values())[0]))
    with Path("incidents.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("report", "day", "block", "incident"), *rows])
    with Path("blocks.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows((*block, "*") for block in blocks)
    print(f"incidents.csv: {len(rows)} reports from {len(blocks)} blocks")


if __name__ == "__main__":
    main()
