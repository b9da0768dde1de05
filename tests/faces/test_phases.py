"""Every phase of every verb says which share of it is done, or is a query of which the engine says it."""

import pytest

import tclose
from tclose.anonymization.algorithms.catalogue import AUTO, METHODS

ASKED_OF_THE_ENGINE = {
    "Reading the table", "Reading rows", "Finding distinct rows", "Recoding rows", "Writing the release",
    "Reading the release back", "Counting classes",
}  # fmt: skip
FLAT = {"age": "flat"}
REQUIRED = {"k": 3, "t": "0.5"}


class Listener:
    def __init__(self):
        self.heard = {}

    def __call__(self, stage, share):
        self.heard.setdefault(stage, []).append(share)

    def never_told(self):
        """Return the phases none of whose shares was ever told, but for queries of the engine."""
        return {stage for stage, shares in self.heard.items() if set(shares) == {None}} - ASKED_OF_THE_ENGINE


@pytest.mark.parametrize("method", [AUTO, *METHODS])
def test_every_phase_of_a_release_has_a_share(method, tmp_path):
    listener = Listener()
    asked = {"progress": listener, "hierarchies": FLAT}
    release = tclose.anonymize("example:salary", require=REQUIRED, method=method, **asked)
    release.write(tmp_path / "release.csv", progress=listener)
    tclose.apply("example:salary", tmp_path / "release.csv.recipe.json", progress=listener)
    assert "Measuring what is lost" in listener.heard
    assert not listener.never_told()


def test_every_phase_of_the_other_verbs_has_a_share():
    listener = Listener()
    tclose.audit("example:salary", any=2, progress=listener)
    tclose.profile("example:salary", progress=listener)
    tclose.frontier("example:salary", require={"k": 3}, hierarchies=FLAT, progress=listener)
    tclose.attack("example:salary", require=REQUIRED, hierarchies=FLAT, progress=listener)
    assert not listener.never_told()


def test_shares_of_classes_that_are_measured_grow_to_one(tmp_path):
    """A table of more rows than are grouped by the engine is measured part by part."""
    path = tmp_path / "many.csv"
    path.write_text("zip,age\n" + "".join(f"{at % 9000},{at % 7}\n" for at in range(45_000)), encoding="utf-8")
    listener = Listener()
    tclose.audit(path, tclose.Roles(quasi=["zip"], sensitive=["age"]), drivers=False, progress=listener)
    shares = listener.heard["Measuring classes"]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert len(shares) > 2
