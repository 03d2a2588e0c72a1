from xarr.ir.events cimport core_counts, core_hooks, core_tier
from xarr.ir.instructions cimport Instruction
from xarr.ir.storage cimport Storage, new_storage
from xarr.ir.views cimport View, Structure, beyond, contiguous, lone_constant, view_at
from xarr.tape.replay cimport Replay, view_in
from xarr.tape.tape cimport Tape, tape_of
from xarr.array.operators cimport ArrayBase, view_of, is_plain, made


cdef class Leaf:
    cdef public Py_ssize_t given
    cdef public Py_ssize_t place
    cdef public Py_ssize_t base
    cdef public object constant
    cdef public bint locked
    cdef public bint kept
    cpdef object array_of(self, View view, list arrays)

cdef class Known:
    cdef Replay replay
    cdef list leaves
    cdef bint is_lone
    cdef object call(self, list firsts, list arrays)

cdef class CallCache:
    cdef public object function
    cdef public dict recordings
    cpdef object call(self, tuple given, dict named)
    cdef object _name_of(self, tuple given)
