"""The policy file: read strictly, written correctly, and the same after both."""

import datetime as dt
import tomllib
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.auditing.verdicts import CODES
from tclose.data.sources import ReadOptions
from tclose.errors import InputError, PolicyError, ThresholdError
from tclose.policy.columns import declared_distance
from tclose.policy.files import parse_policy, read_policy
from tclose.policy.options import ANumber, Choice, ColumnName, FilePath, Many, Share, Switch, TableName, Text, Whole
from tclose.policy.parts import TRAIT_RULES, Acceptances, Line, Models, ReleaseOptions, TraitRules
from tclose.policy.policy import ColumnOptions, Policy, every_option
from tclose.policy.roles import Hierarchical, Nominal, Numeric, Ordered, Roles
from tclose.policy.writing import policy_text, value_toml

HERE = Path("tclose.toml")

FULL = """
[table]
source = "release.parquet"
reference = "original.parquet"
null = ["", "NA"]
[columns]
zip = { role = "quasi-identifier" }
"date of birth" = { role = "quasi-identifier" }
name = { role = "identifier" }
salary = { role = "sensitive", distance = "ordered", order = "frequency", nulls = "drop", t = 0.20 }
disease = { role = "sensitive", hierarchy = "icd.csv", l = 3 }
severity = { role = "sensitive", order = ["low", 2, 2.5] }
other = { role = "publish" }
[policy]
k = 5
t = "1/3"
recursive = [3, 2]
together = "each"
"""


def test_a_full_policy_is_understood():
    policy = parse_policy(FULL, HERE)
    assert policy.table == "release.parquet"
    assert policy.read.null == ("", "NA")
    assert policy.roles.quasi == ("zip", "date of birth")
    assert policy.roles.identifiers == ("name",)
    assert policy.roles.sensitive["salary"] == Ordered("frequency", "drop")
    assert policy.roles.sensitive["disease"] == Hierarchical("icd.csv")
    assert policy.roles.sensitive["severity"] == Ordered(("low", 2, Decimal("2.5")))
    assert (policy.roles.publish, policy.roles.others) == (("other",), "refuse")
    texts = {(requirement.attribute, requirement.text) for requirement in policy.requirements()}
    assert texts == {
        (None, "k ≥ 5"),
        ("salary", "t ≤ 0.2"),
        ("disease", "t ≤ 1/3"),
        ("severity", "t ≤ 1/3"),
        ("disease", "l ≥ 3"),
        (None, "recursive(level=2) < 3"),
    }


def test_a_threshold_is_the_decimal_that_was_written():
    policy = parse_policy("[policy]\nt = 0.3000000000000000000001", HERE)
    assert policy.thresholds == {"t": {None: "0.3000000000000000000001"}}


def test_pyproject_holds_it_under_its_tool_table(tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool.tclose.policy]\nk = 2\n")
    assert read_policy(path).thresholds == {"k": {None: "2"}}
    path.write_text("[tool.other]\nk = 2\n")
    with pytest.raises(PolicyError, match=r"no table \[tool.tclose\]"):
        read_policy(path)


