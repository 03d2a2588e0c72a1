from xarr.ir.storage cimport Storage, memory_of, allocate_or_collect
from xarr.ir.views cimport Structure, View, array_in
from xarr.ir.instructions cimport RunArguments, Opcode
from xarr.ir.events cimport core_hooks
from xarr.ir.steps cimport LibraryStep, Step, launch

cpdef object evaluate(object program, tuple opcodes, tuple codes, RunArguments listed, list done, list unfinished, object freed)
cdef bint is_reached(Storage storage)
cdef object array_at(Structure how, object memory, Py_ssize_t offset)
cdef object elements(Structure how, Storage storage, Py_ssize_t offset)
cdef bint evaluate_small(object program, Opcode opcode, tuple views, object scalar, Storage fresh)

cdef class NumpyStep(LibraryStep):
    cdef public object function
    cpdef object run(self, object device, RunArguments listed, list unfinished)
