"""A document as text for a terminal, Markdown, HTML and LaTeX."""
