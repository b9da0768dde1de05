"""The verbs ``anonymize`` and ``apply``: from a table and requirements to a release that meets them."""

from tclose.anonymizing.applying import apply
from tclose.anonymizing.verb import anonymize

__all__ = ["anonymize", "apply"]
