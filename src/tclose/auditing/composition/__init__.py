"""Several releases about the same people: what they say together of whoever is in all of them."""

from tclose.auditing.composition.findings import (
    Composition,
    Difference,
    JointClass,
    JointFigure,
    JointVerdict,
    Linked,
    LinkedAttribute,
)

__all__ = ["Composition", "Difference", "JointClass", "JointFigure", "JointVerdict", "Linked", "LinkedAttribute"]
