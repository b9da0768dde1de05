"""Reports as PDF, printed by a browser of this machine."""

from tclose.printing.browsers import found_browser
from tclose.printing.pdf import HOW_TO_PRINT, printed, printer

__all__ = ["HOW_TO_PRINT", "found_browser", "printed", "printer"]
