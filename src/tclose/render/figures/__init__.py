"""The figures of an explanation: the moves, the cumulative curves, and the tree, each a picture that stands alone."""

from __future__ import annotations

from tclose.explanations import Explanation
from tclose.render.figures.moves import moves_figure
from tclose.roles import Hierarchical

__all__ = ["cumulative_figure", "figures", "moves_figure", "tree_figure"]
