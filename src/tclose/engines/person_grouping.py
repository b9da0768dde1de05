"""Rows of codes and whose they are to blocks of counts in which everyone counts once: in a class, and for each value.

Rows are dealt to shares of people that fit near the processor, and brought into the order of their people there. In
that order a person's rows of a class follow one another, also after they were distributed to their classes: whether
a value was seen before is then one look at the row where the person begins, and nothing is sorted or hashed again.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.engines import person_texts
from tclose.engines.grouping import (
    Arrival,
    Batch,
    Codes,
    CountedColumn,
    Counters,
    GroupedRows,
    KeyIndex,
    Share,
    running,
)
from tclose.engines.person_texts import DealtTexts, Texts
from tclose.models import kernels
from tclose.models.counts import Block, Integers, PeopleBlock, Ranks, ValueSets

NOBODY = 0
"""The key of rows that have no person."""
MOST_ROWS = 2**30 - 2
"""So many rows have at most so many ranks, which fit 32 bits with a mark beside them."""
ROWS_A_SHARE = 1 << 15
"""About so many rows are dealt to a share of the people."""
BYTES_AN_APPEARANCE = 72
"""How much memory the numbering of sets of classes takes for each appearance of somebody in a class, at most."""
NEAR = 4
"""Where keys are below so many times the rows, they number people themselves."""
_MOST_BITS = 10
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class PersonBatch(Batch):
    """Some rows as codes, and a key for the person of each; with their texts, where these tell people apart."""

    persons: NDArray[Any]
    texts: Texts | None = None


@dataclass(frozen=True)
class _Dealing:
    """Which share of the people a person belongs to: some bits of their key times a factor."""

    factor: np.uint64
    shift: np.uint64
    shares: int
    near: bool
    """Whether keys are so near together that a share holds all those of a range, and they number its people."""

    @staticmethod
    def of(rows: int, span: int) -> _Dealing:
        """Return how so many rows are dealt, with keys below a span."""
        bits = min(max(1, (rows // ROWS_A_SHARE).bit_length()), _MOST_BITS)
        if span > NEAR * rows:
            return _Dealing(_GOLDEN, np.uint64(64 - bits), 1 << bits, near=False)
        return _Dealing(np.uint64(1), np.uint64(max(0, (span - 1).bit_length() - bits)), 1 << bits, near=True)

    def numbered(self, persons: NDArray[Any], share: int, texts: DealtTexts | None, low: int) -> tuple[Codes, Integers]:
        """Return numbers of a share's people, whose rows begin at a place, and how many rows each number has."""
        own: NDArray[Any]
        if texts is not None:
            own, people = texts.numbered(persons, share, low)
        elif self.near:
            own, people = persons - persons.dtype.type(share << int(self.shift)), 1 << int(self.shift)
        else:
            index = KeyIndex(1)
            own, people = index.numbers((persons.astype(np.int64),)), index.size
        rows = np.zeros(people, dtype=np.int64)
        numbers = own.astype(np.int32, copy=False)
        kernels.counting.tally(numbers, rows)
        return numbers, rows


@dataclass
class _PersonShare(Share):
    """What one worker took in, with the people of the rows and how many rows each share of them has."""

    dealing: _Dealing = field(kw_only=True)
    dealt: Integers = field(kw_only=True)
    missing: int = 0
    """How many rows are nobody's."""
    persons: list[NDArray[Any]] = field(default_factory=list)
    texts: list[Texts] = field(default_factory=list)

    def take(self, batch: Batch) -> None:
        if not isinstance(batch, PersonBatch):
            raise TypeError("Rows without people were delivered.")
        self.take_classes(batch)
        kernels.people.tally_shares(batch.persons, self.dealing.factor, self.dealing.shift, self.dealt)
        self.persons.append(batch.persons)
        self.texts += [] if batch.texts is None else [batch.texts]
        self.missing += int(np.count_nonzero(batch.persons == NOBODY))


