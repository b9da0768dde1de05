"""What a cell means: the text it goes by, the number it stands for, and the names that people give it.

Text is read one column at a time: a comma is a decimal mark in the whole column or in none of it. What no rule
decides is not guessed.
"""

from __future__ import annotations

from tclose.data.values.names import castable, named_texts, respelled
from tclose.data.values.numbers import (
    UnclearNumbersError,
    band_of,
    bands_in_order,
    exact_number,
    exact_text,
    has_zone,
    line_of,
    reads_as_numbers,
    sizes_of,
    whole_positions,
    written_sizes,
)
from tclose.data.values.texts import another_order, as_text, as_texts, same_text, texts_or_none
from tclose.data.values.times import FineMoment

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
