"""Peeling: classes that are already close leave, and only the rest is generalised further."""
