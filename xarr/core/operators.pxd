from cpython.buffer cimport Py_buffer, PyObject_GetBuffer as fill_buffer
from xarr.core.watch cimport core_hooks
from xarr.core.storage cimport Storage
from xarr.core.views cimport ArraySlots, Node, Structure, lone_constant, structure, view_at, number_like
from xarr.core.instructions cimport Opcode
from xarr.core.record cimport computed, opcode_of, recorded
from xarr.core.elements cimport only, read, written
from xarr.core.keys cimport lone_of, value_of, part_of, place_of


cdef class Exact:
    cdef object function
    cdef object takes
    cdef bint is_bool
    cdef object low
    cdef object high
    cpdef object of(self, object x1, object x2=*)

cdef class Known:
    cdef public object row
    cdef public dict pairs
    cdef public dict numbers
    cdef public dict scalars
    cdef Py_ssize_t number

cdef class ArrayBase(ArraySlots):
    pass

cdef bint is_plain(object value)
cpdef ArrayBase made(Node node)
cdef object view_of(ArrayBase x, Node part)
