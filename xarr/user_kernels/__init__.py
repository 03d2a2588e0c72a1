"""Kernels that a program writes itself: their text, their parameters, and how they are called."""
