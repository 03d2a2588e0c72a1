"""Kernels by threads, written in Python and translated to the portable C of `RawKernel`."""
