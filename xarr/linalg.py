"""Linear algebra: the standard's extension linalg, and NumPy's names."""

import typing as _typing

from xarr.functions.names.namespace import public as _public

if _typing.TYPE_CHECKING:
    from xarr.functions.linalg.linalg import (
        LinAlgError as LinAlgError,
        cholesky as cholesky,
        cross as cross,
        det as det,
        diagonal as diagonal,
        eig as eig,
        eigh as eigh,
        eigvals as eigvals,
        eigvalsh as eigvalsh,
        inv as inv,
        matrix_power as matrix_power,
        outer as outer,
        qr as qr,
        slogdet as slogdet,
        solve as solve,
        svd as svd,
        svdvals as svdvals,
        trace as trace,
    )
    from xarr.functions.linalg.numpy_products import multi_dot as multi_dot
    from xarr.functions.linalg.products import (
        matmul as matmul,
        matrix_transpose as matrix_transpose,
        tensordot as tensordot,
        vecdot as vecdot,
    )
    from xarr.functions.linalg.results import (
        EighResult as EighResult,
        EigResult as EigResult,
        QRResult as QRResult,
        SlogdetResult as SlogdetResult,
        SVDResult as SVDResult,
    )
    from xarr.functions.linalg.solving import (
        LstsqResult as LstsqResult,
        cond as cond,
        lstsq as lstsq,
        matrix_norm as matrix_norm,
        matrix_rank as matrix_rank,
        norm as norm,
        pinv as pinv,
        tensorinv as tensorinv,
        tensorsolve as tensorsolve,
        vector_norm as vector_norm,
    )
else:
    __getattr__, __dir__ = _public(__name__)
