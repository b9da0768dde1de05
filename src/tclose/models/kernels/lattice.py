"""Kernels that put classes of a lattice together: keys, sizes and counts are added up, rows never read again."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tclose.models.kernels import python as cython

WORD = 0xFFFFFFFFFFFFFFFF
ODD = 0x1E3779B97F4A7C15


def raise_field(keys, first, words, shift, mask, parents):
    """Replace one quasi-identifier's node by its ancestor in the keys of all classes."""
    with cython.nogil:
        for c in range(len(keys) // words):
            at = c * words + first
            key = keys[at]
            node = (key >> shift) & mask
            keys[at] = key + ((parents[node] - node) << shift)


def merge_classes(keys, words, sizes, slots, numbers, first, following, merged_keys, merged_sizes):
    """Give classes numbers by the first appearance of their keys, and link those that have the same.

    ``first`` is the first class of each merged class, ``following`` the next one of the same or −1;
    ``slots`` are as many as a power of two, and all −1. Returns how many merged classes there are.
    """
    found = 0
    mask = len(slots) - 1
    with cython.nogil:
        for c in range(len(sizes)):
            mixed = 0
            for word in range(words):
                mixed = ((mixed ^ keys[c * words + word]) * ODD) & WORD
                mixed = mixed ^ (mixed >> 29)
            at = ((mixed * ODD & WORD) >> 32) & mask
            following[c] = -1
            while True:
                number = slots[at]
                if number < 0:
                    slots[at] = found
                    numbers[c] = found
                    first[found] = c
                    merged_sizes[found] = sizes[c]
                    for word in range(words):
                        merged_keys[found * words + word] = keys[c * words + word]
                    found += 1
                    break
                same = 1
                for word in range(words):
                    if merged_keys[number * words + word] != keys[c * words + word]:
                        same = 0
                if same:
                    numbers[c] = number
                    following[c] = following[first[number]]
                    following[first[number]] = c
                    merged_sizes[number] += sizes[c]
                    break
                at = (at + 1) & mask
    return found


def merge_counts(
    first, following, offsets, ranks, counts, place, merged_offsets, merged_ranks, merged_counts, merged_sizes
):
    """Add up the counts of the classes that are linked, their values in the order in which they appear.

    ``place`` is −1 for each value before and after.
    """
    used = 0
    with cython.nogil:
        for number in range(len(first)):
            start = used
            size = 0
            c = first[number]
            while c >= 0:
                for i in range(offsets[c], offsets[c + 1]):
                    rank = ranks[i]
                    size += counts[i]
                    if place[rank] < 0:
                        place[rank] = used
                        merged_ranks[used] = rank
                        merged_counts[used] = counts[i]
                        used += 1
                    else:
                        merged_counts[place[rank]] += counts[i]
                c = following[c]
            for i in range(start, used):
                place[merged_ranks[i]] = -1
            merged_offsets[number] = start
            merged_sizes[number] = size
        merged_offsets[len(first)] = used
    return used


def sort_counts(offsets, ranks, counts):
    """Bring the values of each class into ascending order: Shell's sort with Knuth's gaps."""
    with cython.nogil:
        for c in range(len(offsets) - 1):
            low = offsets[c]
            high = offsets[c + 1]
            gap = 1
            while 3 * gap + 1 < high - low:
                gap = 3 * gap + 1
            while gap > 0:
                for i in range(low + gap, high):
                    rank = ranks[i]
                    count = counts[i]
                    at = i
                    while at - gap >= low and ranks[at - gap] > rank:
                        ranks[at] = ranks[at - gap]
                        counts[at] = counts[at - gap]
                        at -= gap
                    ranks[at] = rank
                    counts[at] = count
                gap //= 3


def copy_chosen(chosen, offsets, ranks, counts, new_offsets, new_ranks, new_counts):
    """Copy the counts of some classes."""
    used = 0
    with cython.nogil:
        for number in range(len(chosen)):
            new_offsets[number] = used
            for i in range(offsets[chosen[number]], offsets[chosen[number] + 1]):
                new_ranks[used] = ranks[i]
                new_counts[used] = counts[i]
                used += 1
        new_offsets[len(chosen)] = used
    return used


def add_rows(numbers, values, rows, summed):
    """Add the counts of each class, a row with a place for every value, to those of the class it is part of."""
    with cython.nogil:
        for c in range(len(numbers)):
            before = c * values
            after = numbers[c] * values
            for value in range(values):
                summed[after + value] += rows[before + value]


def sparse_chosen(chosen, values, rows, offsets, ranks, counts, sizes):
    """Write the values that some classes hold, and how often; ``ranks`` and ``counts`` have a place to spare.

    Each value is written, and the next one over it where it does not occur: no branch depends on the counts.
    """
    used = 0
    with cython.nogil:
        for number in range(len(chosen)):
            offsets[number] = used
            before = chosen[number] * values
            size = 0
            for value in range(values):
                count = rows[before + value]
                ranks[used] = value
                counts[used] = count
                size += count
                used += count != 0
            sizes[number] = size
        offsets[len(chosen)] = used
    return used
