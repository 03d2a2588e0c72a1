from xarr.ir.events cimport core_counts, core_hooks
from xarr.ir.storage cimport Storage, allocate_or_collect
from xarr.ir.views cimport view_at
from xarr.ir.instructions cimport RunArguments


cpdef object launched(object device, object kernel, object grid, object buffers, object arguments, object elements)
cpdef object packed_arguments(object planned, list values, list numbers)
cpdef object launch(object device, object kernel, object grid, object buffers, object arguments, object elements)

cdef class Step:
    cdef public list launches
    cdef public list scratch
    cdef public list specs
    cdef public list pointers
    cdef public list results
    cdef public list offsets
    cdef public list fresh
    cdef public list constants
    cdef public list numbers
    cdef public object complex
    cdef public list reuses
    cdef public list freed
    cdef public list whole
    cdef public Py_ssize_t launch_count
    cdef list values
    cdef list packed
    cpdef object run(self, object device, RunArguments listed, list unfinished)
    cpdef object ask(self, object device, RunArguments listed, list asked)
    cdef void _add_constants(self, list numbers, list constants, list found)
    cdef bint _are_packed(self, list values, Py_ssize_t count)
    cpdef object end(self, list storages)

cdef class LibraryStep(Step):
    cdef public object work
    cdef public list views
    cdef public object captures
    cpdef object run(self, object device, RunArguments listed, list unfinished)
    cpdef bint is_captured(self)
