"""What takes several instructions."""
