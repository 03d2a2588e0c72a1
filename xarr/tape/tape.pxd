from cpython.ref cimport Py_REFCNT as held_by
from xarr.backends.lock cimport Lock
from xarr.ir.events cimport core_counts, core_hooks, core_tier
from xarr.ir.storage cimport Storage, next_mark
from xarr.ir.views cimport View
from xarr.ir.instructions cimport RunArguments, Opcode, Instruction
from xarr.runtime.program cimport Runnable, Trace


cdef class Tape:
    cdef public object device
    cdef public list instructions
    cdef public list failed_pending
    cdef public list unfinished
    cdef public object loops
    cdef public Py_ssize_t most
    cdef public dict came
    cdef Runnable once
    cdef dict shared
    cdef dict kept
    cdef public Py_ssize_t mark
    cdef public bint is_running
    cdef bint was_cut
    cdef public Py_ssize_t noted
    cdef public Py_ssize_t at_once
    cdef public Py_ssize_t small_work
    cdef public bint records
    cdef Lock lock
    cdef bint is_stable
    cpdef bint writes(self, Storage storage)
    cpdef object compute(self, Storage storage)
    cpdef bint runs_before_copies(self, Storage storage)
    cpdef object copied_first(self, object memory)
    cpdef object note_value(self)
    cpdef bint names(self, Storage storage)
    cdef object _run(self, Py_ssize_t count)
    cdef object _run_listed(self, list instructions, RunArguments listed)
    cdef Runnable _program(self, Trace trace, RunArguments listed)
    cdef list _take(self, list instructions)
    cdef bint _may_be_new(self)
    cdef Py_ssize_t _count(self, Py_ssize_t key)
    cdef void _forget_loop(self)
    cdef bint _is_kept(self, Trace trace)
    cpdef Trace described(self, list instructions, RunArguments listed)
    cdef Trace _describe(self, list instructions, RunArguments listed, bint runs=*)
    cdef Trace _trace(self, tuple opcodes, tuple codes, bint runs)
    cpdef tuple states(self, RunArguments listed, object sizes)

cdef Tape _last

cpdef Tape tape_of(object device)
