from xarr.ir.events cimport core_hooks
from xarr.ir.storage cimport Storage, next_mark
from xarr.ir.memo cimport Memo, Memoised
from xarr.ir.views cimport View, Structure, contiguous


cdef class Opcode(Memoised):
    cdef public object operation
    cdef public tuple operands
    cdef public tuple named
    cdef public Structure target
    cdef public object shape
    cdef public object device
    cdef public object host
    cdef public dict single_kernel
    cdef public Py_ssize_t nbytes
    cdef public Py_ssize_t constants
    cdef public Py_ssize_t small_runs
    cdef public bint is_fresh
    cdef public bint is_indirect
    cdef public bint is_separate
    cdef public bint is_whole
    cdef public bint raises
    cdef public bint is_small
    cdef public bint is_few
    cdef public bint is_number
    cdef bint folds
    cdef Py_ssize_t rows
    cdef object packed
    cdef bint gives_own
    cdef bint is_silent
    cdef bint _has_small_views(self, Py_ssize_t most)
    cdef void _take_host(self)

cdef class Instruction:
    cdef public Opcode opcode
    cdef public tuple views
    cdef public Storage fresh
    cdef public object scalar
    cdef public Py_ssize_t number

cdef Instruction new_instruction(Opcode opcode, tuple views, Storage fresh, object scalar, Py_ssize_t number)
cdef Py_ssize_t take_number()

cdef class RunArguments:
    cdef public list storages
    cdef public list bases
    cdef public list constants
    cdef public list numbers
    cdef Py_ssize_t mark
    cdef public Py_ssize_t begun

cpdef Opcode opcode_of(object operation, tuple operands, object shape, object target=*, object fresh=*, object device=*)
