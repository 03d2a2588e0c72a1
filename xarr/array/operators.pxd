from cpython.buffer cimport Py_buffer, PyObject_GetBuffer as fill_buffer
from xarr.ir.events cimport core_hooks
from xarr.ir.storage cimport Storage, are_shared
from xarr.ir.views cimport ArraySlots, View, Structure, lone_constant, lone_of, structure, view_at, view_within, number_like
from xarr.ir.instructions cimport Opcode, opcode_of
from xarr.tape.record cimport computed, copied_element, fill, is_overwritten, recorded, store_of
from xarr.tape.scalar_access cimport only, poke, read, settled
from xarr.tape.tape cimport Tape, tape_of
from xarr.array.keys cimport broadcast_pair, chosen, name_of_store, number_for, value_of, part_of, place_of
from xarr.ir.resolved cimport ScalarEvaluator, ResolvedRow


cdef class ArrayBase(ArraySlots):
    pass

cdef bint is_plain(object value)
cpdef ArrayBase made(View view)
cdef ArrayBase _number(View view)
cpdef object view_of(ArrayBase x, View part)
cpdef object combined(ResolvedRow known, object x1, object x2)
cpdef object applied(ResolvedRow known, object x)
