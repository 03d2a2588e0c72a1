from xarr.ir.events cimport core_hooks
from xarr.ir.quiet cimport called_quietly
from xarr.ir.storage cimport Storage, new_storage
from xarr.ir.views cimport Structure, View, contiguous, lone_constant, structure, view_at
from xarr.runtime.host_memory cimport array_at, elements, is_reached
from xarr.tape.record cimport is_nearly_idle, is_unwatched
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
    cdef object given_back(self, object result, object device, object values)

cdef bint are_ready(Tape on, list views, Storage written=*)
cdef bint may_be_written(Tape on, ArrayBase array)
cdef object target_of(View view)
