"""The figures of a report are true: what is drawn is what a plain count of the table gives."""

import math
import random
import re
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

import tclose
from tclose.auditing.explain import explain
from tclose.engines.class_tables import KeptClasses
from tclose.errors import ColumnNotFoundError
from tclose.policy.roles import Nominal, Ordered, Roles
from tclose.reports.charts.audits import (
    Distances,
    Drivers,
    distances_picture,
    distributions_picture,
    drivers_picture,
    sizes_picture,
)
from tclose.reports.charts.bars import TALL, ticks
from tclose.reports.content.distributions import Histogram, Sizes, distances_of, sizes_of
from tclose.reports.machine_readable.fingerprint import fingerprint

SVG = "{http://www.w3.org/2000/svg}"
ROLES = Roles(["q", "r"], {"s": Ordered()})
HOSTILE = "</svg><script>alert(1)</script>"


def random_table(seed, most=9):
    rng = random.Random(seed)
    rows = rng.randint(30, 200)
    return {
        "q": [rng.randint(0, most) for _ in range(rows)],
        "r": [rng.choice("ab") for _ in range(rows)],
        "s": [rng.randint(0, 4) for _ in range(rows)],
    }


def classes_of(table):
    found = defaultdict(list)
    for *key, value in zip(table["q"], table["r"], table["s"], strict=True):
        found[tuple(key)].append(value)
    return found


def bars(picture):
    """Return the bars: how many classes each says it counts, its height, and whether it is hatched."""
    found = []
    for box in ET.fromstring(picture).iter(f"{SVG}rect"):
        title = box.find(f"{SVG}title")
        if title is not None:
            number = int(re.match(r"([\d,]+) class", title.text)[1].replace(",", ""))
            found.append((number, float(box.get("height")), box.get("class") == "tc-leave"))
    return found


def drawn(histogram):
    return distances_picture(Distances("s", histogram, "the table", "t ≤ 0.3", "Told."))


@pytest.mark.parametrize("threshold", ["0", "0.05", "0.25", "0.9", "1"])
@pytest.mark.parametrize("seed", range(4))
def test_every_class_is_in_the_interval_of_its_distance(seed, threshold):
    table = random_table(seed)
    exact = [tclose.paper.ordered_distance_of_values(values, table["s"]) for values in classes_of(table).values()]
    histogram = distances_of(tclose.audit(table, ROLES, require={"t": threshold}), "s")
    for at, (low, high) in enumerate(pairwise(histogram.edges)):
        inside = [t for t in exact if (t > low + 1e-9 or at == 0) and t <= high + 1e-9]
        assert histogram.counts[at] == len(inside)
    failing = sum(count for at, count in enumerate(histogram.counts) if histogram.fails(at))
    assert failing == sum(t > Fraction(threshold) for t in exact)
    assert sum(number for number, _, hatched in bars(drawn(histogram)) if hatched) == failing
    assert histogram.classes == len(exact)


def test_no_bar_is_marked_where_every_class_holds():
    """Classes that are all like the table have distance 0, so that they hold at every threshold."""
    audit = tclose.audit({"q": [1, 1, 2, 2], "r": [0] * 4, "s": [5, 6, 5, 6]}, ROLES, require={"t": "0.5"})
    (verdict,) = audit.verdicts
    for hundredths in range(1, 101):
        asked = replace(verdict.requirement, threshold=Fraction(hundredths, 100))
        histogram = distances_of(replace(audit, verdicts=(replace(verdict, requirement=asked),)), "s")
        assert sum(histogram.counts) == 2
        assert not any(histogram.fails(at) for at in range(len(histogram.counts))), hundredths


def test_one_failing_class_among_very_many_can_be_seen():
    histogram = Histogram((0.0, 0.1, 0.2, 0.3), (36_951, 0, 1), 0.2)
    (many, tall, _), (one, short, hatched) = bars(drawn(histogram))
    assert (many, one, hatched) == (36_951, 1, True)
    assert tall == TALL
    assert short == pytest.approx(TALL / math.sqrt(36_951), abs=0.01)
    assert short >= 0.9


@pytest.mark.parametrize("most", [1, 2, 7, 99, 100, 12_345, 10**9])
def test_marks_on_the_axis_are_round_ascending_and_apart(most):
    found = ticks(most)
    assert found[0] == 0
    assert found == sorted(set(found))
    assert all(str(tick).strip("0") in ("", "1", "2", "5") for tick in found)
    heights = [TALL * math.sqrt(tick / most) for tick in found]
    assert all(after - before >= 20 for before, after in pairwise(heights))
    assert max(heights) <= TALL


