from xarr.backends.cuda_pool cimport Block

cdef extern from *:
    """
    typedef int (*xarr_entry)(
        void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
        void **, void **);

    static int xarr_called(
        unsigned long long entry, unsigned long long function, unsigned gx, unsigned gy,
        unsigned gz, unsigned ix, unsigned iy, unsigned iz, unsigned long long *pointers,
        Py_ssize_t count, const char *arguments, unsigned long long stream)
    {
        void *parameters[513];
        int status;
        for (Py_ssize_t i = 0; i < count; i++)
            parameters[i] = pointers + i;
        parameters[count] = (void *)arguments;
        Py_BEGIN_ALLOW_THREADS
        status = ((xarr_entry)(size_t)entry)((void *)(size_t)function, gx, gy, gz, ix, iy, iz, 0,
            (void *)(size_t)stream, parameters, 0);
        Py_END_ALLOW_THREADS
        return status;
    }
    """
    int _called "xarr_called"(
        unsigned long long, unsigned long long, unsigned, unsigned, unsigned, unsigned, unsigned,
        unsigned, unsigned long long *, Py_ssize_t, const char *, unsigned long long)

cpdef int launch_at(
    Py_ssize_t entry, Py_ssize_t function, tuple grid, tuple group,
    object buffers, bytes arguments, Py_ssize_t stream)
cdef Py_ssize_t _extent(tuple extents, Py_ssize_t at)
