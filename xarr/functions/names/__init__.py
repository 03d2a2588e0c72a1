"""What is said of public names: docstrings, other names, names that are absent, capabilities."""
