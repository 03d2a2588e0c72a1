"""The operations: their rows, as data, and how each kind of them becomes instructions."""
