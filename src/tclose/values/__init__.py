"""What a cell means: the text it goes by, the number it stands for, and the names that people give it.

Text is read one column at a time: a comma is a decimal mark in the whole column or in none of it. What no rule
decides is not guessed.
"""

from __future__ import annotations

from tclose.values.alphabets import another_order
from tclose.values.bands import band_of, bands_in_order
from tclose.values.moments import FineMoment
from tclose.values.names import castable, named_texts, respelled
from tclose.values.numerals import UnclearNumbersError, reads_as_numbers
from tclose.values.sizes import exact_number, exact_text, has_zone, line_of, sizes_of, whole_positions, written_sizes
from tclose.values.texts import as_text, as_texts, same_text, texts_or_none

__all__ = [
    "FineMoment",
    "UnclearNumbersError",
    "another_order",
    "as_text",
    "as_texts",
    "band_of",
    "bands_in_order",
    "castable",
    "exact_number",
    "exact_text",
    "has_zone",
    "line_of",
    "named_texts",
    "reads_as_numbers",
    "respelled",
    "same_text",
    "sizes_of",
    "texts_or_none",
    "whole_positions",
    "written_sizes",
]
