"""Running programs that were written for NumPy with xarr in its place, unchanged."""
