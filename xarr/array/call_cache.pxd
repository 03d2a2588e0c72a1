from xarr.ir.events cimport core_counts, core_hooks
from xarr.ir.views cimport View, Structure, view_at
from xarr.ir.instructions cimport Opcode, Instruction
from xarr.tape.tape cimport Tape
from xarr.tape.record cimport computed, recorded
from xarr.array.operators cimport ArrayBase, view_of, is_plain, made


cdef class Recording:
    cdef list steps
    cdef list results
    cdef bint is_lone
    cdef object replay(self, list arrays)

cdef class CallCache:
    cdef public object function
    cdef public dict recordings
    cpdef object call(self, tuple given, dict named)
