"""No document shows a class so small that it shows single people, unless that was asked for; then it says so."""

import pandas as pd
import pytest

import tclose
from tclose.anonymization.releases import Obstacle, Release
from tclose.reports.content.audits import audit_document
from tclose.reports.formats.latex import latex
from tclose.reports.phrases.cells import WITHHELD
from tclose.reports.phrases.releases import shown_key

ROLES = tclose.Roles(quasi=["zip", "age"], sensitive={"salary": tclose.Ordered()})
ALONE, FEW, MANY = "LONELYVILLE", "PAIRTOWN", "CROWDCITY"
FORMATS = ("text", "markdown", "html", "json", "latex")


def frame(sizes):
    """Return a table with a class of each size; salaries are such that the smallest class is the worst."""
    rows = [(zip_code, 30 + at, 1000 * (1 + at) + row) for at, (zip_code, n) in enumerate(sizes) for row in range(n)]
    return pd.DataFrame(rows, columns=["zip", "age", "salary"])


@pytest.fixture(scope="module")
def people():
    return frame([(ALONE, 1), (FEW, 4), (MANY, 7)])


def faces(audit):
    return {
        "text": str(audit),
        "markdown": audit.to_markdown(),
        "report": audit.to_html(),
        "notebook": audit._repr_html_(),
        "json": audit.to_json(),
        "latex": latex(audit_document(audit)),
    }


def shown(audit, *names):
    """Return which names stand in which face."""
    return {name: {face for face, text in faces(audit).items() if name in text} for name in names}


def test_classes_of_fewer_than_five_stand_in_no_document(people):
    audit = tclose.audit(people, ROLES, require={"t": "0.01"}, any=1)
    found = shown(audit, ALONE, FEW, MANY)
    assert found[ALONE] == found[FEW] == set()
    assert found[MANY] >= {"text", "markdown", "report", "notebook", "latex"}
    assert audit.to_dict()["withheld_below"] == 5
    assert not audit.to_dict()["confidential"]
    assert audit["salary"]["t"].worst.key["zip"] == ALONE  # the library itself knows
    assert "fewer than 5 rows are withheld" in " ".join(str(audit).split())


def test_classes_below_the_k_that_is_required_are_withheld_and_those_of_k_are_not(people):
    found = shown(tclose.audit(people, ROLES, require={"k": 4, "t": "0.01"}), ALONE, FEW)
    assert found[ALONE] == set()
    assert {"text", "markdown", "report"} <= found[FEW]
    assert shown(tclose.audit(people, ROLES, require={"k": 7}), ALONE, FEW) == {ALONE: set(), FEW: set()}


def test_where_single_people_were_asked_for_every_document_says_that_it_is_confidential(people):
    audit = tclose.audit(people, ROLES, require={"t": "0.01"}).with_people()
    for face, text in faces(audit).items():
        assert ALONE in text, face
        assert "confidential" in text.lower(), face
    assert audit.to_dict()["confidential"] is True
    without = tclose.audit(frame([(MANY, 7)]), ROLES).with_people()
    assert not any("Confidential" in text for text in faces(without).values())


def test_classes_of_an_attribute_of_their_own_are_withheld_by_their_own_size():
    roles = tclose.Roles(["zip"], {"salary": tclose.Ordered(), "age": tclose.Nominal()}, together="quasi")
    table = frame([(MANY, 6)])
    table["age"] = [1234567, 40, 40, 40, 40, 40]
    audit = tclose.audit(table, roles, require={"t": {"salary": "0.01"}})
    assert audit.k == 6
    worst = audit["salary"]["t"].worst
    assert (worst.key["age"], worst.size) == (1234567, 1)
    assert "1234567" not in audit.to_json()
    assert "age=1234567" not in audit.to_html() + str(audit)


def test_where_people_are_counted_a_class_of_many_rows_of_one_person_is_withheld():
    table = frame([(ALONE, 8), (MANY, 8)])
    table["patient"] = [1] * 8 + list(range(2, 10))
    audit = tclose.audit(table, tclose.Roles(ROLES.quasi, ROLES.sensitive, person="patient"), require={"t": "0.01"})
    assert shown(audit, ALONE) == {ALONE: set()}


def test_an_example_is_about_nobody():
    assert "476**" in str(tclose.audit("example:salary", require={"t": "0.2"}))


def test_the_command_line_shows_single_people_only_when_asked(people, tmp_path, run):
    people.to_csv(tmp_path / "people.csv", index=False)
    asked = ["audit", tmp_path / "people.csv", "-q", "zip,age", "-s", "salary:ordered", "--t", "0.01", "--explain"]
    for form in FORMATS:
        done = run(*asked, "--format", form)
        assert done.code == 1
        assert ALONE not in done.out + done.err
        asked_for = run(*asked, "--format", form, "--show-people")
        assert ALONE in asked_for.out
        assert "confidential" in asked_for.out.lower()
    assert run(*asked[:-1], "--show-people", "--redact-classes").code == 2
    done = run(*asked[:-1], "--classes", tmp_path / "classes.csv")
    assert "confidential" in done.err


