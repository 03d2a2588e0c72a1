"""Linear algebra: the standard's extension linalg, with NumPy's norm."""

from xarr.functions.linalg import (
    EighResult as EighResult,
)
from xarr.functions.linalg import (
    EigResult as EigResult,
)
from xarr.functions.linalg import (
    LinAlgError as LinAlgError,
)
from xarr.functions.linalg import (
    QRResult as QRResult,
)
from xarr.functions.linalg import (
    SlogdetResult as SlogdetResult,
)
from xarr.functions.linalg import (
    SVDResult as SVDResult,
)
from xarr.functions.linalg import (
    cholesky as cholesky,
)
from xarr.functions.linalg import (
    cross as cross,
)
from xarr.functions.linalg import (
    det as det,
)
from xarr.functions.linalg import (
    diagonal as diagonal,
)
from xarr.functions.linalg import (
    eig as eig,
)
from xarr.functions.linalg import (
    eigh as eigh,
)
from xarr.functions.linalg import (
    eigvals as eigvals,
)
from xarr.functions.linalg import (
    eigvalsh as eigvalsh,
)
from xarr.functions.linalg import (
    inv as inv,
)
from xarr.functions.linalg import (
    matmul as matmul,
)
from xarr.functions.linalg import (
    matrix_norm as matrix_norm,
)
from xarr.functions.linalg import (
    matrix_power as matrix_power,
)
from xarr.functions.linalg import (
    matrix_rank as matrix_rank,
)
from xarr.functions.linalg import (
    matrix_transpose as matrix_transpose,
)
from xarr.functions.linalg import (
    norm as norm,
)
from xarr.functions.linalg import (
    outer as outer,
)
from xarr.functions.linalg import (
    pinv as pinv,
)
from xarr.functions.linalg import (
    qr as qr,
)
from xarr.functions.linalg import (
    slogdet as slogdet,
)
from xarr.functions.linalg import (
    solve as solve,
)
from xarr.functions.linalg import (
    svd as svd,
)
from xarr.functions.linalg import (
    svdvals as svdvals,
)
from xarr.functions.linalg import (
    tensordot as tensordot,
)
from xarr.functions.linalg import (
    trace as trace,
)
from xarr.functions.linalg import (
    vecdot as vecdot,
)
from xarr.functions.linalg import (
    vector_norm as vector_norm,
)
