"""A search that does not fit into the memory allowed is refused before it begins, with what would be enough."""

from __future__ import annotations

import re

import pytest

import tclose
from tclose.anonymization.algorithms.memory_estimate import needed_bytes, recoded_bytes
from tclose.data.progress import silent
from tclose.engines.duckdb.connection import allowed_memory, connect, give_back, given_memory, share_memory
from tclose.engines.duckdb.recoded import DuckDBRecoder
from tclose.engines.duckdb.released import DuckDBRecodedTable
from tclose.engines.duckdb.session import DuckDBSession

ROWS = 60_000
ROLES = tclose.Roles(quasi=["a", "b"], sensitive=["s:nominal"])


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Every row is alone: 60,000 distinct ones."""
    path = tmp_path_factory.mktemp("room") / "t.csv"
    lines = [f"{at // 250},{at % 250},illness{at % 7}" for at in range(ROWS)]
    path.write_text("a,b,s\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def released(table: str, memory: str | None) -> tclose.Release:
    return tclose.anonymize(table, ROLES, require={"k": 2}, method="mondrian", effort=0, memory=memory)


def test_a_search_beyond_the_memory_is_refused_and_what_is_said_to_be_enough_is(table: str) -> None:
    with pytest.raises(tclose.HeadroomError) as refusal:
        released(table, "24MB")
    said = str(refusal.value)
    assert "60,000 distinct rows of 3 columns" in said
    assert "24 MB" in said
    assert "illness" not in said
    enough = re.search(r"memory='(\d+MB)'", said)
    assert enough
    bounded, free = released(table, enough[1]), released(table, None)
    assert bounded.holds
    assert (bounded.class_count, bounded.losses) == (free.class_count, free.losses)


def test_the_engine_leaves_room_for_what_is_searched(table: str) -> None:
    session = DuckDBSession(memory="100MB")
    opened = session.open(table).keep(["a", "b", "s"])
    for _ in range(2):
        session.distinct(opened, ["a", "b"], [("s",)], silent)
        assert 50_000_000 <= allowed_memory(session.connection) < 90_000_000


def test_the_engine_leaves_room_for_the_pieces_of_a_release_beside_the_search(
    table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[int] = []

    class Watched(DuckDBRecoder):
        def released(self, published: int, unmatched: int) -> DuckDBRecodedTable:
            left.append(allowed_memory(self.table.connection))
            return super().released(published, unmatched)

    monkeypatch.setattr("tclose.engines.duckdb.session.DuckDBRecoder", Watched)
    for memory in (100_000_000, 48_000_000):
        assert released(table, f"{memory // 10**6}MB").holds
        held = needed_bytes(ROWS, 3) + recoded_bytes(ROWS, 5)
        assert left.pop() == pytest.approx(max(memory - held, 2 * memory / 3), abs=2**17)


def test_what_is_said_to_be_enough_is_not_refused_for_being_rounded() -> None:
    assert given_memory(connect(memory="540MB")) == 540_000_000


def test_what_was_freed_is_given_back_only_where_memory_is_bounded() -> None:
    bounded, free = connect(memory="100MB"), connect(threads=1)
    before = allowed_memory(free)
    share_memory(bounded, "search", 20_000_000)
    share_memory(bounded, "recoding", 30_000_000)
    share_memory(bounded, "recoding", 10_000_000)
    share_memory(free, "search", 20_000_000)
    large = connect(memory="600MB")
    share_memory(large, "search", 500_000_000)
    assert allowed_memory(large) == pytest.approx(200_000_000, abs=2**17)
    assert allowed_memory(bounded) == pytest.approx(70_000_000, abs=2**17)
    bounded.execute("SET memory_limit = '40MB'")
    give_back(bounded)
    give_back(free)
    assert allowed_memory(bounded) == pytest.approx(70_000_000, abs=2**17)
    assert allowed_memory(free) == before
