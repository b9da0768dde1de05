"""What cannot be a release is refused in words, or says what stands in its way."""

from __future__ import annotations

import ast
import datetime as dt
import re
from fractions import Fraction

import pyarrow as pa
import pytest

from canaries import CANARY
from tclose import Hierarchy, Nominal, Numeric, Ordered, Roles, audit
from tclose.anonymization.algorithms.catalogue import METHODS
from tclose.anonymization.anonymize import anonymize
from tclose.cli.errors import command_line
from tclose.errors import InputError

TABLE = pa.table({"age": [1, 2, 3, 4] * 4, "zone": ["a", "b"] * 8, "ill": ["x", "y", "z", "x"] * 4})
ROLES = Roles(["age", "zone"], {"ill": Nominal()})
WISHES = {"require": {"k": 2}, "hierarchies": {"zone": "flat"}}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"levels": {"age": "1.."}}, "must be a level"),
        ({"levels": {"age": (0,)}}, "must be a level"),
        ({"levels": {"age": (0, 1, 2)}}, "must be a level"),
        ({"levels": {"age": 1.0}}, "must be a level"),
        ({"levels": {"age": -1}}, "must be a level"),
        ({"levels": {"age": 99}}, "not in its hierarchy"),
        ({"levels": {"age": (1, 0)}}, "must be a level"),
        ({"levels": {"ill": 1}}, "no quasi-identifier"),
        ({"weights": {"age": "heavy"}}, "weights of 'age' must be"),
        ({"weights": {"age": 0}}, "weights of 'age' must be"),
        ({"weights": {"age": float("nan")}}, "weights of 'age' must be"),
        ({"weights": {"age": None}}, "weights of 'age' must be"),
        ({"weights": {"age": 1e308, "zone": 1e308}}, "weights of 'age' must be"),
        ({"suppress": "much"}, "suppress"),
        ({"suppress": 2}, "suppress must be a share"),
        ({"suppress": -0.1}, "suppress must be a share"),
        ({"hierarchies": {"zone": 5}}, "zone"),
        ({"hierarchies": {"zone": "absent.csv"}}, "absent.csv"),
        ({"hierarchies": {"zone": {"*": ["a"]}}}, "1 value is not among its leaves"),
        ({"hierarchies": {"ill": "flat"}}, "no quasi-identifier"),
        ({"hierarchies": {"zone": "flat", "age": "interval:2"}}, "'age'.*no such file.*Did you mean 'intervals:2'"),
        ({"hierarchies": {"zone": "intervals:5"}}, "Hierarchy of 'zone': Intervals and breaks need numbers"),
        ({"hierarchies": {"zone": "flat", "age": "intervals:2,3"}}, "Hierarchy of 'age': The width 3"),
        ({"method": 3}, "method must be one of"),
        ({"method": "Peel"}, "method must be one of"),
        ({"loss": 3}, "loss must be one of"),
        ({"loss": "LM"}, "loss must be one of"),
        ({"require": {}}, "Nothing is required of the release"),
        ({"require": {"k": 17}}, "Classes of 17 rows are required, but the table has 16"),
        ({"require": {"prosecutor": "0"}}, "Classes of 17 rows"),
        ({"require": {"nt": "10,0.1"}}, "cannot be enforced"),
        ({"require": {"k_map": 3}}, "cannot be enforced"),
        ({"require": {"ke": "2,1"}}, "needs numbers"),
        ({"require": {"t": {"age": "0.1"}}}, "age"),
        ({"within": 0}, "seconds"),
        ({"within": float("nan")}, "seconds"),
        ({"within": True}, "seconds"),
        ({"within": "1"}, "seconds"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**63}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"against": "itself"}, "against"),
    ],
)
def test_wishes_that_cannot_be_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        anonymize(TABLE, ROLES, **{**WISHES, **options})


@pytest.mark.parametrize(
    "values", [[dt.timedelta(days=1), dt.timedelta(0)], [b"\xff", b""]], ids=["durations", "bytes"]
)
@pytest.mark.parametrize(
    "roles", [Roles("odd", "ill"), Roles("age", "odd"), Roles("age", ["odd", "ill"], together="joint")]
)
def test_values_that_a_recipe_cannot_spell_are_refused(values, roles):
    table = TABLE.append_column("odd", pa.array(values * 8))
    with pytest.raises(InputError, match="'odd' holds durations or bytes"):
        anonymize(table, roles, require={"k": 2}, hierarchies={"odd": "flat"} if "odd" in roles.quasi else {})


