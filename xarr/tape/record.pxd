from xarr.ir.events cimport core_hooks
from xarr.ir.storage cimport Storage, new_storage
from xarr.ir.views cimport View, Structure, view_at
from xarr.ir.instructions cimport Opcode, take_number, new_instruction
from xarr.tape.tape cimport Tape, tape_of

cpdef View computed(Opcode opcode, tuple operands, object scalar=*)
cpdef object recorded(Opcode opcode, tuple operands, View target=*)
