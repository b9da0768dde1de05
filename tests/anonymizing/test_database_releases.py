"""Several tables about the same people, released into a folder: judged by brute force over the written files."""

import csv
import itertools
import json
import random
from collections import Counter, defaultdict
from fractions import Fraction

import pytest

from faces.command_line import in_process
from shared_data import shared_file
from tclose.anonymization.database import release as searching
from tclose.anonymization.database.facts_search import Kept
from tclose.anonymization.database.release import anonymize_database
from tclose.errors import InputError, TcloseError
from tclose.policy.files import read_policies

TREE = "flu,lung\ncold,lung\nasthma,lung\nrash,skin\nacne,skin\n"
LEAVES = [line.split(",")[0] for line in TREE.split()]
POLICY = """version = 1
[policy]
k = {k}
facts = {facts}
facts_as = "{known}"
{more}
others = "remove"
unprotected = "tell"
fact_columns = ["event"]
[[table]]
source = "people.csv"
[table.columns]
id = {{ role = "person" }}
sex = {{ role = "quasi-identifier", hierarchy = "flat" }}
arm = {{ role = "sensitive", distance = "nominal" }}
[[table]]
source = "events.csv"
[table.columns]
id = {{ role = "person" }}
event = {{ role = "quasi-identifier", hierarchy = "parents:tree.csv" }}
"""


@pytest.fixture
def run(capfdbinary):
    """Run the command line in this process."""
    return lambda *arguments: in_process(capfdbinary, *arguments)


def database(folder, *, k=3, facts=2, known="multiset", more="", people=40, seed=1):
    draw = random.Random(seed)
    (folder / "tree.csv").write_text(TREE)
    rows = [f"{who},{'FM'[who % 2]},{draw.choice(['drug', 'none'])}" for who in range(people)]
    (folder / "people.csv").write_text("id,sex,arm\n" + "\n".join(rows) + "\n")
    events = [f"{who},{draw.choice(LEAVES)}" for who in range(people) for _ in range(draw.randint(0, 4))]
    (folder / "events.csv").write_text("id,event\n" + "\n".join(events) + "\n")
    path = folder / "database.toml"
    path.write_text(POLICY.format(k=k, facts=facts, known=known, more=more))
    return path


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def candidates(folder, most, known, base=("sex",), fact="event", key="id", people="people.csv", facts="events.csv"):
    """Who has each base and each set of at most so many facts, by trying all sets of everybody."""
    held = defaultdict(Counter)
    for row in rows_of(folder / facts):
        held[row[key]][row[fact]] += 1
    found = defaultdict(set)
    for row in rows_of(folder / people):
        own = held[row[key]]
        items = sorted(own.elements() if known == "multiset" else own)
        for size in range(most + 1):
            for some in itertools.combinations(items, size):
                found[tuple(row[name] for name in base), some].add(row[key])
    return found


@pytest.mark.parametrize("known", ["multiset", "set"])
@pytest.mark.parametrize("facts", [0, 1, 2, 3])
def test_every_set_of_facts_leaves_k_candidates(tmp_path, run, facts, known):
    path = database(tmp_path, facts=facts, known=known)
    assert run("anonymize", "--policy", str(path), "-o", str(tmp_path / "out")).code == 0
    out = tmp_path / "out"
    found = candidates(out, facts, known)
    assert min(map(len, found.values())) >= 3
    assert len(rows_of(out / "people.csv")) == 40
    assert {row["id"] for row in rows_of(out / "events.csv")} <= {row["id"] for row in rows_of(out / "people.csv")}
    assert not {row["id"] for row in rows_of(out / "people.csv")} & {str(who) for who in range(40)}
    report = json.loads((out / "report.json").read_text())
    assert report["verdict"] == "pass"
    assert report["audit"]["facts"][-1]["k"] == min(map(len, found.values()))
    assert {each.name for each in out.iterdir()} == {
        "people.csv", "events.csv", "report.json", "report.md", "report.html",
    }  # fmt: skip


