from xarr.ir.views cimport Structure


cdef class ScalarEvaluator:
    cdef object function
    cdef object takes
    cdef bint is_bool
    cdef bint rounds
    cdef object low
    cdef object high
    cpdef object of(self, object x1, object x2=*)

cdef class ResolvedRow:
    cdef public object row
    cdef public dict pairs
    cdef public dict numbers
    cdef public dict scalars
    cdef Py_ssize_t number
