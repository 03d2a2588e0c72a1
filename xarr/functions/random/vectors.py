"""Distributions of vectors: each is composed of draws of numbers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy

from xarr import dtypes
from xarr.array.array import Array
from xarr.array.conversion import as_array
from xarr.array.transfers import openly, to_host
from xarr.backends.device import default_float
from xarr.engine import engine
from xarr.errors import type_error, value_error
from xarr.functions.elementwise import elementwise
from xarr.functions.linalg import linalg, products
from xarr.functions.random.drawing import Parameter, Size, Source, parameter, size_of
from xarr.functions.reduce import reductions
from xarr.functions.shape import joining, manipulation
from xarr.layout import Shape, broadcast_shapes
from xarr.tables import random

_SLACK = 1e-12
"""How far above 1 rounding may take the sum of probabilities."""


class Vectors(Source):
    """Draws vectors, with NumPy's parameters."""

    def dirichlet(self, alpha: Any, size: Size = None) -> Array:
        """Draw from the Dirichlet distribution: gamma variables over their sum.

        alpha : real Array, shape (K,) -- Its parameters, not negative.

        -> Array, shape (*size, K)

        >>> xarr.random.default_rng(1).dirichlet([1.0, 2.0, 3.0], 2).shape
        (2, 3)
        """
        where = "dirichlet(alpha, size)"
        shapes = _vector(alpha, "alpha", where)
        parameter(shapes, "alpha", where, random.NOT_NEGATIVE)
        drawn = self.sample(
            random.log_gamma, (shapes._node,), (*_size(size, where), *shapes.shape), where
        )
        # Where all are 0 their logarithms are infinite, and no largest one can be taken away.
        largest = elementwise.maximum(reductions.max(drawn, axis=-1, keepdims=True), -1e30)
        shares = elementwise.exp(drawn - largest)
        total = reductions.sum(shares, axis=-1, keepdims=True)
        return shares / elementwise.maximum(total, 1e-30)

    def multinomial(self, n: Any, pvals: Any, size: Size = None) -> Array:
        """Draw how often each of K results occurs in n trials, as K - 1 binomial variables.

        n : integer Array or int -- How many trials, not negative.
        pvals : real Array, shape (..., K)
            The probability of each result; the last one's is what is left of 1.

        -> Array of int64, shape (*size, K); by default n and pvals[..., 0] broadcast to size

        >>> xarr.random.default_rng(1).multinomial(9, [0.5, 0.25, 0.25], 2).sum(axis=1).tolist()
        [9, 9]
        """
        where = "multinomial(n, pvals, size)"
        left = parameter(n, "n", where, random.NOT_NEGATIVE)
        chances = _on_host(pvals, "pvals", where).astype(numpy.float64)
        if not chances.ndim or not chances.shape[-1]:
            fault = f"pvals has shape {chances.shape}"
            raise value_error(where, fault, "it has an axis, not empty")
        if not ((chances >= 0) & (chances <= 1)).all():
            raise value_error(where, "pvals < 0, pvals > 1 or pvals contains NaNs", "probabilities")
        if (chances[..., :-1].sum(axis=-1) > 1 + _SLACK).any():
            raise value_error(where, "sum(pvals[:-1]) > 1.0", "at most 1 is accepted")
        shape = broadcast_shapes(chances.shape[:-1], _shape_of(left), where=where)
        if size is not None:
            wanted = size_of(size, where)
            if broadcast_shapes(shape, wanted, where=where) != wanted:
                raise value_error(where, f"size is {wanted}", f"{shape} has to broadcast to it")
            shape = wanted
        # Of the trials that are left, the share that has this result.
        rest = numpy.maximum(1 - numpy.cumsum(chances, axis=-1) + chances, chances)
        shares = numpy.divide(chances, rest, out=numpy.zeros_like(chances), where=rest > 0)
        parts = []
        for place in range(chances.shape[-1] - 1):
            p = numpy.minimum(shares[..., place], 1.0)
            share = parameter(p if p.ndim else float(p), "pvals", where)
            drawn = self.sample(random.binomial, (left, share), shape, where)
            parts.append(drawn)
            left = _less(left, drawn)
        parts.append(_filled(left, shape))
        return joining.stack(parts, axis=-1)

    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Size = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
    ) -> Array:
        """Draw vectors from a normal distribution.

        mean : real Array, shape (N,) -- The mean.
        cov : real Array, shape (N, N) -- The covariance, symmetric and positive semidefinite.
        check_valid : "warn", "raise" or "ignore" -- What to do where cov is no covariance.
        tol : float -- By how much a product of the factors may differ from cov.
        method : "svd", "eigh" or "cholesky" -- How cov is factored.

        -> Array, shape (*size, N)

        >>> rng = xarr.random.default_rng(1)
        >>> rng.multivariate_normal([0, 0], [[2, 1], [1, 2]], 4).shape
        (4, 2)
        """
        where = "multivariate_normal(mean, cov, size)"
        for value, name, accepted in (
            (method, "method", ("svd", "eigh", "cholesky")),
            (check_valid, "check_valid", ("warn", "raise", "ignore")),
        ):
            if value not in accepted:
                raise value_error(where, f"{name} is {value!r}", f"one of {accepted} is accepted")
        for value, name in ((mean, "mean"), (cov, "cov")):
            if as_array(value, where, name)._node.dtype.kind == dtypes.COMPLEX:
                raise type_error(where, f"{name} is complex", "mean and cov must not be complex")
        center = _vector(mean, "mean", where)
        matrix = as_array(cov, where, "cov", device=center.device)
        matrix = Array(engine.converted(matrix._node, default_float(center.device)))
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            fault = f"cov has shape {matrix.shape}"
            raise value_error(where, fault, "cov must be 2 dimensional and square")
        if matrix.shape[0] != center.shape[0]:
            fault = f"mean has shape {center.shape} and cov {matrix.shape}"
            raise value_error(where, fault, "mean and cov must have same length")
        factor = _factor(matrix, method, check_valid, tol, where)
        shape = (*_size(size, where), *center.shape)
        node = self.node(random.standard_normal, shape, center.device, where)
        lines = manipulation.reshape(Array(node), (-1, center.shape[0]))
        return manipulation.reshape(products.matmul(lines, factor), shape) + center


