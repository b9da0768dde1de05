"""Kernels of attackers: which classes cover which people, and weights that pass between the two."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tclose.models.kernels import python as cython

BITS = 62
"""Classes in a word, so that no word is negative."""


def cover(atoms, begins, words, width, words_in, most, starts, found, fill):
    """Count the classes that cover each combination, or with ``fill`` write the first ``most`` of them.

    ``atoms`` holds the ``width`` atoms of each combination; the classes that atom a of column j allows are the bits of
    the ``words_in`` words from ``(begins[j] + a) * words_in`` on.
    """
    with cython.nogil:
        for x in range(len(starts) - 1):
            at = starts[x] if fill else 0
            room = most
            for w in range(words_in):
                word = words[(begins[0] + atoms[x * width]) * words_in + w]
                for j in range(1, width):
                    if word == 0:
                        break
                    word &= words[(begins[j] + atoms[x * width + j]) * words_in + w]
                bit = 0
                while word != 0 and (room > 0 or not fill):
                    if word & 1:
                        if fill:
                            found[at] = w * BITS + bit
                            room -= 1
                        at += 1
                    word >>= 1
                    bit += 1
            if not fill:
                found[x] = at


class Covers:
    """The classes that cover each row: of row x the positions ``starts[x]:starts[x + 1]`` of ``classes``.

    ``barred`` has, for each pair of a row and a class, a bit for every value that counts ``bar`` times as much there;
    it may be empty.
    """

    def __init__(self, starts, classes, barred, bar):
        self.starts = starts
        self.classes = classes
        self.barred = barred
        self.bar = bar


def mix(begin, end, covers, weights, m, mixed):
    """Add up the weights of the classes that cover each row, value by value."""
    masks = len(covers.barred) > 0
    with cython.nogil:
        for x in range(begin, end):
            to = x * m
            for p in range(covers.starts[x], covers.starts[x + 1]):
                of = covers.classes[p] * m
                mask = covers.barred[p] if masks else 0
                if mask:
                    for v in range(m):
                        mixed[to + v] += weights[of + v] * (covers.bar if (mask >> v) & 1 else 1.0)
                else:
                    for v in range(m):
                        mixed[to + v] += weights[of + v]


def deal(begin, end, covers, given, m, got):
    """Add what every row gives to all classes that cover it, value by value."""
    masks = len(covers.barred) > 0
    with cython.nogil:
        for x in range(begin, end):
            of = x * m
            for p in range(covers.starts[x], covers.starts[x + 1]):
                to = covers.classes[p] * m
                mask = covers.barred[p] if masks else 0
                if mask:
                    for v in range(m):
                        got[to + v] += given[of + v] * (covers.bar if (mask >> v) & 1 else 1.0)
                else:
                    for v in range(m):
                        got[to + v] += given[of + v]


def bar(starts, classes, rank, rooms, barred):
    """Write, for each pair, the values for which a class before it in the order has room."""
    with cython.nogil:
        for x in range(len(starts) - 1):
            for p in range(starts[x], starts[x + 1]):
                mask = 0
                for earlier in range(starts[x], starts[x + 1]):
                    if rank[classes[earlier]] < rank[classes[p]]:
                        mask |= rooms[classes[earlier]]
                barred[p] = mask
