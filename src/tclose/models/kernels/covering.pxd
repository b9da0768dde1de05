cimport cython
from libc.stdint cimport int64_t

cdef int64_t BITS

@cython.locals(x=int64_t, at=int64_t, room=int64_t, w=int64_t, word=int64_t, j=int64_t, bit=int64_t)
cpdef void cover(
    const int64_t[::1] atoms, const int64_t[::1] begins, const int64_t[::1] words, int64_t width, int64_t words_in,
    int64_t most, const int64_t[::1] starts, int64_t[::1] found, bint fill,
) except *

@cython.final
cdef class Covers:
    cdef const int64_t[::1] starts
    cdef const int64_t[::1] classes
    cdef const int64_t[::1] barred
    cdef double bar

@cython.locals(masks=bint, x=int64_t, to=int64_t, p=int64_t, of=int64_t, mask=int64_t, v=int64_t)
cpdef void mix(int64_t begin, int64_t end, Covers covers, const double[::1] weights, int64_t m, double[::1] mixed) except *
@cython.locals(masks=bint, x=int64_t, to=int64_t, p=int64_t, of=int64_t, mask=int64_t, v=int64_t)
cpdef void deal(int64_t begin, int64_t end, Covers covers, const double[::1] given, int64_t m, double[::1] got) except *
@cython.locals(x=int64_t, p=int64_t, mask=int64_t, earlier=int64_t)
cpdef void bar(
    const int64_t[::1] starts, const int64_t[::1] classes, const int64_t[::1] rank, const int64_t[::1] rooms,
    int64_t[::1] barred,
) except *
