"""Cells as values through whole audits and releases: decimal marks, references of another type, names people give."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest

import tclose
from tclose.data.values import UnclearNumbersError, as_text, sizes_of
from tclose.errors import DomainError, HierarchyError, InputError
from tclose.reports.machine_readable.fingerprint import fingerprint

DOSES = 'q,dose\na,"0,125"\na,"0,25"\nb,"0,5"\nb,"1,5"\n'
PRICES = "q;price\na;€ 1.234\na;€ 1.234,50\nb;€ 12\nb;€ 5\n"
UNCLEAR = {
    "comma.csv": 'q,x\na,"1,234"\na,12\nb,"2,345"\nb,5\n',
    "semicolon.csv": "q;x\na;1,234\na;12\nb;2,345\nb;5\n",
    "euro.csv": "q;x\na;€ 1.234\na;€ 12\nb;€ 2.345\nb;€ 5\n",
    "mixed.csv": 'q,x\na,"1,5"\na,2.5\nb,"3,5"\nb,4.5\n',
}


def written(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def ordered(column, quasi="q", order="value"):
    return tclose.Roles(quasi, {column: tclose.Ordered(order)})


def test_decimal_commas_in_text_are_one_decision_for_the_column(tmp_path):
    """By hand: the lower and the upper half of four values are each at (1/4 + 1/2 + 1/4) / 3 = 1/3."""
    audit = tclose.audit(written(tmp_path, "a.csv", DOSES), ordered("dose"), require={"t": "0.2"})
    assert audit["dose"].t == Fraction(1, 3)
    assert not audit.holds


def test_a_point_between_thousands_is_no_decimal_point(tmp_path):
    audit = tclose.audit(written(tmp_path, "a.csv", PRICES), ordered("price"))
    assert audit["price"].t == Fraction(1, 3), "5 < 12 < 1234 < 1234.5"


@pytest.mark.parametrize(("name", "text"), UNCLEAR.items())
def test_what_no_value_decides_is_refused_without_a_cell(tmp_path, name, text):
    path = written(tmp_path, name, text)
    for roles in (ordered("x"), tclose.Roles("q", {"x": tclose.Numeric()})):
        with pytest.raises(DomainError, match="'x'") as refused:
            tclose.audit(path, roles)
        assert "decimal" in str(refused.value)
        assert not any(cell in str(refused.value) for cell in ("1,234", "1.234", "2.5"))
    assert tclose.audit(path, tclose.Roles("q", {"x": tclose.Nominal()}))["x"].l == 2
    with pytest.raises(HierarchyError, match="'x'"):
        tclose.anonymize(path, tclose.Roles("x", {"q": None}), require={"k": 2}, hierarchies={"x": "intervals:10"})


def test_a_declared_mark_decides(tmp_path):
    path = written(tmp_path, "a.csv", 'q,x\na,"1,234"\na,"1,5"\nb,2\nb,"0,5"\n')
    assert tclose.audit(path, ordered("x"))["x"].t == Fraction(1, 3) - Fraction(1, 6), "0.5 < 1.234 < 1.5 < 2"
    path = written(tmp_path, "b.csv", 'q,x\na,"1,234"\na,12\nb,"2,345"\nb,5\n')
    as_thousands = tclose.audit(path, ordered("x"), read=tclose.ReadOptions(decimal="."))
    assert as_thousands.classes.to_arrow() is not None
    assert next(iter(as_thousands.evidence["x"].domain.values)) == 5
    as_decimals = tclose.audit(path, ordered("x"), read=tclose.ReadOptions(decimal=","))
    assert [float(value) for value in as_decimals.evidence["x"].domain.values] == [1.234, 2.345, 5, 12]


def test_what_decides_may_come_late(tmp_path):
    """The type of a column does not depend on which rows come first."""
    many = "".join(f"a;{at % 9 + 1},{at % 900 + 100}\n" for at in range(12_000))
    early, late = (written(tmp_path, f"{name}.csv", text) for name, text in
                   {"early": "q;x\nb;0,5\n" + many, "late": "q;x\n" + many + "b;0,5\n"}.items())  # fmt: skip
    first, last = (tclose.audit(path, ordered("x")) for path in (early, late))
    assert first["x"].t == last["x"].t
    assert min(first.evidence["x"].domain.values) == min(last.evidence["x"].domain.values)


def test_the_same_number_in_two_spellings_is_no_order(tmp_path):
    with pytest.raises(DomainError, match="in several ways"):
        tclose.audit(written(tmp_path, "a.csv", 'q,x\na,"0,5"\na,"0,50"\nb,"1,5"\n'), ordered("x"))


def test_dates_are_not_compared_with_points_in_time():
    days = [dt.date(2020, 1, day) for day in (1, 2, 3, 4)]
    table = {"q": ["a", "a", "b", "b"], "day": days}
    reference = {"day": [dt.datetime(day.year, day.month, day.day) for day in days]}
    with pytest.raises(DomainError, match="holds dates and in the reference points in time"):
        tclose.audit(table, ordered("day"), reference=reference)
    assert tclose.audit(table, ordered("day"), reference={"day": days})["day"].t == Fraction(1, 3)


def test_a_reference_of_texts_means_the_values_that_it_names(tmp_path):
    """A column is text where one of its cells is; its other cells still mean the numbers of the table."""
    table = written(tmp_path, "t.csv", "q,x\na,1.50\na,2.00\nb,2.50\nb,3.00\n")
    reference = written(tmp_path, "r.csv", "x\n1.50\n2.00\n2.50\n3.00\n")
    texts = {"x": ["1.50", "2.00", "2.5", "3"]}
    roles = tclose.Roles("q", {"x": tclose.Nominal()})
    right = tclose.audit(table, roles, reference=reference)["x"].t
    assert right == Fraction(1, 2)
    assert tclose.audit(table, roles, reference=texts)["x"].t == right
    assert tclose.audit({"q": list("aabb"), **texts}, roles, reference=reference)["x"].t == right
    shares = {"x": {"1.50": 1, "2.00": 1, 2.5: 1, "3": 1}}
    assert tclose.audit(table, roles, reference=shares)["x"].t == right


NUMBERS = "g,s\n1.50,a\n2.00,b\n1.50,c\n2.00,a\n"
DAYS = "g,s\n31.12.2020,a\n01.02.2020,b\n31.12.2020,c\n01.02.2020,a\n"
SLASHES = "g,s\n12/31/2020,a\n02/01/2020,b\n12/31/2020,c\n02/01/2020,a\n"
SPELT = [(NUMBERS, "1.50", "2.00"), (DAYS, "01.02.2020", "31.12.2020"), (SLASHES, "02/01/2020", "12/31/2020")]


@pytest.mark.parametrize(("text", "low", "high"), SPELT)
def test_values_go_by_the_names_their_file_has(tmp_path, text, low, high):
    path = written(tmp_path, "t.csv", text)
    right = tclose.audit(path, ordered("g", "s"))["g"].t
    assert tclose.audit(path, ordered("g", "s", (low, high)))["g"].t == right
    (explained,) = tclose.explain(path, tclose.Roles("g", {"s": None}), key={"g": high}, attribute="s")
    assert sum(explained.counts) == 2
    tree = tclose.Hierarchy(((low, "low", "*"), (high, "high", "*")))
    distances = tclose.Roles("s", {"g": tclose.Hierarchical(tree)})
    assert tclose.audit(path, distances)["g"].t == tclose.audit(path, tclose.Roles("s", {"g": tclose.Nominal()}))["g"].t
    release = tclose.anonymize(path, tclose.Roles("g", {"s": None}), require={"k": 2}, hierarchies={"g": tree})
    assert release.holds
    assert release.class_count == 2


@pytest.mark.parametrize("name", ["1.505", "1", "1.5x", "2.0000001"])
def test_a_name_is_not_rounded_to_a_value(tmp_path, name):
    path = written(tmp_path, "t.csv", NUMBERS)
    with pytest.raises(InputError, match="No class has this key"):
        tclose.explain(path, tclose.Roles("g", {"s": None}), key={"g": name})


def test_the_same_moments_in_another_zone_are_the_same_values() -> None:
    west = dt.timezone(dt.timedelta(hours=-5))
    moments = [dt.datetime(2020, 1, 1, hour, tzinfo=dt.UTC) for hour in (0, 1, 2)]
    abroad = {"q": ["x"] * 3, "s": [moment.astimezone(west) for moment in moments]}
    home = {"q": ["x"] * 3, "s": moments}
    texts = {"q": ["x"] * 3, "s": [moment.isoformat() for moment in moments]}
    for reference in (home, texts):
        audit = tclose.audit(abroad, tclose.Roles("q", "s:ordered"), reference=reference)
        assert (audit["s"].t, audit["s"].values) == (0, 3)


def test_names_of_moments_keep_their_nanoseconds() -> None:
    fine = np.array(["2020-01-01T00:00:00.000001001", "2020-01-01T00:00:00.000001"], dtype="datetime64[ns]")
    table = pd.DataFrame({"q": ["x", "x"], "s": fine})
    texts = {"q": ["x", "x"], "s": ["2020-01-01T00:00:00.000001001", "2020-01-01T00:00:00.000001"]}
    audit = tclose.audit(table, tclose.Roles("q", "s:ordered"), reference=texts)
    assert (audit["s"].t, audit["s"].values) == (0, 2)


def _clocks(unit: str, zone: str) -> pd.DataFrame:
    moments = pd.DatetimeIndex(["2020-01-02 04:30", "2020-07-02 14:00"], tz="UTC").repeat(2).as_unit(unit)
    return pd.DataFrame({"q": moments.tz_convert(zone), "s": list("abab")})


@pytest.mark.parametrize("stored", [False, True])
def test_keys_are_shown_in_their_zone_and_said_to_be_in_one(tmp_path, stored) -> None:
    """New York is five hours behind UTC in winter and four in summer; what is written is in UTC and says so."""
    frame = _clocks("us", "America/New_York")
    frame.to_parquet(tmp_path / "t.parquet")
    audit = tclose.audit(tmp_path / "t.parquet" if stored else frame, tclose.Roles("q", "s"))
    texts = [row["q"].isoformat() for row in audit.classes.rows(sort="q", descending=False)]
    assert texts == ["2020-01-01T23:30:00-05:00", "2020-07-02T10:00:00-04:00"]
    assert [row["size"] for row in audit.classes.rows(search="T23:30")] == [2]
    assert audit.classes.found("04:30") == 0
    worst = audit["s"].figures["t"].worst.key
    assert as_text(worst["q"]) == texts[0]
    assert tclose.explain(audit, key=worst)[0].key == worst
    audit.classes.write(tmp_path / "classes.csv")
    assert "2020-01-02 04:30:00+00" in (tmp_path / "classes.csv").read_text()
    assert str(audit.classes.to_arrow().schema.field("q").type.tz) == "UTC"
    assert str(audit.classes.to_pandas()["q"].dt.tz) == "UTC"


def test_keys_keep_their_nanoseconds() -> None:
    frame = _clocks("ns", "Asia/Kolkata")
    frame.loc[2:, "q"] += pd.Timedelta(1, "ns")
    audit = tclose.audit(frame, tclose.Roles("q", "s"))
    keys = [row["q"] for row in audit.classes.rows(sort="q", descending=False)]
    assert [str(key) for key in keys] == ["2020-01-02 10:00:00+05:30", "2020-07-02T19:30:00.000000001+05:30"]
    assert all(tclose.explain(audit, key={"q": key})[0].size == 2 for key in keys)
    assert str(audit.classes.to_pandas()["q"].dt.tz) == "UTC"


def test_a_fingerprint_does_not_depend_on_the_zone_of_moments() -> None:
    """The same moments are the same counts, as keys and as sensitive values, and a nanosecond is another moment."""
    roles = [tclose.Roles("q", "s"), tclose.Roles("s", "q")]
    later = _clocks("ns", "UTC")
    later.loc[2:, "q"] += pd.Timedelta(1, "ns")
    for each in roles:
        frames = [_clocks("us", "UTC"), _clocks("us", "America/New_York"), _clocks("ns", "Asia/Kolkata"), later]
        found = [fingerprint(tclose.audit(frame, each)) for frame in frames]
        assert found[0] == found[1] == found[2] != found[3]


def test_a_class_of_a_moment_is_named_in_any_zone() -> None:
    """05:30 an hour east of Greenwich is 04:30 there, and not the class of 05:30 as well."""
    moments = [dt.datetime(2020, 1, 2, hour, 30, tzinfo=dt.UTC) for hour in (4, 5)]
    table = {"at": [moments[0], moments[0], moments[1]], "s": ["x", "y", "z"]}
    for key in (
        "2020-01-02 05:30+01:00",
        "2020-01-01T23:30:00-05:00",
        "2020-01-02T04:30:00Z",
        "2020-01-02 04:30:00+00",
    ):
        (explained,) = tclose.explain(table, tclose.Roles("at", {"s": tclose.Nominal()}), key={"at": key})
        assert sum(explained.counts) == 2


UNITS = {
    "percentages": ["5%", "0.1"],
    "a percentage": ["5 %", "5"],
    "currencies": ["$5", "€ 6"],
    "behind": ["5 £", "6 ¥"],
}


@pytest.mark.parametrize("which", UNITS)
def test_numbers_of_different_units_are_not_compared(which):
    """5% is 0.05, which is less than 0.1, and yet nobody wrote 0.05: the order of such texts is not guessed."""
    with pytest.raises(UnclearNumbersError):
        sizes_of(UNITS[which])
    rows = {"q": ["a", "a", "b"], "s": [*UNITS[which], UNITS[which][0]]}
    with pytest.raises(DomainError, match=r"in one way|do not compare"):
        tclose.audit(rows, tclose.Roles("q", "s:ordered"))
    assert tclose.audit(rows, tclose.Roles("q", "s:nominal"))["s"].t == Fraction(1, 3)


def test_numbers_of_one_unit_are_compared():
    assert sizes_of(["5%", "0", "12.5 %"]) == [5, 0, Fraction(25, 2)]
    assert sizes_of(["$5", "6", "1k $"]) == [5, 6, 1000]


def test_zeros_that_a_decimal_does_not_need_do_not_make_it_too_long(tmp_path):
    """1.000… is 1: with a number of 20 digits beside it 38 digits hold both, exactly and in their order."""
    path = tmp_path / "long.csv"
    texts = ["1." + "0" * 40, "12345678901234567890.5", "12345678901234567890.25", "1"]
    path.write_text("g,s\n" + "".join(f"{group},{text}\n" for group, text in zip("aabb", texts, strict=True)))
    audit = tclose.audit(path, tclose.Roles("g", "s"), measure=["t"])
    assert (audit["s"].values, audit["s"].distance.word) == (3, "ordered")
    assert audit["s"].t == Fraction(1, 8)


NARROW = {
    1677721.75: 1677721.8,
    1677721.25: 1677721.2,
    48303.5625: 48303.562,
    3e10: 3e10,
    18.3: 18.3,
    134219008.0: 134219e3,
}


@pytest.mark.parametrize("number", NARROW)
def test_a_float_of_32_bits_between_two_decimals_is_the_even_one(tmp_path, number):
    """As Steele and White, and NumPy after them, write it: shortest, then nearest, then even."""
    narrow = np.float32(number)
    assert float(str(narrow)) == NARROW[number]
    pyarrow.parquet.write_table(pyarrow.table({"q": ["a"], "s": pyarrow.array([narrow])}), tmp_path / "x.parquet")
    (tmp_path / "x.csv").write_text(f"q,s\na,{NARROW[number]}\n")
    audit = tclose.audit(tmp_path / "x.parquet", tclose.Roles("q", "s"), reference=tmp_path / "x.csv", measure=["t"])
    assert (audit["s"].t, audit["s"].values) == (0, 1)


def test_a_recipe_for_times_of_a_zone_does_not_place_times_without(tmp_path):
    """Nobody said where their clocks stood, so that no interval in UTC covers them."""
    moments = [f"2020-01-{1 + at // 8:02d}T{at % 8 * 3:02d}:00" for at in range(80)]
    rows = [(moment, "abcd"[at % 4]) for at, moment in enumerate(moments)]
    first = written(tmp_path, "first.csv", "q,s\n" + "".join(f"{moment}Z,{value}\n" for moment, value in rows))
    recipe = tclose.anonymize(first, tclose.Roles("q", "s"), require={"k": 5}, method="mondrian").recipe
    assert {cell.level for cell in recipe.columns[0].cells} == {None}, "intervals of days"
    again = written(tmp_path, "again.csv", "q,s\n" + "".join(f"{moment}+00:00,{value}\n" for moment, value in rows))
    assert tclose.apply(again, recipe).holds
    bare = written(tmp_path, "bare.csv", "q,s\n" + "".join(f"{moment},{value}\n" for moment, value in rows))
    with pytest.raises(InputError, match="leaves out every row"):
        tclose.apply(bare, recipe)


@pytest.mark.parametrize("day", ["0000-01-01", "0000-01-01 10:00", "01.01.0000", "13/01/0000"])
def test_there_is_no_year_0(tmp_path, day):
    path = written(tmp_path, "years.csv", f"q,s\na,{day}\na,{day.replace('0000', '2020')}\n")
    assert tclose.audit(path, tclose.Roles("q", "s"), measure=["t"])["s"].distance.word == "nominal"


def _a_nanosecond_later(zone: str | None) -> pd.DataFrame:
    """Return half past eleven at night in New York and ten in the morning of a summer's day, and a nanosecond more."""
    moments = pd.DatetimeIndex(["2020-01-02 04:30", "2020-07-02 14:00"], tz="UTC").repeat(2).as_unit("ns")
    later = moments + pd.Timedelta(1, "ns")
    return pd.DataFrame({"at": later.tz_convert(zone) if zone else later.tz_localize(None), "q": list("aabb")})


