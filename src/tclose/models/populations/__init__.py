"""What a sample says of the population it was drawn from: estimates, none of which is the truth."""

from tclose.models.populations.estimators import ESTIMATORS, Estimate, Frequencies, estimated
from tclose.models.populations.sampling import Sampling

__all__ = ["ESTIMATORS", "Estimate", "Frequencies", "Sampling", "estimated"]
