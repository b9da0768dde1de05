"""The loops over the rows of parts that are to be cut: boxes and counts of every piece."""

from __future__ import annotations

from tclose.compiled import kernel


@kernel
def slot_boxes(slots, counts, positions, axes, sizes, low, high):  # type: ignore[no-untyped-def]
    """Write the size and the box of each slot of rows; ``low`` starts above and ``high`` below all positions."""
    for i in range(len(slots)):
        sizes[slots[i]] += counts[i]
        box = slots[i] * axes
        row = i * axes
        for axis in range(axes):
            low[box + axis] = min(low[box + axis], positions[row + axis])
            high[box + axis] = max(high[box + axis], positions[row + axis])


@kernel
def piece_boxes(part_of, begin, end, outside, slots, slot_sizes, slot_low, slot_high, axes, sizes, low, high):  # type: ignore[no-untyped-def]
    """Write the size and the box of each piece: the labels ``begin`` to ``end`` of its part, or all the others.

    ``slots[p]`` is where the labels of part p begin; ``low`` starts above and ``high`` below all positions.
    """
    for piece in range(len(begin)):
        part = part_of[piece]
        for slot in range(slots[part], slots[part + 1]):
            label = slot - slots[part]
            if (begin[piece] <= label < end[piece]) == outside[piece]:
                continue
            sizes[piece] += slot_sizes[slot]
            for axis in range(axes):
                low[piece * axes + axis] = min(low[piece * axes + axis], slot_low[slot * axes + axis])
                high[piece * axes + axis] = max(high[piece * axes + axis], slot_high[slot * axes + axis])


@kernel
def piece_counts(starts, labels, ranks, counts, widths, pieces, begin, end, outside, table, seen, offsets, held, sums):  # type: ignore[no-untyped-def]
    """Write the counts of each value in each piece, values ascending; rows are in the order of ranks in each part.

    Part p has ``widths[p]`` labels and the pieces ``pieces[p]:pieces[p + 1]``. ``table`` holds, for each value of
    a part, its rows with a label below 0, 1, …; ``seen`` its values. Returns how many counts were written.
    """
    used = 0
    for part in range(len(starts) - 1):
        width = widths[part] + 1
        values = 0
        last = -1
        for i in range(starts[part], starts[part + 1]):
            if ranks[i] < 0:
                continue
            if ranks[i] != last:
                last = ranks[i]
                seen[values] = last
                for at in range(values * width, (values + 1) * width):
                    table[at] = 0
                values += 1
            table[(values - 1) * width + labels[i] + 1] += counts[i]
        for value in range(values):
            for at in range(value * width, (value + 1) * width - 1):
                table[at + 1] += table[at]
        for piece in range(pieces[part], pieces[part + 1]):
            offsets[piece] = used
            for value in range(values):
                row = value * width
                number = table[row + end[piece]] - table[row + begin[piece]]
                if outside[piece]:
                    number = table[row + width - 1] - number
                if number > 0:
                    held[used] = seen[value]
                    sums[used] = number
                    used += 1
    offsets[pieces[len(starts) - 1]] = used
    return used