def test_paths_are_relative_to_the_file(tmp_path):
    path = tmp_path / "sub" / "tclose.toml"
    path.parent.mkdir()
    path.write_text('[table]\nsource = "t.csv"\npopulation = "example:salary"\n[columns]\n'
                    'd = { role = "sensitive", hierarchy = "h.csv" }\n')  # fmt: skip
    policy = read_policy(path)
    assert policy.table == str(path.parent / "t.csv")
    assert policy.baseline.population == "example:salary"
    assert policy.roles.sensitive["d"].tree == str(path.parent / "h.csv")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tabel]\n", "Did you mean 'table'?"),
        ("[table]\nsorce = 'x'", "Did you mean 'source'?"),
        ("[table]\nsource = 3", "the text of a path"),
        ("[table]\nsource = ''", "the text of a path"),
        ("[table]\nreference = ' '", "the text of a path"),
        ("[table]\nheader = 'yes'", "true or false"),
        ("[table]\ndelimiter = '::'", "one character"),
        ("table = 3", "must be a table"),
        ("[columns]\nzip = 'quasi'", "must be a table"),
        ("[columns]\nzip = {}", "needs a role"),
        ("[columns]\nzip = { role = 'quasi-identifer' }", "Did you mean 'quasi-identifier'?"),
        ("[columns]\nzip = { role = 'quasi-identifier', t = 0.2 }", "not sensitive"),
        ("[columns]\ns = { role = 'sensitive', distence = 'ordered' }", "Did you mean 'distance'?"),
        ("[columns]\ns = { role = 'sensitive', distance = 'orderd' }", "Did you mean 'ordered'?"),
        ("[columns]\ns = { role = 'sensitive', distance = 'nominal', order = 'value' }", "'ordered' only"),
        ("[columns]\ns = { role = 'sensitive', distance = 'nominal', hierarchy = 'x' }", "'hierarchical' only"),
        ("[columns]\ns = { role = 'sensitive', distance = 'hierarchical' }", "needs its hierarchy"),
        ("[columns]\ns = { role = 'sensitive', nulls = 'drop' }", "not its distance"),
        ("[columns]\ns = { role = 'sensitive', order = 3 }", "a list of values"),
        ("[columns]\ns = { role = 'sensitive', order = ['a', 'a'] }", "each value once"),
        ("[columns]\ns = { role = 'sensitive', t = true }", "a threshold is a number"),
        ("[policy]\nk = 0", "at least 1"),
        ("[policy]\nt = nan", "must be"),
        ("[policy]\nkk = 3", "Did you mean"),
        ("[policy]\ntogether = 'all'", "together must be one of"),
        ("[policy\n", "not valid TOML"),
        ("[columns]\nzip = { role = 'quasi-identifier', hierarky = 'mask' }", "Did you mean 'hierarchy'?"),
        ("[columns]\nzip = { role = 'quasi-identifier', hierarchy = 3 }", "hierarchy must be a path"),
        ("[columns]\nzip = { role = 'quasi-identifier', levels = 1.5 }", "levels must be a level"),
        ("[columns]\nzip = { role = 'quasi-identifier', levels = -1 }", "levels must be a level"),
        ("[columns]\nzip = { role = 'quasi-identifier', levels = true }", "levels must be a level"),
        ("[columns]\nzip = { role = 'quasi-identifier', levels = [2, 0] }", "the finest and the coarsest"),
        ("[columns]\nzip = { role = 'quasi-identifier', levels = [0, 1, 2] }", "the finest and the coarsest"),
        ("[columns]\nzip = { role = 'quasi-identifier', weight = 0 }", "above 0"),
        ("[columns]\nzip = { role = 'quasi-identifier', weight = 'much' }", "weight must be a decimal"),
        ("[columns]\nzip = { role = 'publish', levels = 2 }", "not sensitive"),
        ("[release]\nmethd = 'sabre'", "Did you mean 'method'?"),
        ("[release]\nmethod = 'sabr'", "Did you mean 'sabre'?"),
        ("[release]\nloss = 'ml'", "must be one of"),
        ("[release]\nagainst = 'itself'", "'both', 'original'"),
        ("[release]\nsuppress = 1.5", "at most 1"),
        ("[release]\nsuppress = -0.1", "at least 0"),
        ("[release]\nsuppress = 'few'", "must be a decimal"),
        ("[release]\nseed = -1", "whole number"),
        ("[release]\nintervals = 1", "true or false"),
        ("release = 3", "must be a table"),
    ],
)
def test_what_cannot_be_understood_names_the_file_and_the_way_out(text, words):
    with pytest.raises(InputError) as caught:
        parse_policy(text, HERE)
    assert words in str(caught.value)
    assert str(caught.value).startswith("tclose.toml")
    assert isinstance(caught.value, PolicyError | ThresholdError | InputError)


