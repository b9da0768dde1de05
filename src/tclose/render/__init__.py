"""One result, many faces: text for a terminal, JSON for machines, HTML for pages and notebooks."""
