cimport cython
from libc.stdint cimport int32_t, int64_t

cdef int64_t LOGS

@cython.locals(
    c=int64_t, low=int64_t, high=int64_t, n=int64_t, here=int64_t, gap_here=int64_t, mass_here=int64_t, x=int64_t,
    y=int64_t, running=int64_t, i=int64_t, scaled=int64_t, following=int64_t, gap_next=int64_t, mass_next=int64_t,
    first=int64_t, last=int64_t, middle=int64_t,
)
cpdef void line(
    const int64_t[::1] offsets, const int32_t[::1] ranks, const int64_t[::1] counts, const int64_t[::1] sizes,
    const int64_t[::1] prefix, int64_t total, int64_t m, int64_t[::1] kept, int64_t[::1] spread,
) except *
@cython.locals(c=int64_t, n=int64_t, x=int64_t, y=int64_t, i=int64_t, count=int64_t, expected=int64_t)
cpdef void surplus(
    const int64_t[::1] offsets, const int32_t[::1] ranks, const int64_t[::1] counts, const int64_t[::1] sizes,
    const int64_t[::1] reference, int64_t total, int64_t[::1] kept, int64_t[::1] spread,
) except *
@cython.locals(c=int64_t, i=int64_t, count=int64_t, most=int64_t)
cpdef void commonest(const int64_t[::1] offsets, const int64_t[::1] counts, int64_t[::1] found) except *
@cython.locals(
    c=int64_t, i=int64_t, count=int64_t, share=int64_t, high_count=int64_t, high_share=int64_t, low_count=int64_t,
    low_share=int64_t,
)
cpdef void gains(
    const int64_t[::1] offsets, const int32_t[::1] ranks, const int64_t[::1] counts, const int64_t[::1] reference,
    int64_t[::1] most_count, int64_t[::1] most_share, int64_t[::1] least_count, int64_t[::1] least_share,
) except *
@cython.locals(c=int64_t, i=int64_t, n=double, count=int64_t, share=int64_t, most=double, excess=double)
cpdef void over_cap(
    const int64_t[::1] offsets, const int32_t[::1] ranks, const int64_t[::1] counts, const int64_t[::1] sizes,
    const int64_t[::1] reference, const double[::1] caps, double total, int64_t[::1] worst_count,
    int64_t[::1] worst_share, int64_t[::1] number,
) except *
@cython.locals(
    c=int64_t, held=int64_t, total=int64_t, most=int64_t, i=int64_t, count=int64_t, at=int64_t, kept=int64_t, j=int64_t,
)
cpdef void tails(
    const int64_t[::1] offsets, const int64_t[::1] counts, int64_t level, int64_t[::1] top, int64_t[::1] first,
    int64_t[::1] tail,
) except *
@cython.locals(c=int64_t, n=int64_t, i=int64_t, count=int64_t, total=double, entropy=double)
cpdef void entropies(
    const int64_t[::1] offsets, const int64_t[::1] counts, const int64_t[::1] sizes, const double[::1] logs,
    double[::1] found,
) except *
@cython.locals(c=int64_t, n=int64_t, i=int64_t, count=int64_t, total=double, divergence=double)
cpdef void kullback_leibler(
    const int64_t[::1] offsets, const int32_t[::1] ranks, const int64_t[::1] counts, const int64_t[::1] sizes,
    const double[::1] logs, const double[::1] share_logs, double log_total, double[::1] found,
) except *
@cython.locals(
    c=int64_t, n=int64_t, i=int64_t, count=int64_t, log_n=double, inside=double, p=double, q=double, both=double,
    divergence=double,
)
cpdef void jensen_shannon(
    const int64_t[::1] offsets, const int32_t[::1] ranks, const int64_t[::1] counts, const int64_t[::1] sizes,
    const double[::1] logs, const double[::1] shares, const double[::1] share_logs, double[::1] found,
) except *
