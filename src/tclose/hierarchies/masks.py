"""Codes masked character by character: ``47602``, ``4760*``, ``476**``, …, ``*****``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from tclose.errors import HierarchyError
from tclose.hierarchies.files import ROOT
from tclose.hierarchies.leaves import grown, sorted_leaves
from tclose.hierarchies.nested import MOST_LEVELS
from tclose.hierarchies.tree import Hierarchy


def mask_hierarchy(
    values: Iterable[object], *, from_the: Literal["right", "left"] = "right", character: str = ROOT
) -> Hierarchy:
    """Return codes with one more character masked on each level, up to the root, where all are.

    A code shorter than the longest is thought filled up with blanks on the side that is masked first, as
    in ARX. So it stands for itself until the mask reaches its last character, and from then on together
    with the longer codes that agree with it: ``476**`` means that a code starts with 476.

    Parameters
    ----------
    values
        The codes; missing ones are left out.
    from_the
        The side from which characters are masked.
    character
        What is put in the place of a masked character; no letter, digit or blank.

    Raises
    ------
    HierarchyError
        When a code is longer than 64 characters, or the mask is not one character that codes lack.

    Examples
    --------
    >>> for row in mask_hierarchy(["476", "47602", "4790"]).rows:
    ...     print(" < ".join(row))
    476 < 476 < 476** < 47*** < 4**** < *****
    47602 < 4760* < 476** < 47*** < 4**** < *****
    4790 < 4790* < 479** < 47*** < 4**** < *****
    """
    if from_the not in ("right", "left"):
        raise HierarchyError(f"Codes are masked from the right or from the left, not from the {from_the!r}.")
    if len(character) != 1 or character.isalnum() or character.isspace():
        raise HierarchyError("The mask must be one character that is no letter, digit or blank, such as *.")
    leaves = sorted_leaves(values)
    longest = max(map(len, leaves), default=1)
    if longest > MOST_LEVELS:
        raise HierarchyError(
            f"The longest value has {longest} characters, and codes have up to {MOST_LEVELS}; "
            "mask codes only, and give other texts a hierarchy file."
        )
    levels = masked_levels(leaves, longest, from_the=from_the, character=character)
    return grown(leaves, levels, character * longest, rule=f"mask:{from_the}" if character == ROOT else None)


def masked_levels(
    codes: Iterable[str], longest: int, *, from_the: Literal["right", "left"], character: str = ROOT
) -> list[list[str]]:
    """Return codes of up to ``longest`` characters with one more of them masked on each level below the root."""
    codes = list(codes)
    label = _masked_right if from_the == "right" else _masked_left
    return [[label(code, longest - hidden, character * hidden) for code in codes] for hidden in range(1, longest)]


def _masked_right(code: str, kept: int, mask: str) -> str:
    return code[:kept] + mask if len(code) >= kept else code


def _masked_left(code: str, kept: int, mask: str) -> str:
    return mask + code[len(code) - kept :] if len(code) >= kept else code