FINE_NIGHT, FINE_DAY = "2020-01-01T23:30:00.000000001-05:00", "2020-07-02T10:00:00.000000001-04:00"


@pytest.mark.parametrize("stored", [False, True])
def test_sensitive_nanoseconds_are_shown_in_their_zone(tmp_path, stored) -> None:
    """New York is five hours behind UTC in winter and four in summer."""
    frame = _a_nanosecond_later("America/New_York")
    frame.to_parquet(tmp_path / "t.parquet")
    audit = tclose.audit(tmp_path / "t.parquet" if stored else frame, tclose.Roles("q", "at:ordered"))
    assert [as_text(value) for value in audit.evidence["at"].domain.values] == [FINE_NIGHT, FINE_DAY]
    told = str(tclose.explain(audit, attribute="at")[0])
    assert FINE_NIGHT in told
    assert "04:30" not in told
    by_size = tclose.audit(frame, tclose.Roles("q", {"at": tclose.Numeric()}))["at"]
    assert (by_size.t, by_size.values) == (Fraction(1, 2), 2)
    for order in ((FINE_NIGHT, FINE_DAY), ("2020-01-02T04:30:00.000000001Z", "2020-07-02 14:00:00.000000001+00")):
        assert tclose.audit(frame, ordered("at", order=order))["at"].t == Fraction(1, 2)


