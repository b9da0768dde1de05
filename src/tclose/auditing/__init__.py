"""From a table to figures and a verdict, and from one class to the calculation of its distance.

In come a table, its roles and requirements; out come an ``Audit`` or ``Explanations``.
Open ``audit.py``, the verb; ``measurement.py`` measures one grouping of the table.
"""
