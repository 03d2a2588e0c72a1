"""Kernels: their forms and texts, and how they are compiled, cached on disk and launched."""
