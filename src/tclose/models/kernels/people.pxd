cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef uint64_t WORD, GOLDEN, ODD
cdef int64_t SEEN_LAST, PEOPLE, ROWS, FIELDS

ctypedef fused Key:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

ctypedef fused Value:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

ctypedef fused Counter:
    int32_t
    int64_t

ctypedef fused Bound:
    int32_t
    int64_t

cdef inline int64_t _share(uint64_t key, uint64_t factor, int shift) noexcept nogil
cdef inline int64_t _slot(uint64_t key, uint64_t factor) noexcept nogil

cpdef void tally_shares(const Key[::1] persons, uint64_t factor, int shift, int64_t[::1] counts) except *
@cython.locals(share=int64_t, at=int64_t)
cpdef void deal_by_share(
    const Key[::1] persons, uint64_t factor, int shift, int64_t[::1] place, const Value[::1] values, Value[::1] dealt,
) except *
@cython.locals(share=int64_t, at=int64_t)
cpdef void deal_looked_up(
    const Key[::1] persons, uint64_t factor, int shift, int64_t[::1] place, const int32_t[::1] numbers,
    const int32_t[::1] table, int32_t[::1] dealt,
) except *
@cython.locals(number=int64_t, at=int64_t)
cpdef void arrange(
    const int32_t[::1] numbers, int64_t[::1] place, const int32_t[::1] values, int32_t[::1] arranged,
) except *
@cython.locals(person=int64_t, i=int64_t, code=int64_t)
cpdef void tally_people(
    const int64_t[::1] starts, const int32_t[::1] codes, int64_t stamp, Counter[::1] last, Counter[::1] counts,
) except *
@cython.locals(person=int64_t, i=int64_t, number=int64_t, at=int64_t)
cpdef void mark_people(const int64_t[::1] starts, int32_t[::1] numbers, int64_t stamp, Counter[::1] classes) except *
@cython.locals(person=int64_t, i=int64_t, mask=int64_t, known=int64_t, found=int64_t, key=int64_t, at=int64_t)
cpdef int64_t number_sets(
    const int64_t[::1] starts, const int32_t[::1] numbers, int64_t[::1] slot_keys, int32_t[::1] slot_sets,
    int32_t[::1] sets,
) except? -1
@cython.locals(number=int64_t, begins=int64_t, at=int64_t)
cpdef void scatter_people(
    const int32_t[::1] numbers, const int32_t[::1] codes, const int32_t[::1] rank_of_code, Counter[::1] place,
    int32_t[::1] marked,
) except *
@cython.locals(used=int64_t, begun=int64_t, c=int64_t, i=int64_t, mark=int64_t, rank=int64_t)
cpdef int64_t keep_once(
    const int32_t[::1] marked, const int64_t[::1] starts, Counter[::1] stamps, int32_t[::1] ranks, int64_t[::1] kept,
) except? -1

@cython.locals(word=uint64_t, byte=uint64_t, at=int)
cdef inline uint64_t _word(const uint8_t[::1] data, int64_t low, int64_t high) noexcept nogil
@cython.locals(i=int64_t, bit=int64_t, low=int64_t, high=int64_t, found=uint64_t, key=uint64_t)
cpdef void hash_texts(
    const Bound[::1] bounds, const uint8_t[::1] data, const uint8_t[::1] valid, int64_t first, uint64_t seed,
    uint32_t[::1] keys, int32_t[::1] lengths,
) except *
cpdef void tally_words(
    const uint32_t[::1] keys, uint64_t factor, int shift, const int32_t[::1] lengths, int64_t[::1] counts,
) except *
@cython.locals(share=int64_t, to=int64_t, low=int64_t, high=int64_t)
cpdef void deal_texts(
    const uint32_t[::1] keys, uint64_t factor, int shift, int64_t[::1] row, int64_t[::1] word,
    const Bound[::1] begins, const uint8_t[::1] data, const int32_t[::1] lengths, int32_t[::1] dealt_lengths,
    uint64_t[::1] dealt,
) except *
@cython.locals(
    mask=int64_t, people=int64_t, begin=int64_t, i=int64_t, at=int64_t, taken=int64_t, person=int64_t, other=int64_t,
    same=int64_t, theirs=int64_t,
)
cpdef int64_t number_texts(
    const uint32_t[::1] keys, const int32_t[::1] lengths, const uint64_t[::1] words, int32_t[::1] slots,
    int64_t[::1] first_rows, int64_t[::1] first_words, int32_t[::1] numbers,
) except? -1
