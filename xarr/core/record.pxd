from xarr.core.watch cimport core_hooks
from xarr.core.storage cimport Storage, new_storage
from xarr.core.memo cimport Memo
from xarr.core.views cimport Node, Structure, contiguous, view_at
from xarr.core.instructions cimport Opcode, take_number, new_step
from xarr.core.tape cimport Tape

cpdef Opcode opcode_of(object operation, tuple operands, object shape, object target=*, object fresh=*, object device=*)
cpdef Node computed(Opcode opcode, tuple operands, object scalar=*)
cpdef object recorded(Opcode opcode, tuple operands, Node target=*)