def test_every_published_fact_is_true_of_its_person(tmp_path, monkeypatch):
    """With pseudonyms that are known, each released event stands above one of its person, and none stands for two."""
    monkeypatch.setattr(searching, "_pseudonyms", lambda people: {each: f"p{each}" for each in people})
    found = anonymize_database(read_policies(database(tmp_path)))
    above = dict(line.split(",") for line in TREE.split())
    original = Counter((f"p{row['id']}", row["event"]) for row in rows_of(tmp_path / "events.csv"))
    events = found.tables["events.csv"]
    released = Counter(zip(events["id"], events["event"], strict=True))
    for (who, label), times in released.items():
        assert times <= sum(n for (own, leaf), n in original.items() if own == who and label in (leaf, above[leaf]))
    people = found.tables["people.csv"]
    arms = {f"p{row['id']}": (row["sex"], row["arm"]) for row in rows_of(tmp_path / "people.csv")}
    assert dict(zip(people["id"], zip(people["sex"], people["arm"], strict=True), strict=True)) == arms
    (kept,) = [each for each in found.kept if each.column == "event"]
    assert kept.before == sum(original.values())
    assert kept.after == len(events["id"])
    loss = {"lung": Fraction(2, 4), "skin": Fraction(1, 4)}  # other leaves below, of all other leaves
    assert kept.detail == pytest.approx(float(sum(1 - loss.get(each, 0) for each in events["event"]) / kept.before))


def test_closeness_holds_for_every_set(tmp_path, run):
    path = database(tmp_path, facts=2, more="t = 0.25")
    assert run("anonymize", "--policy", str(path), "-o", str(tmp_path / "out")).code == 0
    arm = {row["id"]: row["arm"] for row in rows_of(tmp_path / "out" / "people.csv")}
    share = Fraction(sum(each == "drug" for each in arm.values()), len(arm))
    for some in candidates(tmp_path / "out", 2, "multiset").values():
        assert abs(Fraction(sum(arm[who] == "drug" for who in some), len(some)) - share) <= Fraction(1, 4)


def test_parquet_stays_parquet(tmp_path, run):
    duckdb = pytest.importorskip("duckdb")
    path = database(tmp_path)
    for name in ("people", "events"):
        duckdb.sql(f"COPY (FROM read_csv('{tmp_path}/{name}.csv')) TO '{tmp_path}/{name}.parquet'")
    path.write_text(path.read_text().replace("people.csv", "people.parquet").replace("events.csv", "events.parquet"))
    assert run("anonymize", "--policy", str(path), "-o", str(tmp_path / "out")).code == 0
    ((rows,),) = duckdb.sql(f"SELECT count(*) FROM '{tmp_path}/out/people.parquet'").fetchall()
    assert rows == 40


