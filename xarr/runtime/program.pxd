from xarr.ir.events cimport core_counts, core_hooks
from xarr.ir.storage cimport Storage
from xarr.ir.instructions cimport RunArguments, Opcode
from xarr.ir.steps cimport Step, LibraryStep
from xarr.runtime.host_eval cimport evaluate

cdef class Trace


cdef class Runnable:
    cdef public Trace trace
    cdef public tuple states
    cdef public list steps
    cdef public list members
    cdef public list dead
    cdef public list spare
    cdef public bint is_final
    cdef public Py_ssize_t runs
    cdef public Py_ssize_t turns
    cdef public list sequences
    cdef bint is_single
    cdef bint is_ahead
    cdef public bint is_alone
    cpdef Step planned_kernel(self, Opcode opcode, tuple codes, tuple wide)
    cdef object run(self, RunArguments listed, list done, list unfinished)
    cpdef object go(self, RunArguments listed, list done, list unfinished)
    cdef object _go_at_once(self, RunArguments listed, list done, list unfinished)
    cdef void _ask(self, Py_ssize_t at, list asked, list unfinished)

cdef class Trace:
    cdef public object device
    cdef public tuple opcodes
    cdef public tuple codes
    cdef object _sizes
    cdef public dict programs
    cdef public bint is_new
    cdef public bint is_counted
    cpdef Runnable program(self, tuple states)
    cpdef Runnable keep(self, tuple states, Runnable program)
