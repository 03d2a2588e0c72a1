"""Algorithms of several instructions: reductions, sorts, products, transforms."""
