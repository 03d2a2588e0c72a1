"""Transformations of functions: what a call records is replayed, differentiated, batched."""
