"""Linear algebra: the standard's extension linalg, with NumPy's norm."""

import typing as _typing

from xarr.functions.absent import missing as _missing
from xarr.functions.linalg import (
    EighResult as EighResult,
    EigResult as EigResult,
    LinAlgError as LinAlgError,
    QRResult as QRResult,
    SlogdetResult as SlogdetResult,
    SVDResult as SVDResult,
    cholesky as cholesky,
    cross as cross,
    det as det,
    diagonal as diagonal,
    eig as eig,
    eigh as eigh,
    eigvals as eigvals,
    eigvalsh as eigvalsh,
    inv as inv,
    matmul as matmul,
    matrix_norm as matrix_norm,
    matrix_power as matrix_power,
    matrix_rank as matrix_rank,
    matrix_transpose as matrix_transpose,
    norm as norm,
    outer as outer,
    pinv as pinv,
    qr as qr,
    slogdet as slogdet,
    solve as solve,
    svd as svd,
    svdvals as svdvals,
    tensordot as tensordot,
    trace as trace,
    vecdot as vecdot,
    vector_norm as vector_norm,
)

if not _typing.TYPE_CHECKING:  # which would take any name for one that is there

    def __getattr__(name: str) -> object:
        """Say which name is nearest to one that is not here."""
        raise _missing(__name__, name, globals())
