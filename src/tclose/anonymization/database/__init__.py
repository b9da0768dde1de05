"""The release of a database of people: one or more tables about the same people, which say no more together."""
