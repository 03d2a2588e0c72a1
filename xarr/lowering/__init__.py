"""Lowering: from an operation that has a skeleton to the launches of kernels that compute it."""
