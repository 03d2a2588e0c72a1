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

    static int xarr_called_at(
        unsigned long long entry, unsigned long long function, unsigned gx, unsigned gy,
        unsigned gz, unsigned ix, unsigned iy, unsigned iz, unsigned nbytes,
        unsigned long long stream, unsigned long long parameters)
    {
        int status;
        Py_BEGIN_ALLOW_THREADS
        status = ((xarr_entry)(size_t)entry)((void *)(size_t)function, gx, gy, gz, ix, iy, iz,
            nbytes, (void *)(size_t)stream, (void **)(size_t)parameters, 0);
        Py_END_ALLOW_THREADS
        return status;
    }

    typedef int (*xarr_copy)(void *, unsigned long long, size_t);
    typedef int (*xarr_current)(void **);
    typedef int (*xarr_wait)(void);

    static int xarr_is_current(Py_ssize_t current, Py_ssize_t context)
    {
        void *now = 0;
        return !((xarr_current)(size_t)current)(&now) && now == (void *)(size_t)context;
    }

    static int xarr_copied(
        Py_ssize_t entry, Py_ssize_t current, Py_ssize_t context, Py_ssize_t pointer,
        PyObject *host, Py_ssize_t nbytes)
    {
        int status;
        Py_buffer view;
        if (!xarr_is_current(current, context))
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

    static int xarr_waited(Py_ssize_t entry, Py_ssize_t current, Py_ssize_t context)
    {
        int status;
        if (!xarr_is_current(current, context))
            return -1;
        Py_BEGIN_ALLOW_THREADS
        status = ((xarr_wait)(size_t)entry)();
        Py_END_ALLOW_THREADS
        return status;
    }
    """
    int _copied "xarr_copied"(
        Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, object, Py_ssize_t) except -2
    int _waited "xarr_waited"(Py_ssize_t, Py_ssize_t, Py_ssize_t)
    int _called "xarr_called"(
        unsigned long long, unsigned long long, unsigned, unsigned, unsigned, unsigned, unsigned,
        unsigned, unsigned long long *, Py_ssize_t, const char *, unsigned long long)
    int _called_at "xarr_called_at"(
        unsigned long long, unsigned long long, unsigned, unsigned, unsigned, unsigned, unsigned,
        unsigned, unsigned, unsigned long long, unsigned long long)

cdef class DriverCalls:
    cdef Py_ssize_t context
    cdef Py_ssize_t launch_entry
    cdef Py_ssize_t copy_entry
    cdef Py_ssize_t wait_entry
    cdef Py_ssize_t current_entry
    cpdef int launch(
        self, Py_ssize_t function, tuple grid, tuple group, object buffers, bytes arguments,
        Py_ssize_t stream)
    cpdef int launch_at(
        self, Py_ssize_t function, tuple grid, tuple group, Py_ssize_t parameters,
        Py_ssize_t nbytes, Py_ssize_t stream)
    cpdef int download(self, Py_ssize_t pointer, object host, Py_ssize_t nbytes)
    cpdef int synchronize(self)

cdef Py_ssize_t _extent(tuple extents, Py_ssize_t at)
