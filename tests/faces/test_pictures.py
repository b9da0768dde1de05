"""Figures: true to the numbers, readable by anybody and any program, and harmless whatever the values are."""

import itertools
import math
import re
import xml.etree.ElementTree as ET
from functools import cache

import pytest

import tclose
from tclose.reports.charts import moves_picture
from tclose.reports.charts import pictures as drawn_by_name
from tclose.reports.charts.svg import _DARK, _LIGHT, text_width


def figures(explanation, mark=""):
    """Return the pictures of an explanation, drawn."""
    return {name: draw() for name, draw in drawn_by_name(explanation, mark=mark).items()}


SVG = "{http://www.w3.org/2000/svg}"
DISEASES = {
    "any": {
        "lungs": {"infection": ["flu", "pneumonia", "bronchitis"], "vascular": ["edema", "embolism"]},
        "bowels": {"stomach": ["gastric ulcer", "stomach cancer", "gastritis"], "colon": ["colitis"]},
    }
}
HOSTILE = (
    "<script>alert(1)</script>",
    "]]>&amp;\"'<!--",
    "a\x00b\x1b[31m\x0b",
    "\ufffe\uffff",
    "日本語の長い病名がここに入ります日本語の長い病名がここ",
    "👩‍👩‍👧‍👦🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉",
    "مرض السكري من النوع الثاني مع مضاعفات",
    "x" * 40,
    'url(http://evil.example/x.png)" onload="alert(1)',
    None,
    "",
    "two  words",
)


def explained(table, distance, rule="stay", key=None, quasi="q"):
    roles = tclose.Roles(quasi=quasi, sensitive={"s": distance})
    return tclose.explain(table, roles, rule=rule, key=key)[0]


def salary(rule="tutorial", at=0):
    return tclose.explain("example:salary", attribute="salary", rule=rule, worst=3)[at]


def diseases(at=0):
    roles = tclose.Roles(quasi=["zip", "age"], sensitive={"disease": tclose.Hierarchical(DISEASES)})
    return tclose.explain("example:salary", roles, worst=3)[at]


