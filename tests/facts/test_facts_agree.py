"""The figures for someone who knows facts are those of the plainest calculation, whatever the database holds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from facts.naive import databases, figures
from tclose.engines.duckdb.session import DuckDBSession
from tclose.facts.learned import learned

SESSION = DuckDBSession(threads=1)


def measured(database, most, *, repeated):
    return learned(database.opened(SESSION), most, repeated=repeated)


@settings(max_examples=100, deadline=None)
@given(databases(), st.integers(0, 3), st.booleans())
def test_every_figure_is_that_of_looking_at_every_set_of_facts(database, most, repeated):
    found = measured(database, most, repeated=repeated)
    assert found.people == len(database.people)
    assert found.largest == max(len(database.facts(person, repeated=repeated)) for person in database.people)
    for power in found.powers:
        wanted = figures(database, power.known, repeated=repeated)
        assert (power.k.value, power.alone, power.fewer) == (wanted.k, wanted.alone, wanted.fewer)
        for name, each in power.attributes.items():
            assert each["t"].value == wanted.t[name]
            assert each["alpha"].value == wanted.alpha[name]
            assert each["l"].value == wanted.l[name]
