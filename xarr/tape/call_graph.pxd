from cpython.ref cimport Py_REFCNT as held_by
from xarr.ir.events cimport core_counts, core_hooks
from xarr.ir.steps cimport launched
from xarr.ir.storage cimport allocate_or_collect
from xarr.tape.bound cimport BoundLaunch, Memory, worked


cdef class _Numbers(Memory):
    cdef public list sizes
    cdef object _allocated(self, Py_ssize_t nbytes)

cdef class _Launched:
    cdef public BoundLaunch launch
    cdef public list named
    cdef public list storages

cdef class _Graph:
    cdef public object made
    cdef public object fixed
    cdef public object constants

cdef class _Segment:
    cdef public list members
    cdef public list changing
    cdef public list fixed
    cdef public list touched
    cdef public list filled
    cdef public dict graphs
    cdef public Py_ssize_t kernels
    cdef public bint is_single

cdef class CallGraph:
    cdef object __weakref__
    cdef object device
    cdef Py_ssize_t known
    cdef public list held
    cdef public list made
    cdef public list ends
    cdef public dict tables
    cdef public list segments
    cdef Py_ssize_t extra
    cdef bint is_single
    cdef bint is_keeping
    cdef bint takes_numbers
    cdef object _result(self, Py_ssize_t nbytes, list kept)
    cpdef bint run(self, list buffers, object constants)
    cdef bint _go(self, _Segment segment, list physical, object constants)
    cdef _Graph _graph(self, _Segment segment, object key, list physical, object constants)
    cdef void _go_singly(self, _Segment segment, list physical)

cdef tuple _asked(_Launched member, list physical)
