"""Functions that return complex numbers where no real result exists, as in `numpy.emath`."""

import typing as _typing

from xarr.functions.names.namespace import public as _public

if _typing.TYPE_CHECKING:
    from xarr.functions.elementwise.scimath import (
        arccos as arccos,
        arcsin as arcsin,
        arctanh as arctanh,
        log as log,
        log2 as log2,
        log10 as log10,
        logn as logn,
        power as power,
        sqrt as sqrt,
    )
else:
    __getattr__, __dir__ = _public(
        __name__, "As in NumPy; not part of the Array API standard. Waits for the device."
    )
