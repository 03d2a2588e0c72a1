from xarr.ir.events cimport core_hooks
from xarr.ir.storage cimport Storage
from xarr.ir.views cimport Structure, View, number_like, structure, view_at
from xarr.tape.scalar_access cimport values_of
from xarr.tape.tape cimport Tape, tape_of
from xarr.array.operators cimport ArrayBase, made, view_of


cdef class Rows:
    cdef ArrayBase array
    cdef View view
    cdef Tape on
    cdef Structure how
    cdef Structure row
    cdef Py_ssize_t position
    cdef Py_ssize_t extent
    cdef Py_ssize_t stride
    cdef list values
    cdef Py_ssize_t first
    cdef Py_ssize_t writes
    cdef bint _is_read(self, Py_ssize_t position)
