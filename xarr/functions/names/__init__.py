"""Data about public names: docstrings, other names, names that are absent, capabilities."""
