"""A release that keeps no detail says so, names what binds, and the threshold by which something is kept."""

import math
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import tclose
from tclose.reports.phrases.releases import nothing_sentence

ROLES = tclose.Roles(["zip", "age"], {"salary": tclose.Ordered()})
FLAT = {"zip": "flat", "age": "flat"}


def released(table, t, k=1):
    return tclose.anonymize(table, ROLES, require={"k": k, "t": {"salary": t}}, hierarchies=FLAT, effort=0)


def nearest_by_hand(table, k):
    """Return the least t of a release that keeps one column as it is and hides the other, by auditing such tables."""
    found = []
    for name in ROLES.quasi:
        audit = tclose.audit(table, tclose.Roles([name], ROLES.sensitive))
        if audit.class_count > 1 and audit.k >= k:
            found.append(audit["salary"].t)
    return min(found, default=None)


@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    rows=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(1, 4)), min_size=6, max_size=14)
)
def test_the_nearest_threshold_keeps_something_and_none_below_it_does_by_levels(rows):
    table = pd.DataFrame(rows, columns=["zip", "age", "salary"])
    release = released(table, 0)
    if not nothing_sentence(release) or release.binding is None:
        return
    (bound,) = release.binding.obstacles
    assert bound.requirement.text == "t ≤ 0"
    assert bound.value == nearest_by_hand(table, 1)
    near = Fraction(math.ceil(bound.value * 10_000), 10_000)
    assert released(table, near).kept > 0
    assert f"t ≤ {float(near):g} of salary" in nothing_sentence(release)


@pytest.fixture(scope="module")
def release():
    """Tutorial, Table 3: zip alone is at t = 4/9 of the disease by hand, and t = 1/6 of the salary."""
    return tclose.anonymize("example:salary", require={"k": 3, "t": "0.3"}, hierarchies={"age": "flat"})


def test_every_face_says_that_nothing_is_kept_and_tells_the_owner_what_binds(release):
    assert release.kept == 0
    owner = release.with_original()
    for text in (str(release), owner.to_markdown().replace("\\", ""), release._repr_html_(), owner.to_html()):
        plain = " ".join(text.split())
        assert "Nothing of the quasi-identifiers is kept" in plain
        assert "t ≤ 0.3 of disease binds" in plain
    assert 'class="care"' in release.to_html()
    assert owner.to_dict()["binding"]["requirements"][0]["nearest"] == "0.4445"  # 4/9, rounded up


def test_documents_beside_a_release_say_that_nothing_is_kept_but_not_at_which_threshold_something_would_be(release):
    for text in (release.to_markdown(), release.to_html()):
        assert "Nothing of the quasi-identifiers is kept" in " ".join(text.split())
        assert "0.4445" not in text
        assert " binds" not in text


def test_a_release_that_keeps_something_says_nothing_of_it():
    release = tclose.anonymize("example:salary", require={"k": 3, "t": "0.5"}, hierarchies={"age": "flat"})
    assert release.kept > 0
    assert release.binding is None
    assert nothing_sentence(release) == ""


def test_by_people_the_nearest_threshold_is_that_of_their_classes():
    """Twelve visits of four people: either zip has two of them, who have six rows."""
    visits = range(12)
    table = {"who": [at % 4 for at in visits], "zip": ["ab"[at % 2] for at in visits], "pay": [at % 3 for at in visits]}
    roles = tclose.Roles("zip", {"pay": tclose.Ordered()}, person="who")
    release = tclose.anonymize(table, roles, require={"k": 3}, hierarchies={"zip": "flat"})
    (bound,) = release.binding.obstacles
    assert (release.binding.groups, bound.requirement.text, bound.value) == (2, "k ≥ 3", 2)
    assert "k ≥ 2" in nothing_sentence(release)
