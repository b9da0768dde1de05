"""Kernels over the numbers that classes hold: how near they lie to each other.

Class ``c`` holds the positions ``offsets[c]:offsets[c + 1]`` of ``places`` (which numbers, ascending) and ``counts``
(how many rows of each); ``sizes[c]`` is their sum. Numbers beyond 63 bits wrap silently when compiled: callers run the
same source as plain Python where numbers may become that large.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tclose.models.kernels import python as cython


def narrowest(offsets, places, counts, sizes, numerator, denominator, positions, before, widths, holds):
    """Write the width of the narrowest band that holds a share of each class, and how many of the reference it holds.

    ``before`` has how many of the reference lie below each position. Of equally narrow bands the one counts that holds
    the fewest of the reference. The low end of the band goes from number to number, and the high end follows it.
    """
    with cython.nogil:
        for c in range(len(offsets) - 1):
            high = offsets[c + 1]
            needed = (sizes[c] * numerator + denominator - 1) // denominator
            inside = 0
            after = offsets[c]
            least = -1
            fewest = -1
            for i in range(offsets[c], high):
                while inside < needed and after < high:
                    inside += counts[after]
                    after += 1
                if inside < needed:
                    break
                width = positions[places[after - 1]] - positions[places[i]]
                if least < 0 or width <= least:
                    held = before[places[after - 1] + 1] - before[places[i]]
                    if least < 0 or width < least or held < fewest:
                        fewest = held
                    least = width
                inside -= counts[i]
            widths[c] = least
            holds[c] = fewest
