"""Special functions by SciPy's names, which SciPy calls where `SCIPY_ARRAY_API` is set."""

import typing as _typing

from xarr.functions.names.namespace import public as _public

if _typing.TYPE_CHECKING:
    from xarr.functions.elementwise.special import (
        erf as erf,
        erfc as erfc,
        gamma as gamma,
        gammaln as gammaln,
    )
else:
    __getattr__, __dir__ = _public(__name__)
