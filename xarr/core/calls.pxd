from xarr.core.watch cimport core_counts, core_hooks
from xarr.core.views cimport Node, Structure, view_at
from xarr.core.instructions cimport Opcode, Step
from xarr.core.tape cimport Tape
from xarr.core.record cimport computed, recorded
from xarr.core.operators cimport ArrayBase, view_of, is_plain, made


cdef class Recipe:
    cdef list steps
    cdef list results
    cdef bint is_lone
    cdef object follow(self, list arrays)

cdef class Recalled:
    cdef public object function
    cdef public dict recipes
    cpdef object call(self, tuple given, dict named)
