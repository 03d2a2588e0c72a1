from xarr.ir.storage cimport Storage, memory_of
from xarr.ir.views cimport Structure, array_in

cdef bint is_reached(Storage storage)
cdef object array_at(Structure how, object memory, Py_ssize_t offset)
cdef object elements(Structure how, Storage storage, Py_ssize_t offset)
