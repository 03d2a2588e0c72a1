from cpython.ref cimport Py_REFCNT as held_by


cdef class Block:
    cdef public object driver
    cdef public unsigned long long pointer
    cdef public Py_ssize_t nbytes
    cdef public object memory
    cdef public Py_ssize_t counted_nbytes

cdef class Pool:
    cdef public object driver
    cdef bint are_counted
    cdef public object resource
    cdef public object freed
    cdef public object returned
    cdef public dict free
    cdef public dict owners
    cdef dict resources
    cdef public Py_ssize_t free_nbytes
    cdef Py_ssize_t peak_nbytes
    cdef public Py_ssize_t reserved_nbytes
    cdef Py_ssize_t asked_nbytes
    cdef public Py_ssize_t most_nbytes
    cpdef Block front(self, Py_ssize_t nbytes)
    cpdef object count(self, Block block, Py_ssize_t nbytes)
    cdef Block _of_free(self, Py_ssize_t size, list free)
    cdef void _note_peak(self)
    cpdef object collect(self)

cdef void put_back(Pool pool, Block block)
cpdef Py_ssize_t _count()
cpdef Py_ssize_t size_class(Py_ssize_t nbytes)
