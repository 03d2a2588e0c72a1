from xarr.array.host_calls cimport HostCall, are_ready, may_be_written, target_of
from xarr.array.keys cimport integer_of, number_for
from xarr.array.operators cimport ArrayBase, is_plain
from xarr.ir.events cimport core_hooks
from xarr.ir.quiet cimport called_quietly
from xarr.ir.storage cimport Storage
from xarr.ir.views cimport Structure, View
from xarr.runtime.host_memory cimport elements
from xarr.tape.tape cimport Tape, tape_of

cdef list _parts_of(ArrayBase x, object key, list views)
cpdef object taken(ArrayBase x, object key)
cpdef bint is_put(ArrayBase x, object key, object value)
