"""Domains of sensitive attributes: what an engine observed, arranged in its order with a ground distance."""

from tclose.domains.domain import Domain, arranged, recounted
from tclose.domains.observed import Kind, Observed

__all__ = ["Domain", "Kind", "Observed", "arranged", "recounted"]
