"""Write survey.csv: 1,200 people drawn from a country that does not exist, the same on every run."""

import csv
import random
from pathlib import Path

REGIONS = {"north": (30_000, 200), "south": (18_000, 400), "islands": (12_000, 600)}  # people, and how many were drawn
JOBS = {"office": 40, "trade": 25, "health": 15, "farming": 12, "fishing": 6, "clergy": 2}
COLUMNS = ("region", "age", "job", "income", "weight")


def main():
    chance = random.Random(2)  # the same survey on every run, and about nobody
    rows = []
    for region, (people, drawn) in REGIONS.items():
        for _ in range(drawn):
            job = chance.choices(list(JOBS), JOBS.values())[0]
            income = 1000 * max(8, round(chance.gauss(38 if job == "office" else 27, 9)))
            rows.append((region, chance.randint(18, 80), job, income, people // drawn))
    chance.shuffle(rows)
    with Path("survey.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    everybody = sum(people for people, _ in REGIONS.values())
    print(f"survey.csv: {len(rows)} people, who stand for {everybody:,}")


if __name__ == "__main__":
    main()
