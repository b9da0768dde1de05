"""The compiled loops that distribute rows to classes and count them; loaded for large tables only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir

from tclose.compiled import compiler, machine_code

numba = compiler()

_ONE = np.uint64(1)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_HIGH = np.uint64(20)


@cast("Callable[[Callable[..., Any]], Callable[..., Any]]", numba.extending.intrinsic)
def _lowest_bit(context, word):  # type: ignore[no-untyped-def]  # noqa: ARG001 - numba's signature
    """Return the position of the lowest set bit of a word that is not 0: one machine instruction."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # noqa: ARG001
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return numba.int64(numba.uint64), generate


kernel = machine_code


@kernel
def tally(numbers, counts):  # type: ignore[no-untyped-def]
    """Add to ``counts`` how often each number occurs."""
    for i in range(numbers.shape[0]):
        counts[numbers[i]] += 1


@kernel
def add_codes(codes, stride, words):  # type: ignore[no-untyped-def]
    """Add each row's code, times the stride, to its key word."""
    for i in range(codes.shape[0]):
        words[i] += codes[i] * stride


@kernel
def add_looked_up(raw, table, stride, words):  # type: ignore[no-untyped-def]
    """Add the code that the table has for each row's raw code, times the stride; return how many it lacks."""
    unknown = 0
    for i in range(raw.shape[0]):
        code = table[raw[i]]
        if code < 0:
            unknown += 1
        words[i] += code * stride
    return unknown


@kernel
def scatter(numbers, codes, rank_of_code, place, ranks):  # type: ignore[no-untyped-def]
    """Write each row's rank to the next free place of its class."""
    for i in range(numbers.shape[0]):
        number = numbers[i]
        at = place[number]
        place[number] = at + 1
        ranks[at] = rank_of_code[codes[i]]


@kernel
def find_or_add(keys, slot_keys, slot_numbers, known, size, numbers, start):  # type: ignore[no-untyped-def]
    """Give keys numbers by first appearance in an open-addressing table; stop where the table is full.

    Returns how many keys were numbered; ``size[0]`` is the number of distinct keys so far.
    """
    mask = slot_keys.shape[0] - 1
    found = size[0]
    for i in range(start, keys.shape[0]):
        key = keys[i]
        at = np.int64((np.uint64(key) * _GOLDEN) >> _HIGH) & mask
        while True:
            number = slot_numbers[at]
            if number < 0:
                if found >= known.shape[0]:
                    size[0] = found
                    return i
                slot_numbers[at] = found
                slot_keys[at] = key
                known[found] = key
                numbers[i] = found
                found += 1
                break
            if slot_keys[at] == key:
                numbers[i] = number
                break
            at = (at + 1) & mask
    size[0] = found
    return keys.shape[0]


@kernel
def count_classes(rows, starts, counts, bits, words, pages, offsets, ranks, sums, sizes):  # type: ignore[no-untyped-def]
    """Count the ranks of one class after the other and write them in ascending order.

    ``counts`` and the three levels of bit sets are zero before and after; a set bit says where to look,
    so that a class costs what it holds and not what the domain holds. Negative ranks are left out.
    """
    used = 0
    for c in range(starts.shape[0] - 1):
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
            bits[word] |= _ONE << np.uint64(rank & 63)
            words[page] |= _ONE << np.uint64(word & 63)
            pages[page >> 6] |= _ONE << np.uint64(page & 63)
        for p in range(pages.shape[0]):
            left_pages = pages[p]
            while left_pages != 0:
                page = (p << 6) + _lowest_bit(left_pages)
                left_pages &= left_pages - _ONE
                left_words = words[page]
                while left_words != 0:
                    word = (page << 6) + _lowest_bit(left_words)
                    left_words &= left_words - _ONE
                    left = bits[word]
                    while left != 0:
                        rank = (word << 6) + _lowest_bit(left)
                        left &= left - _ONE
                        ranks[used] = rank
                        sums[used] = counts[rank]
                        counts[rank] = 0
                        used += 1
                    bits[word] = 0
                words[page] = 0
            pages[p] = 0
        sizes[c] = starts[c + 1] - starts[c] - left_out
    offsets[starts.shape[0] - 1] = used
    return used
