"""One result, many faces: text, JSON, HTML, Markdown and, for an explanation, LaTeX and figures."""
