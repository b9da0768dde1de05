"""Kernels from counts to distances; no names, no files, no engines."""
