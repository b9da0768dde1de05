"""The kernels of large tables, each by itself, compiled and in Python, beside what its docstring says."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tclose.models import kernels

SEEDS = range(12)
FACTOR, SHIFT = 0x9E3779B97F4A7C15, 62


def types_of(module, kernel):
    """Return for each parameter of a kernel whether its array is only read, and its type; None where it is no array."""
    pxd = (Path(kernels.__file__).parent / f"{module}.pxd").read_text(encoding="utf-8")
    declared = re.search(rf"^cpdef \w+ {kernel}\((.*?)\) except", pxd, re.MULTILINE | re.DOTALL)[1]
    found = []
    for one in declared.replace("\n", " ").strip().rstrip(",").split(","):
        array = re.fullmatch(r"\s*(const )?(\w+)\[::1\] \w+", one)
        kind = array and {"Key": "uint64", "Value": "uint64"}.get(array[2], array[2].removesuffix("_t"))
        found.append(array and (bool(array[1]), np.dtype(kind if kind[-1].isdigit() else "int64")))
    return found


@pytest.fixture(params=["compiled", "in Python"])
def run(request):
    """How a kernel is run by the name of its module and its own, with arrays of any type of whole numbers."""

    def called(module, kernel, *given):
        types = types_of(module, kernel)
        typed = [
            value if kind is None else np.ascontiguousarray(value).ravel().astype(kind[1])
            for value, kind in zip(given, types, strict=True)
        ]
        if request.param == "in Python":
            result = kernels.in_python(module, kernel, *typed)
        else:
            result = getattr(getattr(kernels, module), kernel)(*typed)
        for value, after, kind in zip(given, typed, types, strict=True):
            if kind is not None and not kind[0]:
                value[...] = after.astype(value.dtype).reshape(value.shape)
        return result

    return called


def integers(values):
    return np.array(values, dtype=np.int64)


def drawn(seed, number, below, lowest=0):
    draw = random.Random(seed)
    return integers([draw.randrange(lowest, below) for _ in range(number)])


def starts_of(sizes):
    return integers([0, *itertools.accumulate(sizes)])


def share_of(person):
    return ((int(person) * int(FACTOR)) % 2**64) >> int(SHIFT)


def test_numbers_are_tallied_and_codes_added_to_words(run):
    counts, words = integers([5, 0, 0, 0]), integers([100, 200, 300])
    run("counting", "tally", integers([3, 0, 3, 3, 1]), counts)
    assert counts.tolist() == [6, 1, 0, 3]
    run("counting", "add_codes", integers([1, 0, 4]), 7, words)
    assert words.tolist() == [107, 200, 328]


def test_looked_up_codes_are_added_and_those_that_are_unknown_counted(run):
    words = integers([10, 10, 10, 10, 10, 10])
    assert run("counting", "add_looked_up", integers([2, 0, 1, 1, 3, 2]), integers([4, -1, 2, 0]), 3, words) == 2
    assert words.tolist() == [16, 22, 7, 7, 10, 16], "a code of 0 is known"


def test_rows_are_scattered_to_their_classes_in_the_order_they_come(run):
    place, ranks = integers([0, 2, 5]), np.full(6, -9)
    numbers, codes = integers([1, 0, 2, 1, 0, 1]), integers([0, 1, 1, 2, 0, 0])
    run("counting", "scatter", numbers, codes, integers([7, 5, 3]), place, ranks)
    assert (ranks.tolist(), place.tolist()) == ([5, 7, 7, 3, 7, 5], [2, 5, 6])


@pytest.mark.parametrize("seed", SEEDS)
def test_keys_are_numbered_as_they_first_appear_until_the_table_is_full(seed, run):
    keys = drawn(seed, 40, 12) * 2**40 - 5
    slots, room = 16, 3 + seed % 8
    slot_keys, slot_numbers = np.zeros(slots, np.int64), np.full(slots, -1)
    known, size, numbers = np.zeros(room, np.int64), integers([0]), np.full(len(keys), -1)
    done = run("counting", "find_or_add", keys, slot_keys, slot_numbers, known, size, numbers, 0)
    firsts = list(dict.fromkeys(keys.tolist()))
    full = keys.tolist().index(firsts[room]) if len(firsts) > room else len(keys)
    assert (done, size[0]) == (full, min(room, len(firsts)))
    assert known[: size[0]].tolist() == firsts[: size[0]]
    assert numbers[:done].tolist() == [firsts.index(key) for key in keys[:done].tolist()]
    assert (numbers[done:] == -1).all()
    again = run("counting", "find_or_add", keys[:done], slot_keys, slot_numbers, known, size, numbers, done // 2)
    assert (again, size[0]) == (done, min(room, len(firsts))), "what is known is not added again"


@pytest.mark.parametrize("seed", SEEDS)
def test_ranks_of_classes_are_counted_in_ascending_order_and_scratch_space_is_left_empty(seed, run):
    draw, domain = random.Random(seed), 3 * 64 * 64 * 64
    far = [0, 1, 63, 64, 4095, 4096, 64**3 - 1, 64**3, domain - 1, *(draw.randrange(domain) for _ in range(5))]
    classes = [[draw.choice([-1, -7, *far]) for _ in range(draw.randrange(9))] for _ in range(6)]
    rows, starts = integers([rank for some in classes for rank in some]), starts_of(map(len, classes))
    counts = np.zeros(domain, np.int64)
    bits, words, pages = (np.zeros(-(-domain // 64**level), np.uint64) for level in (1, 2, 3))
    offsets, sizes = np.full(len(classes) + 1, -1), np.full(len(classes), -1)
    ranks, sums = np.full(len(rows), -1), np.full(len(rows), -1)
    used = run("counting", "count_classes", rows, starts, counts, bits, words, pages, offsets, ranks, sums, sizes)
    held = [Counter(rank for rank in some if rank >= 0) for some in classes]
    assert sizes.tolist() == [each.total() for each in held]
    assert offsets.tolist() == starts_of(map(len, held)).tolist()
    assert used == offsets[-1]
    expected = [(rank, each[rank]) for each in held for rank in sorted(each)]
    assert list(zip(ranks[:used].tolist(), sums[:used].tolist(), strict=True)) == expected
    assert not any(each.any() for each in (counts, bits, words, pages))


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_are_dealt_to_the_shares_of_their_people_in_order(seed, run):
    persons, values, table = drawn(seed, 30, 9, -9), drawn(seed + 1, 30, 5), integers([9, 8, 7, 6, 5])
    shares = [share_of(person) for person in persons]
    counts = integers([3, 0, 0, 0])
    run("people", "tally_shares", persons, FACTOR, SHIFT, counts)
    tallied = Counter(shares)
    assert counts.tolist() == [3 + tallied[0], tallied[1], tallied[2], tallied[3]]
    begin = starts_of(tallied[share] for share in range(4))
    order = sorted(range(30), key=lambda row: shares[row])
    for loop, given, expected in (
        ("deal_by_share", (values,), values[order]),
        ("deal_looked_up", (values, table), table[values[order]]),
    ):
        place, dealt = begin[:-1].copy(), np.full(30, -1)
        run("people", loop, persons, FACTOR, SHIFT, place, *given, dealt)
        assert dealt.tolist() == expected.tolist()
        assert place.tolist() == begin[1:].tolist()


def test_rows_are_arranged_by_person_in_order(run):
    place, arranged = integers([0, 2, 2]), np.full(5, -1)
    run("people", "arrange", integers([2, 0, 2, 0, 2]), place, integers([4, 5, 6, 7, 8]), arranged)
    assert (arranged.tolist(), place.tolist()) == ([5, 7, 4, 6, 8], [2, 2, 5])


def of_people(seed, below):
    """Return what some people have, row by row, and where the rows of each start; some have none."""
    draw = random.Random(seed)
    people = [[draw.randrange(below) for _ in range(draw.randrange(6))] for _ in range(7)]
    return people, starts_of(map(len, people)), integers([each for some in people for each in some])


@pytest.mark.parametrize("seed", SEEDS)
def test_everyone_is_counted_once_for_each_code_and_in_each_class(seed, run):
    people, starts, rows = of_people(seed, 4)
    last, counts = np.full(4, 99), integers([0, 0, 0, 10])
    run("people", "tally_people", starts, rows, 100, last, counts)
    once = Counter(each for some in people for each in set(some))
    assert counts.tolist() == [once[0], once[1], once[2], 10 + once[3]]
    classes, numbers = np.full((4, 3), 99), rows.copy()
    classes[:, 1:] = 0
    run("people", "mark_people", starts, numbers, 100, classes)
    assert classes[:, 1].tolist() == [once[number] for number in range(4)]
    assert classes[:, 2].tolist() == [rows.tolist().count(number) for number in range(4)]
    again = [~each if each in some[:at] else each for some in people for at, each in enumerate(some)]
    assert numbers.tolist() == again


@pytest.mark.parametrize("seed", SEEDS)
def test_equal_sets_of_classes_and_only_those_have_the_same_number(seed, run):
    people, _, _ = of_people(seed, 5)
    sets = [sorted(set(some)) for some in people]
    rows = integers([each for some in sets for each in some])
    slots, numbers = 64, np.full(len(sets), -1)
    slot_keys, slot_sets = np.full(slots, -1), np.full(slots, -1)
    known = run("people", "number_sets", starts_of(map(len, sets)), rows, slot_keys, slot_sets, numbers)
    begun = {tuple(some[: at + 1]) for some in sets for at in range(len(some))}
    assert known == len(begun)
    assert all((numbers[one] == numbers[two]) == (sets[one] == sets[two]) for one in range(7) for two in range(7))
    assert [number == 0 for number in numbers.tolist()] == [not some for some in sets]


def test_classes_of_large_numbers_are_not_taken_for_sets(run):
    """The set of the class 2³⁰ + 1 alone, and the one of the classes 0 and 1, whose first part is the set number 1."""
    slot_keys, slot_sets, numbers = np.full(64, -1), np.full(64, -1), np.full(4, -1)
    rows = integers([0, 2**30 + 1, 0, 1, 2**31 - 1])
    assert run("people", "number_sets", integers([0, 1, 2, 4, 5]), rows, slot_keys, slot_sets, numbers) == 4
    assert numbers.tolist() == [1, 2, 3, 4]


def test_sets_whose_keys_fall_into_the_last_slot_go_on_with_the_first(run):
    # 600 sets of two of 40 classes in 2,048 slots: some meet others, at the end of the slots too.
    sets = list(itertools.combinations(range(40), 2))[:600]
    rows, numbers = integers([each for some in sets for each in some]), np.full(len(sets), -1)
    slot_keys, slot_sets = np.full(2048, -1), np.full(2048, -1)
    known = run("people", "number_sets", starts_of([2] * 600), rows, slot_keys, slot_sets, numbers)
    assert known == 600 + len({some[0] for some in sets})
    assert len(set(numbers.tolist())) == 600


@pytest.mark.parametrize("seed", SEEDS)
def test_values_of_a_class_count_once_for_each_person_who_has_them(seed, run):
    """Rows of people, who stay together, scattered to two classes and kept once; a rank of -1 is no value."""
    draw, rank_of = random.Random(seed), integers([2, -1, 0, 1])
    people = [[(draw.randrange(2), draw.randrange(4)) for _ in range(draw.randrange(6))] for _ in range(5)]
    numbers, codes, seen = [], [], [[], []]
    for some in people:
        for at, (number, code) in enumerate(some):
            numbers.append(~number if number in [each for each, _ in some[:at]] else number)
            codes.append(code)
            seen[number].append((some, rank_of[code]))
    starts = starts_of(map(len, seen))
    place, marked = starts[:-1].copy(), np.full(len(codes), -1)
    run("people", "scatter_people", integers(numbers), integers(codes), rank_of, place, marked)
    assert place.tolist() == starts[1:].tolist()
    assert [mark >> 1 for mark in marked.tolist()] == [rank + 1 for some in seen for _, rank in some]
    stamps, ranks, kept = np.zeros(3, np.int64), np.full(len(codes), -9), np.full(3, -9)
    used = run("people", "keep_once", marked, starts, stamps, ranks, kept)
    once = [list(dict.fromkeys((id(whose), int(rank)) for whose, rank in some if rank >= 0)) for some in seen]
    assert kept.tolist() == starts_of(map(len, once)).tolist()
    assert used == kept[-1]
    assert ranks[:used].tolist() == [rank for some in once for _, rank in some]
