from xarr.ir.instructions cimport RunArguments
from xarr.ir.steps cimport LibraryStep, packed_arguments
from xarr.ir.storage cimport Storage, allocate_or_collect, new_storage


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
    cdef public list programs
    cdef public Py_ssize_t slots
    cdef public list constants
    cdef public Py_ssize_t calls
    cdef public object graph
    cdef void put(self, list constants)

cdef class Memory:
    cdef object device
    cdef public list buffers
    cdef public list own
    cdef dict free
    cdef void drop(self, BoundLaunch launch)
    cdef void take(self, BoundLaunch launch)
    cdef object _allocated(self, Py_ssize_t nbytes)
    cdef void _release(self, Py_ssize_t slot)
    cdef void give(self, Py_ssize_t slot, object buffer)
    cdef list buffers_of(self, BoundLaunch launch)
    cdef void end(self, BoundLaunch launch)

cpdef list worked(object device, BoundLaunch launch, list places)
