"""Stands in for the package ``cython`` where a kernel runs as plain Python and Cython is not installed."""

from __future__ import annotations

from contextlib import nullcontext

compiled = False
nogil = nullcontext()