@pytest.mark.parametrize("most", [3, 9, 40])
@pytest.mark.parametrize("k", [None, 1, 3, 17, 500])
def test_every_class_is_in_the_interval_of_its_size(most, k):
    table = random_table(most, most)
    counted = Counter(map(len, classes_of(table).values()))
    sizes = sizes_of(tclose.audit(table, ROLES, require={} if k is None else {"k": k}))
    assert sizes.largest == max(counted)
    for start, end, found in zip(sizes.starts, [*sizes.starts[1:], math.inf], sizes.counts, strict=True):
        assert found == sum(number for size, number in counted.items() if start <= size < end)
    small = sum(number for number, _, hatched in bars(sizes_picture(sizes, "Told.")) if hatched)
    assert small == sum(number for size, number in counted.items() if k is not None and size < k)


def test_large_sizes_are_told_in_intervals():
    sizes = Sizes((1, 2, 3, 5, 1000), (1, 0, 2, 3, 4), 1200, 5)
    assert sizes.labels == ["1", "2", "3–4", "5–999", "1,000–1,200"]


def listed(table):
    """Return the classes of an engine that only lists them, here from the last to the first."""
    rows = [tuple(row.values()) for row in table.rows()]
    return KeptClasses(table.quasi, table.figures[1:], table.whole[1:], rows[::-1])


def test_an_engine_that_does_not_count_gives_the_same_spread():
    """An engine without ``up_to`` lists its classes."""

    audit = tclose.audit(random_table(3), ROLES, require={"t": "0.2", "k": 3})
    plain = tclose.auditing.results.Audit(**{**vars(audit), "tables": {None: listed(audit.classes)}})
    assert distances_of(plain, "s") == distances_of(audit, "s")
    assert sizes_of(plain) == sizes_of(audit)


def test_counts_up_to_a_point_are_those_of_the_class_table():
    classes = tclose.audit(random_table(5), ROLES).classes
    rows = list(classes.rows())
    points = [-1.0, 0.1, 0.25, 3.0, math.inf]
    for column in ("size", "s.t"):
        assert classes.up_to(column, points) == [sum(row[column] <= point for row in rows) for point in points]
    with pytest.raises(ColumnNotFoundError):
        classes.up_to("q", [1.0])


def test_the_drawn_drivers_are_t_without_each_quasi_identifier():
    audit = tclose.audit(random_table(7), ROLES)
    attribute = audit["s"]
    picture = drivers_picture(Drivers("s", attribute.t, attribute.drivers))
    solid = [box for box in ET.fromstring(picture).iter(f"{SVG}rect") if box.find(f"{SVG}title") is not None]
    hatched = [box for box in ET.fromstring(picture).iter(f"{SVG}rect") if box.get("class") == "tc-leave"]
    table = random_table(7)
    for left_out, kept in (("q", "r"), ("r", "q")):
        groups = defaultdict(list)
        for key, value in zip(table[kept], table["s"], strict=True):
            groups[key].append(value)
        t = max(tclose.paper.ordered_distance_of_values(values, table["s"]) for values in groups.values())
        (box,) = [box for box in solid if box.find(f"{SVG}title").text == f"without {left_out} t is {t}"]
        whole = float(hatched[-1].get("x")) + float(hatched[-1].get("width")) - float(box.get("x"))
        assert float(box.get("width")) / whole == pytest.approx(float(t / attribute.t), abs=0.01)


def test_the_drawn_shares_are_those_of_the_class_and_the_table():
    table = random_table(11)
    audit = tclose.audit(table, ROLES)
    explanations = explain(audit, attribute="s", worst=3).items
    picture = ET.fromstring(distributions_picture(explanations))
    told = [(box, box.find(f"{SVG}title")) for box in picture.iter(f"{SVG}rect")]
    found = [(float(box.get("height")), title.text) for box, title in told if title is not None]
    groups, whole = classes_of(table), Counter(table["s"])
    expected = []
    for explanation in explanations:
        values = groups[explanation.key["q"], explanation.key["r"]]
        expected += [
            (Fraction(values.count(value), len(values)), Fraction(whole[value], len(table["s"])), value)
            for value in sorted(whole)
            if value in values
        ]
    assert [text for _, text in found] == [f"{value}: class {p}, reference {q}" for p, q, value in expected]
    highest = max(max(p, q) for p, q, _ in expected)
    for (height, _), (p, _, _) in zip(found, expected, strict=True):
        assert height == pytest.approx(84 * float(p / highest), rel=0.02)


def test_figures_are_whole_pictures_with_words_whatever_the_names_are():
    table = {HOSTILE: [HOSTILE, "b", "b"], "s" + HOSTILE: [HOSTILE, "y", "z"]}
    audit = tclose.audit(table, Roles([HOSTILE], {"s" + HOSTILE: Nominal()}), require={"t": "0.1"})
    html = audit.with_people().to_html()
    pictures = re.findall(r"<svg .*?</svg>", html, re.S)
    assert len(pictures) == 6
    for picture in pictures:
        root = ET.fromstring(picture)
        named = root.get("aria-labelledby").split()
        texts = {part.get("id"): part.text for part in root if part.get("id")}
        assert all(texts[name] for name in named)
        assert root.get("role") == "img"
        assert "script" not in {part.tag for part in root.iter()}


