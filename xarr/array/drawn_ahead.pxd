from xarr.array.operators cimport made
from xarr.backends.lock cimport Lock
from xarr.ir.events cimport core_hooks
from xarr.ir.storage cimport Storage, new_storage
from xarr.ir.views cimport Structure, view_at
from xarr.tape.record cimport is_nearly_idle
from xarr.tape.tape cimport tape_of


cdef class Counter:
    cdef public Lock lock
    cdef public object _key
    cdef public object _drawn
    cdef object taken(self, object key, object first, object count)


cdef class Ahead:
    cdef public tuple lot
    cdef public object device
    cdef public Structure how


cdef class DrawsAhead:
    cdef public dict calls
    cdef object _kind
    cpdef object next(self, object bits, object call)

cpdef object call_of(object row, tuple given, object size)
