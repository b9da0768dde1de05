"""How large the classes are: a bar for each size or interval of sizes, those below k hatched."""

from __future__ import annotations

from tclose.render.pictures.bars import LEFT, WIDTH, Bar, Bars, heading, sample
from tclose.render.pictures.frame import MARGIN, legend
from tclose.render.pictures.lettering import labels_under
from tclose.render.pictures.svg import Subject, document, words
from tclose.render.telling.histograms import Sizes
from tclose.render.words.phrases import classes


def sizes_picture(sizes: Sizes, verdict: str, *, mark: str = "") -> str:
    """Return the sizes of the classes as a complete SVG picture.

    Parameters
    ----------
    sizes
        What to draw.
    verdict
        What to say of them.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    subject = Subject("sizes", "", "", (mark, sizes, verdict))
    title = "How large the classes are"
    head, y = heading(title, f"Each bar counts the classes of a size. {verdict}")
    if sizes.k is not None:
        entries = [
            (sample(subject.identity, marked=False), f"classes of at least {sizes.k:,}"),
            (sample(subject.identity, marked=True), "smaller classes, which fail"),
        ]
        key, y = legend(entries, y + 12, WIDTH)
    else:
        key = []
    pitch = min(90.0, (WIDTH - MARGIN - LEFT) / len(sizes.starts))
    lefts = [LEFT + pitch * at for at in range(len(sizes.starts))]
    items = [
        Bar(
            left=left + 0.1 * pitch,
            right=left + 0.9 * pitch,
            classes=found,
            marked=sizes.k is not None and start < sizes.k,
            hint=f"{classes(found)} of {label} {sizes.unit}",
        )
        for left, start, found, label in zip(lefts, sizes.starts, sizes.counts, sizes.labels, strict=True)
    ]
    bars = Bars(tuple(items), subject.identity, y + 42)
    under = labels_under(sizes.labels, [left + pitch / 2 for left in lefts], bars.floor, pitch, 90)
    below = bars.floor + under.height + 18
    axis = words((LEFT + WIDTH - MARGIN) / 2, below, f"{sizes.unit} in a class", "tc-soft")
    description = "; ".join(bar.hint for bar in items if bar.classes)
    parts = [*head, *key, *bars.drawn(), *under.parts, axis]
    return document(subject, title, f"{verdict} {description}.", (WIDTH, below + 16), parts)
