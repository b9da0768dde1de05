"""Suggested roles: from names in several languages and from counts, never from a cell alone."""

import datetime as dt
import math
import random
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from tclose.data.sources import locate
from tclose.engines.dispatch import column_names, statistics_of
from tclose.engines.duckdb import statistics
from tclose.engines.statistics import ColumnStatistics
from tclose.policy.profiling.profile import profile, profiled, suggested
from tclose.policy.roles import Nominal, Ordered


def column(name, *, kind="VARCHAR", rows=1000, distinct=50, nulls=0, problem=None, **shares):
    return ColumnStatistics(name, kind, rows, nulls, distinct, Fraction(10), problem=problem, **shares)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("SSN", "identifier"), ("Email_Address", "identifier"), ("E-Mail", "identifier"), ("telefon", "identifier"),
        ("firstName", "identifier"), ("Nachname", "identifier"), ("prénom", "identifier"), ("apellidos", "identifier"),
        ("ZIP", "quasi-identifier"), ("zip_code", "quasi-identifier"), ("PLZ", "quasi-identifier"),
        ("Código postal", "quasi-identifier"), ("age", "quasi-identifier"), ("Alter", "quasi-identifier"),
        ("sexo", "quasi-identifier"), ("Geschlecht", "quasi-identifier"), ("dateOfBirth", "quasi-identifier"),
        ("Geburtsdatum", "quasi-identifier"), ("native-country", "quasi-identifier"), ("race", "quasi-identifier"),
        ("marital_status", "quasi-identifier"), ("education.num", "quasi-identifier"),
        ("salary", "sensitive"), ("annualIncome", "sensitive"), ("Gehalt", "sensitive"),
        ("diagnosis_code", "sensitive"),
        ("Krankheit", "sensitive"), ("religión", "sensitive"), ("enfermedad", "sensitive"),
        ("STATETAX", "sensitive"), ("FEDTAX", "sensitive"), ("AGI", "sensitive"), ("TAXINC", "sensitive"),
        ("Jahreseinkommen", "sensitive"), ("incomes", "sensitive"), ("remarks", "sensitive"), ("notes", "sensitive"),
        ("homecity", "quasi-identifier"), ("Geburtsort", "quasi-identifier"), ("Wohnort", "quasi-identifier"),
        ("package", "undecided"), ("backstage", "undecided"), ("colour", "undecided"), ("", "undecided"),
        ("interstate", "undecided"), ("understated", "undecided"), ("nomad", "undecided"),
    ],
)  # fmt: skip
def test_names_suggest_roles(name, role):
    assert suggested(column(name))[0] == role


def test_a_weak_name_needs_many_values():
    assert suggested(column("id", distinct=1000))[0] == "identifier"
    assert suggested(column("product code", distinct=12))[0] == "undecided"


def test_figures_suggest_roles_where_names_say_nothing():
    assert suggested(column("xq", distinct=990))[0] == "identifier"
    assert suggested(column("xq", distinct=600))[0] == "undecided"
    assert suggested(column("xq", kind="DOUBLE", distinct=1000))[0] == "undecided"
    assert suggested(column("xq", kind="BIGINT", distinct=1000))[0] == "undecided"
    assert suggested(column("xq", kind="BIGINT", distinct=1000, numbering=True))[0] == "identifier"
    assert suggested(column("xq", kind="DATE"))[0] == "quasi-identifier"
    assert suggested(column("xq", emails=0.9))[0] == "identifier"
    assert suggested(column("salary", distinct=1))[0] == "remove"
    assert suggested(column("salary", distinct=0, nulls=1000))[0] == "remove"
    assert suggested(column("salary", distinct=1, nulls=2))[0] == "sensitive"
    assert "nested" in suggested(column("salary", problem="nested"))[1]


@pytest.mark.parametrize(("distinct", "role"), [(900, "remove"), (300, "sensitive"), (12, "sensitive")])
@pytest.mark.parametrize("name", ["xq", "notes", "column_7", "city", "diagnosis"])
def test_free_text_is_never_published_as_it_is(name, distinct, role):
    known = {"city": "quasi-identifier", "xq": "remove", "column_7": "remove"}.get(name, "sensitive")
    assert suggested(column(name, distinct=distinct, sentences=0.8))[0] == (role if role == "remove" else known)


@given(
    st.text(max_size=20), st.sampled_from(["VARCHAR", "BIGINT", "DOUBLE", "DATE", "BOOLEAN"]), st.integers(0, 1000),
    st.integers(0, 5),
)  # fmt: skip
def test_publishing_is_never_suggested(name, kind, distinct, nulls):
    assert suggested(column(name, kind=kind, distinct=distinct, nulls=nulls))[0] != "publish"