class _Worker:
    """What one worker counted of the people whom it brought together, and by which marks it tells them apart."""

    def __init__(self, classes: int, code_spans: Sequence[int], counter: type[np.int32] | type[np.int64]) -> None:
        self.shares: list[tuple[int, int]] = []
        """Where the rows of each share of people that it took begin and end."""
        self._classes = np.zeros(3 * classes, dtype=counter)
        self.value_counts = [np.zeros(span, dtype=counter) for span in code_spans]
        self.rows_of_people: list[Integers] = []
        """How many rows each person has, share by share."""
        self._last_with_value = [np.zeros(span, dtype=counter) for span in code_spans]
        self._stamp = 1

    @property
    def people_of(self) -> Integers:
        """How many of the people are in each class."""
        return self._classes[1::3].astype(np.int64)

    @property
    def rows_of(self) -> Integers:
        """How many of their rows are in each class."""
        return self._classes[2::3].astype(np.int64)

    def take(self, own: Codes, rows_of_people: Integers, numbers: Codes, codes: Sequence[Codes]) -> None:
        """Bring the rows of a share into the order of their people, in their places, and count everyone once."""
        starts = running(rows_of_people)
        for values in (numbers, *codes):
            arranged = np.empty_like(values)
            kernels.people.arrange(own, starts[:-1].copy(), values, arranged)
            values[:] = arranged
        kernels.people.mark_people(starts, numbers, self._stamp, self._classes)
        for values, last, counts in zip(codes, self._last_with_value, self.value_counts, strict=True):
            kernels.people.tally_people(starts, values, self._stamp, last, counts)
        self._stamp += len(rows_of_people)
        self.rows_of_people.append(rows_of_people[rows_of_people > 0])


