"""What is asked of a device, and what runs it: NumPy or kernels."""
