"""Tables and their cells: where rows are, what cells mean, hierarchies of values, and where results go.

In come paths, frames, addresses and cells; out come sources, exact values and files that are replaced whole.
Open ``sources/locate.py``.
"""
