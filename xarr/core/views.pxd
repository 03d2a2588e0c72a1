from xarr.core.storage cimport Storage

cpdef object array_in(object lies, object memory, Py_ssize_t offset)

cdef class Structure:
    cdef public object device
    cdef public object dtype
    cdef public object shape
    cdef public object pattern
    cdef public object layout
    cdef public object in_memory
    cdef public object element
    cdef object lone
    cdef public dict views
    cdef public dict stores
    cdef public set places
    cdef public object form
    cdef tuple strides
    cdef object low
    cdef object high
    cdef public bint repeats
    cdef Py_ssize_t nbytes
    cdef bint is_complex
    cdef bint is_in_place
    cdef list alike
    cpdef bint fits(self, object value)

cdef class Node:
    cdef public Storage storage
    cdef public Structure structure
    cdef public object value
    cdef public Py_ssize_t offset
    cdef public bint bound

cdef Node view_at(Storage storage, Structure how, Py_ssize_t offset)
cpdef Node number_like(Node node, object value)
cdef Node lone_constant(Structure how, object value)

cdef class ArraySlots:
    cdef object __weakref__
    cdef public Node _node
    cdef public object _base
    cdef public bint _locked
    cdef public bint _kept
