from xarr.array.operators cimport applied, combined
from xarr.ir.resolved cimport ResolvedRow


cdef class RowFunction:
    cdef public ResolvedRow known