def test_the_fingerprint_follows_the_counts_and_nothing_else(tmp_path):
    table = random_table(13)
    rows = list(zip(*table.values(), strict=True))
    first = fingerprint(tclose.audit(table, ROLES))
    assert re.fullmatch("[0-9a-f]{64}", first)
    random.Random(1).shuffle(rows)
    shuffled = dict(zip(table, map(list, zip(*rows, strict=True)), strict=True))
    assert fingerprint(tclose.audit(shuffled, ROLES, require={"k": 9}, measure="all")) == first
    path = tmp_path / "table.csv"
    path.write_text("r,x,s,q\n" + "".join(f"{r},7,{s},{q}\n" for q, r, s in rows), encoding="utf-8")
    assert fingerprint(tclose.audit(path, ROLES)) == first


@pytest.mark.parametrize("column", ["q", "r", "s"])
def test_another_cell_is_another_fingerprint(column):
    table = random_table(17)
    changed = {**table, column: [*table[column][:-1], {"q": 99, "r": "c", "s": 99}[column]]}
    assert fingerprint(tclose.audit(table, ROLES)) != fingerprint(tclose.audit(changed, ROLES))


def test_a_missing_value_and_an_empty_text_have_different_fingerprints():
    with_none, with_text = ({"q": [cell, "a"], "s": [1, 2]} for cell in (None, ""))
    roles = Roles("q", {"s": Ordered()})
    assert fingerprint(tclose.audit(with_none, roles)) != fingerprint(tclose.audit(with_text, roles))


def test_values_cannot_run_into_each_other_in_the_fingerprint():
    roles = Roles(["q", "r"], {"s": Ordered()})
    one = {"q": ["a;1:b", "x"], "r": ["c", "x"], "s": [1, 2]}
    other = {"q": ["a", "x"], "r": ["b;1:c", "x"], "s": [1, 2]}
    assert fingerprint(tclose.audit(one, roles)) != fingerprint(tclose.audit(other, roles))


def test_the_same_values_in_other_pairs_are_another_fingerprint():
    roles = Roles(["q", "r"], {"s": Ordered()})
    one, other = ({"q": [1, 2], "r": pair, "s": [5, 5]} for pair in ([1, 2], [2, 1]))
    assert fingerprint(tclose.audit(one, roles)) != fingerprint(tclose.audit(other, roles))


@pytest.mark.parametrize("seed", range(3))
def test_the_fingerprint_is_the_same_where_an_engine_only_lists_its_classes(seed):
    table = random_table(seed)
    table = {**table, "q": [None if cell == 3 else cell for cell in table["q"]], "d": ["-", "", "é"] * len(table["s"])}
    table["d"] = table["d"][: len(table["s"])]
    audit = tclose.audit(table, Roles(["q", "r", "d"], {"s": Ordered()}))
    assert fingerprint(replace(audit, tables={None: listed(audit.classes)})) == fingerprint(audit)


@pytest.mark.parametrize("kind", ["drivers", "moves"])
def test_what_would_be_empty_is_not_drawn(kind):
    """One class is the table itself: nothing moves, and no quasi-identifier gives anything away."""
    html = tclose.audit({"q": ["a"] * 4, "s": [1, 2, 1, 2]}, Roles("q", {"s": Ordered()})).to_html()
    assert f"tclose-figure tclose-{kind}" not in html
    assert f"tclose-figure tclose-{kind}" in tclose.audit("example:salary").to_html()


def test_a_long_key_is_shortened_and_the_distance_is_not():
    key = "a very long key " * 20
    audit = tclose.audit({"q": [key, "b"], "s": [1, 2]}, Roles("q", {"s": Ordered()}))
    (explanation,) = explain(audit)
    picture = ET.fromstring(distributions_picture([explanation]))
    (shown,) = [part.tail for part in picture.iter(f"{SVG}title") if "distance" in (part.tail or "")]
    assert shown.endswith("… (1 row), distance 1/2 = 0.5")


def test_the_words_of_three_columns_and_of_long_values_are_kept_whole():
    """Column names and values of the Adult data set."""
    table = {
        "sex": ["Male", "Female"] * 6,
        "age": ["[17, 49)"] * 6 + ["[49, 91)"] * 6,
        "race": ["Amer-Indian-Eskimo"] * 12,
        "occupation": ["Handlers-cleaners", "Machine-op-inspct", "Transport-moving"] * 4,
    }
    found = tclose.audit(table, Roles(["sex", "age", "race"], {"occupation": Nominal()}))
    found = found.with_people()
    worst = explain(found, worst=3)
    ends = {"zip": ["[47600, 47909]"] * 819, "age": ["[0, 95]"] * 819, "sex": ["*"] * 819, "ill": [1] * 819}
    of_ends = explain(tclose.audit(ends, Roles(["zip", "age", "sex"], {"ill": Nominal()})))
    assert "…" not in distributions_picture(of_ends)
    for picture in (distributions_picture(worst), worst[0].animation().svg):
        assert "…" not in picture
