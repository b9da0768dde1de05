"""From a raw table to a policy to start from: what its columns are, and what is still to be decided.

In comes a table; out come figures of its columns, suggested roles, hierarchies and thresholds.
Open ``profile.py``, the verb.
"""