def test_nanoseconds_are_released_under_the_day_of_their_zone() -> None:
    frame = _a_nanosecond_later("America/New_York")
    tree = tclose.date_hierarchy([row["at"] for row in tclose.audit(frame, tclose.Roles("at", "q")).classes.rows()])
    assert [row[:2] for row in tree.rows] == [(FINE_NIGHT, "2020-01-01"), (FINE_DAY, "2020-07-02")]
    release = tclose.anonymize(
        frame, tclose.Roles("at", "q"), require={"k": 2}, hierarchies={"at": "dates"}, levels={"at": 1}
    )
    assert {*release.to_pandas()["at"]} == {"2020-01-01", "2020-07-02"}
    whole = tclose.anonymize(frame, tclose.Roles("at", "q"), require={"k": 2})
    assert {*whole.to_pandas()["at"]} == {FINE_NIGHT, FINE_DAY}
    assert tclose.apply(frame, whole.recipe).holds


@pytest.mark.parametrize("zone", [None, "Asia/Kolkata"])
def test_a_recipe_places_nanoseconds(zone) -> None:
    """A row one nanosecond before an interval is not in it, though Python's own type cannot tell them apart."""
    first = pd.date_range("2020-01-01", periods=40, freq="ns", tz=zone)
    frame = pd.DataFrame({"at": first, "s": list("abcd") * 10})
    recipe = tclose.anonymize(frame, tclose.Roles("at", "s"), require={"k": 5}).recipe
    assert tclose.apply(frame, recipe).holds
    before = frame.assign(at=frame["at"] - pd.Timedelta(45, "ns"))
    with pytest.raises(InputError, match="leaves out every row"):
        tclose.apply(before, recipe)
    half = frame.assign(at=frame["at"] - pd.Timedelta(20, "ns"))
    assert len(tclose.apply(half, recipe, suppress=1).to_pandas()) == 20