def test_unique_amounts_are_no_identifiers_but_numbers_of_people_are():
    rows = range(1, 400)
    found = {
        each.name: each.role
        for each in profile(
            {
                "amount_a": [row * row % 9973 * 7 for row in rows],
                "xa": [row * row * 13 for row in rows],
                "xb": [row * 0.37 for row in rows],
                "row": list(rows),
                "xc": [4_000_000_000 + row * row for row in rows],
                "xd": [f"the patient of bed {row} came back" for row in rows],
                "xe": [f"the patient came back, {'very ' * (row % 9)}tired" for row in rows],
            }
        ).columns
    }
    assert found == {
        "amount_a": "sensitive", "xa": "undecided", "xb": "undecided", "row": "identifier",
        "xc": "identifier", "xd": "remove", "xe": "remove",
    }  # fmt: skip


def test_the_amounts_of_census_are_no_identifiers_and_its_taxes_no_places(census_file):
    found = {each.name: each.role for each in profile(str(census_file)).columns}
    assert "identifier" not in found.values()
    assert {found[name] for name in ("AGI", "FEDTAX", "STATETAX", "TAXINC", "FICA")} == {"sensitive"}


def test_a_sensitive_column_gets_a_distance_that_fits_it():
    assert profiled(column("salary", kind="BIGINT")).distance == Ordered()
    assert profiled(column("disease")).distance == Nominal()
    with_nulls = profiled(column("salary", kind="BIGINT", nulls=3))
    assert with_nulls.distance == Ordered(nulls="drop")
    assert "3 missing values" in with_nulls.reason


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=2, max_size=12))
def test_separation_is_the_share_of_pairs_that_differ(cells):
    (found,) = profile({"x": cells}).columns
    pairs = list(combinations(cells, 2))
    assert found.separation == Fraction(sum(first != second for first, second in pairs), len(pairs))
    assert found.distinct == len(set(cells) - {None})
    assert found.nulls == Counter(cells)[None]


@pytest.mark.parametrize("as_one", [True, False])
def test_many_columns_are_counted_together_and_each_for_itself(monkeypatch, as_one):
    """Texts with and without missing cells, and numbers: 300 columns, most of them different."""
    columns = {f"c{at}": [(str(step * at % 7), None)[step % 5 < at % 3] for step in range(30)] for at in range(250)}
    columns |= {f"n{at}": [step * at % 11 for step in range(30)] for at in range(50)}
    queries = []
    asked = statistics._rows
    if not as_one:
        monkeypatch.setattr(statistics, "is_wide", lambda _columns, _rows: False)
    monkeypatch.setattr(statistics, "_rows", lambda table, query: queries.append(query) or asked(table, query))
    for found in statistics_of(columns).columns:
        times = Counter(columns[found.name])
        assert found.distinct == len(times.keys() - {None})
        assert found.same_pairs == sum(number * (number - 1) // 2 for number in times.values())
    assert len(queries) < 50


STRANGE = {
    "email": ["a@b.c", "x", None, "a@b.c"],
    "sentence": ["one two three four", "", " ", "x" * 41],
    "real": [0.0, -0.0, math.inf, math.nan],
    "whole": [2**62, -(2**62), 0, None],
    "number": [1_000_001, 1_000_002, 1_000_003, 1_000_004],
    "truth": [True, False, None, True],
    "day": [dt.date(1, 1, 1), dt.date(9999, 12, 31), None, dt.date(1, 1, 1)],
    "moment": [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 0, 0, 1), None, None],
    "exact": [Decimal("1.10"), Decimal("1.11"), None, Decimal("1.10")],
    "none": [None, None, None, None],
}


def test_cells_brought_into_one_column_are_counted_as_those_of_each_column(monkeypatch):
    table = pa.table({f"{name}{at}": cells for at in range(11) for name, cells in STRANGE.items()})
    as_one = statistics_of(table).columns
    assert statistics.is_wide(as_one, 4)
    monkeypatch.setattr(statistics, "is_wide", lambda _columns, _rows: False)
    assert as_one == statistics_of(table).columns
    assert {found.name: found.distinct for found in as_one[:4]} == {
        "email0": 2,
        "sentence0": 4,
        "real0": 2,
        "whole0": 3,
    }


def test_a_single_row_separates_nothing():
    assert profile({"x": ["a"]}).columns[0].separation == 0


