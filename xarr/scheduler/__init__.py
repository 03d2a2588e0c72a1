"""Which instructions of a list are one kernel, and which memory that kernel has."""
