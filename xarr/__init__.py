"""xarr: the Python Array API on any device, eager to use and fused when it runs."""
