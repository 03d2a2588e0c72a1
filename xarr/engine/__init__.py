"""The way from a call of a function to NumPy's work or kernels that run on a device."""
