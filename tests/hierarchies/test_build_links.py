"""Hierarchies that are columns of the table, or pairs of child and parent."""

import pytest

import tclose
from tclose.data.hierarchies import columns_hierarchy, hierarchy_of, hierarchy_of_parents, level_columns, read_hierarchy
from tclose.errors import ColumnNotFoundError, HierarchyError, InputError
from tclose.policy.files import read_policy
from tclose.policy.policy import Policy
from tclose.policy.writing import policy_text

VISITS = {
    "city": ["Bern", "Basel", "Lyon", "Nice", "Bern", "Lyon"],
    "country": ["CH", "CH", "FR", "FR", "CH", "FR"],
    "flu": ["y", "n", "y", "n", "n", "n"],
}


def test_pairs_are_the_table_they_describe(tmp_path):
    (tmp_path / "pairs.csv").write_text("flu,lung\ncold,lung\nlung,organ\ncolon,organ\ncolitis,colon\n")
    (tmp_path / "table.csv").write_text("flu;lung;organ\ncold;lung;organ\ncolitis;colon;organ\n")
    assert hierarchy_of(f"parents:{tmp_path}/pairs.csv", "d") == read_hierarchy(tmp_path / "table.csv")


def test_several_roots_get_one_and_short_branches_stand_for_themselves():
    tree = hierarchy_of_parents([("a", "b"), ("b", "c"), ("x", "y")])
    assert tree.rows == (("a", "b", "c", "*"), ("x", "y", "y", "*"))


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("a,b\nb,c\nc,a\n", "circle"),
        ("a,a\n", "circle"),
        ("x,y\na,b\nb,a\n", "circle"),
        ("a,b\na,c\n", "1 child has two or more parents"),
        ("a,b,c\n", "line 1 is no pair"),
        ("a\n", "line 1 is no pair"),
        ("", "there are no pairs"),
        ("a, \n", "line 1 is no pair"),
    ],
)
def test_pairs_that_are_no_tree(tmp_path, lines, told):
    (tmp_path / "pairs.csv").write_text(lines)
    with pytest.raises(HierarchyError, match=told):
        hierarchy_of(f"parents:{tmp_path}/pairs.csv", "d")


def test_the_file_of_pairs_is_read_beside_the_policy_and_written(tmp_path):
    (tmp_path / "pairs.csv").write_text("Bern,CH\nBasel,CH\nLyon,FR\nNice,FR\n")
    file = tmp_path / "tclose.toml"
    file.write_text(
        "version = 1\n[policy]\nk = 2\n[columns]\n"
        'city = { role = "quasi-identifier", hierarchy = "parents:pairs.csv" }\n'
    )
    policy = read_policy(file)
    assert policy.columns.hierarchies["city"] == f"parents:{tmp_path}/pairs.csv"
    assert tmp_path / "pairs.csv" in policy.inputs
    assert f'hierarchy = "parents:{tmp_path}/pairs.csv"' in policy_text(policy)


def test_columns_are_named_in_a_text():
    assert level_columns("columns:a, b") == ("a", "b")
    assert level_columns("a.csv") == ()


def test_levels_of_columns_are_the_same_hierarchy_as_a_file(tmp_path):
    (tmp_path / "city.csv").write_text("Bern;CH;*\nBasel;CH;*\nLyon;FR;*\nNice;FR;*\n")
    made = [
        tclose.anonymize(VISITS, tclose.Roles("city", "flu"), require={"k": 3}, hierarchies={"city": given}, seed=1)
        for given in ("columns:city,country", str(tmp_path / "city.csv"))
    ]
    assert made[0].levels == made[1].levels
    assert made[0].losses == made[1].losses
    assert sorted(made[0].to_polars()["city"]) == ["CH"] * 3 + ["FR"] * 3  # three of each country, fewer of a city


def test_a_value_with_two_parents_or_none_is_refused():
    with pytest.raises(HierarchyError, match="1 value of 'city' has two or more 'country'"):
        columns_hierarchy(["city", "country"], [("Bern", "CH"), ("Bern", "US")])
    with pytest.raises(HierarchyError, match="a value of 'city' has no 'country'"):
        columns_hierarchy(["city", "country"], [("Bern", None)])


def _asked(tree):
    return tclose.anonymize(VISITS, tclose.Roles("city", "flu"), require={"k": 3}, hierarchies={"city": tree})


def test_columns_that_cannot_be_levels():
    with pytest.raises(ColumnNotFoundError):
        _asked("columns:city,land")
    with pytest.raises(InputError, match="begin with the column itself"):
        _asked("columns:country,city")
    with pytest.raises(HierarchyError, match="no column is named above"):
        _asked("columns:city")


def test_columns_are_for_quasi_identifiers():
    policy = Policy(table=VISITS, roles=tclose.Roles("city", {"flu": tclose.Hierarchical("columns:flu,country")}))
    with pytest.raises(HierarchyError, match="for quasi-identifiers of a release"):
        tclose.audit(policy.table, policy.roles)
