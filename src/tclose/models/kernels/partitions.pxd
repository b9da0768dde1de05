cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

ctypedef fused Count:
    int32_t
    int64_t

@cython.final
cdef class Pieces:
    cdef const int64_t[::1] part
    cdef const int64_t[::1] begin
    cdef const int64_t[::1] end
    cdef const uint8_t[::1] outside

@cython.final
cdef class Rows:
    cdef const int64_t[::1] starts
    cdef const int32_t[::1] labels
    cdef const int32_t[::1] ranks
    cdef const int64_t[::1] counts

@cython.locals(i=int64_t, box=int64_t, row=int64_t, axis=int64_t)
cpdef void slot_boxes(
    const int64_t[::1] slots, const int64_t[::1] counts, const int32_t[::1] positions, int64_t axes,
    int64_t[::1] sizes, int32_t[::1] low, int32_t[::1] high,
) except *
@cython.locals(piece=int64_t, part=int64_t, slot=int64_t, label=int64_t, inside=bint, axis=int64_t)
cpdef void piece_boxes(
    Pieces pieces, const int64_t[::1] slots, const int64_t[::1] slot_sizes, const int32_t[::1] slot_low,
    const int32_t[::1] slot_high, int64_t axes, int64_t[::1] sizes, int32_t[::1] low, int32_t[::1] high,
) except *
@cython.locals(
    used=int64_t, part=int64_t, width=int64_t, values=int64_t, last=int64_t, i=int64_t, rank=int64_t, at=int64_t,
    value=int64_t, piece=int64_t, row=int64_t, number=int64_t,
)
cpdef int64_t piece_counts(
    Rows rows, const int64_t[::1] widths, const int64_t[::1] bounds, Pieces pieces, int64_t[::1] table,
    int64_t[::1] seen, int64_t[::1] offsets, int32_t[::1] held, int64_t[::1] sums,
) except? -1
@cython.locals(one=int64_t, begin=int64_t, end=int64_t, level=int64_t)
cpdef void add_losses(
    const int32_t[::1] low, const int32_t[::1] high, const int32_t[::1] nodes, const double[::1] costs,
    int64_t positions, int64_t places, const double[::1] first, const double[::1] last, double weight,
    double[::1] losses,
) except *
@cython.locals(i=int64_t, one=int64_t, other=int64_t)
cpdef void join(
    const int64_t[::1] order, const int64_t[::1] partner, const int64_t[::1] sizes, int64_t[::1] into,
    int64_t[::1] joining,
) except *
