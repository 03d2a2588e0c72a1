"""Kernels: their specifications and texts, and how they are compiled, cached and launched."""
