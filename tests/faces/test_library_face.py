"""The library as people of pandas and polars expect it: copies, classes as tables, names that keep their meaning."""

import copy
import pickle
import sys
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

import tclose
from tclose.anonymization.anonymize import anonymize
from tclose.data import progress as progress_module
from tclose.reports.content.audit_reports import audit_report
from tclose.reports.formats.html import report

TABLE = {"k": ["a", "a", "b", "b"], "t": [1, 2, 3, 4], "size": ["u", "v", "u", "v"]}
ROLES = tclose.Roles("k", {"t": tclose.Ordered(), "size": tclose.Nominal()})
FLAT = {"age": "flat"}


@pytest.fixture
def audit():
    return tclose.audit("example:salary", require={"k": 3, "t": "0.3"})


@pytest.fixture
def release():
    return tclose.anonymize("example:salary", require={"k": 3, "t": "0.45"}, hierarchies=FLAT)


def test_an_attribute_named_like_a_model_hides_no_figure():
    roles = tclose.Roles("t", {"k": tclose.Nominal()})
    found = tclose.audit(TABLE, roles)
    assert found["k"].name == "k"
    assert (found.k, found.figures["k"].value) == (1, 1)
    other = tclose.audit(TABLE, ROLES)
    with pytest.raises(tclose.InputError, match=r"figures\['k'\]"):
        other["k"]


def test_a_pickled_audit_says_the_same(audit):
    again = pickle.loads(pickle.dumps(audit))
    assert str(again) == str(audit)
    assert again.to_json() == audit.to_json()
    assert again._repr_html_() == audit._repr_html_()
    assert list(again.classes.rows(sort="salary.t")) == list(audit.classes.rows(sort="salary.t"))
    assert list(again.classes.rows(search="476", limit=1)) == list(audit.classes.rows(search="476", limit=1))
    assert str(tclose.explain(again)) == str(tclose.explain(audit))


def test_a_pickled_audit_refuses_what_it_has_no_counts_of():
    table = {"q": list(range(10)), "s": list(range(10))}
    again = pickle.loads(pickle.dumps(tclose.audit(table, tclose.Roles("q", {"s": tclose.Ordered()}))))
    with pytest.raises(tclose.InputError, match="audit the table again"):
        tclose.explain(again, "s", key={"q": 5})


def test_a_pickled_audit_reports_the_same(audit):
    again = pickle.loads(pickle.dumps(audit))
    first, second = (report(audit_report(each, made=datetime(2026, 1, 2, tzinfo=UTC))) for each in (audit, again))
    assert first == second


def test_a_pickled_release_says_the_same_and_has_no_rows(release):
    again = pickle.loads(pickle.dumps(release))
    assert (again.holds, again.to_json(), str(again)) == (True, release.to_json(), str(release))
    assert list(again.classes.rows()) == list(release.classes.rows())
    for refused in (again.to_pandas, lambda: again.write("x.csv")):
        with pytest.raises(tclose.InputError, match="has no rows"):
            refused()


def test_explanations_recipes_and_frontiers_survive_a_pickle(audit, release):
    found = tclose.explain(audit)
    points = tclose.frontier("example:salary", hierarchies=FLAT, values=["0.5"], methods=["merge"])
    for each in (found, found[0], release.recipe, points):
        again = pickle.loads(pickle.dumps(each))
        assert (again, str(again)) == (each, str(each))
        assert (copy.deepcopy(each), str(copy.deepcopy(each))) == (each, str(each))


def test_results_of_other_tables_are_not_equal(audit, release):
    other = {"zip": ["1", "1", "2", "2"], "age": ["x", "x", "y", "y"], "salary": [1, 2, 3, 4]}
    roles = tclose.Roles(["zip", "age"], {"salary": tclose.Ordered()})
    assert tclose.explain(audit)[0] != tclose.explain(tclose.audit(other, roles))[0]
    assert release.recipe != anonymize(other, roles, require={"k": 2}, hierarchies=FLAT).recipe
    assert release.recipe != 1 != tclose.explain(audit)


def test_a_deep_copy_is_as_good_as_the_original(audit, release):
    assert str(tclose.explain(copy.deepcopy(audit), "salary", key={"zip": "4790*", "age": ">=40"}))
    assert len(copy.deepcopy(release).to_pandas()) == 9


def test_classes_and_rows_of_a_release_are_what_they_are_called(release):
    assert len(release.classes) == release.class_count == 3
    assert {row["size"] for row in release.classes.rows()} == {3}
    assert (release.original_rows, release.released_rows) == (9, 9)
    none = tclose.anonymize("example:salary", require={"t": "0.05"}, levels={"zip": 0, "age": 0}, hierarchies=FLAT)
    assert (none.holds, none.released_rows) == (False, 0)


def test_all_columns_without_a_hierarchy_are_named_at_once_in_the_words_of_who_asked(run):
    table = {"city": ["Ulm", "Bonn", "Bern"] * 2, "street": ["Oak", "Elm", "Ash"] * 2}
    roles = tclose.Roles(["city", "street"], [])
    with pytest.raises(tclose.HierarchyError) as problem:
        anonymize(table, roles, require={"k": 2})
    assert "'city', 'street'" in str(problem.value)
    assert "hierarchies={'city': 'FILE'}" in str(problem.value)
    assert "--" not in str(problem.value)
    assert "--hierarchy age=FILE" in run("anonymize", "example:salary", "--k", "3").err


def test_the_papers_calculations_have_a_module_of_their_own():
    assert tclose.paper.variational_distance(["1", "0"], ["1/2", "1/2"]) == tclose.paper.Fraction(1, 2)


def test_a_notebook_shows_progress_and_takes_it_away(monkeypatch):
    shown = []
    handle = SimpleNamespace(update=lambda html: shown.append(html))
    display = SimpleNamespace(HTML=str, display=lambda html, **_: shown.append(html) or handle)
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(progress_module, "PATIENCE", 0.0)
    tclose.audit("example:salary")
    assert shown
    assert shown[0].startswith("<progress")
    assert shown[-1] == ""


def test_outside_a_notebook_nothing_is_shown(capsys):
    assert not progress_module.in_notebook()
    tclose.audit("example:salary")
    assert capsys.readouterr() == ("", "")
