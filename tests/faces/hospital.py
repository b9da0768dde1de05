"""The patients of Li, Li and Venkatasubramanian (2007), Table 3, as a file, with a name that no message may show."""

import csv
from collections import defaultdict

import tclose
from canaries import CANARY

NAMES = (CANARY, "Bea", "Cem", "Dov", "Eve", "Fay", "Gil", "Hal", "Ivo")
ROWS = (
    ("47677", 29, 3000, "gastric ulcer"),
    ("47602", 22, 4000, "gastritis"),
    ("47678", 27, 5000, "stomach cancer"),
    ("47905", 43, 6000, "gastritis"),
    ("47909", 52, 11000, "flu"),
    ("47906", 47, 8000, "bronchitis"),
    ("47605", 30, 7000, "bronchitis"),
    ("47673", 36, 9000, "pneumonia"),
    ("47607", 32, 10000, "stomach cancer"),
)
ROLES = ("-i", "name", "-q", "zip,age", "-s", "salary:ordered,disease:nominal")
POLICY = """
[table]
source = "hospital.csv"

[columns]
name = { role = "identifier" }
zip = { role = "quasi-identifier", hierarchy = "mask", levels = [0, 4], weight = 2 }
age = { role = "quasi-identifier", hierarchy = "intervals:5,10,20" }
salary = { role = "sensitive", distance = "ordered", t = 0.3 }
disease = { role = "sensitive", distance = "nominal", t = 0.6 }

[policy]
k = 3

[release]
method = "full-domain"
intervals = false
"""


def write_hospital(folder):
    """Write the table to a folder and return its path."""
    path = folder / "hospital.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "zip", "age", "salary", "disease"])
        writer.writerows([name, *row] for name, row in zip(NAMES, ROWS, strict=True))
    return path


def rows_of(path):
    """Return the rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def judged(rows):
    """Return k and t of the salaries of a release, by the paper's own calculations."""
    salaries = defaultdict(list)
    for row in rows:
        salaries[row["zip"], row["age"]].append(int(row["salary"]))
    every = [salary for found in salaries.values() for salary in found]
    distances = [tclose.paper.ordered_distance_of_values(found, every) for found in salaries.values()]
    return min(map(len, salaries.values())), max(distances)
