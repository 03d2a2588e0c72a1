"""Sources of kernels, and where compiled ones are kept."""
