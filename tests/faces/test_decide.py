"""The open questions of a policy, answered one by one or by options; comments stay, and no value is shown unasked."""

import pytest

import tclose

TABLE = "zip,xq,xr,pay\n1,CANARY-a,1,3\n1,CANARY-b,2,4\n2,CANARY-a,1,5\n2,CANARY-b,2,6\n"


@pytest.fixture
def policy(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(TABLE)
    assert run("profile", "people.csv", "-o", "tclose.toml").code == 0
    path = tmp_path / "tclose.toml"
    path.write_text(path.read_text().replace("[policy]\n", "# agreed with the board\n[policy]\n", 1))
    return path


def answered(run, monkeypatch, *lines):
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    return run("decide", "tclose.toml")


def roles_of(path):
    return tclose.read_policy(path).roles


def test_each_column_is_asked_about_and_answers_are_written(run, policy, monkeypatch):
    done = answered(run, monkeypatch, "q", "r")
    assert done.code == 0
    assert "1 of 2: xq" in done.out
    assert "2 of 2: xr" in done.out
    assert "CANARY" not in done.out + done.err
    assert (roles_of(policy).quasi, roles_of(policy).remove) == (("zip", "xq"), ("xr",))
    assert "# agreed with the board" in policy.read_text()
    assert 'xq = { role = "quasi-identifier" }' in policy.read_text()
    assert run("anonymize", "--policy", policy, "--k", "2", "--l", "1", "--t", "1").code == 0


def test_values_are_shown_on_request_alone(run, policy, monkeypatch):
    done = answered(run, monkeypatch, "v", "x")
    assert done.out.count("CANARY-a") == 1
    assert done.code == 1
    assert "Still undecided: xq, xr" in done.err


def test_one_can_go_back_stop_and_go_on_later(run, policy, monkeypatch):
    assert answered(run, monkeypatch, "s", "b", "i").code == 1
    assert (roles_of(policy).identifiers, roles_of(policy).undecided) == (("xq",), ("xr",))
    done = answered(run, monkeypatch, "what?", "u")
    assert "1 of 1: xr" in done.out
    assert "Type one of" in done.out
    assert (done.code, roles_of(policy).publish) == (0, ("xr",))


def test_an_answer_that_cannot_be_is_taken_back_and_asked_again(run, policy, monkeypatch):
    done = answered(run, monkeypatch, "p", "p", "r")
    assert "one column at most tells people apart" in done.out
    assert (done.code, roles_of(policy).person, roles_of(policy).remove) == (0, "xq", ("xr",))


def test_answers_may_be_options(run, policy):
    before = policy.read_text()
    for wrong in ("xq=qasi", "nope=remove", "xq"):
        assert run("decide", policy, "--set", wrong).code == 2
    assert policy.read_text() == before
    assert run("decide", policy, "--set", "xq=sensitive").code == 1
    assert run("decide", policy, "--set", "xr=remove", "--set", "xq=quasi-identifier").code == 0
    assert roles_of(policy).undecided == ()
    assert run("decide", "none.toml").code == 2


def test_a_decided_column_gets_what_its_values_ask_for_and_the_policy_runs_as_it_is(run, tmp_path, monkeypatch):
    """Missing values of a number, bands, and a column of which 2 of 120 rows differ: each has its line."""
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{at % 4},{at * 10},{['<5', '5-9', '10-14', '15+'][at % 4]},{'yn'[at > 1]},{'' if at % 9 == 0 else at}"
        for at in range(120)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["zip,salary,xb,xr,xn", *rows]))
    assert run("profile", "t.csv", "-o", "tclose.toml").code == 0
    answers = ("xb=quasi-identifier", "xr=sensitive", "xn=sensitive")
    assert run("decide", "tclose.toml", *(part for each in answers for part in ("--set", each))).code == 0
    text = (tmp_path / "tclose.toml").read_text()
    assert 'xb = { role = "quasi-identifier", hierarchy = "groups:2" }' in text
    assert 'xr = { role = "sensitive", distance = "nominal", nulls = "category", l = 1 }' in text
    assert 'xn = { role = "sensitive", distance = "ordered", nulls = "drop", order = "value" }' in text
    assert run("anonymize", "--policy", "tclose.toml", "-o", "out.csv").code == 0


def test_a_role_is_decided_where_the_table_is_not_here(run, policy, tmp_path):
    (tmp_path / "people.csv").unlink()
    assert run("decide", policy, "--set", "xq=sensitive", "--set", "xr=remove").code == 0
    assert set(roles_of(policy).sensitive) == {"pay", "xq"}
