cdef class Storage:
    cdef object __weakref__
    cdef public object buffer
    cdef public object device
    cdef public object lender
    cdef public object selected
    cdef public object whole
    cdef public object mapped
    cdef public object array
    cdef public Py_ssize_t nbytes
    cdef public Py_ssize_t serial
    cdef public Py_ssize_t writes
    cdef public Py_ssize_t mark
    cdef public bint read_only
    cdef Py_ssize_t list_mark
    cdef Py_ssize_t most_mark
    cdef Py_ssize_t slot
    cpdef object window(self)
    cpdef object seen(self)

cdef Storage new_storage(Storage made, object device, Py_ssize_t nbytes)
cpdef object allocate_or_collect(object device, Py_ssize_t nbytes)
cpdef object memory_of(Storage storage)
cpdef bint are_shared(Storage one, Storage other)
cdef Py_ssize_t next_mark()
