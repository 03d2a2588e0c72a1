"""What is run by hand: comparisons and checks that need a device or a suite of their own."""
