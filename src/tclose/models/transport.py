"""Earth moved optimally: the flows over the edges of a line or tree, and plans as explicit lists of moves.

Masses are whole numbers of a common unit (a class count times N, a reference count times n), so that
nothing is rounded. On a line the net mass over each edge is fixed; a plan is optimal exactly if no edge
carries mass both ways, and many plans are. A rule chooses one:

* ``stay`` leaves in place what can stay, then moves the rest in order: fewest moves, least mass moved;
* ``monotone`` couples the distributions in order, quantile by quantile;
* ``tutorial`` fills waiting holes that it can finish, then its own, then helps the oldest hole: it
  reproduces every list of actions in the tutorial.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tclose.errors import InputError, InternalError, listed

Rule = Literal["stay", "monotone", "tutorial"]
RULES: tuple[Rule, ...] = ("stay", "monotone", "tutorial")


@dataclass(frozen=True, order=True)
class Move:
    """Some mass taken from one position to another; positions count from 0."""

    start: int
    end: int
    mass: int


def edge_flows(masses: Sequence[int], holes: Sequence[int]) -> list[int]:
    """Return the net mass over each edge of a line, positive to the right: the tutorial's A₁ … A_{m−1}.

    Examples
    --------
    >>> edge_flows([3, 3, 3, 0, 0, 0, 0, 0, 0], [1] * 9)
    [2, 4, 6, 5, 4, 3, 2, 1]
    """
    flows, running = [], 0
    for mass, hole in zip(masses[:-1], holes[:-1], strict=True):
        running += mass - hole
        flows.append(running)
    return flows


def line_plan(masses: Sequence[int], holes: Sequence[int], rule: Rule = "stay") -> list[Move]:
    """Return an optimal list of moves on a line, in the order of their positions.

    Parameters
    ----------
    masses, holes
        What lies at each position, and what shall; equal in sum.
    rule
        Which of the optimal plans.

    Examples
    --------
    >>> [(move.start + 1, move.end + 1) for move in line_plan([3, 3, 3, 0, 0, 0, 0, 0, 0], [1] * 9, "tutorial")]
    [(1, 4), (1, 5), (2, 6), (2, 7), (3, 8), (3, 9)]
    """
    _check(masses, holes)
    if rule == "tutorial":
        return sorted(_tutorial(masses, holes))
    if rule == "monotone":
        return _coupled(masses, holes)
    if rule == "stay":
        kept = [min(mass, hole) for mass, hole in zip(masses, holes, strict=True)]
        return _coupled(
            [mass - stay for mass, stay in zip(masses, kept, strict=True)],
            [hole - stay for hole, stay in zip(holes, kept, strict=True)],
        )
    raise InputError(f"{rule!r} is not a rule; it is one of {listed(RULES)}.")


def _check(masses: Sequence[int], holes: Sequence[int]) -> None:
    if sum(masses) != sum(holes) or len(masses) != len(holes):
        raise InternalError("The masses do not fill the holes.")


def _coupled(masses: Sequence[int], holes: Sequence[int]) -> list[Move]:
    """Fill the holes from the masses, both from left to right; what stays in place is no move."""
    moves, mass, hole = [], list(masses), list(holes)
    i = j = 0
    while i < len(mass) and j < len(hole):
        amount = min(mass[i], hole[j])
        if amount and i != j:
            moves.append(Move(i, j, amount))
        mass[i] -= amount
        hole[j] -= amount
        if mass[i] == 0:
            i += 1
        else:
            j += 1
    return moves


def _tutorial(masses: Sequence[int], holes: Sequence[int]) -> list[Move]:
    moves: list[Move] = []
    waiting_holes: deque[list[int]] = deque()
    waiting_piles: deque[list[int]] = deque()
    for at, (mass, hole) in enumerate(zip(masses, holes, strict=True)):
        here, need = mass, hole
        while here and waiting_holes and waiting_holes[0][1] <= here:
            place, amount = waiting_holes.popleft()
            moves.append(Move(at, place, amount))
            here -= amount
        stay = min(here, need)
        here, need = here - stay, need - stay
        if here and waiting_holes:
            moves.append(Move(at, waiting_holes[0][0], here))
            waiting_holes[0][1] -= here
            here = 0
        while need and waiting_piles:
            amount = min(need, waiting_piles[0][1])
            moves.append(Move(waiting_piles[0][0], at, amount))
            waiting_piles[0][1] -= amount
            need -= amount
            if not waiting_piles[0][1]:
                waiting_piles.popleft()
        if here:
            waiting_piles.append([at, here])
        if need:
            waiting_holes.append([at, need])
    return moves


def tree_plan(masses: Sequence[int], holes: Sequence[int], levels: Sequence[Sequence[int]]) -> list[Move]:
    """Return an optimal list of moves between the leaves of a tree.

    What can stay stays; the rest is matched inside the lowest group that holds both, first come first served.

    Parameters
    ----------
    masses, holes
        What lies at each leaf, and what shall; equal in sum.
    levels
        For each level from the leaves up, the code of each leaf's group; the root is not among them.
    """
    _check(masses, holes)
    surplus = {at: mass - hole for at, (mass, hole) in enumerate(zip(masses, holes, strict=True)) if mass > hole}
    deficit = {at: hole - mass for at, (mass, hole) in enumerate(zip(masses, holes, strict=True)) if hole > mass}
    root = [0] * len(masses)
    moves: list[Move] = []
    for groups in (*levels[1:], root):
        piles: dict[int, deque[int]] = {}
        for at in surplus:
            piles.setdefault(groups[at], deque()).append(at)
        for at in list(deficit):
            queue = piles.get(groups[at], deque())
            while queue and deficit.get(at):
                amount = min(surplus[queue[0]], deficit[at])
                moves.append(Move(queue[0], at, amount))
                surplus[queue[0]] -= amount
                deficit[at] -= amount
                if not surplus[queue[0]]:
                    del surplus[queue.popleft()]
            if not deficit[at]:
                del deficit[at]
    return sorted(moves)


def tree_flows(masses: Sequence[int], holes: Sequence[int], levels: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return, for each level from the leaves up, the net mass that leaves each group upward."""
    found = []
    for groups in levels:
        extra = [0] * (max(groups, default=-1) + 1)
        for group, mass, hole in zip(groups, masses, holes, strict=True):
            extra[group] += mass - hole
        found.append(extra)
    return found
