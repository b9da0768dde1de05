"""Improvement by moves: units of rows change their classes as long as that keeps more detail."""
