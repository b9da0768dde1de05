"""Attackers: what each concludes about people from a release and what else it knows, and how often it is right."""
