from xarr.ir.memo cimport Memo, Memoised
from xarr.ir.storage cimport Storage

cpdef object array_in(object lies, object memory, Py_ssize_t offset)

cdef class Structure(Memoised):
    cdef public object device
    cdef public object dtype
    cdef public object shape
    cdef public tuple strides
    cdef public object in_memory
    cdef object cell
    cdef public object element
    cdef object lone
    cdef object copy
    cdef public object unpack
    cdef object pack
    cdef object low
    cdef object high
    cdef public bint repeats
    cdef public Py_ssize_t itemsize
    cdef public Py_ssize_t nbytes
    cdef public Py_ssize_t size
    cdef public bint is_linear
    cdef bint is_complex
    cdef list alike
    cdef public dict remembered
    cdef set places
    cdef object _pattern
    cdef object _layout
    cpdef object known(self, object key)
    cpdef object remember(self, object key, object found)
    cpdef bint fits(self, object value)
    cpdef object seen(self)

cpdef Structure structure(object device, object dtype, tuple shape, object strides)
cpdef Structure contiguous(object device, object dtype, tuple shape)

cdef class View:
    cdef public Storage storage
    cdef public Structure structure
    cdef public object value
    cdef public Py_ssize_t offset
    cdef public bint bound

cdef Structure lone_of(View view)
cdef View view_within(ArraySlots array)
cdef View view_at(Storage storage, Structure how, Py_ssize_t offset)
cdef Py_ssize_t beyond(View view, View first)
cpdef View number_like(View view, object value)
cpdef View lone_constant(Structure how, object value)

cdef class ArraySlots:
    cdef object __weakref__
    cdef public View _view
    cdef public object _base
    cdef public bint _locked
    cdef public bint _kept
