from xarr.ir.storage cimport allocate_or_collect
from xarr.runtime.program cimport Runnable


cdef class BoundLaunch:
    cdef public object kernel
    cdef public object grid
    cdef public object packed
    cdef public object elements
    cdef public list named
    cdef public list dropped
    cdef public list fresh
    cdef public list reuses
    cdef public list freed
    cdef public object step
    cdef public list storages
    cdef public list bases
    cdef public object planned
    cdef public list template
    cdef public list numbers
    cdef public list holes

cdef class Bound:
    cdef public list launches
    cdef public Runnable program
    cdef public bint is_single
    cdef public list constants

cdef class Memory:
    cdef object device
    cdef public list buffers
    cdef public list own
    cdef dict free
    cdef void allocate(self, BoundLaunch launch)
    cdef object _allocated(self, Py_ssize_t nbytes)
    cdef void _release(self, Py_ssize_t slot)
    cdef list buffers_of(self, BoundLaunch launch)
    cdef void end(self, BoundLaunch launch)