def test_text_without_a_hierarchy_is_refused_without_showing_its_values():
    table = pa.table({"name": [f"{CANARY} one", f"{CANARY} two", "bird"], "ill": ["x", "y", "z"]})
    with pytest.raises(InputError, match="has no hierarchy"):
        anonymize(table, Roles(["name"], {"ill": Nominal()}), require={"k": 2})


def test_the_way_out_for_several_columns_without_a_hierarchy_is_one_that_can_be_pasted():
    table = {"home town": ["a", "b", "c"] * 2, "job": ["d", "e", "f"] * 2, "ill": ["x", "y"] * 3}
    roles = Roles(["home town", "job"], {"ill": Nominal()})
    with pytest.raises(InputError) as refused:
        anonymize(table, roles, require={"k": 2})
    trees = re.search(r"hierarchies=(\{[^}]*flat[^}]*\})", str(refused.value))[1]
    assert anonymize(table, roles, require={"k": 2}, hierarchies=ast.literal_eval(trees)).holds
    with command_line():
        assert "--hierarchy 'home town=flat' --hierarchy job=flat" in str(refused.value)


@pytest.mark.parametrize(
    ("zips", "asked"),
    [(["01067", "01069", "80331", "NA"], True), (["north", "south", "05", "NA"], False), (["n", "s", "e", "w"], False)],
)
def test_a_word_among_codes_without_a_hierarchy_is_asked_about(zips, asked):
    with pytest.raises(InputError, match="has no hierarchy") as refused:
        anonymize({"zip": zips * 2, "ill": ["x", "y"] * 4}, Roles(["zip"], {"ill": Nominal()}), require={"k": 2})
    assert ("'zip' (all but 1 of 4)" in str(refused.value)) is asked
    assert ("ReadOptions(null" in str(refused.value)) is asked
    assert not any(text in str(refused.value) for text in set(zips) - {"NA", "n", "s", "e", "w"})


@pytest.mark.parametrize("options", [{}, {"hierarchies": {"city": "flat"}}, {"hierarchies": {"city": "mask"}}])
def test_a_blank_text_is_refused_with_the_name_of_its_column(options):
    table = pa.table({"city": ["a", "b", " "] * 2, "ill": ["x", "y", "z"] * 2})
    with pytest.raises(InputError, match=r"'city'.*blank"):
        anonymize(table, Roles(["city"], {"ill": Nominal()}), require={"k": 2}, **options)


@pytest.mark.parametrize(
    ("rows", "refused"),
    [
        (
            [("1", "2", "*"), ("2", "3", "*"), ("3", "1", "*"), ("4", "4", "*")],
            True,
        ),  # each is called by its neighbour's name
        ([("1", "a", "b", "*"), ("2", "a", "b", "*"), ("3", "b", "c", "*"), ("4", "b", "c", "*")], True),
        (
            [("1", "1", "*"), ("2", "1", "*"), ("3", "3", "*"), ("4", "3", "*")],
            False,
        ),  # a group called by one of its own
        ([("1", "*", "*"), ("2", "*", "*"), ("3", "x", "*"), ("4", "x", "*")], False),
    ],
    ids=["turned", "moved up", "own", "early"],
)
def test_a_label_that_stands_for_other_values_on_a_level_below_is_refused(rows, refused):
    table = {"zip": ["1", "2", "3", "4"] * 2, "ill": ["x", "y"] * 4}
    given = {"require": {"k": 2}, "hierarchies": {"zip": Hierarchy(tuple(rows))}}
    if refused:
        with pytest.raises(InputError, match=r"'zip'.*Rename"):
            anonymize(table, Roles(["zip"], {"ill": Nominal()}), **given)
    else:
        assert anonymize(table, Roles(["zip"], {"ill": Nominal()}), **given).holds


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_sensitive_float_of_four_bytes_is_written_as_its_shortest_decimal(tmp_path, ending):
    table = pa.table({"age": [1, 2, 3] * 4, "ill": pa.array([0.1, 0.2, 3] * 4, pa.float32())})
    release = anonymize(table, Roles(["age"], {"ill": Nominal()}), require={"k": 2, "t": "0.5"}, method="merge")
    path = tmp_path / f"out{ending}"
    assert release.write(path).against_original.holds
    assert audit(path, Roles(["age"], {"ill": Nominal()}), reference={"ill": [0.1, 0.2, 3]})["ill"].values == 3


