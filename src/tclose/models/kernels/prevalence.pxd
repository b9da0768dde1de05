cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef uint64_t ONE

@cython.locals(
    used=int64_t, c=int64_t, i=int64_t, j=int64_t, rank=int64_t, word=int64_t, page=int64_t, p=int64_t,
    left_pages=uint64_t, left_words=uint64_t, left_bits=uint64_t,
)
cpdef int64_t hold(
    const int64_t[::1] offsets, const int32_t[::1] sets, const int64_t[::1] counts, const int64_t[::1] starts,
    const int32_t[::1] ranks, int64_t[::1] held, uint64_t[::1] bits, uint64_t[::1] words, uint64_t[::1] pages,
    int64_t[::1] found_offsets, int32_t[::1] found_ranks, int64_t[::1] found_counts,
) except? -1
@cython.locals(
    c=int64_t, n=int64_t, most=int64_t, low=int64_t, high=int64_t, i=int64_t, lacking=int64_t, lacked=int64_t,
    apart=int64_t, k=int64_t, rank=int64_t, first=int64_t, last=int64_t, middle=int64_t,
)
cpdef void nominal_apart(
    const int64_t[::1] offsets, const int32_t[::1] ranks, const int64_t[::1] counts, const int64_t[::1] sizes,
    const int64_t[::1] reference, int64_t total, const int64_t[::1] descending, int64_t[::1] inside,
    int64_t[::1] outside,
) except *
@cython.locals(c=int64_t, n=int64_t, i=int64_t, j=int64_t, most=int64_t, v=int64_t, far=int64_t, k=int64_t, apart=int64_t)
cpdef void tree_apart(
    const int64_t[::1] offsets, const int32_t[::1] sets, const int64_t[::1] counts, const int64_t[::1] sizes,
    const int64_t[::1] starts, const int32_t[::1] nodes, const int64_t[::1] paths, int64_t height,
    const int64_t[::1] reference, int64_t total, int64_t[::1] held, int64_t[::1] inside, int64_t[::1] outside,
) except *
@cython.locals(
    values=int64_t, c=int64_t, n=int64_t, i=int64_t, people=int64_t, low=int64_t, high=int64_t, at=int64_t, j=int64_t,
    after=int64_t, most=int64_t, slope=int64_t, level=int64_t, v=int64_t, far=int64_t, apart=int64_t,
)
cpdef void line_apart(
    const int64_t[::1] offsets, const int32_t[::1] sets, const int64_t[::1] counts, const int64_t[::1] sizes,
    const int64_t[::1] starts, const int32_t[::1] ranks, const int64_t[::1] turns, const int64_t[::1] positions,
    const int64_t[::1] reference, int64_t total, int64_t[::1] slopes, int64_t[::1] levels, int64_t[::1] inside,
    int64_t[::1] outside,
) except *
