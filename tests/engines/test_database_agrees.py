"""A table in a database has the audit that it has as a frame, field by field, whatever it holds."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tclose
from engines.servers import execute
from laws.audited import cases
from tclose.anonymization.output import held, store
from tclose.engines.database import counts
from tclose.engines.database.session import DatabaseSession
from tclose.engines.dispatch import working_session
from tclose.engines.duckdb.session import DuckDBSession

few = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def quiet(_stage, _share):
    pass


def data(audit):
    """Everything that an audit says, but for the name of its table; and all its classes."""
    found = audit.to_dict()
    del found["source"]
    return found, [list(table.rows()) for table in audit.tables.values()]


@few
@given(case=cases())
def test_every_model_is_the_same_in_a_database(put, case):
    asked = {"measure": "all", "require": {"k": 2, "t": "1/3"}, "drivers": False}
    found = tclose.audit(put("law", case.columns), case.roles, population=put("people", case.population), **asked)
    mine = tclose.audit(case.columns, case.roles, population=case.population, **asked)
    assert data(found) == data(mine)


@few
@given(case=cases(), data=st.data())
def test_weights_say_the_same_of_a_population_in_a_database(put, case, data):
    weights = data.draw(st.lists(st.sampled_from([1, 2, 7]), min_size=len(case.rows), max_size=len(case.rows)))
    table = {**case.columns, "w": weights}
    found = tclose.audit(put("weighted", table), case.roles, weight_column="w", drivers=False)
    assert found.population == tclose.audit(table, case.roles, weight_column="w", drivers=False).population


@few
@given(case=cases(quasi=3), most=st.integers(1, 3))
def test_any_columns_are_the_same_in_a_database(put, case, most):
    asked = {"any": most, "require": {"k": 2, "t": "1/3"}, "drivers": False}
    found = tclose.audit(put("facts", case.columns), case.roles, **asked)
    assert data(found) == data(tclose.audit(case.columns, case.roles, **asked))


@few
@given(case=cases(most_rows=20), random=st.randoms(use_true_random=False))
def test_the_order_of_rows_and_the_size_of_sets_change_nothing(put, case, random):
    shuffled = case.with_rows(random.sample(case.rows, len(case.rows)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "PAIRS_AT_ONCE", 3)
        patch.setattr(counts, "_ROWS_AT_ONCE", 2)
        found = tclose.audit(put("shuffled", shuffled.columns), case.roles)
    assert data(found) == data(tclose.audit(case.columns, case.roles))


@few
@given(case=cases(most_rows=20), random=st.randoms(use_true_random=False))
def test_every_profile_and_explanation_is_the_same_in_a_database(put, case, random):
    shuffled = case.with_rows(random.sample(case.rows, len(case.rows)))
    address = put("seen", shuffled.columns)
    assert tclose.profile(address).columns == tclose.profile(case.columns).columns
    found, expected = (
        [dict(each, source="") for each in tclose.explain(table, case.roles).to_dict()["explanations"]]
        for table in (address, case.columns)
    )
    assert found == expected


@settings(few, max_examples=6)
@given(case=cases(most_rows=20), random=st.randoms(use_true_random=False), method=st.sampled_from(["auto", "sabre"]))
def test_every_release_is_the_same_in_a_database(put, case, random, method):
    """Also made again by its recipe, also stored there: labels and sensitive values as often as from a frame."""
    rows = [(*("blank" if cell == "" else cell for cell in row), at % 3) for at, row in enumerate(case.rows)]
    names = (*case.quasi, "s", "note")
    tables = [dict(zip(names, map(list, zip(*some, strict=True)), strict=True))
              for some in (rows, random.sample(rows, len(rows)))]  # fmt: skip
    address = put("original", tables[1])
    target = f"{address.partition('#')[0]}#stored"
    execute(address, "DROP TABLE IF EXISTS stored")
    asked = {"require": {"k": min(2, len(rows))}, "method": method, "suppress": "0.2",
             "hierarchies": dict.fromkeys(case.quasi, "flat")}  # fmt: skip
    expected = tclose.anonymize(tables[0], case.roles, **asked)
    with held(address, target) as table:
        found = [tclose.anonymize(each, case.roles, **asked) for each in (address, table)]
        assert {each.holds for each in found} == {expected.holds}
        if not expected.holds:
            return
        assert {each.recipe.to_json() for each in found} == {expected.recipe.to_json()}
        found += [tclose.apply(each, expected.recipe) for each in (address, table)]
        for each in found:
            assert each.to_arrow().to_pylist() == expected.to_arrow().to_pylist()
            assert [data(audit) for audit in each.audits()] == [data(audit) for audit in expected.audits()]
        stored = store(found[1], target)
    assert data(stored.against_original) == data(expected.audits()[1])
    assert data(tclose.audit(target, case.roles)) == data(tclose.audit(expected, case.roles))


def frame(rows=3000, seed=3):
    rng = np.random.default_rng(seed)

    def some(values, share=0.1):
        return [None if rng.random() < share else value for value in values]

    return {
        "zip code": some(rng.integers(0, 9, rows).tolist()),
        'the "sex"': some(rng.choice(["m", "f", "", "é", "e\u0301"], rows).tolist()),
        "select": rng.integers(-(2**62), 2**62, 5)[rng.integers(0, 5, rows)].tolist(),
        "pay": rng.integers(0, 200, rows).tolist(),
        "Größe": some(rng.choice([0.5, -0.0, 0.0, 1e300], rows).tolist()),
        "ill": some(rng.choice(["a", "B", "b", "Ä"], rows).tolist()),
        "never": rng.random(rows).tolist(),
    }


ROLES = tclose.Roles(
    quasi=["zip code", 'the "sex"', "select"],
    sensitive={"pay": tclose.Numeric(), "Größe": tclose.Ordered(nulls="last"), "ill": None},
)


@pytest.mark.parametrize("together", ["each", "quasi", "joint"])
def test_several_attributes_and_awkward_names_agree(put, together):
    columns = frame(400 if together == "quasi" else 3000)
    roles = tclose.Roles(ROLES.quasi, ROLES.sensitive, together=together)
    require = {"k": 5, "t": "0.3"}
    address = put("awkward", columns)
    assert data(tclose.audit(address, roles, require=require)) == data(tclose.audit(columns, roles, require=require))


def test_a_reference_may_be_in_the_database_or_beside_it(put):
    columns, other = frame(500), frame(800, seed=4)
    address, reference = put("mine", columns), put("theirs", other)
    expected = data(tclose.audit(columns, ROLES, reference=other))
    for given_reference in (reference, other):
        found, classes = data(tclose.audit(address, ROLES, reference=given_reference))
        found["reference"] = expected[0]["reference"]
        assert (found, classes) == expected


def test_explanations_are_the_same(put):
    columns = frame(500)
    address = put("explained", columns)
    found, expected = (
        [dict(each, source="") for each in tclose.explain(table, ROLES).to_dict()["explanations"]]
        for table in (address, columns)
    )
    assert found == expected
    assert len(found) == 3


def test_distinct_rows_are_the_same(put):
    columns = frame(500)
    address = put("distinct", columns)
    found = []
    for session, table in ((DatabaseSession(), address), (DuckDBSession(), columns)):
        kept = session.open(table).keep([*ROLES.columns])
        found.append(session.distinct(kept, ROLES.quasi, [("pay",), ("ill", "Größe")], quiet))
    mine, theirs = found
    assert mine.rows == theirs.rows == 500
    for name in ("codes", "sensitive_codes", "counts"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))
    for one, other in zip([*mine.quasi, *mine.sensitive], [*theirs.quasi, *theirs.sensitive], strict=True):
        assert (list(one.values), one.counts.tolist(), one.kind) == (
            list(other.values),
            other.counts.tolist(),
            other.kind,
        )


def test_a_release_is_the_same(put, tmp_path):
    columns = {name: values for name, values in frame(300).items() if name not in ("never", 'the "sex"')}
    columns["note"] = [f"row {at % 40}" for at in range(300)]
    roles = tclose.Roles(quasi=["zip code", "select"], sensitive={"ill": None}, identifiers=["pay"])
    address = put("released", columns)
    require = {"k": 5, "t": "0.4"}
    written = []
    for at, table in enumerate((address, columns)):
        release = tclose.anonymize(table, roles, require=require)
        assert release.holds
        release.write(tmp_path / f"release{at}.csv")
        written.append((tmp_path / f"release{at}.csv").read_bytes())
        again = tclose.apply(table, tmp_path / f"release{at}.csv.recipe.json")
        assert again.to_pandas().equals(release.to_pandas())
    assert written[0] == written[1]


def test_only_the_columns_with_a_role_and_counts_are_fetched(put, monkeypatch):
    """What arrives is one row for each class and value, of the named columns alone."""
    columns = frame(3000)
    address = put("narrow", columns)
    fetched = []
    copied = counts._copied

    def watched(local, connection, query, label):
        name, rows = copied(local, connection, query, label)
        fetched.append((query, rows))
        return name, rows

    monkeypatch.setattr(counts, "_copied", watched)
    roles = tclose.Roles(quasi=["zip code"], sensitive=["ill", "pay:ordered"])
    tclose.audit(address, roles, drivers=True)
    pairs = [len(set(zip(columns["zip code"], columns[name], strict=True))) for name in ("ill", "pay")]
    assert [rows for _, rows in fetched] == pairs
    assert not any("never" in query or "select" in query for query, _ in fetched)


def test_dates_are_dates(put):
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=at % 7) for at in range(50)]
    columns = {"born": days, "s": [at % 3 for at in range(50)]}
    table, address = pa.table(columns), put("days", columns)
    roles = tclose.Roles(quasi="born", sensitive="s:ordered")
    assert data(tclose.audit(address, roles)) == data(tclose.audit(table, roles))


def test_decimals_are_exact(postgresql):
    values = [Decimal("0.1"), Decimal("0.10"), Decimal("12345678901234567890.5"), None, Decimal("-3")]
    postgresql.run(
        "DROP TABLE IF EXISTS exact",
        "CREATE TABLE exact (q int, s numeric)",
        "INSERT INTO exact VALUES (1, 0.1), (1, 0.10), (2, 12345678901234567890.5), (2, NULL), (3, -3)",
    )
    roles = tclose.Roles(quasi="q", sensitive={"s": tclose.Numeric(nulls="drop")})
    found = tclose.audit(f"{postgresql.address()}#exact", roles)
    assert data(found) == data(tclose.audit({"q": [1, 1, 2, 2, 3], "s": values}, roles))


def test_a_profile_counts_the_same(put):
    columns = {**frame(300), "email": [f"p{at % 200}@example.org" for at in range(300)]}
    found, expected = (tclose.profile(table) for table in (put("profiled", columns), columns))
    assert found.columns == expected.columns
    assert found.rows == 300


@few
@given(
    rows=st.lists(
        st.tuples(st.sampled_from([None, "a", "b", "c"]), st.sampled_from([None, 1, 2]), st.booleans()), min_size=1
    )
)
def test_what_stays_the_same_within_a_key_is_counted_alike(put, rows):
    """By brute force: of the values of the key with several rows, those whose rows agree in the other column."""
    key, number, truth = (list(cells) for cells in zip(*rows, strict=True))
    table = {"key": ["z", "z", "y", *key], "number": [1, 2, 1, *number], "truth": [True, True, False, *truth]}
    several = [each for each in set(table["key"]) - {None} if table["key"].count(each) > 1]

    def cells(name, of):
        return {cell for each, cell in zip(table["key"], table[name], strict=True) if each == of}

    expected = {name: sum(len(cells(name, each)) == 1 for each in several) for name in ("number", "truth")}
    for source in (table, put("steady", table)):
        with working_session(source) as session:
            found = session.steady(session.open(source), "key", ["number", "truth"])
        assert (found.several, found.within) == (len(several), expected)


def test_some_texts_are_values_of_the_column_and_about_as_many_as_asked_for(put):
    table = {"x": [f"v{at % 3000}" for at in range(6000)], "y": [None, *range(5999)]}
    for source in (table, put("sampled", table)):
        with working_session(source) as session:
            opened = session.open(source)
            found = session.some_texts(opened, {"x": 30})["x"]
            assert found == session.some_texts(opened, {"x": 30})["x"]
            assert len(session.some_texts(opened, {"y": 1})["y"]) == 5999
        assert set(found) <= set(table["x"])
        assert 50 <= len(set(found)) == len(found) <= 200
