from cpython.contextvars cimport PyContext_Copy as context_copy, PyContext_Enter as enter, PyContext_Exit as leave

cdef object called_quietly(object function, list values, dict named=*)
