"""Kernels that bring the rows of each person together and count each person once."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tclose.models.kernels import python as cython

WORD = 0xFFFFFFFFFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15
ODD = 0xD6E8FEB86659FD93
SEEN_LAST, PEOPLE, ROWS, FIELDS = 0, 1, 2, 3
"""What ``classes`` holds of a class in :func:`mark_people`: the last person seen, how many people, how many rows."""


def _share(key, factor, shift):
    """Return the share of a person: some bits of a product."""
    return (key * factor & WORD) >> shift


def _slot(key, factor):
    """Return where a hash table begins to look for a key: the high bits of a product (Knuth, TAOCP 3, 6.4)."""
    return ((key & WORD) * factor & WORD) >> 20


def tally_shares(persons, factor, shift, counts):
    """Add to ``counts`` how many rows each share of the people has."""
    with cython.nogil:
        for i in range(len(persons)):
            counts[_share(persons[i], factor, shift)] += 1


def deal_by_share(persons, factor, shift, place, values, dealt):
    """Write each row's value to the next free place of its person's share."""
    with cython.nogil:
        for i in range(len(persons)):
            share = _share(persons[i], factor, shift)
            at = place[share]
            place[share] = at + 1
            dealt[at] = values[i]


def deal_looked_up(persons, factor, shift, place, numbers, table, dealt):
    """Write what the table has for each row's number to the next free place of its person's share."""
    with cython.nogil:
        for i in range(len(persons)):
            share = _share(persons[i], factor, shift)
            at = place[share]
            place[share] = at + 1
            dealt[at] = table[numbers[i]]


def arrange(numbers, place, values, arranged):
    """Write each row's value to the next free place of its person."""
    with cython.nogil:
        for i in range(len(numbers)):
            number = numbers[i]
            at = place[number]
            place[number] = at + 1
            arranged[at] = values[i]


def tally_people(starts, codes, stamp, last, counts):
    """Add one to the count of each code that a person has, however often; ``last`` is below ``stamp`` before."""
    with cython.nogil:
        for person in range(len(starts) - 1):
            for i in range(starts[person], starts[person + 1]):
                code = codes[i]
                if last[code] != stamp + person:
                    last[code] = stamp + person
                    counts[code] += 1


def mark_people(starts, numbers, stamp, classes):
    """Count the people and the rows of each class; negate the class's number (~) where the person is in it again."""
    with cython.nogil:
        for person in range(len(starts) - 1):
            for i in range(starts[person], starts[person + 1]):
                number = numbers[i]
                at = number * FIELDS
                classes[at + ROWS] += 1
                if classes[at + SEEN_LAST] != stamp + person:
                    classes[at + SEEN_LAST] = stamp + person
                    classes[at + PEOPLE] += 1
                else:
                    numbers[i] = ~number


def number_sets(starts, numbers, slot_keys, slot_sets, sets):
    """Give each person the number of the set of classes they are in; the classes of each person ascend.

    A set is numbered by its largest class and the number of the set without it, so that equal sets, and only those,
    have the same number. The slots are at least twice as many as the numbers, a power of two, and −1 before.
    """
    mask = len(slot_keys) - 1
    known = 0
    with cython.nogil:
        for person in range(len(starts) - 1):
            found = 0
            for i in range(starts[person], starts[person + 1]):
                key = (found << 31) | numbers[i]
                at = _slot(key, GOLDEN) & mask
                while slot_sets[at] >= 0 and slot_keys[at] != key:
                    at = (at + 1) & mask
                if slot_sets[at] < 0:
                    known += 1
                    slot_keys[at] = key
                    slot_sets[at] = known
                found = slot_sets[at]
            sets[person] = found
    return known


def scatter_people(numbers, codes, rank_of_code, place, marked):
    """Write each row's rank to the next free place of its class: one more, doubled, and odd where a person begins."""
    with cython.nogil:
        for i in range(len(numbers)):
            number = numbers[i]
            begins = 1
            if number < 0:
                number = ~number
                begins = 0
            at = place[number]
            place[number] = at + 1
            marked[at] = ((rank_of_code[codes[i]] + 1) << 1) | begins


def keep_once(marked, starts, stamps, ranks, kept):
    """Write the ranks of each class, once for each person who has them; negative ranks are left out.

    ``stamps`` holds no row of these classes before; ``kept`` gets where the ranks of each class start.
    """
    used = 0
    begun = 0
    with cython.nogil:
        for c in range(len(starts) - 1):
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
        kept[len(starts) - 1] = used
    return used


def _word(data, low, high):
    """Return up to eight bytes of a text as a word, the first byte lowest, filled up with zeros."""
    word = 0
    for at in range(min(high - low, 8)):
        byte = data[low + at]
        word |= byte << (8 * at)
    return word


def hash_texts(bounds, data, valid, first, seed, keys, lengths):
    """Write a hash of each row's text, never 0, and its length; for a missing one, 0 and 0.

    ``valid`` has a bit for each row that has a text, the lowest first and row 0 at bit ``first``; empty where all have.
    """
    with cython.nogil:
        for i in range(len(bounds) - 1):
            bit = first + i
            if len(valid) > 0 and not (valid[bit >> 3] >> (bit & 7)) & 1:
                keys[i] = 0
                lengths[i] = 0
                continue
            low = bounds[i]
            high = bounds[i + 1]
            lengths[i] = high - low
            found = seed ^ (high - low)
            while low < high:
                found = ((found ^ _word(data, low, high)) * ODD) & WORD
                found ^= found >> 29
                low += 8
            key = ((found * ODD) & WORD) >> 32
            keys[i] = key if key > 0 else 1


def tally_words(keys, factor, shift, lengths, counts):
    """Add to ``counts`` how many words of eight bytes the texts of each share of people take."""
    with cython.nogil:
        for i in range(len(keys)):
            counts[_share(keys[i], factor, shift)] += (lengths[i] + 7) >> 3


def deal_texts(keys, factor, shift, row, word, begins, data, lengths, dealt_lengths, dealt):
    """Write each row's text, as words filled up with zeros, and its length to the next free place of its share."""
    with cython.nogil:
        for i in range(len(keys)):
            share = _share(keys[i], factor, shift)
            dealt_lengths[row[share]] = lengths[i]
            row[share] += 1
            to = word[share]
            low = begins[i]
            high = low + lengths[i]
            while low < high:
                dealt[to] = _word(data, low, high)
                to += 1
                low += 8
            word[share] = to


def number_texts(keys, lengths, words, slots, first_rows, first_words, numbers):
    """Give rows the number of their person by first appearance, and return how many people there are.

    The slots are more than the rows, a power of two, and −1 before; ``first_rows`` and ``first_words`` get the first
    row of each person, and where the words of its text begin.
    """
    mask = len(slots) - 1
    people = 0
    begin = 0
    with cython.nogil:
        for i in range(len(keys)):
            at = _slot(keys[i], ODD) & mask
            taken = (lengths[i] + 7) >> 3
            while True:
                person = slots[at]
                if person < 0:
                    slots[at] = people
                    first_rows[people] = i
                    first_words[people] = begin
                    numbers[i] = people
                    people += 1
                    break
                other = first_rows[person]
                if keys[other] == keys[i] and lengths[other] == lengths[i]:
                    same = 0
                    theirs = first_words[person]
                    while same < taken and words[theirs + same] == words[begin + same]:
                        same += 1
                    if same == taken:
                        numbers[i] = person
                        break
                at = (at + 1) & mask
            begin += taken
    return people
