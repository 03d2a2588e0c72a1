"""The derivatives of functions that are taken as a whole: factorizations and Fourier transforms.

Their results come of a library's work, or of kernels that have no derivative by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from xarr import dtypes, errors
from xarr.array.array import Array
from xarr.functions.create import creation, fills
from xarr.functions.elementwise import arithmetic, elementwise as np, ufunc_methods
from xarr.functions.index import searching
from xarr.functions.linalg import linalg
from xarr.functions.linalg.products import matmul
from xarr.functions.shape import joining
from xarr.functions.signal import fourier
from xarr.ops import fft_rows, histogram
from xarr.tape import builder
from xarr.transforms.steps import Whole, is_complex, like

Adjoints = list[Array | None]
Arrays = list[Array]


def turned(x: Array) -> Array:
    """Return the conjugate transpose of matrices."""
    x = x.mT
    return np.conj(x) if is_complex(x) else x


def _diagonal(values: Array) -> Array:
    """Return the matrices with vectors on their diagonals."""
    one = creation.eye(values.shape[-1], dtype=values.dtype, device=values.device)
    return values[..., None, :] * one


def _product(*factors: Array) -> Array:
    found = factors[0]
    for factor in factors[1:]:
        found = matmul(found, factor)
    return found


def _inverse_of_differences(values: Array) -> Array:
    """Return 1 / (w[j] - w[i]), and 0 on the diagonal."""
    apart = values[..., None, :] - values[..., :, None]
    own = creation.eye(values.shape[-1], dtype="bool", device=values.device)
    return searching.where(own, like(0.0, apart), 1 / searching.where(own, like(1.0, apart), apart))


def _inv(g: Adjoints, given: Arrays, made: Arrays) -> Sequence[Array | None]:
    inverse = turned(made[0])
    assert g[0] is not None
    return (-_product(inverse, g[0], inverse),)


def _solve(g: Adjoints, given: Arrays, made: Arrays) -> Sequence[Array | None]:
    a, b = given
    x, along = made[0], g[0]
    assert along is not None
    is_vector = b.ndim == 1
    if is_vector:
        x, along = x[..., None], along[..., None]
    by_b = linalg.solve(turned(a), along)
    by_a = -matmul(by_b, turned(x))
    return by_a, by_b[..., 0] if is_vector else by_b


def _det(g: Adjoints, given: Arrays, made: Arrays) -> Sequence[Array | None]:
    assert g[0] is not None
    scale = g[0] * np.conj(made[0])
    return (scale[..., None, None] * turned(linalg.inv(given[0])),)


def _slogdet(g: Adjoints, given: Arrays, made: Arrays) -> Sequence[Array | None]:
    by_sign, by_log = g
    scale: Any = 0.0 if by_log is None else by_log
    if by_sign is not None and is_complex(made[0]):
        scale = scale - 1j * arithmetic.imag(made[0] * np.conj(by_sign))
    elif by_log is None:
        return (None,)
    return (scale[..., None, None] * turned(linalg.inv(given[0])),)


def _cholesky(
    g: Adjoints, given: Arrays, made: Arrays, upper: bool = False
) -> Sequence[Array | None]:
    assert g[0] is not None
    lower, along = (turned(made[0]), turned(g[0])) if upper else (made[0], g[0])
    inner = _halved(matmul(turned(lower), along))
    inverse = linalg.inv(lower)
    found = _of_triangle(_product(turned(inverse), inner, inverse))
    return (turned(found) if upper else found,)


def _halved(x: Array) -> Array:
    """Return lower triangles, with half of their diagonals."""
    size = x.shape[-1]
    half = creation.tri(size, dtype=_part(x), device=x.device)
    half = half - creation.eye(size, dtype=_part(x), device=x.device) / 2
    return x * half


def _of_triangle(whole: Array) -> Array:
    """Return the adjoint of the lower triangle, of Hermitian matrices that only it determines."""
    return _halved(whole + turned(whole))


def _part(x: Array) -> Any:
    return dtypes.part_of(x._view.dtype).numpy


def _eigh(g: Adjoints, given: Arrays, made: Arrays) -> Sequence[Array | None]:
    values, vectors = made
    by_values, by_vectors = g
    inner = None if by_values is None else _diagonal(by_values)
    if by_vectors is not None:
        mixed = _inverse_of_differences(values) * matmul(turned(vectors), by_vectors)
        inner = mixed if inner is None else inner + mixed
    assert inner is not None
    return (_of_triangle(_product(vectors, inner.astype(vectors.dtype), turned(vectors))),)


def _eigvalsh(g: Adjoints, given: Arrays, made: Arrays) -> Sequence[Array | None]:
    values, vectors = linalg.eigh(given[0])
    return _eigh([g[0], None], given, [values, vectors])


def _eig(g: Adjoints, given: Arrays, made: Arrays) -> Sequence[Array | None]:
    values, vectors = made
    by_values, by_vectors = g
    inner = None if by_values is None else _diagonal(by_values)
    if by_vectors is not None:
        mixed = matmul(turned(vectors), by_vectors)
        own = arithmetic.real(mixed.diagonal(axis1=-2, axis2=-1))
        mixed = mixed - matmul(turned(vectors), vectors) * own[..., None, :]
        mixed = mixed * np.conj(_inverse_of_differences(values))
        inner = mixed if inner is None else inner + mixed
    assert inner is not None
    return (linalg.solve(turned(vectors), matmul(inner, turned(vectors))),)


def _eigvals(g: Adjoints, given: Arrays, made: Arrays) -> Sequence[Array | None]:
    values, vectors = linalg.eig(given[0])
    return _eig([g[0], None], given, [values, vectors])


def _svd(
    g: Adjoints, given: Arrays, made: Arrays, full_matrices: bool = True
) -> Sequence[Array | None]:
    left, sizes, right_turned = made
    rows, columns = given[0].shape[-2:]
    if full_matrices and rows != columns:
        _refuse("linalg.svd(a)", "full_matrices is True", "pass full_matrices=False")
    by_left, by_sizes, by_right = g
    right = turned(right_turned)
    differences = _inverse_of_differences(sizes * sizes)
    column, row = sizes[..., :, None], sizes[..., None, :]
    inner: Any = 0.0 if by_sizes is None else _diagonal(by_sizes)
    outer: Any = 0.0
    if by_left is not None:
        mixed = matmul(turned(left), by_left)
        inner = inner + differences * (mixed - turned(mixed)) * row
        if is_complex(left):
            inner = inner + _diagonal(1j * arithmetic.imag(_diagonal_of(mixed)) / sizes)
        if rows > columns:
            outer = matmul((by_left - matmul(left, mixed)) / row, right_turned)
    if by_right is not None:
        along = turned(by_right)
        mixed = matmul(right_turned, along)
        inner = inner + column * (differences * (mixed - turned(mixed)))
        if columns > rows:
            outer = outer + matmul(left / row, turned(along - matmul(right, mixed)))
    return (_product(left, inner.astype(left.dtype), right_turned) + outer,)


def _diagonal_of(x: Array) -> Array:
    return x.diagonal(axis1=-2, axis2=-1)  # type: ignore[no-any-return]


def _svdvals(g: Adjoints, given: Arrays, made: Arrays) -> Sequence[Array | None]:
    assert g[0] is not None
    left, _, right = linalg.svd(given[0], full_matrices=False)
    return (matmul(left * g[0][..., None, :], right),)


def _qr(g: Adjoints, given: Arrays, made: Arrays, mode: str = "reduced") -> Sequence[Array | None]:
    q, r = made
    rows, columns = given[0].shape[-2:]
    if rows < columns or (mode == "complete" and rows != columns):
        _refuse("linalg.qr(a)", f"a has shape {given[0].shape} and mode is {mode!r}", "")
    by_q, by_r = g
    mixed: Any = 0.0 if by_r is None else matmul(r, turned(by_r))
    if by_q is not None:
        mixed = mixed - matmul(turned(by_q), q)
    lower = creation.tril(mixed)
    whole = lower + turned(creation.tril(mixed, -1))
    along = matmul(q, whole)
    if by_q is not None:
        along = along + by_q
    return (turned(linalg.solve(r, turned(along))),)


def _refuse(where: str, fault: str, remedy: str) -> None:
    accepted = "factors must have at most as many columns as rows"
    raise errors.refused(NotImplementedError, where, fault, accepted, remedy)


# -- transforms ------------------------------------------------------------------------------------


def _fft(
    g: Adjoints,
    given: Arrays,
    made: Arrays,
    shape: tuple[int, ...],
    row: Any,
    sizes: Sequence[int],
    axes: Sequence[int],
    norm: str,
) -> Sequence[Array | None]:
    """A transform is linear: its adjoint is the transform in the other direction."""
    found = g[0]
    assert found is not None
    other = {"backward": "forward", "forward": "backward", "ortho": "ortho"}[norm]
    order = list(zip(axes, sizes, strict=True))
    if row.hermitian:  # the transform of the conjugate, in the other direction
        norm, other = other, norm
    inverse = row.inverse is not row.hermitian
    if row.made == "real":
        *whole, (axis, size) = order
        found = _half_spectrum(found, axis, size, other)
        if row.hermitian:
            found = np.conj(found)
        extents = [*[size for _, size in whole], size // 2 + 1]
        for axis, extent in zip(axes, extents, strict=True):
            if axis != axes[-1]:
                found = _complex(found, axis, extent, not inverse, other)
            found = _resized(found, axis, shape[axis])
        return (found,)
    for axis, size in order[:-1] if row.given == "real" else order:
        found = _resized(_complex(found, axis, size, not inverse, other), axis, shape[axis])
    if row.given == "real":
        axis, size = order[-1]
        if row.hermitian:
            found = np.conj(found)
        found = arithmetic.real(_complex(_resized(found, axis, size), axis, size, True, other))
        found = _resized(found, axis, shape[axis])
    return (found,)


def _half_spectrum(g: Array, axis: int, size: int, norm: str) -> Array:
    """Return the adjoint of half a spectrum: what stands for two elements counts twice."""
    found = fourier.apply(fft_rows.rfft, g, [size], [axis], norm)
    weights = fills.ones(size // 2 + 1, dtype=g.dtype, device=g.device) + 0
    weights[1 : (size + 1) // 2] = 2.0
    lifted = [1] * g.ndim
    lifted[axis] = -1
    return found * weights.reshape(lifted)


def _complex(x: Array, axis: int, size: int, inverse: bool, norm: str) -> Array:
    row = fft_rows.ifft if inverse else fft_rows.fft
    return fourier.apply(row, x, [size], [axis], norm)


def _resized(x: Array, axis: int, size: int) -> Array:
    extent = x.shape[axis]
    if extent == size:
        return x
    if extent > size:
        return x[(*(slice(None),) * axis, slice(size))]
    shape = (*x.shape[:axis], size - extent, *x.shape[axis + 1 :])
    return joining.concat([x, fills.zeros(shape, dtype=x.dtype, device=x.device)], axis=axis)


def _sums(g: Adjoints, given: Arrays, made: Arrays, number: int) -> Sequence[Array | None]:
    """Each weight has the adjoint of the bin that it was added to."""
    bins = given[0]
    assert g[0] is not None
    is_in = (bins >= 0) & (bins < number)
    return None, searching.where(is_in, g[0][searching.where(is_in, bins, 0)], 0.0)


def _sums_of_runs(g: Adjoints, given: Arrays, made: Arrays) -> Sequence[Array | None]:
    """Each value has the adjoint of the sum where its run begins."""
    assert g[0] is not None
    begins = Array(histogram.begins(given[0]._view))
    numbers = Array(builder.index(begins.shape, begins.device))
    first = ufunc_methods.accumulate(np.maximum, searching.where(begins, numbers, 0), 0, None, None)
    return None, g[0][first]


WHOLE: Final = {
    "fft": Whole(_fft, wants_operands=False, wants_results=False),
    "linalg.cholesky": Whole(_cholesky, wants_operands=False),
    "linalg.det": Whole(_det),
    "linalg.eig": Whole(_eig, wants_operands=False),
    "linalg.eigh": Whole(_eigh, wants_operands=False),
    "linalg.eigvals": Whole(_eigvals, wants_results=False),
    "linalg.eigvalsh": Whole(_eigvalsh, wants_results=False),
    "linalg.inv": Whole(_inv, wants_operands=False),
    "linalg.qr": Whole(_qr),
    "linalg.slogdet": Whole(_slogdet),
    "linalg.solve": Whole(_solve),
    "linalg.svd": Whole(_svd),
    "sums": Whole(_sums, wants_results=False),
    "sums of runs": Whole(_sums_of_runs, wants_results=False),
    "linalg.svdvals": Whole(_svdvals, wants_results=False),
}
"""The derivatives of functions that are taken as a whole, by name."""
