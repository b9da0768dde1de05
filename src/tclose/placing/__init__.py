"""Where a recipe puts rows: the class that covers each combination, and why some have no place."""

from tclose.placing.fitting import Fitted, fitted, is_own

__all__ = ["Fitted", "fitted", "is_own"]
