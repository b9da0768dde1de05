"""Nested mappings become rows whose first shared level is the height of the lowest common ancestor."""

import itertools

import pytest
from hypothesis import given

from papers import DISEASE_TREE, EXPECTED
from strategies import nested_trees
from tclose.data.hierarchies import Hierarchy, hierarchy_of
from tclose.data.hierarchies.files import MOST_LEVELS, rows_of_tree
from tclose.errors import HierarchyError


def first_shared_level(tree: Hierarchy, one: str, other: str) -> int:
    return next(level for level in range(tree.height + 1) if tree.ancestor(one, level) == tree.ancestor(other, level))


def test_distances_in_the_tree_of_diseases():
    tree = hierarchy_of(DISEASE_TREE, "disease")
    assert tree.height == EXPECTED["disease_tree.height"]
    for pair, distance in EXPECTED["disease_tree.distances"].items():
        assert first_shared_level(tree, *pair.split("|")) == distance * tree.height


def test_a_short_branch_is_filled_at_the_leaf_end():
    rows = rows_of_tree({"*": {"a": {"b": ["x"]}, "y": [], "c": ["z"]}})
    assert rows == (("x", "b", "a", "*"), ("y", "y", "y", "*"), ("z", "c", "c", "*"))


FORMS = {
    "mapping of lists": {"*": {"g": ["a", "b"], "h": ["c"]}},
    "tuples": {"*": {"g": ("a", "b"), "h": ("c",)}},
    "a single leaf as text": {"*": {"g": ["a", "b"], "h": "c"}},
    "list of mappings": {"*": [{"g": ["a", "b"]}, {"h": ["c"]}]},
    "leaves without children": {"*": {"g": {"a": None, "b": {}}, "h": {"c": []}}},
    "a leaf twice in its group": {"*": {"g": ["a", "b", "a"], "h": ["c"]}},
}


@pytest.mark.parametrize("tree", FORMS.values(), ids=FORMS)
def test_all_forms_of_the_same_tree_give_the_same_rows(tree):
    assert rows_of_tree(tree) == (("a", "g", "*"), ("b", "g", "*"), ("c", "h", "*"))


def test_whole_numbers_count_as_their_digits():
    assert rows_of_tree({"*": {"young": [1, 2], 3: [30]}}) == (
        ("1", "young", "*"),
        ("2", "young", "*"),
        ("30", "3", "*"),
    )


@given(nested_trees())
def test_first_shared_level_is_the_height_of_the_lowest_common_ancestor(nested):
    tree = hierarchy_of(nested, "column")
    paths = dict(_leaf_paths(nested["*"], ("*",)))
    assert set(paths) == set(tree.leaves)
    for one, other in itertools.combinations(paths, 2):
        common = tuple(a for a, b in zip(paths[one], paths[other], strict=False) if a == b)
        assert first_shared_level(tree, one, other) == _height(nested, common)


def _leaf_paths(children, above):
    for child in children:
        if isinstance(child, str):
            yield child, (*above, child)
        else:
            ((label, below),) = child.items()
            yield from _leaf_paths(below, (*above, label))


def _height(nested, path):
    """1 + the largest height of a child, by the definition, of the node at the end of the path."""
    children = nested["*"]
    for label in path[1:]:
        children = next(child[label] for child in children if isinstance(child, dict) and label in child)

    def height(node):
        return 0 if isinstance(node, str) else 1 + max(height(child) for child in next(iter(node.values())))

    return height({"": children})


CYCLE: dict[str, object] = {}
CYCLE["again"] = CYCLE

DEEP: dict[str, object] = {"leaf": []}
for _level in range(5000):
    DEEP = {f"level {_level}": DEEP}

BROKEN = {
    "no root": ({}, "not with 0 labels"),
    "several roots": ({"a": ["x"], "b": ["y"]}, "not with 2 labels"),
    "only a root": ({"*": []}, "one level only"),
    "leaf in two groups": ({"*": {"g": ["x"], "h": ["x"]}}, "On level 0 .*1 labels are used again"),
    "group in two groups": ({"*": {"g": {"o": ["x"]}, "h": {"o": ["y"]}}}, "On level 1 .*1 labels"),
    "leaf named like a group beside it": ({"*": ["g", {"g": ["x"]}]}, "a leaf and a group in the same place"),
    "short branch named like a group": (
        {"*": [{"a": {"g": ["x"]}}, "g"]},
        "On level 1 .*1 labels are used again",
    ),
    "a float": ({"*": [1.5]}, "not float"),
    "a truth value": ({"*": [True]}, "not bool"),
    "a list in a list": ({"*": [["x"]]}, "not list"),
    "a blank label": ({"*": {"": ["x"]}}, "not a label"),
    "contains itself": (CYCLE, f"more than {MOST_LEVELS} levels"),
    "deep": ({"*": DEEP}, f"more than {MOST_LEVELS} levels"),
}


@pytest.mark.parametrize(("tree", "message"), BROKEN.values(), ids=BROKEN)
def test_mappings_that_are_no_tree_are_refused(tree, message):
    with pytest.raises(HierarchyError, match=message) as caught:
        hierarchy_of(tree, "disease")
    assert str(caught.value).startswith("Hierarchy of 'disease': ")
