"""The rows: what operations there are, as data."""