def test_nanoseconds_and_another_century_are_in_their_order() -> None:
    """NumPy's nanoseconds end in 2262; a reference from beyond them is still the later one."""
    frame = _a_nanosecond_later(None)
    far = {"at": [*frame["at"].dt.floor("us").dt.to_pydatetime(), dt.datetime(3000, 1, 1), dt.datetime(1500, 1, 1)]}
    values = tclose.audit(frame, ordered("at"), reference=far).evidence["at"].domain.values
    assert [as_text(value)[:4] for value in values] == ["1500", "2020", "2020", "2020", "2020", "3000"]


def test_nanoseconds_beside_another_column_match_a_reference_of_microseconds() -> None:
    moments = [dt.datetime(2020, 1, 2, 4, 30), dt.datetime(2020, 7, 2, 14)]
    fine = pd.DataFrame({"q": ["x", "x"], "at": np.array(moments, dtype="datetime64[ns]"), "b": ["u", "v"]})
    fine.loc[2] = ["x", pd.Timestamp("2020-01-01 00:00:00.000000001"), "w"]
    roles = tclose.Roles("q", {"at": None, "b": None}, together="joint")
    reference = {"at": [*moments, moments[0]], "b": ["u", "v", "v"]}
    audit = tclose.audit(fine, roles, reference=reference)
    assert [found.t for found in audit.attributes.values()] == [Fraction(1, 3)]