class GroupedPeople(GroupedRows):
    """The rows of a table and their people, ready to be counted class by class.

    The parameters are the base's, ``person_span``: one more than the largest key of a person, and ``whole``: whether
    these are all rows of their people, so that they say which values somebody has.
    """

    def __init__(
        self,
        arrivals: Iterator[Arrival],
        batch_of: Callable[[Arrival], Batch],
        spans: Sequence[int],
        code_spans: Sequence[int],
        rows: int,
        threads: int,
        person_span: int,
        *,
        whole: bool = True,
    ) -> None:
        self._whole = whole
        self._dealing = _Dealing.of(rows, person_span)
        super().__init__(arrivals, batch_of, spans, code_spans, rows, threads)
        self._numbers = np.empty(self.rows, dtype=np.int32)
        """The class of each row in the order of people; turned over (~) where the person is in it again."""
        self._codes = [np.empty(self.rows, dtype=np.int32) for _ in code_spans]
        self.missing = sum(share.missing for share in self._shares if isinstance(share, _PersonShare))
        workers = self._workers(*self._dealt(), code_spans)
        self._worked = [worker.shares for worker in workers]
        self._rows_of_people = [worker.rows_of_people for worker in workers]
        self._first = [self._starts[:-1] + before for before in _sums_before([worker.rows_of for worker in workers])]
        self._people: Integers = np.sum([worker.people_of for worker in workers], axis=0, dtype=np.int64)
        self.code_counts = [
            np.sum([worker.value_counts[at] for worker in workers], axis=0, dtype=np.int64)
            for at in range(len(code_spans))
        ]
        everyone = [rows for worker in workers for rows in worker.rows_of_people]
        self.people = sum(map(len, everyone)) - (self.missing > 0)
        self.several = sum(int(np.count_nonzero(rows > 1)) for rows in everyone) - (self.missing > 1)
        self._known: dict[int, _Held | None] = {}
        self.nothing: dict[int, int] = {}
        """The code of a missing value, for each attribute that has one; told by whoever knows what codes mean."""

    def _share(self, index: KeyIndex | None, sizes: Integers, code_counts: list[Integers]) -> Share:
        dealt = np.zeros(self._dealing.shares, dtype=np.int64)
        return _PersonShare(index, sizes, code_counts, dealing=self._dealing, dealt=dealt)

    def _dealt(self) -> tuple[NDArray[Any], Integers, DealtTexts | None]:
        """Deal the rows to shares of people; return the key of each row's person, where shares begin, and texts."""
        shares = [share for share in self._shares if isinstance(share, _PersonShare)]
        bounds = running(np.sum([share.dealt for share in shares], axis=0))
        before = _sums_before([share.dealt for share in shares])
        keys = [keys.dtype for share in shares for keys in share.persons]
        persons = np.empty(self.rows, dtype=keys[0] if keys else np.uint32)

        factor, shift = self._dealing.factor, self._dealing.shift
        texts = self._dealt_texts(shares, bounds, before)
        number_of = self._number_of or [self._positions()] * len(shares)

        def deal(worker: int) -> None:
            share, place = shares[worker], bounds[:-1] + before[worker]
            for numbers, codes, own in zip(share.numbers, share.codes, share.persons, strict=True):
                kernels.people.deal_by_share(own, factor, shift, place.copy(), own, persons)
                for values, dealt in zip(codes, self._codes, strict=True):
                    kernels.people.deal_by_share(
                        own, factor, shift, place.copy(), values.view(np.uint32), dealt.view(np.uint32)
                    )
                kernels.people.deal_looked_up(own, factor, shift, place, numbers, number_of[worker], self._numbers)
            for taken in (share.numbers, share.codes, share.persons):
                taken.clear()

        list(self._pool.map(deal, range(len(shares))))
        return persons, bounds, texts

    def _dealt_texts(
        self, shares: Sequence[_PersonShare], bounds: Integers, before: Sequence[Integers]
    ) -> DealtTexts | None:
        """Deal the texts that tell people apart to the shares of people; None where keys do."""
        if not any(share.texts for share in shares):
            return None
        factor, shift = self._dealing.factor, self._dealing.shift
        sizes = [
            person_texts.words_of_shares(share.persons, share.texts, factor, shift, self._dealing.shares)
            for share in shares
        ]
        begins, earlier = running(np.sum(sizes, axis=0)), _sums_before(sizes)
        lengths, words = np.empty(self.rows, dtype=np.int32), np.empty(int(begins[-1]), dtype=np.uint64)

        def deal(worker: int) -> None:
            share, row, word = shares[worker], bounds[:-1] + before[worker], begins[:-1] + earlier[worker]
            for own, texts in zip(share.persons, share.texts, strict=True):
                given = (texts.begins, texts.data, texts.lengths)
                kernels.people.deal_texts(own, factor, shift, row, word, *given, lengths, words)
            share.texts.clear()

        list(self._pool.map(deal, range(len(shares))))
        return DealtTexts(lengths, words, begins)

    def _positions(self) -> Codes:
        """Return the position of each class whose number is its key."""
        positions = np.zeros(len(self._first[0]), dtype=np.int32)
        positions[self.keys[:, 0]] = np.arange(len(self.keys), dtype=np.int32)
        return positions

    def _workers(
        self, persons: NDArray[Any], bounds: Integers, texts: DealtTexts | None, code_spans: Sequence[int]
    ) -> list[_Worker]:
        """Bring the rows of each person together, share by share, and return what each worker counted."""
        waiting, lock = iter(enumerate(itertools.pairwise(bounds.tolist()))), threading.Lock()
        classes = len(self.keys)

        def work(_: int) -> _Worker:
            worker = _Worker(classes, code_spans, np.int32 if NEAR * self.rows < 2**31 else np.int64)
            while True:
                with lock:
                    share, (low, high) = next(waiting, (-1, (0, 0)))
                if share < 0:
                    return worker
                own, rows_of_people = self._dealing.numbered(persons[low:high], share, texts, low)
                worker.take(own, rows_of_people, self._numbers[low:high], [codes[low:high] for codes in self._codes])
                worker.shares.append((low, high))

        return list(self._pool.map(work, range(self._threads)))

    @property
    def appearances(self) -> int:
        """How often somebody is in a class."""
        return int(self._people.sum())

    def shared_sets(self) -> tuple[Integers, Integers]:
        """Return how many people have each set of classes that somebody appears in, and how many classes it has."""
        seen, who = self._appearances()
        classes_of = np.bincount(who)
        by_class = np.empty(len(who), dtype=np.int32)
        kernels.people.arrange(seen, running(np.bincount(seen))[:-1].copy(), who, by_class)
        ascending = np.empty(len(who), dtype=np.int32)
        starts = running(classes_of)
        kernels.people.arrange(by_class, starts[:-1].copy(), np.sort(seen), ascending)
        slots = 1 << (2 * len(who)).bit_length()
        sets = np.empty(len(classes_of), dtype=np.int32)
        known = kernels.people.number_sets(
            starts, ascending, np.zeros(slots, dtype=np.int64), np.full(slots, -1, dtype=np.int32), sets
        )
        people = np.bincount(sets, minlength=known + 1)
        lengths = np.zeros(known + 1, dtype=np.int64)
        lengths[sets] = classes_of
        return people[people > 0], lengths[people > 0]

    def people_in(self, classes: NDArray[np.bool_]) -> int:
        """Return how many different people are in some of the classes."""
        seen, who = self._appearances()
        return len(np.unique(who[classes[seen]]))

    def _appearances(self) -> tuple[Codes, Codes]:
        """Return the class and the person of every appearance of somebody in a class."""
        classes, people, known = [], [], 0
        for shares, rows_of_people in zip(self._worked, self._rows_of_people, strict=True):
            for (low, high), rows in zip(shares, rows_of_people, strict=True):
                first = self._numbers[low:high] >= 0
                classes.append(self._numbers[low:high][first])
                people.append(np.repeat(np.arange(known, known + len(rows), dtype=np.int32), rows)[first])
                known += len(rows)
        return np.concatenate(classes), np.concatenate(people)

    def sorted_codes(self, attribute: int, rank_of_code: Ranks) -> Ranks:
        """Return the attribute's ranks with the rows of each class together and marked where a person begins."""
        return self._sorted(self._codes[attribute], rank_of_code)

    def _sorted(self, codes: Codes, rank_of_code: Ranks) -> Ranks:
        marked = np.empty(self.rows, dtype=np.int32)

        def scatter(worker: int) -> None:
            place = self._first[worker].astype(self._counter)
            for low, high in self._worked[worker]:
                kernels.people.scatter_people(self._numbers[low:high], codes[low:high], rank_of_code, place, marked)

        list(self._pool.map(scatter, range(len(self._worked))))
        return marked

    def _column(self, attribute: int, rank_of_code: Ranks, values: int) -> CountedColumn:
        marked, held = self.sorted_codes(attribute, rank_of_code), self.held(attribute)
        if held is None:
            return _PersonColumn(marked, values, self._counter)
        known = held.sets.renumbered(rank_of_code)
        numbers = np.where(known.lengths > 0, np.arange(len(known.people)), -1).astype(np.int32)
        sets = _PersonColumn(self._sorted(self._set_of_each(held), numbers), len(numbers), self._counter)
        nothing = self.nothing.get(attribute)
        as_value = nothing is not None and bool(rank_of_code[nothing] >= 0)
        valued = None
        if as_value or any_left_out(rank_of_code, self.code_counts[attribute]):
            there = np.minimum(rank_of_code, 0).astype(np.int32)
            if as_value:
                there[nothing] = -1
            valued = _PersonColumn(self.sorted_codes(attribute, there), 1, self._counter)
        return _HistoryColumn(marked, values, self._counter, sets, valued, known, self._people, as_value=as_value)

    def _set_of_each(self, held: _Held) -> Codes:
        """Return which set of values the person of each row has, in the order of people."""
        found = np.empty(self.rows, dtype=np.int32)
        begun = 0
        for shares, rows_of_people in zip(self._worked, self._rows_of_people, strict=True):
            for (low, high), rows in zip(shares, rows_of_people, strict=True):
                found[low:high] = np.repeat(held.set_of_person[begun : begun + len(rows)], rows)
                begun += len(rows)
        return found

    def held(self, attribute: int) -> _Held | None:
        """Return the sets of values, as codes, that people have; None where nobody has several values."""
        if attribute not in self._known:
            several = self._whole and self._several_values(attribute)
            self._known[attribute] = self._sets(attribute) if several else None
        return self._known[attribute]

    def _several_values(self, attribute: int) -> bool:
        """Say whether somebody has two values of an attribute: two rows beside each other that differ."""
        codes = self._codes[attribute]
        for shares, rows_of_people in zip(self._worked, self._rows_of_people, strict=True):
            for (low, high), rows in zip(shares, rows_of_people, strict=True):
                own = codes[low:high]
                differ = own[1:] != own[:-1]
                differ[np.cumsum(rows)[:-1] - 1] = False
                if differ.any():
                    return True
        return False

    def _sets(self, attribute: int) -> _Held:
        """Return everybody's set of codes: one code alone is a set of that number, others are numbered after these."""
        span = len(self.code_counts[attribute])

        def distinct(worker: int) -> list[tuple[Integers, Codes]]:
            found = []
            for (low, high), rows in zip(self._worked[worker], self._rows_of_people[worker], strict=True):
                packed = np.repeat(np.arange(len(rows), dtype=np.int64), rows) * span
                packed += self._codes[attribute][low:high]
                packed.sort()
                first = np.ones(len(packed), dtype=bool)
                first[1:] = packed[1:] != packed[:-1]
                who, codes = np.divmod(packed[first], span)
                found.append((np.bincount(who, minlength=len(rows)).astype(np.int64), codes.astype(np.int32)))
            return found

        listed = [each for found in self._pool.map(distinct, range(len(self._worked))) for each in found]
        numbers = np.concatenate([numbers for numbers, _ in listed])
        starts, codes = running(numbers), np.concatenate([codes for _, codes in listed])
        sets = codes[starts[:-1]]
        several = numbers > 1
        theirs, of_several = running(numbers[several]), codes[np.repeat(several, numbers)]
        slots = 1 << (2 * len(of_several)).bit_length()
        found = np.empty(len(theirs) - 1, dtype=np.int32)
        known = kernels.people.number_sets(
            theirs, of_several, np.zeros(slots, dtype=np.int64), np.full(slots, -1, dtype=np.int32), found
        )
        first = np.full(known + 1, -1, dtype=np.int64)
        first[found[::-1]] = np.arange(len(found))[::-1]
        there = np.flatnonzero(first >= 0)
        number = np.zeros(known + 1, dtype=np.int32)
        number[there] = np.arange(span, span + len(there), dtype=np.int32)
        sets[several] = number[found]
        begins, lengths = theirs[first[there]], np.diff(theirs)[first[there]]
        places = np.repeat(begins - running(lengths)[:-1], lengths) + np.arange(lengths.sum())
        ranks = np.concatenate([np.arange(span, dtype=np.int32), of_several[places]])
        people = np.bincount(sets, minlength=span + len(there)).astype(np.int64)
        return _Held(ValueSets(running(np.concatenate([np.ones(span, dtype=np.int64), lengths])), ranks, people), sets)

    def _sizes(self, low: int, high: int) -> Integers:
        return self._people[low:high]


