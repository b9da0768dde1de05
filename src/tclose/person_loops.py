"""The compiled loops that bring the rows of each person together and count everyone once; for large tables only."""

from __future__ import annotations

import numpy as np

from tclose.compiled import machine_code

kernel = machine_code
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_HIGH = np.uint64(20)


@kernel
def tally_shares(persons, factor, shift, counts):  # type: ignore[no-untyped-def]
    """Add to ``counts`` how many rows each share of people has; some bits of a product choose the share."""
    for i in range(persons.shape[0]):
        counts[np.int64((np.uint64(persons[i]) * factor) >> shift)] += 1


@kernel
def deal(persons, factor, shift, place, values, dealt):  # type: ignore[no-untyped-def]
    """Write each row's value to the next free place of its person's share."""
    for i in range(persons.shape[0]):
        share = np.int64((np.uint64(persons[i]) * factor) >> shift)
        at = place[share]
        place[share] = at + 1
        dealt[at] = values[i]


@kernel
def deal_looked_up(persons, factor, shift, place, numbers, table, dealt):  # type: ignore[no-untyped-def]
    """Write what the table has for each row's number to the next free place of its person's share."""
    for i in range(persons.shape[0]):
        share = np.int64((np.uint64(persons[i]) * factor) >> shift)
        at = place[share]
        place[share] = at + 1
        dealt[at] = table[numbers[i]]


@kernel
def arrange(numbers, place, values, arranged):  # type: ignore[no-untyped-def]
    """Write each row's value to the next free place of its person."""
    for i in range(numbers.shape[0]):
        number = numbers[i]
        at = place[number]
        place[number] = at + 1
        arranged[at] = values[i]


@kernel
def tally_people(starts, codes, stamp, last, counts):  # type: ignore[no-untyped-def]
    """Add one to the count of each code that a person has, however often; ``last`` is below ``stamp`` before."""
    for person in range(starts.shape[0] - 1):
        for i in range(starts[person], starts[person + 1]):
            code = codes[i]
            if last[code] != stamp + person:
                last[code] = stamp + person
                counts[code] += 1


@kernel
def mark_people(starts, numbers, stamp, classes):  # type: ignore[no-untyped-def]
    """Count the people and the rows of each class; turn the class's number over (~) where the person is in it again.

    ``classes`` has, for each class, the last person who was seen in it, how many people and how many rows.
    """
    for person in range(starts.shape[0] - 1):
        for i in range(starts[person], starts[person + 1]):
            number = numbers[i]
            classes[number, 2] += 1
            if classes[number, 0] != stamp + person:
                classes[number, 0] = stamp + person
                classes[number, 1] += 1
            else:
                numbers[i] = ~number


@kernel
def number_sets(starts, numbers, slot_keys, slot_sets, sets):  # type: ignore[no-untyped-def]
    """Give each person the number of the set of classes they are in; the classes of everyone ascend.

    A set is numbered by its largest class and the number of the set without it, so that equal sets, and only those,
    have the same number. The slots are at least twice as many as the numbers, a power of two, and -1 before.
    """
    mask = slot_keys.shape[0] - 1
    known = 0
    for person in range(starts.shape[0] - 1):
        found = 0
        for i in range(starts[person], starts[person + 1]):
            key = (np.int64(found) << 31) | np.int64(numbers[i])
            at = np.int64((np.uint64(key) * _GOLDEN) >> _HIGH) & mask
            while slot_sets[at] >= 0 and slot_keys[at] != key:
                at = (at + 1) & mask
            if slot_sets[at] < 0:
                known += 1
                slot_keys[at] = key
                slot_sets[at] = known
            found = slot_sets[at]
        sets[person] = found
    return known


@kernel
def scatter_people(numbers, codes, rank_of_code, place, marked):  # type: ignore[no-untyped-def]
    """Write each row's rank to the next free place of its class: one more, doubled, and odd where a person begins."""
    for i in range(numbers.shape[0]):
        number = numbers[i]
        begins = 1
        if number < 0:
            number = ~number
            begins = 0
        at = place[number]
        place[number] = at + 1
        marked[at] = ((rank_of_code[codes[i]] + 1) << 1) | begins


@kernel
def keep_once(marked, starts, stamps, ranks, kept):  # type: ignore[no-untyped-def]
    """Write the ranks of each class, once for each person who has them; negative ranks are left out.

    ``stamps`` holds no row of these classes before; ``kept`` gets where the ranks of each class start.
    """
    used = 0
    begun = 0
    for c in range(starts.shape[0] - 1):
        kept[c] = used
        for i in range(starts[c], starts[c + 1]):
            mark = marked[i]
            if mark & 1:
                begun = i + 1
            rank = (mark >> 1) - 1
            if rank >= 0 and stamps[rank] != begun:
                stamps[rank] = begun
                ranks[used] = rank
                used += 1
    kept[starts.shape[0] - 1] = used
    return used
