cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t


cdef int64_t TREE, LINE, KIND, SPAN, HEIGHT, BEGIN, ON_LINE, END, TOP, FIRST, STRETCHES, PAIRS, BITS, BLOCK, OWN, OTHER
cdef double FAR, SURELY, ROUNDING, LAST_BITS, MOST_PULLED, HALF_ROOT, LN2_HIGH, LN2_LOW, LEAST_LOG
cdef float NEVER
cdef uint32_t HIGH_BIT, LOW_BITS, TWIST, MASK_B, MASK_C

@cython.final
cdef class Twister:
    cdef uint32_t[::1] state
    cdef int at
    @cython.locals(y=uint32_t, i=int)
    cdef uint32_t word(self) noexcept nogil
    @cython.locals(a=uint32_t, b=uint32_t)
    cdef double random(self) noexcept nogil

@cython.final
cdef class Costs:
    cdef const int64_t[:, ::1] columns
    cdef const int32_t[::1] nodes
    cdef const double[::1] costs
    cdef const double[:, ::1] line
    cdef const double[::1] scales
    cdef const int64_t[::1] stretch_of
    cdef const int32_t[:, ::1] stretches
    cdef double[::1] pairs

@cython.final
cdef class Limits:
    cdef const int64_t[:, ::1] attributes
    cdef const double[:, ::1] cells
    cdef const double[::1] bounds
    cdef int64_t least

@cython.final
cdef class Units:
    cdef const int32_t[:, ::1] positions
    cdef const int64_t[::1] weights
    cdef double[:, ::1] mass
    cdef double[:, ::1] alone

@cython.final
cdef class Entries:
    cdef int64_t[::1] begins
    cdef int32_t[::1] cells
    cdef float[::1] counts

@cython.final
cdef class Scan:
    cdef float[::1] growth
    cdef float[::1] foreseen
    cdef float[::1] here
    cdef float[::1] lowest

@cython.final
cdef class Classes:
    cdef int64_t[::1] of_unit
    cdef int64_t[::1] sizes
    cdef int32_t[:, ::1] low
    cdef int32_t[:, ::1] high
    cdef int32_t[:, ::1] at_low
    cdef int32_t[:, ::1] at_high
    cdef double[:, ::1] parts
    cdef double[::1] losses
    cdef double[::1] excess
    cdef double[:, ::1] mass
    cdef int64_t[:, ::1] links
    cdef int64_t[::1] heads
    cdef float[:, ::1] joins
    cdef float[::1] rows
    cdef float[::1] worth
    cdef int64_t[::1] free
    cdef int64_t[::1] tally
    cdef uint8_t[::1] touched
    cdef int32_t[:, ::1] box
    cdef float[:, ::1] pulls
    cdef float[:, ::1] beyond

