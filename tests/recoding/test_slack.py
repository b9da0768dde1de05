"""Slack: every cell of small releases made finer by hand."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from laws import oracle
from recoding.cutting_problems import TREE
from recoding.losses_problems import flat, in_classes, problem_of
from tclose.anonymization.algorithms import slack as measured
from tclose.anonymization.algorithms.slack import slack
from tclose.policy.roles import Nominal

ROWS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.integers(0, 5), st.sampled_from("xyz")), min_size=1, max_size=14
)


def by_hand(rows, class_of, k, t):
    """The share of cells that could be finer: tree nodes divided by their children, intervals cut anywhere."""
    values = Counter(value for _, _, value in rows)
    attribute = oracle.Attribute("nominal", tuple(sorted(values)))
    q = oracle.shares(values, attribute.order)

    def holds(part):
        p = oracle.shares(Counter(row[2] for row in part), attribute.order)
        return len(part) >= k and attribute.emd(p, q) <= t

    classes = {}
    for row in rows:
        classes.setdefault(class_of[row[:2]], []).append(row)
    finer = 0
    for members in classes.values():
        paths = {row[0]: row for row in TREE.rows}
        level = next(at for at in range(4) if len({paths[row[0]][at] for row in members}) == 1)
        if level:
            parts = {}
            for row in members:
                parts.setdefault(paths[row[0]][level - 1], []).append(row)
            finer += len(members) * all(map(holds, parts.values()))
        cuts = sorted({row[1] for row in members})[1:]
        sides = [([r for r in members if r[1] < cut], [r for r in members if r[1] >= cut]) for cut in cuts]
        finer += len(members) * any(holds(low) and holds(high) for low, high in sides)
    return Fraction(finer, 2 * len(rows))


@pytest.mark.parametrize("at_once", [measured._PIECES_AT_ONCE, 3], ids=["one batch", "small batches"])
@given(rows=ROWS, data=st.data(), k=st.integers(1, 3), t=st.sampled_from(["1/4", "1/2", "1"]))
@settings(max_examples=60, deadline=None)
def test_slack_is_the_share_of_cells_that_could_be_finer(at_once, rows, data, k, t):
    keys = sorted({row[:2] for row in rows})
    class_of = {key: data.draw(st.integers(0, 2)) for key in keys}
    numbers = {number: at for at, number in enumerate(sorted({*class_of.values()}))}
    letters, ages, values = zip(*rows, strict=True)
    problem = problem_of(
        {"letter": (letters, TREE), "age": (ages, flat(ages))},
        [("s", values, Nominal())],
        {"k": k, "t": t},
        inferred=("age",),
    )
    partition = in_classes(problem, lambda letter, age: numbers[class_of[letter, age]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measured, "_PIECES_AT_ONCE", at_once)
        assert slack(problem, partition, own=True) == by_hand(rows, class_of, k, Fraction(t))


def test_a_release_has_its_slack_and_says_so():
    table = {"age": [20, 20, 30, 30, 40, 40], "s": list("ababab")}
    roles = tclose.Roles(quasi="age", sensitive="s:nominal")
    release = tclose.anonymize(table, roles, require={"k": 2}, method="mondrian")
    assert release.slack == 0
    assert "the release is minimal" in release.with_original().to_html()
    coarse = tclose.anonymize(table, roles, require={"k": 2}, levels={"age": 1}, hierarchies={"age": "flat"})
    assert coarse.with_original().to_dict()["slack"] == {"value": 0}  # nothing finer than level 1 may be published
    assert tclose.anonymize(table, roles, require={"k": 2}, any=1).slack is None
