from xarr.ir.storage cimport Storage, memory_of, allocate_or_collect
from xarr.ir.views cimport Structure, array_in
from xarr.ir.instructions cimport RunArguments, Opcode
from xarr.ir.steps cimport Step, launch

cpdef object evaluate(object program, tuple opcodes, tuple codes, RunArguments listed, list done, list unfinished, object freed)
