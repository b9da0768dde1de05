"""Pseudonyms and shifted dates: each again by another implementation, or by hand."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import json
from collections import Counter, defaultdict

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from tclose import Nominal, Roles
from tclose.anonymization.anonymize import anonymize
from tclose.anonymization.apply import apply
from tclose.anonymization.recipes import read_recipe
from tclose.errors import InputError, RoleConflictError

FEW = settings(max_examples=5, deadline=None)
KEY = bytes(range(40, 72))
ROLES = Roles(["age"], {"s": Nominal()}, pseudonym="who", shifted=["came", "left"], publish=["row"])
FIRST = dt.date(2020, 1, 1)


def code_of(key, text):
    """The code of a person, by Python's own HMAC."""
    return hmac.new(key, b"tclose disguise 1\0" + text.encode(), hashlib.sha256).hexdigest()


def offset_of(code, days):
    """The offset that a code stands for: one of all but none."""
    return [*range(-days, 0), *range(1, days + 1)][int(code[-15:], 16) % (2 * days)]


@st.composite
def visits(draw):
    """Rows of people with dates, of which some are missing."""
    people = draw(st.integers(4, 8))
    whose = [*range(people), *draw(st.lists(st.integers(0, people - 1), max_size=8))]
    days = st.integers(0, draw(st.sampled_from([3, 40, 900])))
    came = [FIRST + dt.timedelta(draw(days)) for _ in whose]
    left = [draw(st.none() | st.integers(0, 3).map(lambda stay, at=at: at + dt.timedelta(stay))) for at in came]
    return pa.table(
        {
            "row": pa.array(range(len(whose))),
            "who": pa.array(whose),
            "age": pa.array([20 + who % 3 for who in whose]),
            "s": pa.array([draw(st.sampled_from("xy")) for _ in whose]),
            "came": pa.array(came, pa.date32()),
            "left": pa.array(left, pa.date32()),
        }
    )


def made(table, roles=ROLES, **options):
    return anonymize(
        table,
        roles,
        require={"k": 1},
        method="full-domain",
        levels={"age": 1},
        hierarchies={"age": "flat"},
        effort=0,
        **options,
    )


def rows_of(table):
    return {row["row"]: row for row in table.to_pylist()}


@FEW
@given(table=visits(), days=st.sampled_from([1, 30, 182]))
def test_everything_of_a_person_moves_together_and_nothing_else_changes(table, days):
    release = made(table, shift_days=days)
    own, offsets, names = rows_of(table), defaultdict(set), defaultdict(set)
    published = release.to_arrow()
    assert published.column_names == table.column_names
    assert published.schema.field("came").type == pa.date32()
    assert len(published) == len(table)
    for row in published.to_pylist():
        before = own[row["row"]]
        assert (row["age"], row["s"]) == ("*", before["s"])
        names[before["who"]].add(row["who"])
        for name in ("came", "left"):
            assert (row[name] is None) == (before[name] is None)
            if row[name] is not None:
                offsets[before["who"]].add((row[name] - before[name]).days)
    assert all(len(some) == 1 for some in (*names.values(), *offsets.values()))
    assert len(set.union(*names.values())) == len(names)
    assert all(0 < abs(offset) <= days for some in offsets.values() for offset in some)
    assert release.audits()[0].k == release.people == len(names)


@pytest.mark.parametrize("kind", [pa.int16(), pa.float64(), pa.string(), pa.decimal128(22, 3)])
@pytest.mark.parametrize("days", [1, 182])
def test_a_key_gives_the_codes_of_hmac_whatever_the_type(kind, days):
    table = hospital()
    own = rows_of(table)
    release = made(table.set_column(1, "who", table["who"].cast(kind)), key=KEY, shift_days=days)
    for row in release.to_arrow().to_pylist():
        code = code_of(KEY, str(own[row["row"]]["who"]))
        assert row["who"] == f"p{code[:24]}"
        assert row["came"] - own[row["row"]]["came"] == dt.timedelta(offset_of(code, days))


def pattern(dates):
    """What no shift changes: the days between dates, by column."""
    first = min(day for _, day in dates)
    return frozenset(Counter((name, (day - first).days) for name, day in dates).items())


def fitting(mine, stretches, offset, days):
    """The offsets that leave each date, undone, in the stretch that it is in."""
    found = []
    for guess in [*range(-days, 0), *range(1, days + 1)]:
        moved = [(name, day, day + dt.timedelta(offset - guess)) for name, day in mine]
        if all(stretches[name][day][0] <= after <= stretches[name][day][1] for name, day, after in moved):
            found.append(guess)
    return found


