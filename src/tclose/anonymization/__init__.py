"""From a table to a release that meets requirements with the least loss of detail.

In come a table, its roles and requirements; out come a release, its recipe and its certificate.
Open ``anonymize.py``, the verb; the searches are in ``algorithms``.
"""
