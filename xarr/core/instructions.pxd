from xarr.core.watch cimport core_hooks
from xarr.core.storage cimport Storage, next_mark
from xarr.core.views cimport Node, Structure


cdef class Opcode:
    cdef public object operation
    cdef public tuple operands
    cdef public tuple named
    cdef public Structure target
    cdef public object shape
    cdef public object device
    cdef public object host
    cdef public dict alone
    cdef public Py_ssize_t nbytes
    cdef public Py_ssize_t constants
    cdef public bint is_fresh
    cdef public bint is_indirect
    cdef public bint is_separate
    cdef public bint is_whole
    cdef void _take_host(self)

cdef class Step:
    cdef public Opcode opcode
    cdef public tuple nodes
    cdef public Storage fresh
    cdef public object scalar
    cdef public Py_ssize_t number

cdef Step new_step(Opcode opcode, tuple nodes, Storage fresh, object scalar, Py_ssize_t number)
cdef Py_ssize_t take_number()

cdef class Arguments:
    cdef public list storages
    cdef public list bases
    cdef public list constants
    cdef public list numbers
    cdef Py_ssize_t mark
    cdef public Py_ssize_t begun
