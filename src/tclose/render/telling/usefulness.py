"""What a release is still good for, as parts of its report: columns, pairs of columns, and what a model learns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tclose.exact import decimal_text
from tclose.recoding.usefulness import Usefulness
from tclose.render.document import Block, Heading, Notes, Paragraph, Picture, table
from tclose.render.words import usefulness as words
from tclose.render.words.cells import visible
from tclose.render.words.phrases import percent


def useful_blocks(found: Usefulness | None) -> Iterator[Block]:
    """Give what a release is still good for; nothing where that is not known."""
    if found is None:
        return
    from tclose.render.pictures.usefulness import associations_picture, predictions_picture

    yield Heading(words.TITLE)
    yield table(
        ("column", "detail lost", "distribution off by"),
        [
            [
                visible(name),
                percent(found.lost[name]) if name in found.lost else "",
                decimal_text(moved),
            ]
            for name, moved in found.moved.items()
        ],
        name="Columns of the release",
    )
    yield Picture("", "How columns go together", partial(associations_picture, found))
    yield Picture("", "What a model learns", partial(predictions_picture, found))
    yield from (Paragraph(words.learnt(each)) for each in found.predictions)
    yield Notes(tuple(words.remarks(found)))
