"""Streams, graphs, copies, and what work costs."""
