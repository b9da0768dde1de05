"""The one question that is asked of a table, as every face asks it: roles, requirements and options.

In come a policy file, keywords, a command line or JSON; out comes a :class:`Policy`. Open ``policy.py`` first, then
``parts.py``, which declares every option.
"""

from tclose.policy.files import parse_policy, policy_of, read_policies, read_policy
from tclose.policy.policy import Policy

__all__ = ["Policy", "parse_policy", "policy_of", "read_policies", "read_policy"]
