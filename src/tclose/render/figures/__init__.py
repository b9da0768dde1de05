"""The figures of an explanation: the moves, the cumulative curves, and the tree, each a picture that stands alone."""

from __future__ import annotations

from tclose.explanations import Explanation
from tclose.render.figures.cumulative import cumulative_figure
from tclose.render.figures.moves import moves_figure
from tclose.render.figures.tree import tree_figure
from tclose.roles import Hierarchical

__all__ = ["cumulative_figure", "figures", "moves_figure", "tree_figure"]


def figures(explanation: Explanation, *, mark: str = "") -> dict[str, str]:
    """Return the figures that suit an explanation, by name, each a complete SVG text.

    Parameters
    ----------
    explanation
        What to draw.
    mark
        Any word, to tell figures apart where the same explanation stands on a page twice.

    Returns
    -------
    dict
        ``moves`` always, and ``cumulative`` where the values lie on a line or ``tree`` where they lie in a
        hierarchy.

    Examples
    --------
    >>> import tclose
    >>> (explanation,) = tclose.explain("example:salary", attribute="salary")
    >>> list(figures(explanation))
    ['moves', 'cumulative']
    """
    found = {"moves": moves_figure(explanation, mark=mark)}
    if explanation.on_a_line:
        found["cumulative"] = cumulative_figure(explanation, mark=mark)
    elif isinstance(explanation.distance, Hierarchical):
        found["tree"] = tree_figure(explanation, mark=mark)
    return found
