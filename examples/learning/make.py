"""Write applicants.csv: who paid back a loan of a bank that does not exist, the same on every run."""

import csv
import random
from math import exp
from pathlib import Path

COLUMNS = ("age", "town", "amount", "repaid")
TOWNS = ("Ashford", "Brixham", "Colne", "Dover", "Ely", "Frome")


def main():
    chance = random.Random(4)  # the same loans on every run, and about nobody
    rows = []
    for _ in range(1500):
        age, town = chance.randint(18, 79), chance.choice(TOWNS)
        amount = 500 * chance.randint(2, 40)
        score = (age - 40) / 10 - amount / 6000 + (town in TOWNS[:3])
        rows.append((age, town, amount, "yes" if chance.random() < 1 / (1 + exp(-score)) else "no"))
    with Path("applicants.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    print(f"applicants.csv: {len(rows)} applicants")


if __name__ == "__main__":
    main()
