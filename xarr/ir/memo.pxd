cdef class Memo:
    cdef dict young
    cdef dict old
    cdef Py_ssize_t most
    cpdef object get(self, object key)
    cpdef object keep(self, object key, object value)
