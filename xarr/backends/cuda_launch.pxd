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

    typedef int (*xarr_copy)(void *, unsigned long long, size_t);
    typedef int (*xarr_current)(void **);

    static int xarr_copied(
        Py_ssize_t entry, Py_ssize_t current, Py_ssize_t context, Py_ssize_t pointer,
        PyObject *host, Py_ssize_t nbytes)
    {
        void *now = 0;
        int status;
        Py_buffer view;
        if (((xarr_current)(size_t)current)(&now) || now != (void *)(size_t)context)
            return -1;
        if (PyObject_GetBuffer(host, &view, PyBUF_CONTIG))
            return -2;
        if (view.len < nbytes)
            nbytes = view.len;
        Py_BEGIN_ALLOW_THREADS
        status = ((xarr_copy)(size_t)entry)(view.buf, (unsigned long long)pointer, nbytes);
        Py_END_ALLOW_THREADS
        PyBuffer_Release(&view);
        return status;
    }
    """
    int _copied "xarr_copied"(
        Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, object, Py_ssize_t) except -2
    int _called "xarr_called"(
        unsigned long long, unsigned long long, unsigned, unsigned, unsigned, unsigned, unsigned,
        unsigned, unsigned long long *, Py_ssize_t, const char *, unsigned long long)

cpdef int launch_at(
    Py_ssize_t entry, Py_ssize_t function, tuple grid, tuple group,
    object buffers, bytes arguments, Py_ssize_t stream)
cpdef int download_at(
    Py_ssize_t entry, Py_ssize_t current, Py_ssize_t context, Py_ssize_t pointer, object host,
    Py_ssize_t nbytes)
cdef Py_ssize_t _extent(tuple extents, Py_ssize_t at)
