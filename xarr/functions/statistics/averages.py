"""Weighted averages, covariances and correlations."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array, ArrayLike, Axis, DTypeLike
from xarr.array.cached_calls import cached_call
from xarr.array.coerce import as_array
from xarr.backends.device import default_float, promoted
from xarr.errors import operand_of, refused, type_error, value_error
from xarr.functions.create import creation
from xarr.functions.elementwise import arithmetic, elementwise
from xarr.functions.linalg import linalg, products
from xarr.functions.reduce import reductions
from xarr.functions.reduce.comparing import device_of
from xarr.functions.reduce.moments import warn
from xarr.functions.shape import joining, manipulation
from xarr.functions.statistics.order_statistics import spread_weights
from xarr.ir.views import View
from xarr.tape import recorders


@overload
def average(
    a: ArrayLike,
    axis: Axis = None,
    weights: ArrayLike | None = None,
    returned: Literal[False] = False,
    *,
    keepdims: bool = False,
) -> Array: ...
@overload
def average(
    a: ArrayLike,
    axis: Axis = None,
    weights: ArrayLike | None = None,
    *,
    returned: Literal[True],
    keepdims: bool = False,
) -> tuple[Array, Array]: ...
def average(
    a: ArrayLike,
    axis: Axis = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Array | tuple[Array, Array]:
    """Compute the weighted mean along axes.

    weights : Array, shape of a or of its reduced axes, optional
        The weights; None weights all elements alike.
    returned : bool, optional -- Whether the sums of the weights are returned as well.

    -> floating-point Array, shape of a without the reduced axes, unless `keepdims`
        The average; with `returned` a tuple of it and the sums of the weights.

    ZeroDivisionError -- If the weights sum to zero. The check waits for the device.
    TypeError -- If the weights have another shape than a and `axis` is None.

    >>> float(xarr.average(xarr.asarray([1.0, 5.0]), weights=[3, 1]))
    2.0
    """
    where = "average(a, axis, weights)"
    x = as_array(a, where, "a", device=device_of(a, weights))
    if weights is None:
        layout.normalize_axes(axis, x.ndim, where)
        mean: Array = reductions.mean(x, axis=axis, keepdims=keepdims)
        if not returned:
            return mean
        each = x.size / mean.size if mean.size else 0.0
        return mean, creation.full(mean.shape, each, dtype=mean.dtype, device=x.device)
    weighed = spread_weights(weights, x, axis, where)
    rows = [x._view.dtype, weighed._view.dtype]
    if rows[0].kind not in dtypes.FLOATING:
        rows[0] = default_float(x.device)
        if rows[1].kind not in dtypes.FLOATING:
            rows[1] = rows[0]
    wanted = promoted(rows, x.device, where).numpy
    weighed = weighed.astype(wanted)
    total = reductions.sum(weighed, axis=axis, keepdims=keepdims)
    recorders.checked(_require_weights, total._view)
    result: Array = reductions.sum(x.astype(wanted) * weighed, axis=axis, keepdims=keepdims) / total
    if not returned:
        return result
    return result, manipulation.broadcast_to(total, result.shape).copy()


def _require_weights(total: View) -> None:
    """Refuse weights that sum to zero; waits for the device."""
    if bool(reductions.any(Array(total) == 0)):
        where, fault = "average(a, axis, weights)", "weights sum to zero"
        raise refused(
            ZeroDivisionError,
            where,
            fault,
            "their sum must not be 0, as it divides",
            "check the weights",
        )


@cached_call
def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    *,
    dtype: DTypeLike = None,
) -> Array:
    """Estimate the covariance matrix of variables.

    m, y : Array, shape (variables, observations) or (observations,)
        The observations; y adds further variables.
    bias : bool, optional -- Whether to divide by the number of observations N, not by N - 1.
    ddof : int, optional -- Divide by N - ddof; overrides `bias`.
    fweights : integer Array, shape (observations,), optional
        The number of times that each observation was made.
    aweights : Array, shape (observations,), optional -- The weight of each observation.
    dtype : dtype, optional -- The data type to compute in; by default float64 or complex128.

    -> Array, shape (variables, variables); shape () for one variable

    RuntimeError -- If weights are not a vector with one element for each observation.
    ValueError -- If weights are negative, `ddof` is no integer, m has more than two axes, or y has
        another number of observations.

    >>> xarr.cov(xarr.asarray([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    return _covariances(m, y, rowvar, bias, ddof, fweights, aweights, dtype, "cov(m, y)")


def _floating(dtype: Any, where: str) -> dtypes.DType:
    """The data type asked for, which deviations from a mean have to fit in."""
    row = dtypes.lookup(dtype, where)
    if row.kind not in dtypes.FLOATING:
        raise type_error(where, f"dtype is {row}", "dtype must be floating-point")
    return row


def _covariances(
    m: Any,
    y: Any,
    rowvar: bool,
    bias: bool,
    ddof: int | None,
    fweights: Any,
    aweights: Any,
    dtype: Any,
    where: str,
) -> Array:
    if ddof is not None and ddof != int(ddof):
        raise value_error(where, f"ddof is {ddof!r}", "ddof must be an integer")
    device = device_of(m, y, fweights, aweights)
    given = [as_array(m, where, operand_of(where), device=device)]
    if y is not None:
        given.append(as_array(y, where, "y", device=device))
    for part in given:
        if part.ndim > 2:
            raise value_error(where, f"it has {part.ndim} dimensions", "it must have 1 or 2")
    target = given[0].device
    rows = [part._view.dtype for part in given]
    rows.append(default_float(target))
    row = promoted(rows, target, where) if dtype is None else _floating(dtype, where)
    x = _variables(given[0], row, transposed=not rowvar and given[0].ndim != 1)
    if x.shape[0] == 0:
        return creation.full((0, 0), 0.0, dtype=default_float(target).numpy, device=target)
    if len(given) == 2:
        more = manipulation.atleast_2d(given[1])
        turned = not rowvar and more.shape[0] != 1
        x = _joined(x, _variables(more, row, transposed=turned), where)
    if ddof is None:
        ddof = 0 if bias else 1
    frequencies = _weights(fweights, x, where, "fweights")
    whole = frequencies is None or reductions.all(frequencies == arithmetic.round(frequencies))
    if not bool(whole):
        raise type_error(where, "fweights are not whole", "fweights must have an integer dtype")
    shares = _weights(aweights, x, where, "aweights")
    weights = frequencies
    if shares is not None:
        weights = shares if weights is None else weights * shares
    mean, totals = average(x, axis=1, weights=weights, returned=True)
    if weights is None:
        divisor = float(x.shape[1] - ddof)
    else:
        total = totals[0]
        if ddof != 0 and shares is not None:
            total = total - ddof * reductions.sum(weights * shares) / totals[0]
        elif ddof != 0:
            total = total - ddof
        divisor = float(arithmetic.real(total))
    if divisor <= 0:
        warn("Degrees of freedom <= 0 for slice")
        divisor = 0.0
    centred = x - mean[:, None]
    other = centred if weights is None else centred * weights
    other = other.T
    if row.kind == dtypes.COMPLEX:
        other = elementwise.conj(other)
    factor = 1 / divisor if divisor else numpy.inf
    # No view of another array, so that calls are recorded again.
    return Array(manipulation.squeeze(products.matmul(centred, other) * factor)._view)


def _joined(x: Array, y: Array, where: str) -> Array:
    """The variables of both."""
    if x.shape[1] != y.shape[1]:
        fault = f"there are {x.shape[1]} observations and {y.shape[1]} of y"
        raise value_error(where, fault, "there must be as many of both")
    return joining.concat((x, y), axis=0)


def _variables(x: Array, row: dtypes.DType, *, transposed: bool) -> Array:
    """Variables as the rows of a matrix of a type."""
    matrix: Array = manipulation.atleast_2d(x.astype(row.numpy))
    return matrix.T if transposed else matrix


def _weights(weights: Any, x: Array, where: str, name: str) -> Array | None:
    """Weights of the observations, checked."""
    if weights is None:
        return None
    given = as_array(weights, where, name, device=x.device)
    if given.ndim > 1:
        fault = f"{name} have {given.ndim} dimensions"
        raise refused(RuntimeError, where, fault, "they must have one")
    if given.shape != (x.shape[1],):
        fault = f"{name} have shape {given.shape}"
        raise refused(RuntimeError, where, fault, f"there must be {x.shape[1]} weights")
    if bool(reductions.any(given < 0)):
        raise value_error(where, f"{name} are negative", "they must be 0 or more")
    return given.astype(default_float(x.device).numpy)


@cached_call
def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, *, dtype: DTypeLike = None
) -> Array:
    """Compute Pearson's correlation coefficients of variables.

    x, y : Array, shape (variables, observations) or (observations,)
        The observations; y adds further variables.
    dtype : dtype, optional -- The data type to compute in; by default float64 or complex128.

    -> Array, shape (variables, variables); shape () for one variable
        The coefficients, from -1 to 1; NaN for a constant variable.

    ValueError -- If x has more than two axes, or y has another number of observations.

    >>> xarr.corrcoef(xarr.asarray([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    where = "corrcoef(x, y)"
    covariances = _covariances(x, y, rowvar, False, None, None, None, dtype, where)
    if covariances.ndim == 0:
        return covariances / covariances
    deviation = elementwise.sqrt(arithmetic.real(linalg.diagonal(covariances)))
    result = covariances / deviation[:, None] / deviation[None, :]
    if result._view.dtype.kind != dtypes.COMPLEX:
        return arithmetic.clip(result, -1, 1)
    parts = [arithmetic.clip(part, -1, 1) for part in (result.real, result.imag)]
    return arithmetic.of_parts(*parts)
