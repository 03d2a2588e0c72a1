from cpython.pythread cimport PyThread_get_thread_ident as this_thread

cdef class Lock:
    cdef unsigned long owner
    cdef Py_ssize_t count
    cdef Py_ssize_t waiting
    cdef bint is_held
    cdef object turn
    cpdef bint acquire(self)
    cpdef object release(self)
    cdef bint _wait(self)