@dataclass(frozen=True)
class _Held:
    """The sets of codes that people have, and whose is which, in the order of people."""

    sets: ValueSets
    set_of_person: Codes


class _PersonColumn(CountedColumn):
    """The values of an attribute, marked where a person begins, with the rows of each class together."""

    def counters(self) -> Counters:
        """Return scratch space to count in."""
        return _PersonCounters(self._values, self._counter)


class _HistoryColumn(_PersonColumn):
    """An attribute of which somebody has several values: counted by value, and by who has which set of them."""

    def __init__(
        self,
        rows: Ranks,
        values: int,
        counter: type[np.int32] | type[np.int64],
        sets: _PersonColumn,
        valued: _PersonColumn | None,
        known: ValueSets,
        people: Integers,
        *,
        as_value: bool,
    ) -> None:
        super().__init__(rows, values, counter)
        self._sets = sets
        self._valued = valued
        self._held = known
        self._people = people
        self._as_value = as_value
        """Whether a missing value is a value, so that those with another one are counted beside."""

    def counters(self) -> _HistoryCounters:
        """Return scratch space to count in."""
        valued = None if self._valued is None else self._valued.counters()
        return _HistoryCounters(self._values, self._counter, self._sets.counters(), valued)

    def block(self, counters: Counters, starts: Integers, low: int, high: int) -> Block:
        """Return the counts of some classes, with those of their people."""
        if not isinstance(counters, _HistoryCounters):
            raise TypeError("People were counted where their sets of values cannot be.")
        valued, present = self._people[low:high], None
        if self._valued is not None and counters.valued is not None:
            there = self._valued.block(counters.valued, starts, low, high).sizes
            valued, present = (valued, there) if self._as_value else (there, None)
        people = PeopleBlock(valued, self._sets.block(counters.sets, starts, low, high), self._held, present)
        return replace(super().block(counters, starts, low, high), people=people)


