from xarr.ir.storage cimport Storage, memory_of
from xarr.ir.views cimport Structure, array_in

cdef bint is_reached(Storage storage)
cdef object array_at(Structure how, object memory, Py_ssize_t offset)
cdef object elements(Structure how, Storage storage, Py_ssize_t offset)

cdef extern from *:
    """
    /* The fields of NumPy's array, which are the same in all its versions. */
    typedef struct {
        PyObject_HEAD
        char *data;
        int nd;
        Py_ssize_t *dimensions, *strides;
        PyObject *base, *descr;
        int flags;
    } xr_array;

    enum { XR_IN_ORDER = 0x101, XR_WRITEABLE = 0x400 };  /* in C order, and aligned */

    /* Read a float64 or int64 of an array in C order; None of others. */
    static inline PyObject *xr_get(PyObject *array, Py_ssize_t at, int is_real) {
        xr_array *x = (xr_array *)array;
        if ((x->flags & XR_IN_ORDER) != XR_IN_ORDER)
            Py_RETURN_NONE;
        return is_real ? PyFloat_FromDouble(((double *)x->data)[at])
                       : PyLong_FromLongLong(((long long *)x->data)[at]);
    }

    /* Write a float64 or int64, which holds the number, to an array in C order; return if so. */
    static inline int xr_put(PyObject *array, Py_ssize_t at, PyObject *number, int is_real) {
        xr_array *x = (xr_array *)array;
        int wanted = XR_IN_ORDER | XR_WRITEABLE;
        if ((x->flags & wanted) != wanted)
            return 0;
        if (is_real)
            ((double *)x->data)[at] = PyFloat_AsDouble(number);
        else
            ((long long *)x->data)[at] = PyLong_AsLongLong(number);
        return 1;
    }
    """
    object get_in "xr_get"(object array, Py_ssize_t at, bint is_real)
    bint put_in "xr_put"(object array, Py_ssize_t at, object number, bint is_real)
