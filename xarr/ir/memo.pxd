from xarr.ir.events cimport core_counts


cdef class Memoised:
    cdef public bint is_known
    cdef Py_ssize_t born
    cdef Py_ssize_t number
    cpdef bint is_met(self)

cdef class Memo:
    cdef dict new
    cdef dict young
    cdef dict old
    cdef dict came
    cdef Py_ssize_t most
    cpdef object get(self, object key)
    cpdef object keep(self, object key, Memoised value, bint is_known=*)
    cdef void _keep(self, object key, Memoised value)
    cdef void _age(self)
