"""The verbs ``anonymize``, ``apply`` and ``recode``: from a table to a release, or to recoded rows."""

from tclose.anonymizing.applying import apply
from tclose.anonymizing.recoding import recode
from tclose.anonymizing.releasing import anonymize

__all__ = ["anonymize", "apply", "recode"]
