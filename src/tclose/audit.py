"""Stand-in while the module is renamed; import tclose.auditing."""

from tclose.auditing import audit

__all__ = ["audit"]
