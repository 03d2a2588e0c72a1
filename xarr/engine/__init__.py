"""Deferred work, and how it becomes launches."""