def colours(source: Source, colors: Any, nsample: Any, size: Any, method: str, where: str) -> Array:
    """Hypergeometric variables, each of the sample that the ones before have left."""
    if method not in ("marginals", "count"):
        raise value_error(where, f"method is {method!r}", "'marginals' and 'count' are accepted")
    counts = _on_host(colors, "colors", where)
    if counts.ndim != 1 or (counts.size and counts.dtype.kind not in "iu") or (counts < 0).any():
        fault = f"colors has shape {counts.shape} and dtype {counts.dtype}"
        raise value_error(where, fault, "one axis of integers that are not negative is accepted")
    wanted = int(nsample)
    rest = int(counts.sum())
    if not 0 <= wanted <= rest:
        raise value_error(where, f"nsample is {wanted}", f"0 to sum(colors), {rest}, are accepted")
    shape = _size(size, where)
    left: Parameter = float(wanted)
    parts = []
    for count in map(int, counts[:-1]):
        rest -= count
        drawn = source.sample(
            random.hypergeometric, (float(count), float(rest), left), shape, where
        )
        parts.append(drawn)
        left = _less(left, drawn)
    if not counts.size:
        return as_array(numpy.zeros((*shape, 0), numpy.int64), where)
    parts.append(_filled(left, shape))
    return joining.stack(parts, axis=-1)


def _size(size: Any, where: str) -> Shape:
    return () if size is None else size_of(size, where)


def _vector(value: Any, name: str, where: str) -> Array:
    """An argument of one axis, in the default floating-point type."""
    array = as_array(value, where, name)
    if array.ndim != 1:
        raise value_error(where, f"{name} has {array.ndim} axes", f"{name} must be 1 dimensional")
    return Array(engine.converted(array._node, default_float(array.device)))


def _on_host(value: Any, name: str, where: str) -> numpy.ndarray[Any, Any]:
    """An argument of few numbers, which the host looks at."""
    if not isinstance(value, Array):
        value = as_array(value, where, name)
        with openly():
            return to_host(value._node)
    return to_host(value._node, where)


def _shape_of(value: Parameter) -> Shape:
    return () if isinstance(value, int | float) else value.shape


def _less(left: Parameter, drawn: Array) -> Parameter:
    """What is left when some are drawn."""
    rest = left - drawn if isinstance(left, int | float) else Array(left) - drawn
    return Array(engine.converted(rest._node, dtypes.int64))._node


def _filled(left: Parameter, shape: Shape) -> Array:
    """What is left, as an array of the shape of the others."""
    if isinstance(left, int | float):
        return as_array(numpy.full(shape, int(left), numpy.int64), "multinomial(n, pvals, size)")
    return Array(engine.broadcast(engine.converted(left, dtypes.int64), shape))


def _factor(cov: Array, method: str, check_valid: str, tol: float, where: str) -> Array:
    """What independent variables are multiplied by, to have a covariance."""
    if method == "cholesky":
        return linalg.cholesky(cov).T
    if method == "eigh":
        values, vectors = linalg.eigh(cov)
        valid = not bool(reductions.any(values < -tol))
        roots = elementwise.sqrt(elementwise.maximum(values, 0.0))
        factor = (vectors * roots).T
    else:
        _, values, rows = linalg.svd(cov)
        again = products.matmul(rows.T * values, rows)
        near = elementwise.abs(again - cov) <= tol + tol * elementwise.abs(cov)
        valid = check_valid == "ignore" or bool(reductions.all(near))
        factor = elementwise.sqrt(values)[:, None] * rows
    if not valid and check_valid != "ignore":
        text = "covariance is not symmetric positive-semidefinite."
        if check_valid == "raise":
            raise value_error(where, text, "a covariance is accepted")
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    return factor
