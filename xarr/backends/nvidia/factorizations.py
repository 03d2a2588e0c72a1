"""Factorizations, and what is solved by them, as calls of cuSOLVER.

They go matrix by matrix, and wait for the end: only then is known whether they failed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy

from xarr.backends.nvidia.handles import bindings_of
from xarr.backends.nvidia.work import LETTERS, DeviceArray, Work

LinAlgError = numpy.linalg.LinAlgError


class _Solver:
    """cuSOLVER for one call on matrices of one data type."""

    def __init__(self, work: Work, dtype: numpy.dtype[Any], count: int) -> None:
        self.work = work
        self.dtype = dtype
        self.bindings, self.handle = work.handles.handle("cusolverDn", work.stream)
        self._letter = LETTERS[dtype.char]
        # One for each matrix, and one for what cannot fail.
        self._count = count + 1
        self._infos = work.room(4 * self._count)
        work.clear(self._infos, 4 * self._count)
        self._rooms: dict[str, tuple[int, int]] = {}

    def room(self, count: int) -> int:
        """Memory for so many elements."""
        return self.work.room(max(count, 1) * self.dtype.itemsize)

    def info(self, index: int = -1) -> int:
        """The address at which the success of a matrix is noted."""
        return self._infos + 4 * (index % self._count)

    def function(self, name: str) -> Callable[..., Any]:
        """A function of the data type; "orgqr" and "syevd" have other names where it is complex."""
        if self.dtype.kind == "c":
            name = name.replace("orgqr", "ungqr").replace("syevd", "heevd")
        return getattr(self.bindings, f"{self._letter}{name}")  # type: ignore[no-any-return]

    def workspace(self, name: str, *arguments: Any) -> tuple[int, int]:
        """The workspace of a function, and its length in elements, the same for each matrix."""
        if name not in self._rooms:
            count = self.function(f"{name}_buffer_size")(self.handle, *arguments)
            self._rooms[name] = self.room(count), count
        return self._rooms[name]

    def transpose(self, source: int, target: int, rows: int, columns: int, **how: Any) -> None:
        """As `Work.transpose`."""
        self.work.transpose(source, target, rows, columns, self.dtype.char, **how)

    def factorize(self, matrix: int, size: int, pivots: int, index: int) -> None:
        """Make the LU decomposition of what cuSOLVER sees in place of a matrix."""
        room, _ = self.workspace("getrf", size, size, matrix, size)
        getrf = self.function("getrf")
        getrf(self.handle, size, size, matrix, size, room, pivots, self.info(index))

    def keep_triangle(self, matrix: int, size: int, pitch: int, *, upper: bool) -> None:
        """Clear the other side of the diagonal; `upper` as cuBLAS sees it."""
        if "packed" not in self._rooms:
            self._rooms["packed"] = self.room(size * (size + 1) // 2), 0
        packed, _ = self._rooms["packed"]
        cublas, handle = self.work.blas()
        side = cublas.FillMode.UPPER if upper else cublas.FillMode.LOWER
        getattr(cublas, f"{self._letter}trttp")(handle, side, size, matrix, pitch, packed)
        nbytes = self.dtype.itemsize
        self.work.fill_rows(matrix, pitch * nbytes, size * nbytes // 4, size)
        getattr(cublas, f"{self._letter}tpttr")(handle, side, size, packed, matrix, pitch)

    def check(self, problem: str) -> None:
        """Raise LinAlgError where a matrix was beyond the function."""
        if self.work.downloaded(self._infos, self._count, numpy.dtype(numpy.int32)).any():
            raise LinAlgError(problem)


def _places(array: DeviceArray, ndim: int = 2) -> list[int]:
    """The addresses of the matrices, or vectors, of a stack in C order."""
    split = len(array.shape) - ndim
    nbytes = math.prod(array.shape[split:]) * array.dtype.itemsize
    return [array.data + index * nbytes for index in range(math.prod(array.shape[:split]))]


def _is_trivial(work: Work, operand: DeviceArray, *squares: DeviceArray) -> bool:
    """Whether matrices have no elements; factors that have some are identities then."""
    if 0 not in operand.shape:
        return False
    for array in squares:
        if 0 not in array.shape:
            for place in _places(array):
                work.identity(place, array.shape[-1], array.dtype)
    return True


def _cholesky(work: Work, a: DeviceArray, result: DeviceArray, *, upper: bool) -> None:
    # By columns the matrix is conj(A), and its triangles change places: conj(A) = U^H U is
    # A = U^T conj(U), whose first factor is what lies there by rows.
    if _is_trivial(work, a):
        return
    size = a.shape[-1]
    work.copy(a.data, result.data, math.prod(a.shape) * a.dtype.itemsize)
    places = _places(result)
    solver = _Solver(work, a.dtype, len(places))
    fill = bindings_of("cublas").FillMode
    side = fill.LOWER if upper else fill.UPPER
    for index, place in enumerate(places):
        workspace = solver.workspace("potrf", side, size, place, size)
        info = solver.info(index)
        solver.function("potrf")(solver.handle, side, size, place, size, *workspace, info)
    solver.check("Matrix is not positive definite")
    for place in places:
        solver.keep_triangle(place, size, size, upper=not upper)


def _qr(work: Work, a: DeviceArray, q: DeviceArray, r: DeviceArray, *, mode: str) -> None:
    if _is_trivial(work, a, q):
        return
    rows, columns = a.shape[-2:]
    inner, count = q.shape[-1], min(rows, columns)
    sources = _places(a)
    solver = _Solver(work, a.dtype, len(sources))
    matrix = solver.room(rows * max(columns, inner))
    tau = solver.room(count)
    for source, left, right in zip(sources, _places(q), _places(r), strict=True):
        solver.transpose(source, matrix, rows, columns)
        workspace = solver.workspace("geqrf", rows, columns, matrix, rows)
        solver.function("geqrf")(
            *(solver.handle, rows, columns, matrix, rows, tau), *workspace, solver.info()
        )
        # What `transpose` reads by rows: `columns` rows, of each the first `inner` elements.
        solver.transpose(matrix, right, columns, inner, pitch=rows)
        solver.keep_triangle(right, count, columns, upper=False)
        nbytes = columns * a.dtype.itemsize
        work.clear(right + count * nbytes, (inner - count) * nbytes)
        workspace = solver.workspace("orgqr", rows, inner, count, matrix, rows, tau)
        solver.function("orgqr")(
            *(solver.handle, rows, inner, count, matrix, rows, tau), *workspace, solver.info()
        )
        solver.transpose(matrix, left, inner, rows)
    solver.check("QR decomposition failed")


def _svd(
    work: Work,
    a: DeviceArray,
    u: DeviceArray,
    s: DeviceArray,
    vh: DeviceArray,
    *,
    full_matrices: bool,
) -> None:
    if not _is_trivial(work, a, u, vh):
        _singular(work, a, s, u, vh, b"A" if full_matrices else b"S")


def _svdvals(work: Work, a: DeviceArray, s: DeviceArray) -> None:
    if not _is_trivial(work, a):
        _singular(work, a, s, None, None, b"N")


def _singular(
    work: Work,
    a: DeviceArray,
    s: DeviceArray,
    u: DeviceArray | None,
    vh: DeviceArray | None,
    job: bytes,
) -> None:
    # gesvd wants at least as many rows as columns. A wide matrix is a tall one by columns,
    # A^T = U' S V', and by rows V' and U' are just the factors of A, in this order.
    rows, columns = a.shape[-2:]
    tall, short = max(rows, columns), min(rows, columns)
    is_wide = rows < columns
    sources = _places(a)
    solver = _Solver(work, a.dtype, len(sources))
    matrix = solver.room(tall * short)
    workspace = solver.workspace("gesvd", tall, short)
    lefts, rights = [0] * len(sources), [0] * len(sources)
    if u is not None and vh is not None:
        lefts, rights = _places(u), _places(vh)
        if is_wide:
            lefts, rights = rights, lefts
        else:
            left, right = solver.room(tall * u.shape[-1]), solver.room(short * short)
    for index, (source, values) in enumerate(zip(sources, _places(s, 1), strict=True)):
        there = lefts[index], rights[index]
        if is_wide:
            work.copy(source, matrix, rows * columns * a.dtype.itemsize)
        else:
            solver.transpose(source, matrix, rows, columns)
            if u is not None:
                there = left, right
        solver.function("gesvd")(
            *(solver.handle, job[0], job[0], tall, short, matrix, tall, values),
            *(there[0], tall, there[1], short, *workspace, 0, solver.info(index)),
        )
        if u is not None and not is_wide:
            solver.transpose(left, lefts[index], u.shape[-1], tall)
            solver.transpose(right, rights[index], short, short)
    problem = "SVD did not converge"
    solver.check(problem)
    # Of a matrix with a NaN LAPACK says so, cuSOLVER does not.
    if numpy.isnan(work.downloaded(s.data, math.prod(s.shape), s.dtype)).any():
        raise LinAlgError(problem)


def _eigh(work: Work, a: DeviceArray, w: DeviceArray, v: DeviceArray | None = None) -> None:
    # By columns the matrix is conj(A), its lower triangle the upper one; its vectors are conj(V).
    if _is_trivial(work, a):
        return
    size = a.shape[-1]
    sources = _places(a)
    solver = _Solver(work, a.dtype, len(sources))
    matrix = solver.room(size * size)
    mode = bindings_of("cusolver").EigMode
    job = mode.NOVECTOR if v is None else mode.VECTOR
    side = bindings_of("cublas").FillMode.UPPER
    vectors = [] if v is None else _places(v)
    for index, (source, values) in enumerate(zip(sources, _places(w, 1), strict=True)):
        work.copy(source, matrix, size * size * a.dtype.itemsize)
        begin = job, side, size, matrix, size, values
        workspace = solver.workspace("syevd", *begin)
        solver.function("syevd")(solver.handle, *begin, *workspace, solver.info(index))
        if vectors:
            solver.transpose(matrix, vectors[index], size, size, conjugate=True)
    solver.check("Eigenvalues did not converge")


def _solve(work: Work, a: DeviceArray, b: DeviceArray, result: DeviceArray) -> None:
    # What is factorized is A^T, and a system with its transpose solved.
    if 0 in result.shape:
        return
    size = a.shape[-1]
    ndim = 1 if len(b.shape) == 1 else 2
    columns = 1 if ndim == 1 else b.shape[-1]
    stack = result.shape[: len(result.shape) - ndim]
    first, second = (
        numpy.broadcast_to(numpy.reshape(_places(array, n), array.shape[:-n]), stack).ravel()
        for array, n in ((a, 2), (b, ndim))
    )
    solver = _Solver(work, a.dtype, len(first))
    matrix, right = solver.room(size * size), solver.room(size * columns)
    pivots = work.room(4 * size)
    before = -1
    operation = bindings_of("cublas").Operation.T
    for index, target in enumerate(_places(result, ndim)):
        if first[index] != before:
            before = int(first[index])
            work.copy(before, matrix, size * size * a.dtype.itemsize)
            solver.factorize(matrix, size, pivots, index)
        solver.transpose(int(second[index]), right, size, columns)
        solver.function("getrs")(
            *(solver.handle, operation, size, columns, matrix, size, pivots),
            *(right, size, solver.info()),
        )
        solver.transpose(right, target, columns, size)
    solver.check("Singular matrix")


def _inv(work: Work, a: DeviceArray, result: DeviceArray) -> None:
    # The inverse of A^T by columns is that of A by rows.
    if _is_trivial(work, a):
        return
    size = a.shape[-1]
    sources = _places(a)
    solver = _Solver(work, a.dtype, len(sources))
    matrix, pivots = solver.room(size * size), work.room(4 * size)
    operation = bindings_of("cublas").Operation.N
    for index, (source, target) in enumerate(zip(sources, _places(result), strict=True)):
        work.copy(source, matrix, size * size * a.dtype.itemsize)
        solver.factorize(matrix, size, pivots, index)
        work.identity(target, size, a.dtype)
        solver.function("getrs")(
            *(solver.handle, operation, size, size, matrix, size, pivots),
            *(target, size, solver.info()),
        )
    solver.check("Singular matrix")


FACTORIZATIONS: Final[dict[str, Callable[..., None]]] = {
    "cholesky": _cholesky,
    "eigh": _eigh,
    "eigvalsh": _eigh,
    "inv": _inv,
    "qr": _qr,
    "solve": _solve,
    "svd": _svd,
    "svdvals": _svdvals,
}
