"""What is asked of a table: roles, requirements and options, each declared once, and the ``Policy`` made of them.

In come a policy file, options of the command line, keywords or the page's JSON; out comes one ``Policy``.
Open ``parts.py``, where every option is declared; ``profiling`` proposes a policy from the data.
"""