@cython.locals(s=double, z=double, rest=double, half=double, k=int)
cdef inline double _log_near_one(double f) noexcept nogil
@cython.locals(m=double, power=int64_t)
cdef double _log(double x) noexcept nogil
@cython.locals(m=double, power=int64_t)
cdef double _log2(double x) noexcept nogil
@cython.locals(at=int64_t, span=int64_t, top=int64_t, end=int64_t, wide=double, _=int64_t)
cdef inline double _cell_cost(Costs costs, int64_t q, int64_t low, int64_t high) noexcept nogil
@cython.locals(q=int64_t, first=int64_t, span=int64_t, low=int64_t, high=int64_t, cost=double)
cdef void _fill_pairs(Costs costs) noexcept nogil
cdef inline double _known_cost(Costs costs, int64_t q, int64_t low, int64_t high) noexcept nogil
@cython.locals(begin=int64_t, span=int64_t, known=int64_t, at=int64_t)
cdef inline void _set_joins(Costs costs, Classes classes, int64_t c, int64_t q, int64_t first, int64_t last, double cost) noexcept nogil
@cython.locals(loss=double, cost=double, q=int64_t, first=int64_t, last=int64_t)
cdef inline double _set_cells(Costs costs, Classes classes, int64_t c, int64_t side) noexcept nogil
@cython.locals(loss=double, q=int64_t, position=int32_t, least=int32_t, most=int32_t, lowest=int32_t, highest=int32_t, other=int64_t)
cdef inline double _loss_without(Costs costs, Units units, Classes classes, int64_t own, int64_t u) noexcept nogil
@cython.locals(loss=double, q=int64_t, position=int32_t, low=int32_t, high=int32_t)
cdef inline double _loss_with(Costs costs, Units units, Classes classes, int64_t c, int64_t u, double enough) noexcept nogil
@cython.locals(beyond=double, every=int64_t, a=int64_t, bound=double, rows=double, total=double, cell=int64_t)
cdef inline double _excess(Limits limits, int64_t size, double[:, ::1] mass, int64_t c, double[:, ::1] unit, int64_t u, double sign) noexcept nogil
@cython.locals(every=int64_t, a=int64_t, line=int64_t, rows=double, total=double, expected=double, sides=double, cell=int64_t, off=double, side=double)
cdef inline void _set_pulls(Limits limits, Classes classes, int64_t c) noexcept nogil
@cython.locals(number=int64_t, attributes=int64_t, every=int64_t, u=int64_t, a=int64_t, before=double, at=int64_t, in_cells=bint, cell=int64_t, added=double)
cdef int64_t _write_entries(Limits limits, Units units, Entries entries) noexcept nogil
@cython.locals(least=float, c=int64_t, a=int64_t, begin=int64_t, end=int64_t, unsure=float, at=int64_t, cell=int64_t, count=float)
cdef inline void _add_foreseen_excess(Limits limits, Entries entries, Classes classes, Scan scan, int64_t u, float weight, float strictness) noexcept nogil
@cython.locals(head=int64_t)
cdef inline void _link(Classes classes, int64_t u, int64_t c) noexcept nogil
@cython.locals(after=int64_t, before=int64_t)
cdef inline void _unlink(Classes classes, int64_t u, int64_t c) noexcept nogil
@cython.locals(empty=bint, q=int64_t, position=int32_t, low=int32_t, high=int32_t, lower=bint, higher=bint)
cdef inline void _widen(Units units, int64_t u, Classes classes, int64_t c) noexcept nogil
@cython.locals(u=int64_t, c=int64_t, q=int64_t, cell=int64_t)
cdef void _fill(Units units, Classes classes) noexcept nogil
@cython.locals(u=int64_t, c=int64_t, q=int64_t)
cdef void _weigh(Costs costs, Limits limits, Units units, Classes classes) noexcept nogil
@cython.locals(q=int64_t, at=int64_t)
cdef inline void _clear(Classes classes, int64_t c) noexcept nogil
@cython.locals(q=int64_t, cell=int64_t)
cdef inline void _change(Costs costs, Limits limits, Units units, Classes classes, int64_t c, int64_t u, int64_t side, int64_t sign, double beyond, double strictness) noexcept nogil
@cython.locals(at=int64_t, c=int64_t, q=int64_t)
cdef inline void _foresee(Costs costs, Units units, Classes classes, Scan scan, int64_t u, float weight) noexcept nogil
@cython.locals(one=float, two=float, three=float, four=float, at=int64_t)
cdef inline float _least_of(Scan scan, int64_t begin, int64_t end) noexcept nogil
@cython.locals(block=int64_t, at=int64_t, c=int64_t)
cdef inline int64_t _following(Scan scan, double most) noexcept nogil
cdef inline void _move(Costs costs, Limits limits, Units units, Classes classes, int64_t u, int64_t own, double after, int64_t target, double excess_there, bint once, double strictness) noexcept nogil
@cython.locals(c=int64_t)
cdef inline void _bar(Classes classes, int64_t own, bint once, Scan scan) noexcept nogil
@cython.locals(moved=int64_t, rough=bint, i=int64_t, u=int64_t, own=int64_t, weight=int64_t, saved=double, after=double, rest=int64_t, without=double, most=double, c=int64_t, target=int64_t, excess_there=double, least_more=double, block=int64_t, more=double, size=int64_t, worth=double, beyond=double, new=bint)
cdef int64_t _round(Costs costs, Limits limits, Units units, Entries entries, Classes classes, Scan scan, Twister draw, bint once, double full, int64_t[::1] order, double heat, double strictness) noexcept nogil
@cython.locals(c=int64_t, i=int64_t, j=int64_t, kept=int64_t)
cdef void _begin_round(Classes classes, Twister draw, int64_t[::1] order, double strictness) noexcept nogil
@cython.locals(moved=int64_t, cold=double, at=int64_t, heat=double, strictness=double)
cdef int _rounds(Costs costs, Limits limits, Units units, Entries entries, Classes classes, Scan scan, Twister draw, bint once, double full, int64_t[::1] order, const double[::1] heats, const double[::1] strictnesses) except -1
@cython.locals(
    attributes=int64_t, classes=Classes, counted=Entries, entries=Entries, some=int64_t, draw=Twister,
)
cpdef anneal(Costs costs, Limits limits, Units units, plan, of_unit, int64_t number, int64_t room)
