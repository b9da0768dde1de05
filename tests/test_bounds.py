"""Every number that a person or a file may give has bounds: what lies beyond is refused at once, in words."""

import bz2
import gzip
import lzma
import shutil
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.anonymization.recipes import read_recipe
from tclose.data.file_reading import read_whole
from tclose.data.hierarchies import groups as neighbours
from tclose.data.hierarchies import read_hierarchy
from tclose.data.hierarchies.building import built_hierarchy
from tclose.data.hierarchies.groups import quantile_hierarchy
from tclose.data.sources import ReadOptions
from tclose.errors import HeadroomError, HierarchyError, InputError, PolicyError, SourceError, ThresholdError
from tclose.policy.exact_numbers import fraction
from tclose.policy.files import parse_policy, read_policy
from tclose.policy.profiling.profile import profile

LONG = "9" * 5_000
HUGE = ["1e9999999999", "1e-9999999999", "1e99999999999999999999", LONG, f"0.{LONG}", f"-{LONG}"]
COLUMNS = '[columns]\nzip = { role = "quasi-identifier"%s }\npay = { role = "sensitive"%s }\n'


def brief(value):
    """Return a name for what a test is given."""
    return str(value)[:12] if isinstance(value, str) else type(value).__name__


@pytest.mark.parametrize("given", [*HUGE, f"1/{LONG}", Decimal("1e999999"), Decimal("1e-999999"), 10**5_000], ids=brief)
def test_no_threshold_is_endless(given):
    with pytest.raises(ThresholdError) as caught:
        fraction(given, "k")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "given", ["1e999", "1e-999", "9" * 400, Decimal("0.1"), 10**400, Fraction(1, 10**400), 1e308], ids=brief
)
def test_what_somebody_may_mean_is_a_threshold(given):
    assert fraction(given) == (Fraction(given) if not isinstance(given, float) else Fraction(Decimal(repr(given))))


@pytest.mark.parametrize("number", HUGE, ids=brief)
@pytest.mark.parametrize(
    "text",
    [
        COLUMNS % ("", "") + "[policy]\nk = {}\n",
        COLUMNS % ("", "") + "[policy]\nk = [{}, {}]\n",
        COLUMNS % ("", ", t = {}"),
        COLUMNS % (", weight = {}", ""),
        COLUMNS % (", levels = {}", ""),
        COLUMNS % (", levels = [0, {}]", ""),
        COLUMNS % ("", "") + "[release]\nseed = {}\n",
        COLUMNS % ("", "") + "[release]\nsuppress = {}\n",
    ],
)
def test_no_number_of_a_policy_is_endless(text, number):
    with pytest.raises(InputError) as caught:
        parse_policy(text.replace("{}", number), Path("tclose.toml"))
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 10**5 + "]" * 10**5, "a = " + "{a=" * 10**4 + "1" + "}" * 10**4, "a" + ".a" * 10**4 + " = 1"],
)
def test_a_policy_may_not_be_nested_without_end(text):
    with pytest.raises(PolicyError):
        parse_policy(text, Path("tclose.toml"))


def told(work):
    """Return what comes of some work, or the words in which it is refused, as text."""
    try:
        return str(work())
    except HierarchyError as problem:
        return str(problem)


@pytest.mark.parametrize("number", [*HUGE, "9" * 20], ids=brief)
@pytest.mark.parametrize("words", ["quantiles:", "groups:", "intervals:1,", "breaks:1,", "dates:", "mask:"])
def test_no_number_of_a_hierarchy_in_words_is_endless(words, number):
    text = told(lambda: built_hierarchy(words + number, range(20), [1] * 20, "number").rows)
    assert len(text) < 5_000


@pytest.mark.parametrize(("ending", "text"), [("json", '{{"*": [{}]}}'), ("toml", "root = [{}]"), ("csv", "{};*")])
@pytest.mark.parametrize("number", HUGE, ids=brief)
def test_no_number_of_a_hierarchy_file_is_endless(tmp_path, ending, text, number):
    path = tmp_path / f"h.{ending}"
    path.write_text(text.format(number))
    assert told(lambda: read_hierarchy(path))


def test_files_without_end_are_not_read_to_it(tmp_path):
    endless = Path("/dev/zero")
    if not endless.exists():
        pytest.skip("no endless device here")
    for read in (read_policy, read_hierarchy, read_recipe):
        with pytest.raises(InputError, match="larger than"):
            read(endless)
    with pytest.raises(OSError, match="larger than 0 MiB"):
        read_whole(endless, 10)
    (tmp_path / "ten").write_bytes(b"0123456789")
    assert read_whole(tmp_path / "ten", 10) == b"0123456789"


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=12).filter(any),
    st.lists(st.integers(2, 400), min_size=1, max_size=3, unique=True),
)
def test_more_quantiles_than_cuts_are_found_as_one_by_one(counts, groups):
    groups = sorted(groups, reverse=True)
    found = quantile_hierarchy(range(len(counts)), counts, groups=groups)
    with mock.patch.object(neighbours, "_shares_that_matter", lambda _rows, number: range(1, number)):
        assert found.rows == quantile_hierarchy(range(len(counts)), counts, groups=groups).rows


def packed(path, ending):
    """Write two million bytes of a table, packed."""
    content = b"a,b\n" + b"1,2\n" * 500_000
    if ending == "zst":
        pyarrow = pytest.importorskip("pyarrow")
        path.write_bytes(pyarrow.Codec("zstd").compress(content, asbytes=True))
    else:
        path.write_bytes({"gz": gzip, "bz2": bz2, "xz": lzma}[ending].compress(content))
    return str(path)


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "zst"])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_what_is_packed_unpacks_to_no_more_than_is_allowed(tmp_path, monkeypatch, ending, kind):
    path = packed(tmp_path / f"t.{kind}.{ending}", ending)
    with pytest.raises(SourceError, match=r"unpacks to more than 0\.001 GB"):
        profile(path, read=ReadOptions(unpacked="1MB"))
    if kind == "csv":
        assert profile(path, read=ReadOptions(unpacked="3 mb")).rows == 500_000
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: mock.Mock(free=1_500_000))
    with pytest.raises(HeadroomError, match="has room for"):
        profile(path)


@pytest.mark.parametrize("size", ["much", "1e9GB", "-1GB", LONG, "9999999999GB"])
def test_what_may_be_unpacked_is_a_size(size):
    with pytest.raises(SourceError, match="a size such as"):
        ReadOptions(unpacked=size)


@pytest.mark.parametrize("sheet", [LONG, "99999999999"])
def test_a_sheet_may_have_any_name(sheet):
    from tclose.cli.question import read_options

    given = dict.fromkeys(("delimiter", "quote", "encoding", "decimal", "header", "null", "input_format", "unpacked"))
    assert read_options({**given, "sheet": sheet}) == ReadOptions(sheet=sheet)
