"""The pictures of an explanation: the moves, the cumulative curves, and the tree, each one that stands alone."""

from __future__ import annotations

from collections.abc import Callable

from tclose.auditing.explanations import Explanation
from tclose.reports.charts.cumulative import cumulative_picture
from tclose.reports.charts.earth import earth_picture
from tclose.reports.charts.moves import moves_picture
from tclose.reports.charts.tree import tree_picture

__all__ = ["cumulative_picture", "earth_picture", "moves_picture", "pictures", "playing_pictures", "tree_picture"]


def pictures(explanation: Explanation, *, mark: str = "") -> dict[str, Callable[[], str]]:
    """Return what draws the pictures that suit an explanation, by name, each a complete SVG text.

    Parameters
    ----------
    explanation
        What to draw.
    mark
        Any word, to tell pictures apart where the same explanation stands on a page twice.

    Returns
    -------
    dict
        ``moves`` always, and ``cumulative`` where the values lie on a line or ``tree`` where they lie in a
        hierarchy.

    Examples
    --------
    >>> import tclose
    >>> (explanation,) = tclose.explain("example:salary", attribute="salary")
    >>> list(pictures(explanation))
    ['moves', 'cumulative']
    """
    found: dict[str, Callable[[], str]] = {"moves": lambda: moves_picture(explanation, mark=mark)}
    if explanation.on_a_line:
        found["cumulative"] = lambda: cumulative_picture(explanation, mark=mark)
    elif explanation.hierarchy is not None:
        found["tree"] = lambda: tree_picture(explanation, mark=mark)
    return found


def playing_pictures(explanation: Explanation) -> dict[str, Callable[[], str]]:
    """Return what draws the pictures that play, by name: ``moved``, and ``carried`` where the values lie on a line."""
    found: dict[str, Callable[[], str]] = {"moved": lambda: earth_picture(explanation)}
    if explanation.on_a_line:
        found["carried"] = lambda: earth_picture(explanation, edges=True)
    return found
