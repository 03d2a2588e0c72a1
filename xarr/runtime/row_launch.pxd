from xarr.ir.instructions cimport Opcode
from xarr.ir.steps cimport launch
from xarr.ir.storage cimport Storage, allocate_or_collect, memory_of
from xarr.ir.views cimport Structure

cdef bint has_rows(Opcode opcode)
cdef bint launch_row(object program, Opcode opcode, list given, list offsets)
