from xarr.ir.storage cimport Storage, memory_of, allocate_or_collect
from xarr.ir.views cimport Structure, View
from xarr.runtime.host_memory cimport array_at, elements, is_reached, put_in
from xarr.ir.instructions cimport RunArguments, Opcode
from xarr.ir.events cimport core_hooks
from xarr.ir.quiet cimport called_quietly
from xarr.ir.steps cimport LibraryStep, Step
from xarr.runtime.row_launch cimport has_rows, launch_row

cpdef object evaluate(object program, tuple opcodes, tuple codes, RunArguments listed, list done, list unfinished, object freed)
cdef bint overwrite_small(Opcode opcode, tuple views, object scalar, View target)
cdef bint evaluate_small(object program, Opcode opcode, tuple views, object scalar, Storage fresh)

cdef class NumpyStep(LibraryStep):
    cdef public object function
    cpdef object run(self, object device, RunArguments listed, list unfinished)