def many(values, distance, rows=20_000):
    """Return an explanation with many values, made without chance."""
    numbers = [row * 7919 % values for row in range(rows)]
    low = [row for row in range(rows) if numbers[row] < values // 3 or row % 5 == 0]
    inside = set(low[::2])
    return explained({"q": [row in inside for row in range(rows)], "s": numbers}, distance, key={"q": True})


def hostile(distance=None):
    table = {"q": ["<b>&\x01", "z"] * 12, "s": [HOSTILE[row // 2 % 12] for row in range(12)] + list(HOSTILE)}
    return explained(table, distance or tclose.Nominal())


def one_long_label(values):
    labels = [f"{letter} forty letters make a label long {values:04}" for letter in "abcdefghijklmnopqrstuvwx"[:values]]
    rows = [label for at, label in enumerate(labels) for _ in range(at + 1)]
    return explained({"q": [at % 3 == 0 for at in range(len(rows))], "s": rows}, tclose.Ordered())


CASES = {
    "salary": salary,
    "salary, monotone": lambda: salary("monotone"),
    "salary, second class": lambda: salary("tutorial", 1),
    "salary, third class": lambda: salary("stay", 2),
    "merit": lambda: tclose.explain("example:merit", rule="tutorial")[0],
    "nominal": lambda: tclose.explain("example:salary", attribute="disease")[0],
    "hierarchical": diseases,
    "toy, numeric": lambda: explained({"q": [1, 2, 1, 2], "s": [14, 27, 88, 101]}, tclose.Numeric()),
    "two values": lambda: explained({"q": [1, 1, 2, 2], "s": [0, 0, 1, 1]}, tclose.Ordered()),
    "one value": lambda: explained({"q": [1, 1, 2, 2], "s": [5] * 4}, tclose.Ordered()),
    "class as the table": lambda: explained({"q": [1, 1, 2, 2], "s": [0, 1, 0, 1]}, tclose.Ordered()),
    "one class": lambda: explained({"q": [1, 1, 1], "s": [0, 1, 2]}, tclose.Numeric()),
    "missing value": lambda: explained({"q": [1, 1, 1, 2, 2], "s": ["a", None, None, "a", "a"]}, tclose.Nominal()),
    "point mass": lambda: explained({"q": [0] + [1] * 23, "s": list(range(24))}, tclose.Ordered()),
    "24 long labels": lambda: one_long_label(24),
    "9 long labels": lambda: one_long_label(9),
    "hostile": hostile,
    "72 values": lambda: many(72, tclose.Ordered()),
    "1,000 values, numeric": lambda: many(1_000, tclose.Numeric()),
    "500 values, nominal": lambda: many(500, tclose.Nominal()),
    "100 leaves": lambda: many(
        100, tclose.Hierarchical({"*": {f"tens {t}": [10 * t + u for u in range(10)] for t in range(10)}})
    ),
    "10,000 values": lambda: many(10_000, tclose.Ordered()),
}

every_case = pytest.mark.parametrize("case", CASES)


@cache
def drawn(case):
    """Return the explanation and the figures of a case."""
    explanation = CASES[case]()
    return explanation, figures(explanation)


def parsed(picture):
    return ET.fromstring(picture)


def alternative(picture):
    root = parsed(picture)
    return root.find(f"{SVG}desc").text


def shown_texts(picture):
    """Return all lines of text that are seen."""
    return ["".join(found.itertext()) for found in without_hints(parsed(picture)).iter(f"{SVG}text")]


def without_hints(root):
    """Take away the titles that show only when pointed at."""
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag == f"{SVG}title" and parent is not root]:
            tail = child.tail or ""
            parent.remove(child)
            parent.text = (parent.text or "") + tail
    return root


def test_the_figures_suit_the_distance():
    assert list(figures(salary())) == ["moves", "cumulative"]
    assert list(figures(diseases())) == ["moves", "tree"]
    assert list(figures(CASES["nominal"]())) == ["moves"]


@every_case
def test_a_figure_is_a_whole_picture_with_a_name_and_a_text_alternative(case):
    explanation, pictures = drawn(case)
    for picture in pictures.values():
        root = parsed(picture)
        assert root.tag == f"{SVG}svg"
        assert root.get("role") == "img"
        title, desc = (root.find(SVG + tag) for tag in ("title", "desc"))
        assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
        assert str(explanation.value) in title.text
        assert f"Distance {explanation.value}" in desc.text
        width, height = map(float, root.get("viewBox").split()[2:])
        assert 600 <= width <= 960
        assert 150 <= height <= 1000


@every_case
def test_a_figure_is_small_and_always_the_same(case):
    explanation, pictures = drawn(case)
    assert all(len(picture.encode()) < 60_000 for picture in pictures.values())
    assert figures(explanation) == pictures


@every_case
def test_a_figure_asks_for_nothing_and_runs_nothing(case):
    for picture in drawn(case)[1].values():
        root = parsed(picture)
        assert {element.tag for element in root.iter()} <= {
            SVG + tag
            for tag in "svg title desc style defs pattern rect line path circle g text".split()  # noqa: SIM905
        }
        names = {name for element in root.iter() for name in element.attrib}
        assert not [name for name in names if name.startswith("on") or "href" in name or name == "style"]
        used = re.findall(r"url\((.*?)\)", " ".join(element.get("fill", "") for element in root.iter()))
        ids = {element.get("id") for element in root.iter()}
        assert all(name.startswith("#") and name[1:] in ids for name in used)
        style = root.find(f"{SVG}style").text
        assert "url(" not in style
        assert "@import" not in style


def test_style_rules_touch_nothing_but_figures():
    style = parsed(moves_picture(salary())).find(f"{SVG}style").text
    rules = re.findall(r"([^{}]+)\{[^{}]*\}", style.replace("@media screen and (prefers-color-scheme:dark){", ""))
    selectors = [part.strip() for rule in rules for part in rule.replace("@media print{", "").split(",")]
    assert [selector for selector in selectors if selector and not selector.startswith(".tclose-figure")] == []


def test_ids_are_unique_on_a_page():
    pictures = [
        picture
        for explanation in (salary(), salary("stay"), salary(at=1), diseases())
        for picture in figures(explanation).values()
    ]
    pictures += figures(salary(), mark="again").values()
    ids = [element.get("id") for picture in pictures for element in parsed(picture).iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert len(ids) >= 2 * len(pictures)


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colours", [_LIGHT, _DARK], ids=["light", "dark"])
def test_contrast_is_enough_to_read(colours):
    def contrast(one, other):
        high, low = sorted((luminance(colours[one]), luminance(colours[other])), reverse=True)
        return (high + 0.05) / (low + 0.05)

    assert min(contrast(text, "paper") for text in ("ink", "soft", "move", "down")) >= 4.5
    assert contrast("stay", "paper") >= 3
    assert contrast("move", "tint") >= 3
    assert contrast("down", "cool") >= 3


@every_case
def test_a_class_as_the_table_is_told_in_one_sentence(case):
    explanation, pictures = drawn(case)
    texts = " ".join(" ".join(shown_texts(picture)) for picture in pictures.values())
    assert ("nothing has to be moved" in texts) == (explanation.value == 0)
    if not explanation.value:
        assert "tc-way" not in parsed(pictures["moves"]).find(f"{SVG}g").attrib.values()
        assert not [path for path in parsed(pictures["moves"]).iter(f"{SVG}path") if path.get("class") == "tc-way"]


def test_a_missing_value_is_shown():
    assert "∅" in shown_texts(drawn("missing value")[1]["moves"])


def test_hostile_values_are_shown_and_not_obeyed():
    picture = drawn("hostile")[1]["moves"]
    assert "<script" not in picture
    assert "\x00" not in picture
    assert "\x1b" not in picture
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in picture
    assert "<script>alert(1)</script>" in alternative(picture)
    assert 'onload="' not in picture


def test_characters_that_xml_forbids_are_replaced_even_in_names():
    explanation = explained({"a\x02\ufffe<": [1, 1, 2], "s": [1, 2, 3]}, tclose.Ordered(), quasi="a\x02\ufffe<")
    for picture in figures(explanation).values():
        assert parsed(picture) is not None


def test_a_long_fraction_is_shown_as_a_decimal_and_kept_exactly_in_the_title():
    explanation, pictures = drawn("72 values")
    assert len(str(explanation.value)) > 9
    for picture in pictures.values():
        assert str(explanation.value) not in " ".join(shown_texts(picture))
        assert str(explanation.value) in parsed(picture).find(f"{SVG}title").text


def extents(picture):
    """Return where each line of text that is not turned begins and ends, by its height."""
    root = without_hints(parsed(picture))
    turned = {text for group in root.iter(f"{SVG}g") if "rotate" in group.get("transform", "") for text in group}
    sizes = {"tc-small": 11, "tc-name": 17}
    for text in root.iter(f"{SVG}text"):
        if text in turned:
            continue
        size = next((size for name, size in sizes.items() if name in text.get("class", "")), 13)
        wide = text_width("".join(text.itertext()), size)
        x, y = float(text.get("x")), float(text.get("y"))
        start = x - {"middle": wide / 2, "end": wide}.get(text.get("text-anchor"), 0)
        yield y, start, start + wide, "".join(text.itertext())


@every_case
def test_no_two_texts_on_a_line_overlap_and_none_leaves_the_picture(case):
    for picture in drawn(case)[1].values():
        width, height = map(float, parsed(picture).get("viewBox").split()[2:])
        rows = {}
        for y, start, end, text in extents(picture):
            assert start >= 0, text
            assert end <= width, text
            assert 0 < y < height, text
            rows.setdefault(y, []).append((start, end, text))
        for row in rows.values():
            row.sort()
            clashes = [(one[2], other[2]) for one, other in itertools.pairwise(row) if one[1] > other[0]]
            assert clashes == []


@every_case
def test_slanted_labels_stay_inside_and_clear_of_the_rows_below(case):
    for picture in drawn(case)[1].values():
        for group in without_hints(parsed(picture)).iter(f"{SVG}g"):
            placed = re.fullmatch(r"translate\((\S+) (\S+)\) rotate\(-40\)", group.get("transform", ""))
            if placed:
                long = text_width("".join(group.itertext()))
                assert float(placed[1]) - long * math.cos(math.radians(40)) >= 0


def test_ten_thousand_values_are_drawn_at_once():
    explanation = many(10_000, tclose.Ordered())
    assert explanation.value
    pictures = figures(explanation)
    assert all(len(picture.encode()) < 60_000 for picture in pictures.values())
