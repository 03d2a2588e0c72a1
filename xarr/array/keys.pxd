from xarr.ir.storage cimport Storage, are_shared
from xarr.ir.views cimport ArraySlots, View, Structure, structure, view_at, view_within
from xarr.ir.instructions cimport Opcode, opcode_of
from xarr.tape.record cimport computed, is_idle, recorded, store_of
from xarr.tape.scalar_access cimport settled
from xarr.tape.tape cimport Tape, tape_of

cdef object value_of(ArraySlots x)
cdef object integer_of(object item)
cpdef object number_for(Structure how, object value)
cpdef View part_of(View view, object key)
cpdef Py_ssize_t place_of(View view, object key)
cdef object broadcast_pair(tuple one, tuple two)
cpdef object name_of_store(View part, View given)
cdef View chosen(View mask, View value, View view)
cpdef bint is_stored(View part, View given)
