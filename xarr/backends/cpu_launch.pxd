cdef class CpuLauncher:
    cdef public Py_ssize_t launched
    cdef public object limit_nbytes
    cdef public object _take
    cdef public object _launch
