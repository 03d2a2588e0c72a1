cdef class Hooks:
    cdef public object launch
    cdef public object run
    cdef public object recorder
    cdef public object numbers
    cdef public Py_ssize_t eager
    cdef public Py_ssize_t transfers
    cdef public Py_ssize_t changed
    cdef public Py_ssize_t unheld

cdef class Tier:
    cdef public str name

cdef class Counts:
    cdef public Py_ssize_t launches
    cdef public Py_ssize_t looks
    cdef public Py_ssize_t compilations
    cdef public list observers

cdef Hooks core_hooks
cdef Tier core_tier
cdef Counts core_counts