def test_a_release_that_the_audit_does_not_confirm_is_not_written(tmp_path, run, monkeypatch):
    def everything(people, forest, *_, **__):
        nodes = tuple({leaf: forest.paths[leaf][0] for leaf in held} for held in people)
        times = tuple({forest.paths[leaf][0]: n for leaf, n in held.items()} for held in people)
        return Kept(nodes, times, 1.0)

    monkeypatch.setattr(searching, "kept_facts", everything)
    path = database(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert run("anonymize", "--policy", str(path), "-o", str(tmp_path / "out")).code == 3
    assert sorted(tmp_path.iterdir()) == before


def test_folders_that_are_there(tmp_path, run):
    path, out = database(tmp_path), tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    for force in ([], ["--force"]):
        done = run("anonymize", "--policy", str(path), "-o", str(out), *force)
        assert done.code == 2
        assert "no folder that tclose wrote" in done.err
    assert [each.name for each in out.iterdir()] == ["mine.txt"]
    new = tmp_path / "new"
    assert run("anonymize", "--policy", str(path), "-o", str(new)).code == 0
    first = (new / "people.csv").read_bytes()
    assert run("anonymize", "--policy", str(path), "-o", str(new)).code == 2
    assert (new / "people.csv").read_bytes() == first
    assert run("anonymize", "--policy", str(path), "-o", str(new), "--force").code == 0
    assert (new / "people.csv").read_bytes() != first  # pseudonyms are fresh
    assert run("anonymize", "--policy", str(path), "-o", str(tmp_path), "--force").code == 2  # holds what is read


def test_without_a_folder_nothing_is_written(tmp_path, run):
    path = database(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert run("anonymize", "--policy", str(path)).code == 0
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("option", [["--why"], ["--frontier"], ["--report", "r.html"], ["--certificate", "c.json"]])
def test_what_is_for_one_table_alone(tmp_path, run, option):
    assert run("anonymize", "--policy", str(database(tmp_path)), "-o", str(tmp_path / "out"), *option).code == 2
    assert not (tmp_path / "out").exists()


def test_requirements_that_no_release_meets(tmp_path, run):
    path = database(tmp_path, more="t = 0.0")
    text = (tmp_path / "people.csv").read_text().replace("drug", "none").replace("1,M,none", "1,M,drug")
    (tmp_path / "people.csv").write_text(text)
    path.write_text(path.read_text().replace('hierarchy = "flat" }', 'hierarchy = "flat", levels = "0..0" }'))
    done = run("anonymize", "--policy", str(path), "-o", str(tmp_path / "out"))
    assert done.code == 1
    assert "nothing was written" in done.err
    assert not (tmp_path / "out").exists()


def refused(folder, told, **changes):
    path = database(folder)
    text = path.read_text()
    for before, after in changes.get("policy", {}).items():
        assert before in text
        text = text.replace(before, after)
    path.write_text(text)
    for name, content in changes.get("files", {}).items():
        (folder / name).write_text(content)
    with pytest.raises(TcloseError, match=told) as problem:
        anonymize_database(read_policies(path))
    assert isinstance(problem.value, InputError)


EVENT = 'event = { role = "quasi-identifier", hierarchy = "parents:tree.csv" }'


def test_databases_that_are_not_released(tmp_path):
    events = (database(tmp_path), (tmp_path / "events.csv").read_text())[1]
    wide = "id,event,ward\n" + "".join(f"{line},{at % 3}\n" for at, line in enumerate(events.split()[1:]))
    ward = {EVENT: EVENT + '\nward = { role = "quasi-identifier" }'}
    refused(tmp_path, "facts of several columns", policy=ward, files={"events.csv": wide})
    sex = "id,event,ward\n" + "".join(f"{line},{int(line.split(',')[0]) % 2}\n" for line in events.split()[1:])
    refused(tmp_path, r"has traits \('ward'\) beside facts", policy=ward, files={"events.csv": sex})
    secret = {EVENT: EVENT + '\nward = { role = "sensitive" }'}
    refused(tmp_path, r"sensitive attributes \('ward'\) beside facts", policy=secret, files={"events.csv": wide})
    refused(tmp_path, "1 of the people with facts is not in people.csv", files={"events.csv": events + "99,flu\n"})
    refused(tmp_path, "requires k", policy={"k = 3": "t = 0.5"})
    points = {'[[table]]\nsource = "people': '[release]\npoints = "class"\n[[table]]\nsource = "people'}
    refused(tmp_path, "no such choice: points", policy=points)
    twice = (tmp_path / "people.csv").read_text() + "0,F,drug\n"
    refused(tmp_path, "people.csv has several rows for a person", files={"people.csv": twice})


def test_a_level_of_facts_is_not_published_beside_them(tmp_path):
    above = dict(line.split(",") for line in TREE.split())
    database(tmp_path)
    lines = (tmp_path / "events.csv").read_text().split()
    wide = "id,event,organ\n" + "".join(f"{line},{above[line.split(',')[1]]}\n" for line in lines[1:])
    columns = EVENT.replace("parents:tree.csv", "columns:event,organ")
    refused(
        tmp_path, "would publish 'organ' beside the facts", files={"events.csv": wide},
        policy={EVENT: columns + '\norgan = { role = "publish" }'},
    )  # fmt: skip


def test_facts_of_which_each_person_keeps_one_are_still_facts(tmp_path, run):
    """No released person has two events, which would be a trait of theirs if nothing said otherwise."""
    path = database(tmp_path, k=2, facts=1)
    people = "".join(f"{who},{'FM'[who > 4]},{'drug' if who % 2 else 'none'}\n" for who in range(1, 9))
    (tmp_path / "people.csv").write_text(f"id,sex,arm\n{people}")
    events = "1,flu 2,flu 3,cold 4,acne 4,flu 5,rash 6,rash 7,acne 8,acne 8,cold".replace(" ", "\n")
    (tmp_path / "events.csv").write_text(f"id,event\n{events}\n")
    assert run("anonymize", "--policy", str(path), "-o", str(tmp_path / "out")).code == 0
    assert min(map(len, candidates(tmp_path / "out", 1, "multiset").values())) >= 2


def test_facts_without_a_hierarchy_are_kept_or_left_out_and_a_note_says_so(tmp_path):
    path = database(tmp_path)
    path.write_text(path.read_text().replace(', hierarchy = "parents:tree.csv"', ""))
    found = anonymize_database(read_policies(path))
    assert [note.code for note in found.notes] == ["facts-without-hierarchy"]
    assert {*found.tables["events.csv"]["event"]} <= {*LEAVES}


def test_published_columns_stay_with_their_rows_and_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(searching, "_pseudonyms", lambda people: {each: f"p{each}" for each in people})
    path = database(tmp_path)
    lines = (tmp_path / "events.csv").read_text().split()
    dated = "".join(f"{line},{at}d\n" for at, line in enumerate(lines[1:]))
    (tmp_path / "events.csv").write_text(f"id,event,day\n{dated}")
    path.write_text(path.read_text().replace(EVENT, EVENT + '\nday = { role = "publish" }'))
    found = anonymize_database(read_policies(path))
    assert [note.code for note in found.notes] == ["published-as-they-are"]
    above = dict(line.split(",") for line in TREE.split())
    row = {each["day"]: each for each in rows_of(tmp_path / "events.csv")}
    events = found.tables["events.csv"]
    assert len(events["day"]) == len({*events["day"]})
    for who, event, day in zip(events["id"], events["event"], events["day"], strict=True):
        assert who == f"p{row[day]['id']}"
        assert event in (row[day]["event"], above[row[day]["event"]])


def test_a_person_with_ten_thousand_rows(tmp_path, run):
    path = database(tmp_path)
    with (tmp_path / "events.csv").open("a") as file:
        file.write("0,flu\n" * 10_000)
    assert run("anonymize", "--policy", str(path), "-o", str(tmp_path / "out")).code == 0
    assert min(map(len, candidates(tmp_path / "out", 1, "multiset").values())) >= 3


def test_too_many_sets_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(searching, "_MOST_SETS", 10)
    with pytest.raises(InputError, match="than a search for a release gets through"):
        anonymize_database(read_policies(database(tmp_path)))


@pytest.mark.parametrize("events", [2, 20_000])
def test_more_facts_may_be_known_than_anybody_has(tmp_path, events):
    """At once, too, where the number of sets has thousands of digits: then it is refused."""
    path = database(tmp_path, k=2, facts=10**9, people=6)
    rows = [f"{who},flu" for who in range(6) for _ in range(events if who == 0 else 1)]
    (tmp_path / "events.csv").write_text("id,event\n" + "\n".join(rows) + "\n")
    if events == 2:
        assert anonymize_database(read_policies(path)).holds
    else:
        with pytest.raises(InputError) as refused:
            anonymize_database(read_policies(path))
        assert refused.value.code == "facts-search-too-large"


TRIAL = """version = 1
[policy]
k = 5
facts = {facts}
facts_as = "set"
others = "remove"
unprotected = "tell"
fact_columns = ["AEDECOD"]
[[table]]
source = "{data}/dm.csv"
[table.columns]
USUBJID = {{ role = "person" }}
AGE = {{ role = "quasi-identifier", hierarchy = "intervals:10", levels = "{age}" }}
SEX = {{ role = "quasi-identifier", hierarchy = "flat", levels = "0..0" }}
[[table]]
source = "{data}/ae.csv"
[table.columns]
USUBJID = {{ role = "person" }}
AEDECOD = {{ role = "quasi-identifier", hierarchy = "columns:AEDECOD,AEHLT,AEHLGT,AEBODSYS" }}
"""


@pytest.mark.parametrize(
    ("facts", "age", "detail"),
    [(1, "1..1", 0.723), (1, "2..2", 0.865), (2, "1..1", 0.48)],
)
def test_a_trial_keeps_what_can_be_kept(tmp_path, facts, age, detail):
    """With one known fact the best cuts, by a dynamic program; with two, near what an integer program keeps."""
    folder = shared_file("people", "ae.csv").parent
    path = tmp_path / "trial.toml"
    path.write_text(TRIAL.format(facts=facts, age=age, data=folder))
    found = anonymize_database(read_policies(path))
    (kept,) = [each for each in found.kept if each.column == "AEDECOD"]
    assert kept.detail >= detail
