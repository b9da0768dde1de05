cimport cython
from libc.stdint cimport int64_t

@cython.final
cdef class Points:
    cdef const double[::1] points
    cdef const int64_t[::1] nodes
    cdef const double[::1] edges
    cdef const double[::1] off_centre
    cdef int64_t lines
    cdef int64_t levels

@cython.final
cdef class Left:
    cdef int64_t[::1] members
    cdef const int64_t[::1] starts
    cdef int64_t[::1] ends
    cdef double[::1] gaps

@cython.locals(number=int64_t, j=int64_t, b=int64_t, at=int64_t)
cpdef void centre(Points space, Left left, double[::1] found) except *
@cython.locals(
    lines=int64_t, levels=int64_t, b=int64_t, at=int64_t, i=int64_t, j=int64_t, gap=double, step=double,
)
cpdef void measure(Points space, Left left, const double[::1] centre, int64_t seed) except *
@cython.locals(found=int64_t, b=int64_t, at=int64_t, i=int64_t)
cpdef int64_t farthest(Left left) except? -1
@cython.locals(wanted=int64_t, best=int64_t, nearest=int64_t, b=int64_t, at=int64_t, i=int64_t)
cpdef void take(
    Left left, const int64_t[::1] plan, const int64_t[::1] sizes, int64_t label, int64_t[::1] labels,
) except *
@cython.locals(
    total=double, e=int64_t, y=int64_t, into=int64_t, least=double, out=int64_t, slot=int64_t, away=int64_t,
    found=double,
)
cpdef void exchange(
    const int64_t[::1] bins, int64_t k, const double[::1] beyond, int64_t edges, const double[::1] weights,
    double[::1] flow, double limit, int64_t[::1] chosen,
) except *
