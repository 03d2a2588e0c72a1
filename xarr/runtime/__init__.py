"""Running instructions: the choice between NumPy and kernels, and the loop over steps."""
