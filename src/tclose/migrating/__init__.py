"""Projects of other tools, read into policies."""

from tclose.migrating.arx import Imported, read_arx

__all__ = ["Imported", "read_arx"]
