from xarr.ir.events cimport core_hooks
from xarr.ir.quiet cimport called_quietly
from xarr.ir.storage cimport Storage, new_storage
from xarr.ir.views cimport Structure, View, contiguous, lone_constant, structure, view_at
from xarr.runtime.host_memory cimport array_at, elements, is_reached
from xarr.tape.record cimport is_unwatched
from xarr.tape.tape cimport Tape, tape_of
from xarr.array.operators cimport ArrayBase, is_plain, made


cdef class HostCall:
    cdef public object function
    cdef public object numpys
    cdef public Py_ssize_t arrays
    cdef public bint writes
    cpdef object call(self, tuple given, dict named)
    cdef Structure last
    cdef object _computed(self, tuple given, dict named)
    cdef object _given_back(self, object result, object device, list values)
