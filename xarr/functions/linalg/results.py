"""Named tuples of the arrays that factorizations return."""

from __future__ import annotations

from typing import NamedTuple

from xarr.array.array import Array


class QRResult(NamedTuple):
    """The factors of `qr`: a = Q R.

    Q : floating-point Array, shape (..., M, K) -- Orthonormal columns.
    R : floating-point Array, shape (..., K, N) -- Upper triangular matrices.

    >>> [factor.shape for factor in xarr.linalg.qr(xarr.ones((3, 2)))]
    [(3, 2), (2, 2)]
    """

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """The result of `slogdet`: determinants as sign * exp(logabsdet).

    sign : floating-point Array, shape (...) -- 1, -1 or 0; of complex ones det / abs(det), or 0.
    logabsdet : real floating-point Array, shape (...) -- log(abs(det)), natural; -inf for 0.

    >>> [float(part) for part in xarr.linalg.slogdet(-xarr.eye(3))]
    [-1.0, 0.0]
    """

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """The factors of `svd`: a = U diag(S) Vh.

    U : floating-point Array, shape (..., M, M or K) -- Orthonormal columns; K = min(M, N).
    S : real floating-point Array, shape (..., K) -- The singular values, the largest first.
    Vh : floating-point Array, shape (..., N or K, N) -- Orthonormal rows.

    >>> xarr.linalg.svd(xarr.asarray([[2.0, 0.0], [0.0, 1.0]])).S.tolist()
    [2.0, 1.0]
    """

    U: Array
    S: Array
    Vh: Array


class EigResult(NamedTuple):
    """The result of `eig`.

    eigenvalues : complex Array, shape (..., M) -- The eigenvalues, in no order.
    eigenvectors : complex Array, shape (..., M, M) -- The eigenvectors, as columns.

    >>> sorted(xarr.linalg.eig(xarr.asarray([[0, 1], [-1, 0]])).eigenvalues.imag.tolist())
    [-1.0, 1.0]
    """

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """The result of `eigh`.

    eigenvalues : real floating-point Array, shape (..., M) -- The eigenvalues, ascending.
    eigenvectors : floating-point Array, shape (..., M, M) -- The eigenvectors, as columns.

    >>> xarr.linalg.eigh(xarr.asarray([[2.0, 0.0], [0.0, 1.0]])).eigenvalues.tolist()
    [1.0, 2.0]
    """

    eigenvalues: Array
    eigenvectors: Array
