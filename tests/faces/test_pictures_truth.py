"""Figures are true: heights, places, areas and widths are the numbers that they show."""

import re
from fractions import Fraction

import pytest
from test_pictures import (
    CASES,
    SVG,
    alternative,
    diseases,
    drawn,
    explained,
    many,
    parsed,
    salary,
    shown_texts,
    without_hints,
)

import tclose
from tclose.reports.charts import cumulative_picture, moves_picture, tree_picture
from tclose.reports.charts.columns import arrows_of, columns_of
from tclose.reports.phrases.numbers import numbered


def test_the_moves_of_the_paper_are_drawn_in_order():
    """B₁ … B₆ and A₁ … A₈ of the tutorial's figure."""
    picture = moves_picture(salary())
    told = re.findall(r"(B.) moves (\S+) from (\d+) to (\d+)", alternative(picture))
    ways = [(3, 6), (3, 7), (4, 8), (4, 9), (5, 10), (5, 11)]
    assert told == [(numbered("B", at), "1/9", f"{a}000", f"{b}000") for at, (a, b) in enumerate(ways, start=1)]
    texts = shown_texts(picture)
    assert sorted(text for text in texts if re.fullmatch(r"B. 1/9", text)) == [
        f"{numbered('B', at)} 1/9" for at in range(1, 7)
    ]
    flows = [2, 4, 6, 5, 4, 3, 2, 1]
    assert [text for text in texts if text.startswith("A") and "/" in text] == [
        f"{numbered('A', at)} {flow}/9" for at, flow in enumerate(flows, start=1)
    ]
    assert "A₁ + … + A₈ = 27/9" in " ".join(texts)


@pytest.mark.parametrize("rule", ["stay", "monotone", "tutorial"])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_every_move_of_a_small_class_is_drawn(rule, at):
    explanation = salary(rule, at)
    texts = shown_texts(moves_picture(explanation))
    for number, move in enumerate(explanation.moves, start=1):
        assert f"{numbered('B', number)} {move.mass * 9}/9" in texts


def heights_by_column(picture):
    """Return, for each column by its label, the heights of what stays, leaves, and should be."""
    found = {}
    for group in parsed(picture).iter(f"{SVG}g"):
        boxes = {box.get("class"): float(box.get("height")) for box in group.findall(f"{SVG}rect")}
        title = group.find(f"{SVG}title")
        if boxes and title is not None and ": class " in title.text:
            found[title.text.split(": class ")[0]] = boxes
    return found


@pytest.mark.parametrize("case", ["salary", "salary, monotone", "merit", "nominal", "hierarchical", "point mass"])
def test_bars_are_as_high_as_the_shares(case):
    explanation, pictures = drawn(case)
    heights = heights_by_column(pictures["moves"])
    highest = float(max(*explanation.inside, *explanation.outside))
    unit = 150 / highest
    for value, p, q in zip(explanation.values, explanation.inside, explanation.outside, strict=True):
        boxes = heights[str(value)]
        assert boxes.get("tc-stay", 0) + boxes.get("tc-leave", 0) == pytest.approx(float(p) * unit, abs=0.02)
        assert boxes.get("tc-hole", 0) == pytest.approx(float(q) * unit, abs=0.02)


@pytest.mark.parametrize("case", ["72 values", "10,000 values", "500 values, nominal", "1,000 values, numeric"])
def test_groups_hold_the_whole_mass_and_the_whole_cost(case):
    explanation, pictures = drawn(case)
    columns = columns_of(explanation)
    arrows = arrows_of(columns)
    assert len(columns.items) == 20
    assert sum(column.inside for column in columns.items) == sum(column.outside for column in columns.items) == 1
    crossing = [
        move for move in explanation.moves if columns.column_of[move.start - 1] != columns.column_of[move.end - 1]
    ]
    assert sum(arrow.mass for arrow in arrows) == sum(move.mass for move in crossing)
    assert sum(arrow.cost for arrow in arrows) == sum(move.cost for move in crossing)
    assert sum(arrow.moves for arrow in arrows) == len(crossing)
    notes = " ".join(shown_texts(pictures["moves"]))
    assert re.search(rf"{len(explanation.values):,} values(:| shown in 20 groups)", notes)
    assert re.search(r"… and [\d,]+ smaller moves or moves within a group, (under )?[\d.]+ % of the cost\.", notes)


