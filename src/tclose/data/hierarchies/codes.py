"""Codes by what they begin with: prefixes of any code, and the categories, blocks and chapters of ICD-10."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from tclose.data.hierarchies.files import MOST_LEVELS, ROOT
from tclose.data.hierarchies.leaves import grown, sorted_leaves
from tclose.data.hierarchies.tree import Hierarchy
from tclose.errors import HierarchyError

# Codes masked character by character: ``47602``, ``4760*``, ``476**``, …, ``*****``.


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


_ICD10 = re.compile(r"([A-Z][0-9][0-9A-Z])(?:\.?[0-9A-Z]{1,4}|\.?-)?[+*!†]?", re.IGNORECASE)
_spans: Callable[[str], list[str]] = re.compile(r"\w+-\w+").findall
_CHAPTERS = _spans(
    "A00-B99 C00-D48 D50-D89 E00-E90 F00-F99 G00-G99 H00-H59 H60-H95 I00-I99 J00-J99 K00-K93 L00-L99 M00-M99 N00-N99 "
    "O00-O99 P00-P96 Q00-Q99 R00-R99 S00-T98 U00-U99 V01-Y98 Z00-Z99"
)
_BLOCKS = _spans(
    "A00-A09 A15-A19 A20-A28 A30-A49 A50-A64 A65-A69 A70-A74 A75-A79 A80-A89 A92-A99 B00-B09 B15-B19 B20-B24 B25-B34 "
    "B35-B49 B50-B64 B65-B83 B85-B89 B90-B94 B95-B98 B99-B99 C00-C14 C15-C26 C30-C39 C40-C41 C43-C44 C45-C49 C50-C50 "
    "C51-C58 C60-C63 C64-C68 C69-C72 C73-C75 C76-C80 C81-C96 C97-C97 D00-D09 D10-D36 D37-D48 D50-D53 D55-D59 D60-D64 "
    "D65-D69 D70-D77 D80-D89 E00-E07 E10-E14 E15-E16 E20-E35 E40-E46 E50-E64 E65-E68 E70-E90 F00-F09 F10-F19 F20-F29 "
    "F30-F39 F40-F48 F50-F59 F60-F69 F70-F79 F80-F89 F90-F98 F99-F99 G00-G09 G10-G14 G20-G26 G30-G32 G35-G37 G40-G47 "
    "G50-G59 G60-G64 G70-G73 G80-G83 G90-G99 H00-H06 H10-H13 H15-H22 H25-H28 H30-H36 H40-H42 H43-H45 H46-H48 H49-H52 "
    "H53-H54 H55-H59 H60-H62 H65-H75 H80-H83 H90-H95 I00-I02 I05-I09 I10-I15 I20-I25 I26-I28 I30-I52 I60-I69 I70-I79 "
    "I80-I89 I95-I99 J00-J06 J09-J18 J20-J22 J30-J39 J40-J47 J60-J70 J80-J84 J85-J86 J90-J94 J95-J99 K00-K14 K20-K31 "
    "K35-K38 K40-K46 K50-K52 K55-K64 K65-K67 K70-K77 K80-K87 K90-K93 L00-L08 L10-L14 L20-L30 L40-L45 L50-L54 L55-L59 "
    "L60-L75 L80-L99 M00-M25 M30-M36 M40-M54 M60-M79 M80-M94 M95-M99 N00-N08 N10-N16 N17-N19 N20-N23 N25-N29 N30-N39 "
    "N40-N51 N60-N64 N70-N77 N80-N98 N99-N99 O00-O08 O10-O16 O20-O29 O30-O48 O60-O75 O80-O84 O85-O92 O94-O99 P00-P04 "
    "P05-P08 P10-P15 P20-P29 P35-P39 P50-P61 P70-P74 P75-P78 P80-P83 P90-P96 Q00-Q07 Q10-Q18 Q20-Q28 Q30-Q34 Q35-Q37 "
    "Q38-Q45 Q50-Q56 Q60-Q64 Q65-Q79 Q80-Q89 Q90-Q99 R00-R09 R10-R19 R20-R23 R25-R29 R30-R39 R40-R46 R47-R49 R50-R69 "
    "R70-R79 R80-R82 R83-R89 R90-R94 R95-R99 S00-S09 S10-S19 S20-S29 S30-S39 S40-S49 S50-S59 S60-S69 S70-S79 S80-S89 "
    "S90-S99 T00-T07 T08-T14 T15-T19 T20-T32 T33-T35 T36-T50 T51-T65 T66-T78 T79-T79 T80-T88 T90-T98 U00-U49 U82-U85 "
    "V01-V99 W00-X59 X60-X84 X85-Y09 Y10-Y34 Y35-Y36 Y40-Y84 Y85-Y89 Y90-Y98 Z00-Z13 Z20-Z29 Z30-Z39 Z40-Z54 Z55-Z65 "
    "Z70-Z76 Z80-Z99"
)
"""The blocks of the version of the World Health Organization; parts of V01-Y98 and of T20-T32 are one."""


def prefix_hierarchy(values: Iterable[object], lengths: Sequence[int] = (3, 1)) -> Hierarchy:
    """Return codes of any length under what they begin with: ``J45.1``, ``J45*``, ``J*``, then ``*``.

    A code that is shorter than a prefix stands for itself on that level.

    Parameters
    ----------
    values
        The codes; missing ones are left out.
    lengths
        How many characters are kept on each level, each fewer than before.

    Raises
    ------
    HierarchyError
        When the lengths do not descend.

    Examples
    --------
    >>> for row in prefix_hierarchy(["J45.1", "J4", "DE212"], [3, 1]).rows:
    ...     print(" < ".join(row))
    DE212 < DE2* < D* < *
    J4 < J4 < J* < *
    J45.1 < J45* < J* < *
    """
    check_lengths(lengths)
    leaves = sorted_leaves(values)
    return grown(leaves, prefix_levels(list(leaves), lengths), rule=f"prefix:{','.join(map(str, lengths))}")


def check_lengths(lengths: Sequence[int]) -> None:
    """Refuse lengths of prefixes that do not descend."""
    falling = all(after < before for before, after in itertools.pairwise(lengths))
    if not lengths or not falling or min(lengths) < 1 or len(lengths) > MOST_LEVELS:
        raise HierarchyError(
            "Prefixes get shorter level by level; write how many characters to keep, as in prefix:3,1."
        )


def prefix_levels(codes: Sequence[str], lengths: Sequence[int]) -> list[list[str]]:
    """Return the labels of codes on each level below the root."""
    return [[f"{code[:kept]}{ROOT}" if len(code) >= kept else code for code in codes] for kept in lengths]


def icd10_hierarchy(values: Iterable[object]) -> Hierarchy:
    """Return diagnoses of ICD-10 under their categories, blocks and chapters.

    A category that lies in no block of the World Health Organization's version, as some of national ones do, stands
    for itself on that level.

    Parameters
    ----------
    values
        The codes, with or without a point, such as ``J45.1`` and ``J451``; missing ones are left out.

    Raises
    ------
    HierarchyError
        When a value is no code of ICD-10.

    Examples
    --------
    >>> for row in icd10_hierarchy(["J45.1", "C50", "d50.0"]).rows:
    ...     print(" < ".join(row))
    C50 < C50 < C50-C50 < C00-D48 < *
    J45.1 < J45 < J40-J47 < J00-J99 < *
    d50.0 < D50 < D50-D53 < D50-D89 < *
    """
    leaves = sorted_leaves(values)
    strange = [at for at, code in enumerate(leaves, start=1) if _ICD10.fullmatch(code) is None]
    if strange:
        first = f"{', '.join(map(str, strange[:5]))}{', …' * (len(strange) > 5)}"
        raise HierarchyError(
            f"{len(strange):,} of {len(leaves):,} distinct values are no codes of ICD-10, as J45.1 is (in their order, "
            f"number {first}). Make them missing, correct them, or use prefix:3,1."
        )
    return grown(leaves, icd10_levels(list(leaves)), rule="icd10")


def icd10_levels(codes: Sequence[str]) -> list[list[str]]:
    """Return the category, the block and the chapter of codes."""
    categories = [match[1].upper() for code in codes if (match := _ICD10.fullmatch(code))]
    return [categories, [_block(each) for each in categories], [_chapter(each) for each in categories]]


def is_icd10(code: str) -> bool:
    """Say whether a text is a code of ICD-10."""
    return _ICD10.fullmatch(code) is not None


def _chapter(category: str) -> str:
    return _CHAPTERS[max(bisect_right(_CHAPTERS, category, key=lambda span: span[:3]) - 1, 0)]


def _block(category: str) -> str:
    span = _BLOCKS[max(bisect_right(_BLOCKS, category, key=lambda span: span[:3]) - 1, 0)]
    return span if span[:3] <= category <= span[4:] else category
