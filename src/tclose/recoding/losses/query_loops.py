"""The loops that answer counting queries: which rows meet one as bits, and what a reader of classes would estimate."""

from __future__ import annotations

from tclose.compiled import kernel

BITS = 62
"""So many rows share a word: it is a positive whole number, and shifted and added up it stays one."""
_PAIRS = 0x5555555555555555
_FOURS = 0x3333333333333333
_EIGHTS = 0x0F0F0F0F0F0F0F0F
_SUM = 0x0101010101010101


@kernel
def write_bits(keys, slots, slot_begins, bit_begins, counts, start, stop, words, bits, held):  # type: ignore[no-untyped-def]
    """Write some rows as bits, in words of which each set of rows has as many.

    Row ``r`` has ``keys[r * columns + c]`` in column ``c``. Of each column there are some bounds: ``bits`` has which
    rows lie below each of them, from ``bit_begins[c]`` on, and ``slots`` has for each key, from ``slot_begins[c]`` on,
    the first bound above it. ``held`` has the binary digits of the rows' counts, the lowest first.
    """
    columns = len(bit_begins) - 1
    for at in range(len(bits)):
        bits[at] = 0
    for at in range(len(held)):
        held[at] = 0
    for row in range(start, stop):
        word = (row - start) // BITS
        bit = 1 << (row - start - word * BITS)
        for column in range(columns):
            bound = slots[slot_begins[column] + keys[row * columns + column]]
            if bound < bit_begins[column + 1]:
                bits[bound * words + word] |= bit
        rest, at = counts[row], word
        while rest > 0:
            if rest & 1:
                held[at] |= bit
            rest >>= 1
            at += words
    for column in range(columns):
        for word in range((bit_begins[column] + 1) * words, bit_begins[column + 1] * words):
            bits[word] |= bits[word - words]


@kernel
def count_meeting(bits, held, words, low, high, conditions, meeting, found):  # type: ignore[no-untyped-def]
    """Add to ``found`` how many of some rows, written as bits, meet each query.

    A query asks for the rows below one bound and not below another, in every condition.
    """
    planes = len(held) // words
    for query in range(len(found)):
        above, below = low[query * conditions] * words, high[query * conditions] * words
        for word in range(words):
            meeting[word] = bits[below + word] & ~bits[above + word]
        for at in range(query * conditions + 1, (query + 1) * conditions):
            above, below = low[at] * words, high[at] * words
            for word in range(words):
                meeting[word] &= bits[below + word] & ~bits[above + word]
        for plane in range(planes):
            number = 0
            for word in range(words):
                ones = meeting[word] & held[plane * words + word]
                ones -= (ones >> 1) & _PAIRS
                ones = (ones & _FOURS) + ((ones >> 2) & _FOURS)
                ones = (ones + (ones >> 4)) & _EIGHTS
                number += ((ones * _SUM) >> 56) & 0xFF
            found[query] += number << plane


@kernel
def estimate_classes(  # type: ignore[no-untyped-def]
    classes, counts, starts, stops, window, sizes, cell_of, cell_begins, cell_first, cell_last, columns, first, last,
    conditions, shares, within,
):  # fmt: skip
    """Write how many rows of each class a reader would take to meet each query, query by query.

    A query asks for the pieces from ``starts`` to ``stops`` alone, of which ``sizes`` has how many rows each class has
    between the ends of ``window``: from one query to the next, only what lies between their ends is counted. Every
    cell of a condition's column counts evenly for the values from its first to its last.
    """
    number, most = len(sizes), len(shares) // conditions
    begin, end = window[0], window[1]
    for query in range(len(starts)):
        while end < stops[query]:
            sizes[classes[end]] += counts[end]
            end += 1
        while end > stops[query]:
            end -= 1
            sizes[classes[end]] -= counts[end]
        while begin < starts[query]:
            sizes[classes[begin]] -= counts[begin]
            begin += 1
        while begin > starts[query]:
            begin -= 1
            sizes[classes[begin]] += counts[begin]
        for one in range(number):
            within[query * number + one] = sizes[one]
        for at in range(conditions):
            place = query * conditions + at
            column = columns[place]
            for cell in range(cell_begins[column], cell_begins[column + 1]):
                inside = min(cell_last[cell], last[place]) - max(cell_first[cell], first[place]) + 1
                width = cell_last[cell] - cell_first[cell] + 1
                shares[at * most + cell - cell_begins[column]] = max(inside, 0) / width
            for one in range(number):
                within[query * number + one] *= shares[at * most + cell_of[column * number + one]]
    window[0], window[1] = begin, end