def stretches_of(days, apart):
    """Each day with the first and the last of its stretch, found by walking."""
    found, run = {}, []
    for day in [*sorted(set(days)), None]:
        if run and (day is None or (day - run[-1]).days > apart):
            found |= dict.fromkeys(run, (run[0], run[-1]))
            run = []
        run.append(day)
    return found


@FEW
@given(table=visits(), days=st.sampled_from([1, 30, 182]), linked=st.booleans())
def test_what_is_given_away_is_what_trying_finds(table, days, linked):
    roles = (
        ROLES if linked else Roles(["age"], {"s": Nominal()}, person="who", shifted=["came", "left"], publish=["row"])
    )
    release = made(table, roles, key=KEY, shift_days=days)
    units, rows = defaultdict(list), table.to_pylist()
    for row in rows:
        unit = row["who"] if linked else row["row"]
        units[unit] += [(name, row[name]) for name in ("came", "left") if row[name] is not None]
    shared = Counter(map(pattern, units.values()))
    found = release.revealed
    assert (found.days, found.units) == (days, len(units))
    assert found.alone == sum(1 for mine in units.values() if shared[pattern(mine)] == 1)
    stretches = {
        name: stretches_of([row[name] for row in rows if row[name] is not None], days) for name in ("came", "left")
    }
    whose = {row["row"]: row["who"] for row in rows}
    possible = [
        len(fitting(mine, stretches, offset_of(code_of(KEY, str(unit if linked else whose[unit])), days), days))
        for unit, mine in units.items()
    ]
    assert (found.fewest, found.known) == (min(possible), possible.count(1))
    assert (found.linked is not None) == linked
    assert ("who" in release.table.names) == linked