def enclosed(path):
    """Return the area that a path of M, H, V and Z encloses."""
    x = y = 0.0
    corners = []
    for letter, numbers in re.findall(r"([MHV])([-\d.,]+)", path):
        if letter == "M":
            x, y = map(float, numbers.split(","))
        elif letter == "H":
            x = float(numbers)
        else:
            y = float(numbers)
        corners.append((x, y))
    around = zip(corners, corners[1:] + corners[:1], strict=True)
    return abs(sum(a * d - c * b for (a, b), (c, d) in around)) / 2


@pytest.mark.parametrize(
    "case",
    [
        "salary",
        "salary, second class",
        "salary, third class",
        "merit",
        "toy, numeric",
        "two values",
        "24 long labels",
        "72 values",
    ],
)
def test_the_area_between_the_curves_is_the_distance(case):
    explanation, pictures = drawn(case)
    areas = [
        path.get("d") for path in parsed(pictures["cumulative"]).iter(f"{SVG}path") if path.get("class") == "tc-area"
    ]
    width = (960 if len(explanation.values) > 4 else 720) - 76 - 52
    assert sum(map(enclosed, areas)) / (width * 300) == pytest.approx(float(explanation.value), abs=2e-4)


def test_the_area_of_thinned_curves_is_nearly_the_distance():
    explanation, pictures = drawn("10,000 values")
    areas = [
        path.get("d") for path in parsed(pictures["cumulative"]).iter(f"{SVG}path") if path.get("class") == "tc-area"
    ]
    assert sum(map(enclosed, areas)) / (832 * 300) == pytest.approx(float(explanation.value), abs=3e-3)
    assert "10,000 values drawn through" in " ".join(shown_texts(pictures["cumulative"]))


def test_numeric_values_stand_as_far_apart_as_they_differ():
    picture = cumulative_picture(CASES["toy, numeric"]())
    places = {}
    for text in without_hints(parsed(picture)).iter(f"{SVG}text"):
        if (label := "".join(text.itertext())) in {"14", "27", "88", "101"}:
            places[int(label)] = float(text.get("x"))
    left, right = places[14], places[101]
    for value, place in places.items():
        assert (place - left) / (right - left) == pytest.approx((value - 14) / 87, abs=1e-3)


def test_the_tree_shows_what_crosses_each_edge():
    """Spec 3.6: a class of stomach diseases sends 4/9 to the lungs, and each level carries 4/9."""
    explanation = diseases()
    picture = tree_picture(explanation)
    words = alternative(picture)
    for told in (
        "lungs under any receives 4/9",
        "bowels under any sends up 4/9",
        "stomach under bowels sends up 4/9",
        "gastric ulcer under stomach sends up 2/9",
        "bronchitis under infection receives 2/9",
        "(4/9 + 4/9 + 4/9) ÷ 3 = 4/9",
    ):
        assert told in words
    lines = [line for line in parsed(picture).iter(f"{SVG}line") if line.get("class") in {"tc-up", "tc-down"}]
    wide = {float(line.get("stroke-width")) for line in lines if line.get("y1") != line.get("y2")}
    assert wide == {10.0, 6.0, 4.0}


def test_a_branch_that_nothing_crosses_is_thin():
    tree = {"*": {"x": ["a", "b"], "y": ["c", "d"]}}
    explanation = explained({"q": [1, 1, 2, 2], "s": ["a", "c", "b", "d"]}, tclose.Hierarchical(tree))
    picture = tree_picture(explanation)
    assert "x under * is as it should be" in alternative(picture)
    upright = [line for line in parsed(picture).iter(f"{SVG}line") if line.get("x1") == line.get("x2")]
    assert sum(line.get("class") == "tc-branch" for line in upright) == 3 + 2


def test_a_short_branch_goes_straight_up():
    tree = {"*": {"deep": {"deeper": ["a", "b"]}, "none": []}}
    explanation = explained({"q": [1, 1, 2, 2], "s": ["a", "b", "none", "none"]}, tclose.Hierarchical(tree))
    words = alternative(tree_picture(explanation))
    assert "none under * " in words
    assert "none under none" not in words


def test_the_figures_need_not_round():
    """The exact result is that of the kernel, whatever is grouped for display."""
    explanation = many(10_000, tclose.Ordered())
    assert f"Distance {explanation.value}" in alternative(moves_picture(explanation))
    assert isinstance(explanation.value, Fraction)
