"""Kernels over the counts of classes: distances in whole numbers, divergences in floats, extremes.

Class ``c`` holds the positions ``offsets[c]:offsets[c + 1]`` of ``ranks`` (which values, ascending) and ``counts``
(how many rows of each); ``sizes[c]`` is their sum. Numbers beyond 63 bits wrap silently when compiled: callers run
the same source as plain Python where numbers may become that large.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tclose.models.kernels import python as cython

if cython.compiled:
    from cython.cimports.libc.math import log
else:
    from math import log

LOGS = 1024
"""For so many small counts, callers bring the logarithms."""


def line(offsets, ranks, counts, sizes, prefix, total, m, kept, spread):
    """Write X and Y of each class, with ``EMD·Σw = X/n − Y/N``.

    ``prefix`` holds, for each position j = 0 … m, the four numbers G_{j−1}, Σ_{i<j} w_i, Σ_{i<j} w_i·G_i, G_j:
    all that a step needs of a position lies together. Between two values that the class holds its running count C is
    constant, so ``|C·N − G_j·n|`` changes its sign there at most once; where it does, that place is found by bisection.
    """
    with cython.nogil:
        for c in range(len(offsets) - 1):
            low = offsets[c]
            high = offsets[c + 1]
            if low == high:
                continue
            n = sizes[c]
            here = ranks[low] * 4
            gap_here = prefix[here + 1]
            mass_here = prefix[here + 2]
            x = 0
            y = -mass_here
            running = 0
            for i in range(low, high):
                running += counts[i]
                scaled = running * total
                following = ranks[i + 1] * 4 if i + 1 < high else m * 4
                gap_next = prefix[following + 1]
                mass_next = prefix[following + 2]
                if prefix[here + 3] * n >= scaled:
                    x -= running * (gap_next - gap_here)
                    y -= mass_next - mass_here
                elif prefix[following] * n < scaled:
                    x += running * (gap_next - gap_here)
                    y += mass_next - mass_here
                else:
                    first = here
                    last = following - 4
                    while first < last:
                        middle = (first + last) // 8 * 4
                        if prefix[middle + 3] * n >= scaled:
                            last = middle
                        else:
                            first = middle + 4
                    x += running * (2 * prefix[first + 1] - gap_here - gap_next)
                    y += 2 * prefix[first + 2] - mass_here - mass_next
                here = following
                gap_here = gap_next
                mass_here = mass_next
            kept[c] = x
            spread[c] = y


def surplus(offsets, ranks, counts, sizes, reference, total, kept, spread):
    """Add to X the rows, and to Y the reference's rows, of the values over-represented in each class."""
    with cython.nogil:
        for c in range(len(offsets) - 1):
            n = sizes[c]
            x = 0
            y = 0
            for i in range(offsets[c], offsets[c + 1]):
                count = counts[i]
                expected = reference[ranks[i]]
                if count * total > expected * n:
                    x += count
                    y += expected
            kept[c] += x
            spread[c] += y


def commonest(offsets, counts, found):
    """Write the largest count of each class."""
    with cython.nogil:
        for c in range(len(offsets) - 1):
            most = 0
            for i in range(offsets[c], offsets[c + 1]):
                count = counts[i]
                if count > most:
                    most = count
            found[c] = most


def gains(offsets, ranks, counts, reference, most_count, most_share, least_count, least_share):
    """Write, for each class, the counts c and g with the largest and the smallest c/g."""
    with cython.nogil:
        for c in range(len(offsets) - 1):
            high_count = 0
            high_share = 1
            low_count = 1
            low_share = 0
            for i in range(offsets[c], offsets[c + 1]):
                count = counts[i]
                share = reference[ranks[i]]
                if count * high_share > high_count * share:
                    high_count = count
                    high_share = share
                if count * low_share < low_count * share:
                    low_count = count
                    low_share = share
            most_count[c] = high_count
            most_share[c] = high_share
            least_count[c] = low_count
            least_share[c] = low_share


def over_cap(offsets, ranks, counts, sizes, reference, caps, total, worst_count, worst_share, number):
    """Write, for each class, the counts c and g whose gain exceeds its cap most, and how many exceed it."""
    with cython.nogil:
        for c in range(len(offsets) - 1):
            n = sizes[c]
            most = -1e300
            for i in range(offsets[c], offsets[c + 1]):
                count = counts[i]
                share = reference[ranks[i]]
                excess = 1e300
                if share > 0:
                    excess = count / n * (total / share) - 1.0 - caps[ranks[i]]
                if excess > 1e-12:
                    number[c] += 1
                if excess > most:
                    most = excess
                    worst_count[c] = count
                    worst_share[c] = share


def tails(offsets, counts, level, top, first, tail):
    """Write, for each class, its largest count and the sum of all counts but the ``level − 1`` largest.

    ``top`` has room for the largest counts, kept in descending order by insertion.
    """
    with cython.nogil:
        for c in range(len(offsets) - 1):
            held = 0
            total = 0
            most = 0
            for i in range(offsets[c], offsets[c + 1]):
                count = counts[i]
                total += count
                if count > most:
                    most = count
                at = held
                if held < level - 1:
                    held += 1
                elif level > 1 and top[held - 1] < count:
                    at = held - 1
                else:
                    continue
                while at > 0 and top[at - 1] < count:
                    top[at] = top[at - 1]
                    at -= 1
                top[at] = count
            kept = 0
            for j in range(held):
                kept += top[j]
            first[c] = most
            tail[c] = total - kept


def entropies(offsets, counts, sizes, logs, found):
    """Write the entropy of each class in nats."""
    with cython.nogil:
        for c in range(len(offsets) - 1):
            n = sizes[c]
            if n == 0:
                continue
            total = 0.0
            for i in range(offsets[c], offsets[c + 1]):
                count = counts[i]
                total += count * (logs[count] if count < LOGS else log(count))
            entropy = log(n) - total / n
            found[c] = entropy if entropy > 0.0 else 0.0


def kullback_leibler(offsets, ranks, counts, sizes, logs, share_logs, log_total, found):
    """Write KL(class ‖ reference) of each class in nats."""
    with cython.nogil:
        for c in range(len(offsets) - 1):
            n = sizes[c]
            if n == 0:
                continue
            total = 0.0
            for i in range(offsets[c], offsets[c + 1]):
                count = counts[i]
                total += count * ((logs[count] if count < LOGS else log(count)) - share_logs[ranks[i]])
            divergence = total / n + log_total - log(n)
            found[c] = divergence if divergence > 0.0 else 0.0


def jensen_shannon(offsets, ranks, counts, sizes, logs, shares, share_logs, found):
    """Write the Jensen–Shannon divergence of each class in bits.

    Values that the class lacks give ``q · log 2`` each, so that the sum needs those that it holds alone: the halving
    of p + q adds ½ for all of p and ½ for all of q.
    """
    with cython.nogil:
        for c in range(len(offsets) - 1):
            n = sizes[c]
            if n == 0:
                continue
            log_n = log(n)
            inside = 0.0
            for i in range(offsets[c], offsets[c + 1]):
                count = counts[i]
                p = count / n
                q = shares[ranks[i]]
                both = log(p + q)
                inside += p * ((logs[count] if count < LOGS else log(count)) - log_n - both)
                if q > 0.0:
                    inside += q * (share_logs[ranks[i]] - both)
            divergence = inside / log(4.0) + 1.0
            found[c] = min(1.0, max(0.0, divergence))
