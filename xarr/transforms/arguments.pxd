from xarr.array.call_cache cimport Leaf
from xarr.array.operators cimport ArrayBase
from xarr.ir.storage cimport Storage
from xarr.ir.views cimport View, beyond
from xarr.tape.replay cimport Replay


cdef class Arguments:
    cdef public str where
    cdef public list parts
    cdef public list arrays
    cdef public list views
    cdef public dict replaced
    cdef public bint is_empty
    cdef public list numbers
    cdef public bint takes_numbers
    cdef public bint takes_nested
    cdef public bint is_within
    cpdef object add(self, object value)
    cdef void _add_array(self, ArrayBase array)

cpdef Arguments arguments_of(str where, tuple args, dict kwargs, object static, object static_names, list outer, bint nested)
cpdef object read(object scope, str name)

cdef class Recorded:
    cdef public Replay replay
    cdef public object form
    cdef bint is_leaf
    cdef bint is_none
    cdef bint is_flat
    cdef public list leaves
    cdef public list takes
    cdef object formula
    cdef list given
    cdef list values
    cdef list constants
    cpdef object again(self, Arguments arguments)
