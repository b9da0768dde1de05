"""From the counts of distinct rows to the classes of a release: the problem, the methods, and what each costs."""
