"""Every attacker beside the exact posterior of whoever tries all assignments: weaker perhaps, never surer and wrong."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from attacks.small_tables import table_of, truths
from tclose.attacks.catalogue import ATTACKERS

ESTIMATES = [key for key, each in ATTACKERS.items() if not each.collects and not each.follows and key != "corrupted"]
TABLES = {
    "two columns": (((0, "u"), (0, "v"), (1, "u"), (1, "v"), (2, "u"), (3, "v")), "aaabbb", 2, "2/5"),
    "look-alikes": (((0, "u"), (0, "u"), (0, "u"), (1, "v"), (2, "v"), (2, "v")), "aaabbb", 2, "1/4"),
    "one column": (((0,), (1,), (1,), (2,), (3,)), "aabbc", 2, "2/5"),
    "minimality": ((("q1",),) * 2 + (("q2",),) * 5, "hhnnnnn", 2, "0.29"),
}
METHODS = {"sabre": False, "mondrian": True, "full-domain": True, "merge": True, "gather": True}


@pytest.fixture(scope="module", params=list(itertools.product(TABLES, METHODS)), ids="-".join)
def found(request):
    table, method = request.param
    people, values, k, t = TABLES[table]
    releases = truths(people, values, k, t, method, whole=METHODS[method])
    assert releases
    return releases, float(Fraction(t))


def test_no_attacker_excludes_what_is_possible(found):
    releases, _ = found
    for truth, key in itertools.product(releases, ESTIMATES):
        concluded = ATTACKERS[key].conclude(truth.scene).posteriors
        assert concluded[truth.posterior > 0].min() > 1e-3, key


def test_no_attacker_is_certain_of_what_is_not(found):
    releases, _ = found
    for truth, key in itertools.product(releases, ESTIMATES):
        concluded = ATTACKERS[key].conclude(truth.scene).posteriors
        assert (truth.posterior[concluded > 1 - 1e-6] > 1 - 1e-6).all(), key


def test_posteriors_are_distributions_that_add_up_to_what_was_published(found):
    releases, _ = found
    for truth, key in itertools.product(releases, ESTIMATES):
        concluded = ATTACKERS[key].conclude(truth.scene).posteriors
        np.testing.assert_allclose(concluded.sum(axis=1), 1)
        if key != "reader":  # who does not know how many people share a combination
            told = truth.scene.seen.people @ concluded
            np.testing.assert_allclose(told, table_of(truth.scene).sum(axis=0), atol=0.05)


def test_claims_are_right_as_often_as_said_over_all_assignments(found):
    releases, t = found
    for key in ESTIMATES:
        said = right = people = 0.0
        for truth in releases:
            concluded = ATTACKERS[key].conclude(truth.scene).posteriors
            excess = concluded - truth.scene.seen.answers.prior
            value, rows = excess.argmax(axis=1), np.arange(len(concluded))
            weight = truth.share * truth.scene.seen.people * (excess[rows, value] > t + 1e-9)
            said += float(weight @ concluded[rows, value])
            right += float(weight @ truth.posterior[rows, value])
            people += float(weight.sum())
        assert said <= right + 0.15 * people + 1e-9, key
