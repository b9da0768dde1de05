# What the compiled kernels use in place of the functions of the same names in native.py.
from libc.stdint cimport int64_t, uint64_t

cdef extern from *:
    """
    #include <math.h>
    #if defined(_MSC_VER) && !defined(__clang__)
    #include <intrin.h>
    static __inline int64_t tclose_lowest_bit(uint64_t word) {
        unsigned long at;
        _BitScanForward64(&at, word);
        return at;
    }
    #else
    #define tclose_lowest_bit(word) __builtin_ctzll(word)
    #endif
    static double tclose_mantissa(double x) { int power; return frexp(x, &power); }
    static float tclose_single(double x) { return (float) x; }
    static int64_t tclose_exponent(double x) { int power; (void) frexp(x, &power); return power; }
    """
    int64_t lowest_bit "tclose_lowest_bit" (uint64_t word) noexcept nogil
    double mantissa "tclose_mantissa" (double x) noexcept nogil
    int64_t exponent "tclose_exponent" (double x) noexcept nogil
    float single "tclose_single" (double x) noexcept nogil