def test_a_name_finer_than_a_microsecond_is_not_cut_off() -> None:
    coarse = pd.DataFrame({"at": pd.DatetimeIndex(["2020-01-02 04:30"] * 2).as_unit("us"), "s": ["a", "b"]})
    roles = tclose.Roles("at", {"s": None})
    assert tclose.explain(coarse, roles, key={"at": "2020-01-02 04:30:00.000000"})[0].size == 2
    with pytest.raises(InputError, match="No class has this key"):
        tclose.explain(coarse, roles, key={"at": "2020-01-02 04:30:00.000000001"})
    fine = _a_nanosecond_later(None)
    keys = [row["at"] for row in tclose.audit(fine, tclose.Roles("at", "q")).classes.rows()]
    assert [tclose.explain(fine, tclose.Roles("at", "q"), key={"at": key})[0].size for key in keys] == [2, 2]


@pytest.mark.parametrize("unit", ["us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "America/New_York"])
def test_no_interval_of_moments_ends_at_somebodys_own(zone, unit) -> None:
    """Also where clocks were set back between them, and where the moments are finer than a microsecond."""
    step = pd.Timedelta(90_061_001_001 * 1000 // 997)
    odd = [pd.Timestamp("2020-10-01 00:00:01.000001") + at * step for at in range(80)]
    frame = pd.DataFrame({"at": pd.DatetimeIndex(odd).as_unit(unit).tz_localize(zone), "s": list("abcd") * 20})
    published = tclose.anonymize(frame, tclose.Roles("at", "s"), require={"k": 20}).to_pandas()["at"]
    assert not any(":" in label for label in published)
    own = {pd.Timestamp(value) for value in frame["at"]}
    days = {pd.Timestamp(day).tz_localize(zone) for label in published for day in label.strip("<≥ [)").split(", ")}
    assert days
    assert not own & days
