"""Sampled functions: transforms, convolutions, windows, interpolation and derivatives."""
