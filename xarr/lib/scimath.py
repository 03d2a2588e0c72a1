"""Functions that give complex numbers where real ones do not do, as in `numpy.emath`."""

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
