from xarr.core.watch cimport core_counts, core_hooks
from xarr.core.storage cimport Storage
from xarr.core.instructions cimport Arguments, Opcode
from xarr.core.steps cimport Call, LibraryCall
from xarr.core.host_eval cimport evaluate

cdef class Trace


cdef class Program:
    cdef public Trace trace
    cdef public tuple states
    cdef public list steps
    cdef public list members
    cdef public list unread
    cdef public list spare
    cdef public bint is_final
    cdef public Py_ssize_t runs
    cdef public Py_ssize_t turns
    cdef public list sequences
    cdef bint is_single
    cdef bint is_ahead
    cdef public bint is_alone
    cdef object run(self, Arguments listed, list done, list unfinished)
    cpdef object go(self, Arguments listed, list done, list unfinished)
    cdef object _go_at_once(self, Arguments listed, list done, list unfinished)
    cdef void _ask(self, Py_ssize_t at, list asked, list unfinished)

cdef class Trace:
    cdef public object device
    cdef public tuple opcodes
    cdef public tuple codes
    cdef object _sizes
    cdef public dict programs
    cdef public bint is_new
    cdef public bint is_counted
    cpdef Program program(self, tuple states)