def test_large_columns_are_estimated_and_say_so(monkeypatch):
    monkeypatch.setattr(statistics, "EXACT_CELLS", 0)
    monkeypatch.setattr(statistics, "FEW_VALUES", 500)
    cells = [f"v{i // 4}" for i in range(20_000)]
    found = profile({"many": cells, "few": [i % 3 for i in range(20_000)]})
    many, few = found.columns
    assert few.exact
    assert not many.exact
    truth = 5_000
    assert abs(many.distinct - truth) < 0.1 * truth
    same = (1 - many.separation) * 20_000 * 19_999
    assert abs(same - 60_000) < 20_000
    assert "≈" in str(found)
    assert "≈" in found._repr_html_()


def test_estimates_do_not_depend_on_the_order_of_rows(monkeypatch):
    monkeypatch.setattr(statistics, "EXACT_CELLS", 0)
    monkeypatch.setattr(statistics, "FEW_VALUES", 100)
    cells = [f"v{i // 3}" for i in range(3_000)]
    assert profile({"x": cells}).columns == profile({"x": cells[::-1]}).columns


def test_a_wide_table_is_profiled_whole():
    wide = {f"column {i}": [i, i + 1, i % 3] for i in range(510)}
    found = profile(wide)
    assert [column.name for column in found.columns] == list(wide)
    assert found.to_dict()["rows"] == 3


def test_columns_that_cannot_be_used_are_left_out_with_their_reason():
    import pyarrow as pa

    table = pa.table({"zip": [1, 2], "nested": [[1], [2]]})
    found = {column.name: column for column in profile(table).columns}
    assert found["nested"].role == "remove"
    assert found["nested"].reason.startswith("It cannot be read: ")
    assert found["zip"].role == "quasi-identifier"


def test_progress_is_reported():
    stages = []
    statistics_of("example:salary", progress=lambda stage, share: stages.append((stage, share)))
    assert [stage for stage, _ in stages][:3] == ["Reading the table", "Reading rows", "Scanning columns"]


def test_the_names_of_columns_are_found_without_more():
    assert column_names("example:salary") == ("zip", "age", "salary", "disease")


def test_roles_and_policy_follow_the_suggestions():
    found = profile("example:original-incidents")
    assert found.roles.identifiers == ("address",)
    assert found.roles.quasi == ("zone",)
    policy = found.policy("x.csv")
    assert policy.roles == replace(found.roles, others="refuse")
    assert set(policy.thresholds) == {"k", "l", "t"}


def test_a_field_is_recognised_by_several_of_its_columns():
    from tclose.policy.profiling.vocabularies import known_columns, vocabularies

    assert known_columns(["AGE", "SEX", "RACE"]) == {}
    found = known_columns(["usubjid", "AETERM", "aesev", "MHDECOD", "AGE", "USUBJID2"])
    assert {name: each.role for name, each in found.items()} == {
        "usubjid": "person", "AETERM": "sensitive", "aesev": "sensitive", "MHDECOD": "sensitive",
        "AGE": "quasi-identifier",
    }  # fmt: skip
    roles = {each.role for vocabulary in vocabularies() for each in vocabulary.columns.values()}
    assert roles == {"person", "identifier", "quasi-identifier", "sensitive", "remove"}


def test_the_columns_of_a_trial_are_known_and_its_subjects_are_people():
    rows = range(40)
    found = profile(
        {
            "STUDYID": ["X1"] * 40, "USUBJID": [f"X1-{row // 4}" for row in rows], "AESEQ": [row % 4 for row in rows],
            "AETERM": [f"T{row % 7}" for row in rows], "AESTDY": [row % 30 for row in rows], "ARM": ["A", "B"] * 20,
        }
    )  # fmt: skip
    assert found.roles.person == "USUBJID"
    assert (found.roles.quasi, list(found.roles.sensitive)) == (("AESTDY",), ["AETERM", "ARM"])
    assert (found.roles.remove, found.roles.undecided) == (("STUDYID", "AESEQ"), ())


def test_a_suggested_policy_has_a_hierarchy_for_texts_that_show_none():
    rows = range(60)
    towns = [("Aa", "Bb", "Cc", "Dd", "Ee", "Ff", "Gg", "Hh", "Ii")[row % 9] for row in rows]
    table = {
        "town": towns, "sex": ["f", "m"] * 30, "age": [20 + row % 40 for row in rows],
        "zip": [f"{47600 + row % 12}" for row in rows], "diagnosis": ["flu", "cold", "ulcer"] * 20,
    }  # fmt: skip
    found = profile(table)
    assert found.hierarchies == {"town": "groups:2,4,8"}
    policy = found.policy().with_table(table)
    assert policy.columns.hierarchies == found.hierarchies
    assert tclose.anonymize(policy).holds


