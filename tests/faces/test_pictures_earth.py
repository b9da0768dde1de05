"""The picture that plays: at every rest it shows what the columns hold, and in the end the table and the whole bill."""

from fractions import Fraction
from itertools import accumulate, pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from tclose.errors import InputError
from tclose.reports.charts.columns import arrows_of, columns_of
from tclose.reports.charts.earth import carried, held, spent

TREE = {"*": {"lung": ["flu", "cold"], "stomach": ["ulcer", "gastritis"]}}
SICK = {"q": ["a"] * 5 + ["b"] * 6, "s": ["flu", "flu", "cold", "cold", "flu", *["ulcer", "gastritis", "flu"] * 2]}


def explained(table, distance, **options):
    return tclose.explain(table, tclose.Roles(["q"], {"s": distance}), **options)[0]


EXPLANATIONS = {
    "salary": lambda: tclose.explain("example:salary", attribute="salary")[0],
    "tutorial": lambda: tclose.explain("example:salary", attribute="salary", rule="tutorial")[0],
    "nominal": lambda: tclose.explain("example:salary", attribute="disease")[0],
    "tree": lambda: explained(SICK, tclose.Hierarchical(TREE)),
    "grouped": lambda: explained(
        {"q": ["a"] * 40 + ["b"] * 40, "s": [at * at % 97 for at in range(80)]}, tclose.Numeric()
    ),
    "alike": lambda: explained({"q": ["a", "a", "b", "b"], "s": [1, 2, 1, 2]}, tclose.Ordered()),
}


@settings(max_examples=20)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 9)), min_size=2, max_size=14),
    st.sampled_from([tclose.Ordered(), tclose.Numeric()]),
)
def test_both_ways_end_at_the_table_for_the_same_price_and_take_only_what_is_there(rows, distance):
    """Law: the sum over the edges and the cost of an optimal plan are the same distance (Werman, Peleg, Rosenfeld)."""
    explanation = explained({"q": [q for q, _ in rows], "s": [s for _, s in rows]}, distance)
    columns = columns_of(explanation)
    for stages in (arrows_of(columns), carried(columns)):
        states = held(columns, stages)
        assert all(share >= 0 for state in states for share in state)
        assert states[-1] == explanation.outside
        assert spent(stages)[-1] == explanation.value
    flows = [
        abs(sum(explanation.inside[: at + 1]) - sum(explanation.outside[: at + 1]))
        for at in range(len(columns.items) - 1)
    ]
    assert sorted(stage.mass for stage in carried(columns)) == sorted(flow for flow in flows if flow)


def test_values_of_a_group_stand_beside_each_other_whatever_the_alphabet_says():
    tree = {"*": {"lung": ["asthma", "flu"], "stomach": ["cramp", "ulcer"], "eye": ["cataract"]}}
    ills = ["asthma", "cramp", "flu", "ulcer", "cataract", "flu", "flu", "ulcer"]
    explanation = explained({"q": list("aaaabbbb"), "s": ills}, tclose.Hierarchical(tree))
    columns = columns_of(explanation)
    labels = [column.label for column in columns.items]
    assert {frozenset(pair) for pair in pairwise(labels)} >= {
        frozenset({"asthma", "flu"}), frozenset({"cramp", "ulcer"}),
    }  # fmt: skip
    shares = dict(zip(explanation.values, explanation.outside, strict=True))
    assert held(columns, arrows_of(columns))[-1] == [shares[label] for label in labels]
    texts = [element.text for element in ET.fromstring(explanation.animation().svg).iter() if element.text]
    assert (texts.count("lung"), texts.count("stomach"), texts.count("eye")) == (1, 1, 1)


def at(element, name, time, whole):
    """Return an attribute at a time, as the picture's own declarations say."""
    for child in element:
        if child.tag.endswith("}animate") and child.get("attributeName") == name:
            values = child.get("values").split(";")
            times = [float(each) * whole for each in child.get("keyTimes").split(";")]
            assert times == sorted(times)
            last = max(place for place, each in enumerate(times) if each <= time + 1e-9)
            if child.get("calcMode") == "discrete" or last + 1 == len(times):
                return values[last]
            low, high = times[last], times[last + 1]
            if name == "d":
                return values[last]
            share = (time - low) / (high - low)
            return str(float(values[last]) * (1 - share) + float(values[last + 1]) * share)
    return element.get(name)


@pytest.mark.parametrize("edges", [False, True])
@pytest.mark.parametrize("name", EXPLANATIONS)
def test_at_every_rest_the_picture_shows_what_the_columns_hold(name, edges):
    explanation = EXPLANATIONS[name]()
    if edges and not explanation.on_a_line:
        with pytest.raises(InputError, match="do not lie on a line"):
            explanation.animation(edges=True)
        return
    columns = columns_of(explanation)
    stages = carried(columns) if edges else arrows_of(columns)
    animation = explanation.animation("0.3", edges=edges)
    assert animation.steps == len(stages)
    root = ET.fromstring(animation.svg)
    holes = [column.outside for column in columns.items]
    drawn = [float(each.get("height")) for each in root.iter() if each.get("class") == "tc-hole"]
    unit = sum(drawn) / float(sum(holes))
    whole = len(stages) + 1.5
    piles = {int(each.get("data-column")): each for each in root.iter() if each.get("data-column")}
    bill = next(each for each in root.iter() if each.tag.endswith("}rect") and each.get("class") == "tc-head")
    for step, state in enumerate(held(columns, stages)):
        for column, (share, hole) in enumerate(zip(state, holes, strict=True)):
            high = float(at(piles[column], "height", step, whole)) if column in piles else 0.0
            assert high == pytest.approx(unit * float(min(share, hole)), abs=0.02)
        paid = explanation.value if step == len(stages) else spent(stages)[step]
        full = float(max(explanation.value, Fraction(3, 10)) * Fraction(21, 20))
        room = float(next(each.get("width") for each in root.iter() if each.get("class") == "tc-node"))
        assert float(at(bill, "width", step, whole)) == pytest.approx(float(paid) / full * room, abs=0.02)
    texts = " ".join("".join(each.itertext()) for each in root.iter() if each.tag.endswith("}text"))
    verdict = "more than" if explanation.value > Fraction(3, 10) else "within"
    assert f"{verdict} 0.3" in texts
    if explanation.on_a_line:
        curve = next(each for each in root.iter() if each.get("class") == "tc-class")
        heights = [float(part.split("H")[0]) for part in at(curve, "d", len(stages), whole).split("V")[1:]]
        sums = [float(each) for each in accumulate(holes)]
        expected = [
            heights[0] + (heights[-1] - heights[0]) * (each - sums[0]) / ((sums[-1] - sums[0]) or 1) for each in sums
        ]
        assert heights == pytest.approx(expected, abs=0.02)


def test_a_notebook_gets_the_picture_its_controls_and_nothing_from_outside():
    page = EXPLANATIONS["salary"]().animation("0.3")._repr_html_()
    assert 'data-steps="6"' in page
    assert "<script" in page
    assert [word for word in page.split('"') if word.startswith(("http:", "https:", "//"))] == [
        "http://www.w3.org/2000/svg"
    ]
    assert len(page) < 150_000


def test_one_step_is_one_step():
    table = {"q": ["a", "a", "b", "b"], "s": ["x", "x", "x", "y"]}
    roles = tclose.Roles("q", {"s": tclose.Nominal()})
    drawn = str(tclose.explain(table, roles, attribute="s", key={"q": "a"})[0].animation()._repr_html_())
    assert "1 step<" in drawn
    assert "1 steps" not in drawn
