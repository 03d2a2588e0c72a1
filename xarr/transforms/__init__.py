"""Transformations of programs: derivatives, from the instructions that a program records."""
