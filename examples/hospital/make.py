"""Write january.csv and february.csv: visits to a hospital that does not exist, the same on every run."""

import csv
import random
from pathlib import Path

DIAGNOSES = {"hypertension": 30, "diabetes": 18, "asthma": 14, "fracture": 12, "pneumonia": 10, "cancer": 8, "HIV": 3}
CHRONIC = ("hypertension", "diabetes")
COLUMNS = ("patient_id", "zip", "age", "sex", "diagnosis", "cost")


def patients(chance, count):
    """Draw people: one district is older than the others."""
    for number in range(1, count + 1):
        district = chance.choice([4760, 4767, 4790])
        age = min(94, max(0, round(chance.gauss(62 if district == 4790 else 41, 17))))
        place = f"{district}{chance.randrange(10)}"
        yield {"patient_id": f"P{number:04}", "zip": place, "age": age, "sex": chance.choice("fm")}


def visits(chance, people):
    """Draw a month of visits: most people come once, some come back, and older people have more chronic diseases."""
    for person in people:
        old = person["age"] > 55
        weights = [weight * 2 if old and name in CHRONIC else weight for name, weight in DIAGNOSES.items()]
        own = chance.choices(list(DIAGNOSES), weights)[0]
        for _ in range(chance.choice([1, 1, 1, 2, 2, 3, 5])):
            diagnosis = own if chance.random() < 0.7 else chance.choices(list(DIAGNOSES), weights)[0]
            yield {**person, "diagnosis": diagnosis, "cost": 50 * round(chance.lognormvariate(6.5, 0.6) / 50)}


def main():
    chance = random.Random(1)  # the same people on every run, and about nobody
    people = list(patients(chance, 900))
    for month, coming in (("january", people[:600]), ("february", people[300:])):
        rows = list(visits(chance, coming))
        chance.shuffle(rows)
        with Path(f"{month}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        print(f"{month}.csv: {len(rows)} visits of {len(coming)} patients")


if __name__ == "__main__":
    main()