def stays(key, people=60, rows_each=3):
    """Stays of people whose key says nothing; sex, birth and blood group stay with a person."""
    rows = range(people * rows_each)
    who = [row % people for row in rows]
    return {
        key: [f"Z{7919 * at % 100_000:05}" for at in who], "sex": ["fm"[at % 2] for at in who],
        "birth_year": [1930 + at % 50 for at in who], "xa": ["ABCD"[at // 2 % 4] for at in who],
        "xb": ["KLMNO"[(row + row // people) % 5] for row in rows],
    }  # fmt: skip


def test_a_key_of_people_is_found_by_what_stays_the_same_within_it():
    found = profile(stays("xkey"))
    assert found.roles.person == "xkey"
    reason = found.columns[0].reason
    assert "'sex', 'birth_year'" in reason
    assert "xb" not in reason


def test_a_key_within_which_people_differ_is_not_theirs():
    table = stays("xkey")
    assert profile({**table, "xkey": random.Random(5).sample(table["xkey"], 180)}).roles.person is None
    places = {"xkey": table["xkey"], "region": table["xa"], "county": table["birth_year"], "sex": sorted(table["sex"])}
    assert profile(places).roles.person is None


def test_numbers_of_people_are_found_under_a_name_that_says_nothing():
    rows = range(10, 80)
    found = {
        each.name: each.role
        for each in profile(
            {
                "c1": [f"+49 30 12345{row}" for row in rows], "c2": [f"KB{row:04}" for row in rows],
                "c3": [f"Anna M{'aeiou'[row % 5]}{'lnrst'[row // 5 % 5]}er" for row in rows],
                "insurance": [f"p{row}@post.example" for row in rows], "has_phone": [row % 2 for row in rows],
            }
        ).columns
    }  # fmt: skip
    assert found == {
        "c1": "identifier", "c2": "identifier", "c3": "identifier", "insurance": "identifier",
        "has_phone": "undecided",
    }  # fmt: skip


def test_months_are_dates_and_few_whole_numbers_are_asked_about_as_codes():
    rows = range(60)
    months, codes = profile(
        {"xm": [f"20{row % 20:02}-0{row % 9 + 1}" for row in rows], "xc": [row % 7 for row in rows]}
    ).columns
    assert (months.role, "date" in months.reason) == ("quasi-identifier", True)
    assert (codes.role, "codes" in codes.reason) == ("undecided", True)
    coded, paid = profile({"diagnosis": [row % 7 for row in rows], "pay": [row % 7 * 500 for row in rows]}).columns
    assert (coded.distance, paid.distance) == (Nominal(), Ordered())


def test_every_column_says_how_sure_its_role_is_and_what_would_change_it():
    for column in profile(stays("xkey")).columns:
        assert column.confidence in ("high", "medium", "low")
        assert column.role != "undecided" or column.confidence == "low"
        assert column.change.endswith(".")


def test_codes_among_numbers_are_missing_values_where_no_other_column_has_them(tmp_path):
    rows = range(40)
    path = tmp_path / "t.csv"
    path.write_text("zip,income\n" + "".join(f"{row % 9},{'N' if row % 5 == 0 else row * 10}\n" for row in rows))
    found = profile(path)
    assert found.null == ("N",)
    assert found.columns[1].nulls == 8
    assert found.policy("t.csv").read.null == ("", "N")
    assert "'N'" not in f"{found!r}{found}{found.to_dict()}"
    assert profile(locate(path)).null == ()
    assert profile([path, path]).null == ("N",)
    path.write_text(
        "zip,income,xf\n" + "".join(f"{row % 9},{'N' if row % 5 == 0 else row},{'YN'[row % 2]}\n" for row in rows)
    )
    assert profile(path).null == ()
    assert profile({"income": ["N", *map(str, rows)]}).null == ()


def test_a_suggested_policy_of_every_kind_of_column_runs_as_it_is():
    rows = range(240)
    table = {
        "age_band": [["<18", "18-34", "35-64", ">=65"][row % 4] for row in rows],
        "birth_month": [f"19{50 + row % 20}-{row % 12 + 1:02}" for row in rows],
        "race": [row % 5 + 1 for row in rows], "occupation_code": [f"{'ABC'[row % 3]}{row % 14}" for row in rows],
        "hiv": ["no"] * 236 + ["yes"] * 4, "diagnosis": [f"illness {row % 48}" for row in rows],
    }  # fmt: skip
    found = profile(table)
    assert found.roles.undecided == ()
    assert found.thresholds == {"hiv": {"l": "1"}, "diagnosis": {"t": "0.6"}}  # 1 - 20/48 = 0.583…
    assert found.hierarchies == {"age_band": "groups:2", "race": "flat", "occupation_code": "prefix:2,1"}
    assert tclose.anonymize(found.policy().with_table(table)).holds