def test_a_file_that_cannot_be_read_is_a_policy_error(tmp_path):
    with pytest.raises(PolicyError, match="no policy file"):
        read_policy(tmp_path / "no.toml")
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PolicyError, match="not UTF-8"):
        read_policy(tmp_path / "x.toml")
    with pytest.raises(PolicyError, match="cannot be read"):
        read_policy(tmp_path)


def test_dashes_and_underscores_name_the_same_model():
    assert parse_policy("[policy]\nentropy-l = 2", HERE).thresholds == {"entropy_l": {None: "2"}}


def test_a_policy_says_how_a_release_is_made(tmp_path):
    path = tmp_path / "tclose.toml"
    path.write_text(
        """
        [columns]
        zip = { role = "quasi-identifier", hierarchy = "zip.csv", levels = [0, 2], weight = 2 }
        age = { role = "quasi-identifier", hierarchy = "intervals:5,10", levels = 1, weight = 0.5 }
        sex = { role = "quasi-identifier", hierarchy = { any = ["f", "m"] } }
        job = { role = "quasi-identifier" }
        [release]
        method = "full-domain"
        suppress = 0.04
        loss = "gcp"
        intervals = false
        pruned = true
        against = "original"
        seed = 7
        """,
        encoding="utf-8",
    )
    policy = read_policy(path)
    assert policy.columns.hierarchies == {
        "zip": str(tmp_path / "zip.csv"),
        "age": "intervals:5,10",
        "sex": {"any": ["f", "m"]},
    }
    assert policy.columns.levels == {"zip": (0, 2), "age": 1}
    assert policy.columns.weights == {"zip": 2.0, "age": 0.5}
    assert policy.release == ReleaseOptions(
        method="full-domain",
        suppress="0.04",
        loss="gcp",
        intervals=False,
        pruned=True,
        against="original",
        seed=7,
    )


def test_a_policy_that_says_nothing_of_a_release_leaves_it_as_usual():
    policy = parse_policy("[columns]\nzip = { role = 'quasi-identifier' }", HERE)
    assert (policy.columns, policy.release) == (ColumnOptions(), ReleaseOptions())


def test_what_nulls_mean_can_imply_the_distance():
    assert declared_distance("s", nulls="first") == Ordered(nulls="first")
    assert declared_distance("s", nulls="category") == Nominal()
    assert declared_distance("s") is None


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
values = st.one_of(
    names,
    st.integers(-(10**20), 10**20),
    st.decimals(allow_nan=False, allow_infinity=False, places=3),
    st.booleans(),
    st.dates(min_value=dt.date(1, 1, 1)),
)
orders = st.one_of(
    st.sampled_from(["value", "frequency"]), st.lists(values, min_size=1, max_size=4, unique_by=str).map(tuple)
)
trees = st.dictionaries(names, st.lists(names, min_size=1, max_size=3), min_size=1, max_size=3).map(
    lambda tree: {"*": tree}
)
files = st.from_regex(r"[a-z]{1,8}\.csv", fullmatch=True)
distances = st.one_of(
    st.none(),
    st.builds(Ordered, orders, st.sampled_from(["error", "drop", "first", "last"])),
    st.builds(Numeric, st.sampled_from(["error", "drop"])),
    st.builds(Nominal, st.sampled_from(["category", "drop", "error"])),
    st.builds(Hierarchical, st.one_of(files, trees), st.sampled_from(["error", "drop"])),
)
shares = st.one_of(
    st.decimals("0.0001", 1, places=4).map(str), st.fractions("1/99", 1, max_denominator=99).map(str), st.just("1")
)


levels = st.integers(0, 9) | st.tuples(st.integers(0, 4), st.integers(4, 9))
weights = st.sampled_from([0.25, 2.0, 1e-6])


