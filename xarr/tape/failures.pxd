from xarr.ir.instructions cimport Instruction, RunArguments, new_instruction
from xarr.ir.views cimport View
from xarr.runtime.program cimport Runnable, Trace
