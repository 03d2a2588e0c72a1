from xarr.core.watch cimport core_hooks
from xarr.core.storage cimport Storage, memory_of, room
from xarr.core.views cimport Structure, array_in
from xarr.core.instructions cimport Arguments, Opcode
from xarr.core.steps cimport Call, launch

cpdef object evaluate(object program, tuple opcodes, tuple codes, Arguments listed, list done, list unfinished, object freed)
