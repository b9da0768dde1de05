"""Kernels that number keys, distribute rows to their classes and count them."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tclose.models.kernels import python as cython

if cython.compiled:
    from cython.cimports.tclose.models.kernels.native import lowest_bit
else:
    from tclose.models.kernels.native import lowest_bit

WORD = 0xFFFFFFFFFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15
ONE = 1


def tally(numbers, counts):
    """Add to ``counts`` how often each number occurs."""
    with cython.nogil:
        for i in range(len(numbers)):
            counts[numbers[i]] += 1


def add_codes(codes, stride, words):
    """Add each row's code, times the stride, to its key word."""
    with cython.nogil:
        for i in range(len(codes)):
            words[i] += codes[i] * stride


def add_looked_up(raw, table, stride, words):
    """Add the code that the table has for each row's raw code, times the stride; return how many it lacks."""
    unknown = 0
    with cython.nogil:
        for i in range(len(raw)):
            code = table[raw[i]]
            if code < 0:
                unknown += 1
            words[i] += code * stride
    return unknown


def scatter(numbers, codes, rank_of_code, place, ranks):
    """Write each row's rank to the next free place of its class."""
    with cython.nogil:
        for i in range(len(numbers)):
            number = numbers[i]
            at = place[number]
            place[number] = at + 1
            ranks[at] = rank_of_code[codes[i]]


def deal(keys, next_place, rows, placed):
    """Write each row to the next free place of its key; a key below 0 drops it."""
    with cython.nogil:
        for i in range(len(keys)):
            key = keys[i]
            if key >= 0:
                placed[next_place[key]] = rows[i]
                next_place[key] += 1


def _slot(key):
    """Return where a hash table begins to look for a key: the high bits of a product (Knuth, TAOCP 3, 6.4)."""
    return ((key & WORD) * GOLDEN & WORD) >> 20


def find_or_add(keys, slot_keys, slot_numbers, known, size, numbers, start):
    """Give keys numbers by first appearance in an open-addressing table; stop where the table is full.

    There are twice as many slots as ``known`` has room for, a power of two, so that a free slot is always found.
    Returns how many keys were numbered; ``size[0]`` is the number of distinct keys so far.
    """
    mask = len(slot_keys) - 1
    found = size[0]
    i = start
    with cython.nogil:
        for i in range(start, len(keys)):
            key = keys[i]
            at = _slot(key) & mask
            while slot_numbers[at] >= 0 and slot_keys[at] != key:
                at = (at + 1) & mask
            number = slot_numbers[at]
            if number < 0:
                if found >= len(known):
                    break
                number = found
                slot_numbers[at] = number
                slot_keys[at] = key
                known[found] = key
                found += 1
            numbers[i] = number
        else:
            i = len(keys)
    size[0] = found
    return i


def count_classes(rows, starts, counts, bits, words, pages, offsets, ranks, sums, sizes):
    """Count the ranks of one class after the other and write them in ascending order.

    ``counts`` and the three levels of bit sets are zero before and after; a set bit says where to look,
    so that a class costs what it holds and not what the domain holds. Negative ranks are left out.
    """
    used = 0
    with cython.nogil:
        for c in range(len(starts) - 1):
            offsets[c] = used
            left_out = 0
            for i in range(starts[c], starts[c + 1]):
                rank = rows[i]
                if rank < 0:
                    left_out += 1
                    continue
                counts[rank] += 1
                word = rank >> 6
                page = word >> 6
                bits[word] |= ONE << (rank & 63)
                words[page] |= ONE << (word & 63)
                pages[page >> 6] |= ONE << (page & 63)
            for p in range(len(pages)):
                left_pages = pages[p]
                while left_pages != 0:
                    page = (p << 6) + lowest_bit(left_pages)
                    left_pages &= left_pages - 1
                    left_words = words[page]
                    while left_words != 0:
                        word = (page << 6) + lowest_bit(left_words)
                        left_words &= left_words - 1
                        left_bits = bits[word]
                        while left_bits != 0:
                            rank = (word << 6) + lowest_bit(left_bits)
                            left_bits &= left_bits - 1
                            ranks[used] = rank
                            sums[used] = counts[rank]
                            counts[rank] = 0
                            used += 1
                        bits[word] = 0
                    words[page] = 0
                pages[p] = 0
            sizes[c] = starts[c + 1] - starts[c] - left_out
        offsets[len(starts) - 1] = used
    return used
