"""Pictures that play: for a file, and for a notebook with what steps, plays and pauses them; nothing from outside."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files

from tclose.auditing.explanations import Explanation
from tclose.reports.charts.columns import arrows_of, columns_of
from tclose.reports.charts.earth import SECONDS, carried, earth_picture
from tclose.reports.charts.svg import NOTEBOOK_STYLE

PLAYER = files("tclose.reports.formats").joinpath("templates", "earth.js").read_text(encoding="utf-8")
"""What steps, plays and pauses a picture: on the page and in notebooks."""
_STYLE = """.tclose-playing svg{max-width:100%;height:auto}
.tclose-playing .controls{display:flex;flex-wrap:wrap;gap:.5em;align-items:center;max-width:60em}
.tclose-playing .controls input{flex:1 1 10em}"""


@dataclass(frozen=True)
class Animation:
    """The earth of one class as it is moved; a notebook shows it with its controls."""

    svg: str
    """The picture, which plays by itself: the text of a file that ends in ``.svg``."""
    steps: int

    def _repr_html_(self) -> str:
        styles = f"<style>{_STYLE}\n{NOTEBOOK_STYLE}</style>"
        widget = f'<div class="tclose-playing" data-steps="{self.steps}" data-seconds="{SECONDS}">{self.svg}</div>'
        return f'<section class="tclose">{styles}{widget}<script type="module">{PLAYER}</script></section>'


def animation(explanation: Explanation, threshold: Fraction | None, *, edges: bool) -> Animation:
    """Return the earth of a class as it is moved, or as it is carried over the edges."""
    columns = columns_of(explanation)
    picture = earth_picture(explanation, threshold=threshold, edges=edges)
    return Animation(picture, len(carried(columns) if edges else arrows_of(columns)))