def said(option):
    """Return a strategy for what a policy may say of an option: whatever its kind allows."""
    kind = option.kind
    of_kind = {
        Switch: st.booleans(), Share: shares, Text: names, ColumnName: names, Line: names.map(str.strip),
        FilePath: files, TableName: files, Models: st.sampled_from(["usual", "all", ("k", "t")]), ANumber: shares,
        Acceptances: st.dictionaries(st.sampled_from(CODES), st.just("=why="), min_size=1),
        TraitRules: st.dictionaries(names, st.sampled_from(TRAIT_RULES), min_size=1),
    }  # fmt: skip
    if isinstance(kind, Choice):
        return st.sampled_from(kind.known())
    if isinstance(kind, Whole):
        return st.integers(kind.low, min(kind.high, 2**63 - 1))
    if isinstance(kind, Many):
        return st.lists(said(replace(option, kind=kind.each)), min_size=1, max_size=3).map(tuple)
    return of_kind[type(kind)]


LEFT_OUT = {"population_size", "sampling_fraction", "weight_column"}
"""Of these a policy says one at most."""
options = {name: each for name, each in every_option().items() if each.place not in ("", "columns", "table")}
optional = {name: said(each) for name, each in options.items() if name not in LEFT_OUT}
choices = st.fixed_dictionaries({}, optional=optional)
drawn = st.one_of(
    st.just({}), *(said(options[name]).map(lambda value, name=name: {name: value}) for name in sorted(LEFT_OUT))
)


@st.composite
def policies(draw):
    columns = draw(st.lists(names, unique=True, max_size=7))
    cuts = sorted(draw(st.lists(st.integers(0, len(columns)), min_size=7, max_size=7)))
    quasi, sensitive, identifiers, insensitive, shifted, telling, remove, undecided = (
        columns[start:end] for start, end in zip([0, *cuts], [*cuts, len(columns)], strict=True)
    )
    roles = Roles(
        quasi, {name: draw(distances) for name in sensitive}, identifiers, draw(st.sampled_from(["each", "quasi"])),
        publish=[*insensitive, *telling[1:]], shifted=shifted, remove=remove, undecided=undecided,
        **{draw(st.sampled_from(["person", "pseudonym"])): name for name in telling[:1]},
        others=draw(st.sampled_from(["publish", "remove", "refuse" if columns else None])),
    )  # fmt: skip
    thresholds = {}
    if draw(st.booleans()):
        thresholds["k"] = {None: str(draw(st.integers(1, 10**6)))}
    of_t = draw(st.dictionaries(st.sampled_from([None, *sensitive]), shares, max_size=3))
    if of_t:
        thresholds["t"] = of_t
    read = ReadOptions(
        delimiter=draw(st.sampled_from([None, ";", "\t"])),
        encoding=draw(st.sampled_from([None, "latin-1"])),
        null=draw(st.lists(names, max_size=2).map(tuple)),
        header=draw(st.sampled_from([None, True, False])),
    )
    tables = {key: draw(st.none() | files) for key in ("reference", "population")}
    of_quasi = {
        "hierarchies": files | trees | st.just("mask:left"), "levels": levels, "weights": weights,
        "numbers": st.just("bounds"),
    }  # fmt: skip
    recoding = {
        key: draw(st.dictionaries(st.sampled_from(quasi), given)) if quasi else {} for key, given in of_quasi.items()
    }
    given = {**tables, **recoding, **draw(choices), **draw(drawn), "require": thresholds or None}
    return Policy(table=draw(st.none() | files), roles=roles, read=read).with_options(given)


@given(policies())
def test_a_policy_that_is_written_and_read_is_the_same(policy):
    assert parse_policy(policy_text(policy), HERE) == policy


@given(
    st.recursive(
        values, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=8
    )
)
def test_every_value_is_written_as_toml_reads_it(value):
    read = tomllib.loads(f"x = {value_toml(value)}", parse_float=Decimal)["x"]
    assert read == value


def test_what_toml_cannot_hold_is_refused():
    with pytest.raises(PolicyError, match="Unicode"):
        value_toml("\ud800")
    with pytest.raises(PolicyError, match="NoneType"):
        value_toml(None)


def test_remarks_become_comments_of_one_line():
    policy = Policy(roles=Roles(["zip"], others="refuse"))
    text = policy_text(policy, remarks={"zip": "a\nb = 3\r\u2028c"})
    assert "# a b = 3 c\nzip = " in text
    assert parse_policy(text, HERE) == policy
