"""Special functions by SciPy's names, which SciPy calls where `SCIPY_ARRAY_API` is set."""

import typing as _typing

from xarr.functions.elementwise.special import (
    erf as erf,
    erfc as erfc,
    gamma as gamma,
    gammaln as gammaln,
)
from xarr.functions.names.absent import missing as _missing

if not _typing.TYPE_CHECKING:  # which would take any name for one that is there

    def __getattr__(name: str) -> object:
        """Say which name is nearest to one that is not here."""
        raise _missing(__name__, name, globals())
