from xarr.ir.events cimport core_counts, core_hooks, core_tier
from xarr.ir.storage cimport Storage, new_storage
from xarr.ir.views cimport View, Structure, contiguous, lone_of, view_at
from xarr.ir.instructions cimport Instruction, Opcode, opcode_of, take_number, new_instruction
from xarr.runtime.host_eval cimport evaluate_small, overwrite_small
from xarr.runtime.program cimport Trace
from xarr.tape.tape cimport Tape, tape_of

cdef Opcode store_of(Structure given, Structure target)
cpdef View copied(View view)
cdef View copied_element(View view, Py_ssize_t at)
cpdef bint fill(View view)
cpdef bint is_idle(Tape tape)
cdef bint is_unwatched(Tape tape)
cpdef bint is_nearly_idle(Tape tape)
cpdef View computed(Opcode opcode, tuple operands, object scalar=*)
cdef View computed_of(Opcode opcode, View first, View second)
cpdef bint is_overwritten(Opcode opcode, tuple operands, object scalar, View target)
cpdef object recorded(Opcode opcode, tuple operands, View target=*)
