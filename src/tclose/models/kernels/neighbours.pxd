cimport cython
from libc.stdint cimport int32_t, int64_t

@cython.locals(
    c=int64_t, high=int64_t, needed=int64_t, inside=int64_t, after=int64_t, least=int64_t, fewest=int64_t, i=int64_t,
    width=int64_t, held=int64_t,
)
cpdef void narrowest(
    const int64_t[::1] offsets, const int32_t[::1] places, const int64_t[::1] counts, const int64_t[::1] sizes,
    int64_t numerator, int64_t denominator, const int64_t[::1] positions, const int64_t[::1] before,
    int64_t[::1] widths, int64_t[::1] holds,
) except *