class _PersonCounters(Counters):
    """Scratch space to count the values of one class after the other, each once for every person who has it."""

    def __init__(self, values: int, counter: type[np.int32] | type[np.int64]) -> None:
        super().__init__(values, counter)
        self._stamps = np.zeros(values + 1, dtype=counter)

    def block(self, rows: Ranks, starts: Integers, low: int, high: int) -> Block:
        ranks = np.empty(int(starts[high] - starts[low]), dtype=np.int32)
        kept = np.empty(high - low + 1, dtype=np.int64)
        kernels.people.keep_once(rows, starts[low : high + 1], self._stamps, ranks, kept)
        return super().block(ranks, kept, 0, high - low)


class _HistoryCounters(_PersonCounters):
    """Scratch space for the values, the sets of values and the people who have one."""

    def __init__(
        self, values: int, counter: type[np.int32] | type[np.int64], sets: Counters, valued: Counters | None
    ) -> None:
        super().__init__(values, counter)
        self.sets = sets
        self.valued = valued


def any_left_out(ranks: Ranks, counts: Integers) -> bool:
    """Say whether a value that somebody has is left out."""
    return bool(((ranks < 0) & (counts > 0)).any())


def _sums_before(counts: Sequence[Integers]) -> list[Integers]:
    """Return, for each of several counts, the sum of those before it."""
    found: list[Integers] = [np.zeros(len(counts[0]), dtype=np.int64)]
    for each in counts[:-1]:
        found.append(found[-1] + each)
    return found
