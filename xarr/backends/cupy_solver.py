"""Factorizations of a single matrix by cuSOLVER itself, with CuPy's handle and memory.

CuPy asks with three kernels after each of its calls how it went, and clears triangles with several
more. Stacks of matrices are left to CuPy. What cuSOLVER sees by columns is the transpose of a
matrix in C order.
"""

from __future__ import annotations

from typing import Any, Final

import numpy

from xarr.backends.nvidia.work import LETTERS

_COMPLEX: Final = {"orgqr": "ungqr", "syevd": "heevd"}
"""The names of routines for complex matrices, where they are others."""


class Solver:
    """The functions of `numpy.linalg` that cuSOLVER serves, for CuPy's arrays."""

    def __init__(self, cupy: Any) -> None:
        self._cupy = cupy
        self._lower = self._filling("lower", "i % n <= i / n ? x[i] : T(0)")
        self._upper = self._filling("upper", "i % n >= i / n ? x[i] : T(0)")
        self._identity = self._filling("identity", "T(float(i % (n + 1) == 0))")

    def _filling(self, name: str, value: str) -> Any:
        """Return a kernel that fills `y`, whose rows have `n` elements, with values of places."""
        return self._cupy.ElementwiseKernel("raw T x, int64 n", "T y", f"y = {value}", f"xr_{name}")

    def _goes_alone(self, a: Any) -> bool:
        """Return whether cuSOLVER is called for a matrix itself, not by CuPy."""
        is_single = a.ndim == 2 and a.size > 0 and a.dtype.char in LETTERS
        return is_single and not self._cupy.cuda.runtime.is_hip

    def _info(self, count: int = 1) -> Any:
        """Return room for what a routine notes of its success."""
        return self._cupy.empty(count, numpy.int32)

    def _call(self, a: Any, routine: str, begin: tuple[Any, ...], info: Any, *more: Any) -> None:
        """Call a routine: `begin` asks for its workspace too, `more` comes before that."""
        from cupy_backends.cuda.libs import cusolver

        name = _COMPLEX.get(routine, routine) if a.dtype.kind == "c" else routine
        name = f"{LETTERS[a.dtype.char]}{name}"
        begin = self._cupy.cuda.device.get_cusolver_handle(), *begin
        count = getattr(cusolver, f"{name}_bufferSize")(*begin)
        work = self._cupy.empty(count, a.dtype)
        getattr(cusolver, name)(*begin, *more, work.data.ptr, count, info.data.ptr)

    def cholesky(self, a: Any, *, upper: bool) -> Any:
        """Factorize a matrix, or each of a stack."""
        if upper:  # cuSOLVER is given the lower triangle
            a = a.swapaxes(-2, -1).conj()
            return self.cholesky(a, upper=False).swapaxes(-2, -1).conj()
        if not self._goes_alone(a):
            return self._cupy.linalg.cholesky(a)
        from cupy_backends.cuda.libs import cublas

        # By columns the matrix is conj(A), whose upper triangle is the lower one by rows. The zeros
        # of the other one stay.
        size, info = len(a), self._info()
        factor = self._lower(a, size, self._cupy.empty(a.shape, a.dtype))
        begin = cublas.CUBLAS_FILL_MODE_UPPER, size, factor.data.ptr, size
        self._call(a, "potrf", begin, info)
        _require_success(info, "Matrix is not positive definite")
        return factor

    def _eliminated(self, a: Any) -> tuple[Any, Any]:
        """Return LU factors by columns, and int32: `getrf`'s info, room for another, the pivots."""
        from cupy_backends.cuda.libs import cusolver

        cupy, letter, size = self._cupy, LETTERS[a.dtype.char], len(a)
        factors, notes = a.copy(), self._info(2 + size)
        begin = cupy.cuda.device.get_cusolver_handle(), size, size, factors.data.ptr, size
        work = cupy.empty(getattr(cusolver, f"{letter}getrf_bufferSize")(*begin), a.dtype)
        infos, pivots = notes.data.ptr, notes.data.ptr + 2 * notes.itemsize
        getattr(cusolver, f"{letter}getrf")(*begin, work.data.ptr, pivots, infos)
        return factors, notes

    def _replace_by_solutions(self, a: Any, columns: Any, *, transposed: bool) -> None:
        """Replace right-hand sides, by columns, by the solutions for a matrix or its transpose."""
        from cupy_backends.cuda.libs import cublas, cusolver

        factors, notes = self._eliminated(a)
        size, handle = len(a), self._cupy.cuda.device.get_cusolver_handle()
        infos, pivots = notes.data.ptr, notes.data.ptr + 2 * notes.itemsize
        operation = cublas.CUBLAS_OP_N if transposed else cublas.CUBLAS_OP_T  # by columns
        getattr(cusolver, f"{LETTERS[a.dtype.char]}getrs")(
            *(handle, operation, size, columns.size // size, factors.data.ptr, size, pivots),
            *(columns.data.ptr, size, infos + notes.itemsize),
        )
        _require_success(notes[:2], "Singular matrix")

    def inv(self, a: Any) -> Any:
        """Invert a matrix, or each of a stack."""
        if not self._goes_alone(a):
            return self._cupy.linalg.inv(a)
        # By columns the matrix is A^T, and the inverse of that is by rows the inverse of A.
        result = self._identity(a, len(a), self._cupy.empty(a.shape, a.dtype))
        self._replace_by_solutions(a, result, transposed=True)
        return result

    def solve(self, a: Any, b: Any) -> Any:
        """Solve A X = B, of matrices that broadcast, or for a vector."""
        cupy, vector = self._cupy, b.ndim == 1
        if vector:
            b = b[:, None]
        stack = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        if 0 in (*stack, *b.shape[-2:]):
            return cupy.empty((*stack, *(b.shape[-2:-1] if vector else b.shape[-2:])), a.dtype)
        if not stack and self._goes_alone(a):
            x = (b[:, 0] if vector else b).copy(order="F")
            self._replace_by_solutions(a, x, transposed=False)
            return cupy.ascontiguousarray(x)
        a = cupy.ascontiguousarray(cupy.broadcast_to(a, stack + a.shape[-2:]))
        b = cupy.ascontiguousarray(cupy.broadcast_to(b, stack + b.shape[-2:]))
        x = cupy.linalg.solve(a, b)
        return x[..., 0] if vector else x

    def _sign_and_log(self, a: Any) -> tuple[Any, Any]:
        """Return a determinant's sign, and its size's logarithm, which does not overflow."""
        factors, notes = self._eliminated(a)
        size = len(a)
        is_odd = numpy.count_nonzero(notes.get()[2:] != numpy.arange(1, size + 1)) % 2
        diagonal = factors.ravel()[:: size + 1].get()
        if not diagonal.all() and self._cupy.isnan(a).any():  # where cuSOLVER may leave zeros
            diagonal[:] = numpy.nan
        with numpy.errstate(all="ignore"):
            sign, logarithm = numpy.sign(diagonal).prod(), numpy.log(numpy.abs(diagonal)).sum()
        return (-sign if is_odd else sign) + 0, logarithm  # 0 has no sign

    def det(self, a: Any) -> Any:
        """Compute the determinant of a matrix, or of each of a stack."""
        if not self._goes_alone(a):
            return self._cupy.linalg.det(a)
        sign, logarithm = self._sign_and_log(a)
        with numpy.errstate(all="ignore"):
            return self._cupy.array(sign * numpy.exp(logarithm))

    def slogdet(self, a: Any) -> Any:
        """Compute a determinant's sign and the logarithm of its size, or those of each of a stack.

        A sign is 0 where the logarithm is -inf.
        """
        if not self._goes_alone(a):
            return self._cupy.linalg.slogdet(a)
        sign, logarithm = self._sign_and_log(a)
        return self._cupy.array(sign), self._cupy.array(logarithm)

    def qr(self, a: Any, *, mode: str) -> Any:
        """Factorize a matrix, or each of a stack, as Q R."""
        cupy = self._cupy
        if not self._goes_alone(a):
            return cupy.linalg.qr(a, mode)
        rows, columns = a.shape
        count = min(rows, columns)
        inner = rows if mode == "complete" else count
        matrix, tau = cupy.empty((max(columns, inner), rows), a.dtype), cupy.empty(count, a.dtype)
        matrix[:columns] = a.T
        place, info = (matrix.data.ptr, rows), self._info()
        self._call(a, "geqrf", (rows, columns, *place), info, tau.data.ptr)
        r = self._upper(matrix[:columns].T, columns, cupy.empty((inner, columns), a.dtype))
        self._call(a, "orgqr", (rows, inner, count, *place, tau.data.ptr), info)
        return cupy.ascontiguousarray(matrix[:inner].T), r

    def eigh(self, a: Any, *, vectors: bool = True) -> Any:
        """Decompose a Hermitian matrix, or each of a stack, of which the lower triangle is read."""
        cupy = self._cupy
        if not self._goes_alone(a):
            return (cupy.linalg.eigh if vectors else cupy.linalg.eigvalsh)(a)
        from cupy_backends.cuda.libs import cublas, cusolver

        # By columns the matrix is conj(A), with its lower triangle as the upper one, and the
        # vectors that take its place are conj(V).
        jobs = cusolver.CUSOLVER_EIG_MODE_NOVECTOR, cusolver.CUSOLVER_EIG_MODE_VECTOR
        size, matrix, info = len(a), a.copy(), self._info()
        values = cupy.empty(size, a.dtype.char.lower())
        side, places = cublas.CUBLAS_FILL_MODE_UPPER, (matrix.data.ptr, size, values.data.ptr)
        self._call(a, "syevd", (jobs[vectors], side, size, *places), info)
        _require_success(info, "Eigenvalues did not converge")
        return (values, cupy.ascontiguousarray(matrix.T.conj())) if vectors else values

    def eigvalsh(self, a: Any) -> Any:
        """Compute the eigenvalues of a Hermitian matrix, or of each of a stack."""
        return self.eigh(a, vectors=False)

    def svd(self, a: Any, *, full_matrices: bool, compute_uv: bool = True) -> Any:
        """Decompose a matrix, or each of a stack, into singular values, and vectors if wanted."""
        if not (self._goes_alone(a) and _suits_jacobi(a, compute_uv)):
            svd = self._cupy.linalg.svd
            return svd(a, full_matrices=full_matrices, compute_uv=compute_uv)
        from cupyx.cusolver import gesvdj

        made = gesvdj(a, full_matrices, compute_uv)
        return (*made[:2], made[2].T.conj()) if compute_uv else made

    def svdvals(self, a: Any) -> Any:
        """Compute the singular values of a matrix, or of each of a stack."""
        return self.svd(a, full_matrices=False, compute_uv=False)


def _require_success(infos: Any, problem: str) -> None:
    """Raise LinAlgError where cuSOLVER noted that a call failed; waits for it."""
    if infos.get().any():
        raise numpy.linalg.LinAlgError(problem)


def _suits_jacobi(a: Any, compute_uv: bool) -> bool:
    """Return whether Jacobi's method takes less time for a matrix than a QR iteration.

    An H200 takes ms by QR and by Jacobi's method, then for the values alone by both, of float32
    31 x 31 1.2, .5, .2, .5; 256 x 256 20, 7, 13, 7; 1024 x 1024 117, 53, 77, 53;
    2048 x 2048 315, 218, 175, 183; 4096 x 64 4.7, 1.4, .9, 1.4; of float64 256 x 256 21, 10, 12,
    10; 1024 x 1024 129, 88, 65, 88.
    """
    short: int = min(a.shape)
    return short <= 2048 if compute_uv else 128 < short <= 1024 and a.dtype.char in "fF"
