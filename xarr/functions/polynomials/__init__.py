"""Polynomials in six bases: their values and fits on the device, their coefficients on the host."""
