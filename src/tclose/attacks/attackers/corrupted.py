"""The briber, who knows the values of some people in the release and looks again at what is left."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tclose.attacks.attack_input import AttackInput, Conclusion
from tclose.attacks.fitting import Fit, Weights

SHARE = 0.1
"""The share of people in the release whose values are known, drawn at random."""


def conclude(scene: AttackInput) -> Conclusion:
    """Return what the counts say of the others: those who are known are people of their own, of one value each."""
    seen, number = scene.seen, scene.seen.answers.number
    draw = np.random.default_rng([scene.seed, 5])
    told = draw.binomial(scene.members.number, SHARE).astype(np.int64)
    known = scene.members.rows_by(told, (len(seen.people), number))
    who, what = np.nonzero(known)
    widths = np.diff(seen.starts)
    pairs = np.concatenate([seen.classes, _of_each(seen.classes, seen.starts, who)])
    rows = np.concatenate([np.arange(len(seen.people)), who])
    wider = replace(
        seen,
        codes=seen.codes[rows],
        people=np.concatenate([seen.people - known.sum(axis=1), known[who, what]]).astype(np.float64),
        starts=np.concatenate([[0], np.cumsum(widths[rows])]),
        classes=pairs,
    )
    others = np.concatenate([np.zeros(len(seen.people), dtype=np.int64), ((1 << number) - 1) ^ (1 << what)])
    found = Fit.of(wider).run(Weights(barred=np.repeat(others, widths[rows]), bar=0.0))
    return Conclusion(found[: len(seen.people)], told)


def _of_each(classes: np.ndarray, starts: np.ndarray, who: np.ndarray) -> np.ndarray:
    """Return the classes that cover each of some combinations, one after the other."""
    widths = np.diff(starts)[who]
    ends = np.cumsum(widths)
    place = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - widths, widths)
    return np.asarray(classes[np.repeat(starts[:-1][who], widths) + place])
