cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef uint64_t WORD, GOLDEN, ONE

ctypedef fused Number:
    int32_t
    int64_t

ctypedef fused Code:
    int32_t
    int64_t

ctypedef fused Counter:
    int32_t
    int64_t

cpdef void tally(const Number[::1] numbers, Counter[::1] counts) except *
cpdef void add_codes(const Code[::1] codes, int64_t stride, Counter[::1] words) except *
@cython.locals(unknown=int64_t, code=int64_t)
cpdef int64_t add_looked_up(const Code[::1] raw, const int32_t[::1] table, int64_t stride, Counter[::1] words) except? -1
@cython.locals(number=int64_t, at=int64_t)
cpdef void scatter(
    const int32_t[::1] numbers, const Code[::1] codes, const int32_t[::1] rank_of_code, Counter[::1] place,
    int32_t[::1] ranks,
) except *
@cython.locals(key=int64_t)
cpdef void deal(const Number[::1] keys, int64_t[::1] next_place, const int64_t[::1] rows, int64_t[::1] placed) except *
cdef inline uint64_t _slot(uint64_t key) noexcept nogil
@cython.locals(at=int64_t, key=int64_t, number=int64_t, found=int64_t, mask=int64_t, i=int64_t)
cpdef int64_t find_or_add(
    const int64_t[::1] keys, int64_t[::1] slot_keys, int32_t[::1] slot_numbers, int64_t[::1] known, int64_t[::1] size,
    int32_t[::1] numbers, int64_t start,
) except? -1
@cython.locals(
    used=int64_t, c=int64_t, left_out=int64_t, i=int64_t, rank=int64_t, word=int64_t, page=int64_t, p=int64_t,
    left_pages=uint64_t, left_words=uint64_t, left_bits=uint64_t,
)
cpdef int64_t count_classes(
    const int32_t[::1] rows, const int64_t[::1] starts, Counter[::1] counts, uint64_t[::1] bits, uint64_t[::1] words,
    uint64_t[::1] pages, int64_t[::1] offsets, int32_t[::1] ranks, int64_t[::1] sums, int64_t[::1] sizes,
) except? -1
