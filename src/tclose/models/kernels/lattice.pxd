cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef uint64_t WORD, ODD

ctypedef fused Count:
    int32_t
    int64_t

@cython.locals(at=int64_t, key=int64_t, node=int64_t)
cpdef void raise_field(
    int64_t[::1] keys, int64_t first, int64_t words, int shift, int64_t mask, const int32_t[::1] parents,
) except *
@cython.locals(
    found=int64_t, mask=int64_t, c=int64_t, mixed=uint64_t, word=int64_t, at=int64_t, number=int64_t, same=int,
)
cpdef int64_t merge_classes(
    const int64_t[::1] keys, int64_t words, const int64_t[::1] sizes, int32_t[::1] slots, int32_t[::1] numbers,
    int32_t[::1] first, int32_t[::1] following, int64_t[::1] merged_keys, int64_t[::1] merged_sizes,
) except? -1
@cython.locals(used=int64_t, number=int64_t, start=int64_t, size=int64_t, c=int64_t, i=int64_t, rank=int64_t)
cpdef int64_t merge_counts(
    const int32_t[::1] first, const int32_t[::1] following, const int64_t[::1] offsets, const int32_t[::1] ranks,
    const int64_t[::1] counts, int64_t[::1] place, int64_t[::1] merged_offsets, int32_t[::1] merged_ranks,
    int64_t[::1] merged_counts, int64_t[::1] merged_sizes,
) except? -1
@cython.locals(
    c=int64_t, low=int64_t, high=int64_t, gap=int64_t, i=int64_t, rank=int32_t, count=int64_t, at=int64_t,
)
cpdef void sort_counts(const int64_t[::1] offsets, int32_t[::1] ranks, int64_t[::1] counts) except *
@cython.locals(used=int64_t, number=int64_t, i=int64_t)
cpdef int64_t copy_chosen(
    const int64_t[::1] chosen, const int64_t[::1] offsets, const int32_t[::1] ranks, const int64_t[::1] counts,
    int64_t[::1] new_offsets, int32_t[::1] new_ranks, int64_t[::1] new_counts,
) except? -1
@cython.locals(c=int64_t, before=int64_t, after=int64_t, value=int64_t)
cpdef void add_rows(const int32_t[::1] numbers, int64_t values, const Count[::1] rows, Count[::1] summed) except *
@cython.locals(used=int64_t, number=int64_t, before=int64_t, size=int64_t, value=int64_t, count=int64_t)
cpdef int64_t sparse_chosen(
    const int64_t[::1] chosen, int64_t values, const Count[::1] rows, int64_t[::1] offsets, int32_t[::1] ranks,
    int64_t[::1] counts, int64_t[::1] sizes,
) except? -1
