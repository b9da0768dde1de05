"""From rows to counts, and from a recipe to a written table: one folder for each engine."""