def test_an_obstacle_names_the_best_figure_there_is():
    """The table holds 3 values, 8 of 16 rows one of them: l is 3 and α 1/2 at best."""
    found = anonymize(TABLE, ROLES, require={"l": 4, "alpha": "0.4", "t": "0"}, hierarchies={"zone": "flat"})
    assert found.holds is False
    assert {obstacle.requirement.model.key: obstacle.value for obstacle in found.obstacles} == {
        "l": 3, "alpha": Fraction(1, 2),
    }  # fmt: skip
    assert all(obstacle.key == {"age": "*", "zone": "*"} for obstacle in found.obstacles)
    with pytest.raises(InputError, match="no release"):
        found.to_pandas()


def test_an_average_is_required_of_every_class():
    """On level 0 the classes have 1 and 3 rows: half a row on average, but one row stands alone."""
    table = pa.table({"zone": ["a", "b", "b", "b"], "ill": ["x", "y", "x", "y"]})
    roles = Roles(["zone"], {"ill": Nominal()})
    found = anonymize(table, roles, require={"marketer": "0.5"}, hierarchies={"zone": "flat"}, levels={"zone": 0})
    assert audit(table, roles, require={"marketer": "0.5"}).holds
    assert [(obstacle.requirement.model.key, obstacle.value) for obstacle in found.obstacles] == [("marketer", 1)]
    assert not found.obstacles[0].proven
    best = anonymize(table, roles, require={"marketer": "0.5"}, hierarchies={"zone": "flat"}, method="full-domain")
    assert [note.text for note in best.notes if "exact" in note.text.lower()] == [
        "Not exact: an average is required of every class; a better node may exist."
    ]
    assert "average-of-every-class" in [note.code for note in found.notes]


@pytest.mark.parametrize("distance", [Ordered(), Numeric()], ids=["ordered", "numeric"])
def test_whole_numbers_stay_numbers_where_rows_are_left_out(distance):
    """Zones a and b span 98; zone c, the only one with 10, spans nothing and is left out."""
    table = pa.table({"zone": ["a", "b"] * 18 + ["c"] * 2, "pay": [2, 2, 9, 9, 100, 100] * 6 + [10, 10]})
    release = anonymize(
        table, Roles(["zone"], {"pay": distance}), require={"ke": "3,98"}, hierarchies={"zone": "flat"},
        suppress="0.1", method="merge",
    )  # fmt: skip
    assert (release.suppressed, release.class_count) == (2, 2)
    assert all(each.holds for each in release.audits())


def test_missing_quasi_identifiers_need_no_words_where_nothing_is_sensitive(tmp_path):
    table = pa.table({"age": [1, 1, None, None, 2, 2]})
    made = anonymize(table, Roles(["age"]), require={"k": 2}).write(tmp_path / "out.csv")
    assert (made.audit.holds, made.audit.k) == (True, 2)


@pytest.mark.parametrize("values", [[float("inf")] * 8, [1e300, 1.0] * 4, [0.0] * 8], ids=["infinite", "huge", "zero"])
def test_extreme_numbers_have_losses_like_any_other(values):
    table = pa.table({"q": values, "s": ["x", "y"] * 4})
    release = anonymize(table, Roles(["q"], {"s": Nominal()}), require={"k": 2})
    assert release.holds
    assert 0 <= release.losses["sse"] <= 100


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_release_keeps_some_value_of_every_attribute(tmp_path, method):
    """With nulls='drop', leaving out the only row that has a value would leave nothing to judge."""
    rows = 22
    frame = pa.table(
        {
            "q": [1] + [2] * (rows - 1),
            "s": ["u"] + [None] * (rows - 1),
            "other": ["v", "w"] * (rows // 2),
        }
    )
    roles = Roles(["q"], {"s": Nominal(nulls="drop"), "other": Nominal()})
    options = {"suppress": "0.5", "method": method}
    release = anonymize(frame, roles, require={"alpha": {"other": "0.7"}}, **options)
    written = release.write(tmp_path / "release.parquet")
    assert written.audit.holds
    assert "u" in release.to_arrow().column("s").to_pylist()
