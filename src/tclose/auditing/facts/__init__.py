"""What someone learns who knows a person's traits and some of the facts about them: visits, prescriptions, events."""

from tclose.auditing.facts.findings import Candidates, Drawn, Fact, FactFigure, Facts, FactVerdict, Linked, Power

__all__ = ["Candidates", "Drawn", "Fact", "FactFigure", "FactVerdict", "Facts", "Linked", "Power"]