def test_explaining_the_worst_class_asks_before_it_shows_single_people(people, tmp_path, run):
    people.to_csv(tmp_path / "people.csv", index=False)
    asked = ["explain", tmp_path / "people.csv", "-q", "zip,age", "-s", "salary:ordered"]
    refused = run(*asked)
    assert refused.code == 2
    assert ALONE not in refused.out + refused.err
    assert "--show-people" in refused.err
    for how in (["--show-people"], ["--class", f"zip={ALONE},age=30"]):
        for form in (*FORMATS, "svg"):
            done = run(*asked, *how, "--format", form)
            assert done.code == 0
            assert ALONE in done.out
            assert "confidential" in done.out.lower()
    named = run(*asked, "--class", f"zip={MANY},age=32", "--format", "svg")
    assert "Confidential" not in named.out


def test_what_stands_in_the_way_of_a_release_does_not_show_a_small_class(people):
    (wanted,) = tclose.audit(people, ROLES, require={"t": "0.2"}).verdicts
    hidden = Obstacle(wanted.requirement, 1, {"zip": ALONE}, size=2)
    open_ = Obstacle(wanted.requirement, 1, {"zip": MANY}, size=5)
    release = Release(
        "people", ROLES, (wanted.requirement,), "auto", 12, 0, 0, None, {}, {}, (), obstacles=(hidden, open_)
    )
    assert [shown_key(release, each)["zip"] for each in release.obstacles] == [WITHHELD, MANY]
    for text in (str(release), release.to_json(), release.to_markdown(), release.to_html()):
        assert ALONE not in text


RARE, COMMON = "RAREILLNESS", "COMMONILLNESS"
ILLNESSES = [RARE, *["cough"] * 4, *[COMMON] * 15, *["flu"] * 20]


@pytest.fixture(scope="module")
def attacked():
    """One person has an illness of its own; two of every age are published as they are."""
    table = pd.DataFrame({"age": [at // 2 for at in range(40)], "illness": ILLNESSES})
    return tclose.attack(table, tclose.Roles(["age"], {"illness": tclose.Nominal()}), release=table, seed=0)


def attack_faces(attack):
    notebook = attack._repr_html_()
    return [str(attack), attack.to_markdown(), attack.to_html(), notebook, attack.to_json(), attack.to_svg()]


def test_no_attack_tells_of_fewer_than_five_people(attacked):
    texts = attack_faces(attacked)
    assert not [text for text in texts if RARE in text]
    assert [COMMON in text for text in texts] == [True] * 5 + [False]
    told = attacked.to_dict()
    assert (told["withheld_below"], told["confidential"]) == (5, False)
    assert "fewer than 5 people" in " ".join(str(attacked).split())
    assert [each.people for each in attacked["reader"].by_value if each.label == RARE] == [
        1
    ]  # the library itself knows


def test_what_is_told_of_others_leaves_nobody_over_who_could_be_counted(attacked):
    """From the totals less what is shown nobody finds fewer than five people."""
    for outcome in attacked.to_dict()["attackers"]:
        for parts in (outcome["by_value"], outcome["by_class_size"]):
            assert sum(part["people"] for part in parts) == outcome["people"]
            assert min(part["people"] for part in parts) >= 5


def test_whoever_asks_for_single_people_of_an_attack_is_told_that_it_is_confidential(attacked):
    asked = attacked.with_people()
    for text in attack_faces(asked)[:5]:
        assert RARE in text
        assert "confidential" in text.lower()
    assert asked.to_dict()["withheld_below"] is None


def test_the_command_line_attacks_and_shows_single_people_only_when_asked(attacked, tmp_path, run):
    table = pd.DataFrame({"age": [at // 2 for at in range(40)], "illness": ILLNESSES})
    table.to_csv(tmp_path / "people.csv", index=False)
    asked = ["attack", tmp_path / "people.csv", "-q", "age", "-s", "illness:nominal", "--release"]
    asked += [tmp_path / "people.csv", "--attackers", "reader"]
    for form in ("text", "markdown", "html", "json"):
        done = run(*asked, "--format", form)
        assert done.code == 0
        assert RARE not in done.out + done.err
        assert RARE in run(*asked, "--format", form, "--show-people").out


def test_a_value_that_is_divided_often_is_still_of_one_person():
    """Over twelve divisions one person is counted as many times as it is drawn."""
    table = pd.DataFrame({"age": [at // 4 for at in range(40)], "illness": ILLNESSES})
    roles = tclose.Roles(["age"], {"illness": tclose.Nominal()})
    found = tclose.attack(table, roles, require={"k": 2}, divisions=12, attackers=["reader"], method="merge", effort=0)
    assert next(each.people for each in found["reader"].by_value if each.label == RARE) >= 5
    assert RARE not in found.to_json() + str(found)
