"""One attacker a file: what each concludes about people from what it sees.

In comes an ``AttackInput`` or the ``ReleaseView`` in it; out come posteriors of the sensitive value, person by person.
Open ``reader.py``, the simplest.
"""
