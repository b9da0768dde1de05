"""The time of a picture that plays: each step takes as long as another, then all begins anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tclose.render.pictures.svg import digits, element

SECONDS = 2
"""How long a step takes; at the full multiples nothing is on its way."""
LIFTED, LYING = 0.08, 0.9
"""When in its step a block has left, and when it lies."""
_RISEN, _OVER = 0.3, 0.66
_AT_THE_END = 1.5
"""So many steps long the end is shown."""


@dataclass(frozen=True)
class Clock:
    """When what happens, in a picture of so many steps; all of it is declared, so that no script is needed."""

    steps: int

    def _at(self, step: float) -> str:
        return f"{step / (self.steps + _AT_THE_END):.5f}".rstrip("0").rstrip(".") or "0"

    def _animation(self, tag: str, name: str, frames: Sequence[tuple[float, str]], **how: str) -> str:
        return element(
            tag,
            attributeName=name,
            values=";".join(value for _, value in frames),
            keyTimes=";".join([self._at(when) for when, _ in frames[:-1]] + ["1"]),
            dur=f"{digits(SECONDS * (self.steps + _AT_THE_END))}s",
            repeatCount="indefinite",
            **how,
        )

    def shown(self, drawn: str, since: float, until: float) -> str:
        """Return something that is seen from one time until another, in steps; for ever from the last step on."""
        if not drawn or (since <= 0 and until >= self.steps):
            return drawn
        frames = [(0.0, "visible" if since <= 0 else "hidden")]
        if since > 0:
            frames.append((since, "visible"))
        if until < self.steps:
            frames.append((until, "hidden"))
        frames.append((0.0, frames[-1][1]))
        animation = self._animation("animate", "visibility", frames, calcMode="discrete")
        return element("g", animation, drawn, visibility=None if since <= 0 else "hidden")

    def during(self, drawn: str, state: int) -> str:
        """Return something that is seen from when a step begins until the next does; state 0 is before the first."""
        return self.shown(drawn, state - 1 + LIFTED, state + LIFTED)

    def stepped(self, name: str, values: Sequence[str], leaves: Sequence[bool]) -> str:
        """Return an attribute that jumps at each step: where a block leaves, else where it comes to lie."""
        if len(set(values)) == 1:
            return ""
        frames = [(0.0, values[0])]
        for at, leaving in enumerate(leaves):
            if values[at + 1] != values[at]:
                frames.append((at + (LIFTED if leaving else LYING), values[at + 1]))
        frames.append((0.0, frames[-1][1]))
        return self._animation("animate", name, frames, calcMode="discrete")

    def gliding(self, name: str, values: Sequence[str]) -> str:
        """Return an attribute that glides from its value in one state to that in the next."""
        if len(set(values)) == 1:
            return ""
        frames = [(0.0, values[0])]
        for at in range(self.steps):
            frames += [(at + _RISEN, values[at]), (at + LYING, values[at + 1])]
        frames.append((0.0, values[-1]))
        return self._animation("animate", name, frames)

    def travelling(self, drawn: str, places: Sequence[tuple[float, float]], at: int) -> str:
        """Return something that is seen during one step alone, on its way through some places."""
        where = [f"{digits(x)} {digits(y)}" for x, y in places]
        whens = [at + LIFTED, at + _RISEN, at + _OVER, at + LYING]
        frames = [(0.0, where[0]), *zip(whens, where, strict=True), (0.0, where[-1])]
        seen = [(0.0, "hidden"), (at + LIFTED, "visible"), (at + LYING, "hidden"), (0.0, "hidden")]
        inner = element(
            "g", self._animation("animateTransform", "transform", frames, type="translate"), drawn,
            transform=f"translate({where[0]})",
        )  # fmt: skip
        return element(
            "g", self._animation("animate", "visibility", seen, calcMode="discrete"), inner, visibility="hidden"
        )
