"""Kernels over classes of people who may have several values: prevalences, and how far people are from each value.

Class ``c`` holds the positions ``offsets[c]:offsets[c + 1]`` of ``sets`` (which sets of values) and ``counts`` (how
many people have each); ``sizes[c]`` is their sum. Set ``s`` holds the positions ``starts[s]:starts[s + 1]`` of
``ranks``, ascending. Numbers beyond 63 bits wrap silently when compiled: callers run the same source as plain Python
then.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tclose.models.kernels import python as cython

if cython.compiled:
    from cython.cimports.tclose.models.kernels.native import lowest_bit
else:
    from tclose.models.kernels.native import lowest_bit

ONE = 1


def hold(offsets, sets, counts, starts, ranks, held, bits, words, pages, found_offsets, found_ranks, found_counts):
    """Count in each class the people who have each value, and write the values in ascending order; return how many.

    ``held`` and the three levels of bit sets are zero before and after, as in ``counting.count_classes``.
    """
    used = 0
    with cython.nogil:
        for c in range(len(offsets) - 1):
            found_offsets[c] = used
            for i in range(offsets[c], offsets[c + 1]):
                for j in range(starts[sets[i]], starts[sets[i] + 1]):
                    rank = ranks[j]
                    held[rank] += counts[i]
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
                            found_ranks[used] = rank
                            found_counts[used] = held[rank]
                            held[rank] = 0
                            used += 1
                        bits[word] = 0
                    words[page] = 0
                pages[p] = 0
        found_offsets[len(offsets) - 1] = used
    return used


def nominal_apart(offsets, ranks, counts, sizes, reference, total, descending, inside, outside):
    """Write how many people of each class, and of the reference, lack the value whose prevalences differ most.

    ``ranks`` and ``counts`` are prevalences here; ``descending`` has all values, the most prevalent in the reference
    first: of the values that nobody in the class has, the first of these differs most.
    """
    with cython.nogil:
        for c in range(len(offsets) - 1):
            n = sizes[c]
            most = -1
            low = offsets[c]
            high = offsets[c + 1]
            for i in range(low, high):
                lacking = n - counts[i]
                lacked = total - reference[ranks[i]]
                apart = lacking * total - lacked * n
                apart = apart if apart >= 0 else -apart
                if apart > most:
                    most = apart
                    inside[c] = lacking
                    outside[c] = lacked
            if n == 0:
                continue
            for k in range(len(descending)):
                rank = descending[k]
                first = low
                last = high
                while first < last:
                    middle = (first + last) // 2
                    if ranks[middle] < rank:
                        first = middle + 1
                    else:
                        last = middle
                if first < high and ranks[first] == rank:
                    continue
                apart = reference[rank] * n
                if apart > most:
                    inside[c] = n
                    outside[c] = total - reference[rank]
                break


def tree_apart(offsets, sets, counts, sizes, starts, nodes, paths, height, reference, total, held, inside, outside):
    """Write how far the people of each class, and of the reference, are from the value where that differs most.

    Sets hold nodes of the tree here, of all levels; ``paths`` has the nodes above each value, ``height`` of them a
    value, and ``reference`` how far the people of the reference are from each value, added up. ``held`` is zero before
    and after.
    """
    with cython.nogil:
        for c in range(len(offsets) - 1):
            n = sizes[c]
            if n == 0:
                continue
            for i in range(offsets[c], offsets[c + 1]):
                for j in range(starts[sets[i]], starts[sets[i] + 1]):
                    held[nodes[j]] += counts[i]
            most = -1
            for v in range(len(reference)):
                far = n * height
                for k in range(v * height, (v + 1) * height):
                    far -= held[paths[k]]
                apart = far * total - reference[v] * n
                apart = apart if apart >= 0 else -apart
                if apart > most:
                    most = apart
                    inside[c] = far
                    outside[c] = reference[v]
            for i in range(offsets[c], offsets[c + 1]):
                for j in range(starts[sets[i]], starts[sets[i] + 1]):
                    held[nodes[j]] = 0


def line_apart(
    offsets, sets, counts, sizes, starts, ranks, turns, positions, reference, total, slopes, levels, inside, outside
):
    """Write how far the people of each class, and of the reference, are from the value where that differs most.

    How far somebody is from a value is linear between their values and the places halfway between two of them:
    ``turns[j]`` is the first value that is nearer to the set's value j + 1 than to j. ``reference`` has how far the
    people of the reference are from each value, added up; ``slopes`` and ``levels`` are zero before and after.
    """
    values = len(positions)
    with cython.nogil:
        for c in range(len(offsets) - 1):
            n = sizes[c]
            if n == 0:
                continue
            for i in range(offsets[c], offsets[c + 1]):
                people = counts[i]
                low = starts[sets[i]]
                high = starts[sets[i] + 1]
                at = positions[ranks[low]]
                slopes[0] -= people
                levels[0] += people * at
                for j in range(low, high):
                    at = positions[ranks[j]]
                    slopes[ranks[j]] += 2 * people
                    levels[ranks[j]] -= 2 * people * at
                    if j + 1 < high:
                        after = positions[ranks[j + 1]]
                        slopes[turns[j]] -= 2 * people
                        levels[turns[j]] += people * (at + after)
            most = -1
            slope = 0
            level = 0
            for v in range(values):
                slope += slopes[v]
                level += levels[v]
                slopes[v] = 0
                levels[v] = 0
                far = slope * positions[v] + level
                apart = far * total - reference[v] * n
                apart = apart if apart >= 0 else -apart
                if apart > most:
                    most = apart
                    inside[c] = far
                    outside[c] = reference[v]