def hospital(rows=12):
    return pa.table(
        {
            "row": pa.array(range(rows)),
            "who": pa.array([at // 2 for at in range(rows)]),
            "age": pa.array([20 + at % 3 for at in range(rows)]),
            "s": pa.array(["x", "y"] * (rows // 2)),
            "came": pa.array([FIRST + dt.timedelta(30 * at) for at in range(rows)], pa.date32()),
            "left": pa.array([FIRST + dt.timedelta(30 * at + at % 5) for at in range(rows)], pa.date32()),
        }
    )


def test_fresh_pseudonyms_are_never_the_same_and_leave_no_trace(tmp_path):
    table = hospital()
    releases = [made(table) for _ in range(2)]
    named = [set(release.to_arrow()["who"].to_pylist()) for release in releases]
    assert len(named[0]) == len(named[1]) == 6
    assert not named[0] & named[1]
    written = releases[0].write(tmp_path / "release.csv")
    texts = [written.recipe.read_text(), written.report.read_text(), str(releases[0]), releases[0].to_html(written)]
    assert not [name for name in named[0] for text in texts if name in text]
    again = apply(table, read_recipe(written.recipe))
    assert not named[0] & set(again.to_arrow()["who"].to_pylist())
    assert again.revealed.linked.people == 6


def test_a_key_makes_the_same_again_next_month_and_is_written_nowhere(tmp_path):
    release = made(hospital(), key=KEY)
    written = release.write(tmp_path / "release.parquet")
    files = [written.recipe.read_bytes(), written.report.read_bytes(), release.to_html(written).encode()]
    for trace in (KEY, KEY.hex().encode(), code_of(KEY, "1").encode()[-15:]):
        assert not [file for file in files if trace in file]
    later = hospital(20).to_pandas().astype({"who": str})
    second = apply(later, written.recipe, key=KEY, widen=True)
    assert second.holds
    first = dict(zip(*(release.to_arrow()[name].to_pylist() for name in ("row", "who")), strict=True))
    now = dict(zip(*(second.to_arrow()[name].to_pylist() for name in ("row", "who")), strict=True))
    assert {row: now[row] for row in first} == first
    with pytest.raises(InputError, match="another key"):
        apply(later, written.recipe, key=KEY[::-1])
    with pytest.raises(InputError, match="needs it again"):
        apply(later, written.recipe)
    with pytest.raises(InputError, match="takes none"):
        apply(hospital(), made(hospital()).recipe, key=KEY)
    with pytest.raises(InputError, match="'came'"):
        apply(later.drop(columns="came"), written.recipe, key=KEY)


def test_rows_that_are_only_recoded_show_nobody_and_no_date():
    table = hospital()
    made_again = tclose.recode(table, made(table).recipe)
    assert made_again.names == ["row", "age", "s"]
    assert made_again.rows == 12


def test_without_a_person_every_row_has_an_offset_of_its_own():
    roles = Roles(["age"], {"s": Nominal()}, shifted=["came", "left"], publish=["row", "who"])
    table = hospital(60)
    release, own = made(table, roles), rows_of(table)
    offsets = []
    for row in release.to_arrow().to_pylist():
        mine = {(row[name] - own[row["row"]][name]).days for name in ("came", "left")}
        assert len(mine) == 1
        offsets += mine
    assert len(set(offsets)) > 20  # of 364: fewer by chance once in more than 10^20
    assert release.revealed.units == 60


@pytest.mark.parametrize("kind", [pa.timestamp("s"), pa.timestamp("us"), pa.timestamp("ns"), pa.timestamp("us", "UTC")])
def test_moments_keep_their_type_their_time_of_day_and_their_digits(kind):
    moments = pd.to_datetime([f"2020-03-0{at + 1} 10:11:12" for at in range(6)]).astype("datetime64[ns]")
    moments += pd.to_timedelta([7 if kind.unit == "ns" else 0] * 6, unit="ns")
    times = pa.array(moments, pa.timestamp("ns")).cast(kind)
    table = hospital(6).set_column(4, "came", times)
    release = made(
        table, Roles(["age"], {"s": Nominal()}, person="who", shifted=["came"], publish=["row"]), shift_days=9
    )
    published = release.to_arrow()
    assert published.schema.field("came").type == kind
    before = dict(zip(table["row"].to_pylist(), table["came"].cast(pa.int64()).to_pylist(), strict=True))
    a_day = 86_400 * {"s": 1, "us": 10**6, "ns": 10**9}[kind.unit]
    for row, now in zip(published["row"].to_pylist(), published["came"].cast(pa.int64()).to_pylist(), strict=True):
        days, rest = divmod(now - before[row], a_day)
        assert (rest, 0 < abs(days) <= 9) == (0, True)


def test_a_stand_in_for_no_date_is_refused_or_measured():
    table = hospital().to_pandas()
    table["left"] = table["left"].astype(object)
    table.loc[3, "left"] = dt.date(9999, 12, 31)
    with pytest.raises(InputError, match=r"'left'.* 1 date at the end of the calendar"):
        made(table)
    table.loc[3, "left"] = dt.date(2099, 1, 1)
    assert made(table).revealed.known >= 1


@pytest.mark.parametrize(
    ("roles", "options", "message"),
    [
        ({"pseudonym": "who", "shifted": ["s2"]}, {}, "'s2'.* holds no dates"),
        ({"pseudonym": "who"}, {"key": b"short"}, "fewer than 16 bytes"),
        ({"pseudonym": "who"}, {"key": "text that is long enough"}, "bytes, not str"),
        ({"shifted": ["came"]}, {"key": KEY}, "no column tells people apart"),
        ({"shifted": ["came"]}, {"shift_days": 0}, "shift_days must be a whole number from 1"),
        ({"shifted": ["went"]}, {}, "'went'"),
    ],
)
def test_what_cannot_be_disguised_is_refused_in_a_sentence(roles, options, message):
    table = hospital().append_column("s2", pa.array(["soon"] * 12))
    with pytest.raises(InputError, match=message):
        made(table, Roles(["age"], {"s": Nominal()}, **roles), **options)


def test_a_column_has_one_role():
    with pytest.raises(RoleConflictError, match="'age'"):
        Roles(["age"], shifted=["age"])
    with pytest.raises(RoleConflictError, match=r"'who'.*'other'"):
        Roles(["age"], person="who", pseudonym="other")
    assert Roles(["age"], pseudonym="who").person == "who"
    assert Roles(["age"], pseudonym="who").by_rows.columns == ("age",)


def test_rows_without_a_person_are_refused_before_they_get_a_pseudonym():
    table = hospital().set_column(1, "who", pa.array([1, None] * 6))
    with pytest.raises(InputError, match="6 rows without a value"):
        made(table)


def test_the_report_for_machines_says_what_is_given_away():
    data = json.loads(made(hospital(), key=KEY).to_json())
    assert data["revealed"]["linked"]["unique"] == 0
    assert data["revealed"]["dates"].keys() == {"days", "units", "alone", "fewest_offsets", "offset_known"}
    assert (
        json.loads(tclose.anonymize("example:salary", require={"k": 1}, hierarchies={"age": "flat"}).to_json())[
            "revealed"
        ]
        is None
    )
