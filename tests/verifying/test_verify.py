"""A certificate is checked against its file: what the file gives is counted again, and what it cannot give is not."""

from __future__ import annotations

import copy
import csv
import functools
import gzip
import hashlib
import json
import re
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tclose
from faces.command_line import in_process
from faces.hospital import ROLES, judged, rows_of, write_hospital
from tclose.anonymization.certificates import certificate_schema_text, parse_certificate
from tclose.errors import CertificateError, InputError
from tclose.reports.machine_readable.verifications import verification_schema_text

CERTIFICATE = jsonschema.Draft202012Validator(json.loads(certificate_schema_text()))
VERIFICATION = jsonschema.Draft202012Validator(json.loads(verification_schema_text()))
WANTED = ("--k", "3", "--t", "salary=0.3")
VISITS = [(at // 3, "AB"[at // 18], "xyz"[at % 3], 100 + at % 5) for at in range(36)]
"""Twelve people with three visits each; six people, and eighteen visits, in each zip."""


@pytest.fixture
def run(capfdbinary, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return functools.partial(in_process, capfdbinary)


@pytest.fixture
def released(run, tmp_path):
    """The release of the hospital with its certificate."""
    write_hospital(tmp_path)
    asked = ("anonymize", "hospital.csv", *ROLES, *WANTED, "-o", "out.csv", "--certificate", "out.cert.json")
    assert run(*asked).code == 0
    return tmp_path / "out.csv"


def verified(run, *more, file="out.csv", certificate="out.cert.json"):
    done = run("verify", file, "--certificate", certificate, "--format", "json", *more)
    found = json.loads(done.out)
    VERIFICATION.validate(found)
    assert done.code == (0 if found["holds"] else 1)
    return found


def differing(some):
    return [(each["what"], each["of"]) for each in some if not each["same"]]


def edited(path, change):
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    change(data)
    Path("edited.json").write_text(json.dumps(data), encoding="utf-8")
    return "edited.json"


def test_a_certificate_says_what_the_file_gives_and_is_verified(run, released):
    data = json.loads(Path("out.cert.json").read_text(encoding="utf-8"))
    CERTIFICATE.validate(data)
    rows = rows_of(released)
    k, t = judged(rows)
    figures = {(each["figure"], each["attribute"]): each["value"] for each in data["file_alone"]["figures"]}
    assert data["file"]["sha256"] == hashlib.sha256(released.read_bytes()).hexdigest()
    assert data["file"]["bytes"] == released.stat().st_size
    assert [each["name"] for each in data["columns"]] == list(rows[0])
    assert data["file_alone"]["rows"] == len(rows)
    assert (int(figures["k", None]), Fraction(figures["t", "salary"])) == (k, t)
    found = verified(run)
    assert (found["holds"], found["same_file"], found["same_figures"]) == (True, True, True)
    assert found["certificate"]["sha256"] == hashlib.sha256(Path("out.cert.json").read_bytes()).hexdigest()
    assert {each["decided_by"] for each in found["requirements"]} == {"file"}
    assert (
        "Written" in run("apply", "out.csv.recipe.json", "hospital.csv", "-o", "b.csv", "--certificate", "b.json").out
    )
    assert verified(run, file="b.csv", certificate="b.json")["holds"]


@pytest.mark.parametrize("name", ["r.csv.gz", "r.parquet", "r.jsonl", "r.tsv", "r.feather", "r.xlsx"])
def test_files_of_other_formats_are_verified_too(tmp_path, name):
    table = {"zip": ["A", "A", "B", "B"] * 3, "pay": [1, 2, 3, 4] * 3, "ill": ["x", "y", None, "x"] * 3}
    roles = tclose.Roles(["zip"], ["pay:numeric", "ill:nominal"])
    release = tclose.anonymize(table, roles, require={"k": 2}, hierarchies={"zip": "flat"})
    try:
        release.write(tmp_path / name, certificate=tmp_path / "c.json")
    except tclose.EngineNotInstalledError:
        pytest.skip("an optional package is missing")
    assert tclose.verify(tmp_path / name, tmp_path / "c.json")
    if name.endswith(".gz"):
        unpacked = tmp_path / "r.csv"
        unpacked.write_bytes(gzip.decompress((tmp_path / name).read_bytes()))
        found = tclose.verify(unpacked, tmp_path / "c.json")
        assert (found.same_file, found.same_figures, found.holds) == (False, True, False)


def test_a_file_with_other_line_ends_gives_the_same_figures_and_is_not_the_file(run, released):
    Path("crlf.csv").write_bytes(released.read_bytes().replace(b"\n", b"\r\n"))
    found = verified(run, file="crlf.csv")
    assert (found["holds"], found["same_file"], found["same_figures"]) == (False, False, True)
    told = " ".join(run("verify", "crlf.csv", "--certificate", "out.cert.json").out.split())
    assert told.startswith(
        "✗ crlf.csv gives the same figures as the file that was certified, but is not that file byte for byte."
    )
    assert "What the owner attests is bound to the certified file alone." in told


def test_a_file_whose_rows_were_changed_is_neither(run, released):
    head, first, *rest = released.read_text(encoding="utf-8").splitlines(keepends=True)
    for name, text in {
        "cell.csv": "".join([head, first, *rest]).replace("pneumonia", "flu"),
        "row.csv": "".join([head, first, first, *rest]),
    }.items():
        Path(name).write_text(text, encoding="utf-8")
        found = verified(run, file=name)
        assert (found["holds"], found["same_file"], found["same_figures"]) == (False, False, False)
        assert ("fingerprint", None) in differing(found["recomputed"])


def test_other_columns_are_told_as_such(run, released):
    rows = rows_of(released)
    for name, columns in {
        "more.csv": [*rows[0], "zap"],
        "less.csv": [*rows[0]][1:],
        "turned.csv": [*rows[0]][::-1],
    }.items():
        with Path(name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
        found = verified(run, file=name)
        assert not found["holds"]
        assert differing(found["recomputed"])[0] == ("columns", None)
        assert (found["problem"] is None) == (name != "less.csv")


def test_sensitive_values_that_cannot_be_read_any_more_are_an_outcome(run, released):
    Path("gap.csv").write_text(released.read_text(encoding="utf-8").replace(",3000,", ",,"), encoding="utf-8")
    found = verified(run, file="gap.csv")
    assert (found["holds"], found["same_figures"]) == (False, False)
    assert "cannot be counted" in found["problem"]


def test_certified_figures_that_were_edited_differ_from_the_file(run, released):
    def better(data):
        (figure,) = [
            each for each in data["file_alone"]["figures"] if each["figure"] == "t" and each["attribute"] == "salary"
        ]
        figure["value"] = "0.01"

    def fewer(data):
        data["file_alone"]["figures"].pop()

    def rows(data):
        data["file_alone"]["rows"] += 1

    def digest(data):
        data["file"]["sha256"] = "0" * 64

    def weaker_roles(data):
        data["columns"][0]["role"] = "publish"

    for change in (better, fewer, rows, digest, weaker_roles):
        found = verified(run, certificate=edited("out.cert.json", change))
        assert not found["holds"]
        assert found["same_file"] is (change is not digest)
        assert found["same_figures"] is (change is digest)


def test_a_requirement_that_the_file_does_not_meet_fails(run, released):
    def stricter(data):
        (wanted,) = [each for each in data["requirements"] if each["model"] == "k"]
        wanted["numbers"] = ["50"]
        for each in data["attested"]["requirements"]:
            each["requirement"] = each["requirement"].replace("k ≥ 3", "k ≥ 50")

    def half(data):
        data["requirements"][0]["numbers"] = ["2"]

    def admitted(data):
        data["attested"]["requirements"][0]["holds"] = False

    for change in (stricter, admitted):
        found = verified(run, certificate=edited("out.cert.json", change))
        assert (found["holds"], found["same_file"], found["same_figures"]) == (False, True, True)
    done = run("verify", "out.csv", "--certificate", edited("out.cert.json", half))
    assert (done.code, "others than requirements" in done.err) == (2, True)


@pytest.fixture
def visits(run, tmp_path):
    """Visits of people, their release by people, its certificate and its recipe."""
    with Path("visits.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "zip", "ill", "pay"), *VISITS])
    roles = ("--person", "id", "-q", "zip", "-s", "ill:nominal,pay:ordered", "--hierarchy", "zip=flat")
    asked = ("anonymize", "visits.csv", *roles, "--k", "5", "-o", "out.csv", "--certificate", "out.cert.json")
    assert run(*asked).code == 0
    return tmp_path


def test_what_the_owner_attests_gets_no_mark_and_people_are_counted_through_the_recipe(run, visits):
    found = verified(run)
    assert (found["holds"], found["owned"]) == (True, None)
    assert [(each["decided_by"], each["holds"]) for each in found["requirements"]] == [("owner", None)]
    assert found["attested"]["people"] == 12
    told = run("verify", "out.csv", "--certificate", "out.cert.json").out
    assert "Its requirements are attested by its owner, not recomputed." in " ".join(told.split())
    for form in ("text", "markdown", "html"):
        shown = run("verify", "out.csv", "--certificate", "out.cert.json", "--format", form).out
        _, _, attested = shown.partition("Attested by its owner, not recomputed")
        assert "k ≥ 5" in attested
        assert "✓" not in attested
    owner = verified(run, "--recipe", "out.csv.recipe.json", "--original", "visits.csv")
    assert owner["holds"]
    counted = {(each["what"], each["of"]): each["found"] for each in owner["owned"]}
    people = defaultdict(set)
    for person, zone, _, _ in VISITS:
        people[zone].add(person)
    assert counted["k", None] == str(min(map(len, people.values())))
    assert (counted["people of the original", None], counted["rows of the original", None]) == ("12", "36")
    assert counted["k ≥ 5", None] == "holds"


def test_the_owner_finds_what_was_attested_wrongly(run, visits):
    def more_people(data):
        data["attested"]["people"] = 36

    def larger_k(data):
        (figure,) = [each for each in data["attested"]["figures"] if each["figure"] == "k"]
        figure["value"] = "18"

    owner = ("--recipe", "out.csv.recipe.json", "--original", "visits.csv")
    for change, what in ((more_people, "people of the original"), (larger_k, "k")):
        name = edited("out.cert.json", change)
        assert verified(run, certificate=name)["holds"]
        assert differing(verified(run, *owner, certificate=name)["owned"]) == [(what, None)]
    lines = Path("visits.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("other.csv").write_text("".join(lines[:-1]), encoding="utf-8")
    other = verified(run, "--recipe", "out.csv.recipe.json", "--original", "other.csv")
    assert ("the recipe makes", None) in differing(other["owned"])


def test_more_rows_than_people_never_hide_that_k_is_missed(run, visits):
    """People are no more than their rows: where these are too few, no owner can attest k."""

    def boast(data):
        data["requirements"][0]["numbers"] = ["30"]
        data["attested"]["requirements"][0]["requirement"] = "k ≥ 30"

    found = verified(run, certificate=edited("out.cert.json", boast))
    assert (found["holds"], found["requirements"][0]["holds"]) == (False, False)


def test_pseudonyms_let_the_file_alone_count_people(run, visits):
    roles = ("--pseudonym", "id", "-q", "zip", "-s", "ill:nominal", "--hierarchy", "zip=flat")
    asked = ("anonymize", "visits.csv", *roles, "--k", "5", "-o", "named.csv", "--certificate", "named.json")
    assert run(*asked).code == 1  # pseudonyms link rows: qualified
    found = verified(run, file="named.csv", certificate="named.json")
    assert (found["verdict"], [each["code"] for each in found["reasons"]]) == ("qualified", ["pseudonyms-link"])
    assert [(each["decided_by"], each["holds"]) for each in found["requirements"]] == [("file", True)]
    data = json.loads(Path("named.json").read_text(encoding="utf-8"))
    assert data["file_alone"]["people"] == len({row["id"] for row in rows_of(Path("named.csv"))}) == 12
    assert verified(
        run, "--recipe", "named.csv.recipe.json", "--original", "visits.csv",
        file="named.csv", certificate="named.json",
    )["same_figures"]  # fmt: skip
    assert run(*asked, "--force", "--accept", "pseudonyms-link=Only the registry gets it.").code == 0
    found = verified(run, file="named.csv", certificate="named.json")
    assert (found["verdict"], found["reasons"][0]["accepted"]) == ("pass", "Only the registry gets it.")


def test_a_certificate_has_no_value_of_the_original_that_was_left_out_and_no_seed(run, tmp_path):
    """One row alone has a disease, and a leaf of the tree, that the release does not have."""
    rows = [("A", "flu"), ("A", "cold"), ("B", "flu"), ("B", "cold")] * 3 + [("Z", "plague")]
    Path("t.csv").write_text("zip,ill\n" + "".join(f"{zone},{ill}\n" for zone, ill in rows))
    Path("ill.csv").write_text("flu;air;any\ncold;air;any\nplague;rats;any\n")
    asked = ("-q", "zip", "-s", "ill:hierarchical", "--hierarchy", "ill=ill.csv", "--hierarchy", "zip=flat")
    seed = ("--k", "2", "--suppress", "0.1", "--levels", "zip=0", "--method", "full-domain", "--seed", "424242")
    done = run("anonymize", "t.csv", *asked, *seed, "-o", "out.csv", "--certificate", "out.cert.json")
    assert done.code == 0, done.err
    assert Counter(row["ill"] for row in rows_of(Path("out.csv"))) == {"flu": 6, "cold": 6}
    text = Path("out.cert.json").read_text(encoding="utf-8")
    assert not re.search("plague|rats|424242|ill.csv", text)
    assert verified(run)["holds"]


def test_a_release_that_holds_against_the_original_alone_is_not_judged_by_its_own_distribution(run, tmp_path):
    write_hospital(tmp_path)
    asked = ("anonymize", "hospital.csv", *ROLES, *WANTED, "--against", "original", "-o", "out.csv")
    assert run(*asked, "--certificate", "out.cert.json").code == 0
    found = verified(run)
    assert found["holds"]
    assert {each["requirement"]: each["decided_by"] for each in found["requirements"]} == {
        "k ≥ 3": "file", "t ≤ 0.3": "owner",
    }  # fmt: skip


def test_what_a_certificate_needs_is_refused_before_the_work(run, tmp_path):
    write_hospital(tmp_path)
    asked = ("anonymize", "hospital.csv", *ROLES, *WANTED, "--certificate", "c.json")
    for more, said in (
        ((), "name one with -o FILE"),
        (("-o", "c.json"), "c.json"),
        (("-o", "-"), "name one with -o FILE"),
    ):
        done = run(*asked, *more)
        assert (done.code, said in done.err, Path("c.json").exists()) == (2, True, False)
    Path("c.json").write_text("mine")
    assert run(*asked, "-o", "out.csv").code == 2
    assert Path("c.json").read_text() == "mine"


def test_original_and_recipe_go_together_and_a_certificate_is_of_one_file(run, released):
    done = run("verify", "out.csv", "--certificate", "out.cert.json", "--original", "hospital.csv")
    assert (done.code, "--recipe" in done.err) == (2, True)
    for file in (".", "example:salary", "-", "none.csv"):
        assert run("verify", file, "--certificate", "out.cert.json").code == 2
    assert run("verify", "out.csv", "--certificate", "out.cert.json", "-o", "out.csv").code == 2


HOSTILE = {
    "empty": b"",
    "text": b"k = 5",
    "list": b"[]",
    "deep": b"[" * 100_000,
    "null": b"null",
    "twice": b'{"kind": "certificate", "kind": "certificate"}',
    "nan": b'{"kind": "certificate", "schema_version": NaN}',
    "later": b'{"kind": "certificate", "schema_version": 2}',
    "yes": b'{"kind": "certificate", "schema_version": true}',
    "letters": b'{"kind": "certificate\xff"}',
    "digits": b'{"kind": "certificate", "schema_version": ' + b"1" * 100_000 + b"}",
    "report": b'{"kind": "release", "schema_version": 1}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_certificate_is_refused_with_2(run, released, name):
    Path("c.json").write_bytes(HOSTILE[name])
    done = run("verify", "out.csv", "--certificate", "c.json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: 'c.json' is ")


def test_a_hierarchy_of_a_certificate_is_never_the_name_of_a_file(run, released):
    Path("secret.csv").write_text("3000;low;any\n4000;low;any\n")

    def pointing(data):
        column = next(each for each in data["columns"] if each["name"] == "salary")
        column["distance"] = {"distance": "hierarchical", "nulls": "error", "hierarchy": "secret.csv"}

    done = run("verify", "out.csv", "--certificate", edited("out.cert.json", pointing))
    assert (done.code, "hierarchy is neither" in done.err) == (2, True)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    table = {"zip": ["A", "A", "B", "B"], "pay": [1, 2, 3, 4], "ward": ["u", "u", "v", "v"]}
    roles = tclose.Roles(["zip"], ["pay:ordered"], publish=["ward"])
    tclose.anonymize(table, roles, require={"k": 2}).write(folder / "r.csv", certificate=folder / "c.json")
    return folder / "r.csv", json.loads((folder / "c.json").read_text())


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    PLAIN | st.sampled_from(["5", "1/3", "k", "rows"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)


def places(data, path=()):
    """Every place in the data."""
    yield path
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        yield from places(value, (*path, key))


def numbers(alone):
    """What a file alone gives, with its figures as numbers, however they are written."""
    figures = [(each["figure"], each["attribute"], Fraction(each["value"])) for each in alone["figures"]]
    return {**alone, "figures": sorted(figures, key=str)}


@given(data=st.data(), value=JSON)
def test_no_change_of_a_certificate_makes_it_crash_or_lets_other_figures_pass(small, data, value):
    file, certificate = small
    changed = copy.deepcopy(certificate)
    where = data.draw(st.sampled_from(list(places(certificate))[1:]))
    *above, last = where
    inside = functools.reduce(lambda found, key: found[key], above, changed)
    inside[last] = value
    try:
        parsed = parse_certificate(json.dumps(changed).encode(), "'c.json'")
        found = tclose.verify(file, parsed)
    except InputError:
        return
    jsonschema.validate(found.to_dict(), VERIFICATION.schema)
    str(found)
    if found.holds:
        again = parsed.to_dict()
        assert again["file"]["sha256"] == certificate["file"]["sha256"]
        assert numbers(again["file_alone"]) == numbers(certificate["file_alone"])
        assert [each["name"] for each in again["columns"]] == ["zip", "pay", "ward"]


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode) | JSON.map(lambda data: json.dumps(data).encode()))
def test_no_bytes_make_a_certificate_by_chance(content):
    with pytest.raises(CertificateError):
        parse_certificate(content, "'c.json'")


def test_the_schemas_are_those_of_the_docs(run):
    docs = Path(__file__).parents[2] / "docs"
    for word, name in (("certificate", "certificate"), ("verify", "verification")):
        assert run("schema", word).out == (docs / f"{name}.schema.json").read_text(encoding="utf-8")
        jsonschema.Draft202012Validator.check_schema(json.loads(run("schema", word).out))
