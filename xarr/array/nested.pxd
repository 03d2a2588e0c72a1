from xarr.array.operators cimport ArrayBase, is_plain, made
from xarr.ir.events cimport core_hooks, core_tier
from xarr.ir.storage cimport Storage, new_storage
from xarr.ir.views cimport View, Structure, contiguous, view_at
from xarr.tape.record cimport is_nearly_idle
from xarr.tape.scalar_access cimport only, peek, values_of
from xarr.tape.tape cimport Tape

cdef bint _read(object items, Py_ssize_t axis, list shape, list flat, object device)
