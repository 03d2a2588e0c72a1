from xarr.array.operators cimport ArrayBase, applied, combined, is_plain, made
from xarr.tape.scalar_access cimport wait
from xarr.ir.events cimport core_hooks
from xarr.ir.resolved cimport ResolvedRow
from xarr.ir.quiet cimport called_quietly
from xarr.ir.views cimport Structure, View, number_like, view_at, view_within
from xarr.runtime.host_memory cimport elements, is_reached
from xarr.tape.record cimport computed, is_unwatched
from xarr.tape.tape cimport Tape


cdef class RowFunction:
    cdef public ResolvedRow known

cpdef object known_product(object x1, object x2)
cpdef object known_fold(dict known, View view, object axis, object adds_extent, object correction)
cpdef object folded(View view, tuple found)
cpdef bint is_waited_for(object x)
cpdef object rebind(ArrayBase array, View view)
