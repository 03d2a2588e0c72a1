from xarr.ir.events cimport core_counts, core_hooks, core_tier
from xarr.ir.instructions cimport Opcode, RunArguments, new_instruction
from xarr.ir.steps cimport LibraryStep, Step, launched, packed_arguments
from xarr.ir.storage cimport Storage, new_storage
from xarr.ir.views cimport Structure, View, view_at
from xarr.runtime.program cimport Runnable, Trace
from xarr.tape.bound cimport Bound, BoundLaunch, Memory, worked
from xarr.tape.call_graph cimport CallGraph
from xarr.tape.record cimport computed, recorded
from xarr.tape.tape cimport Tape, tape_of


cdef class Part:
    cdef public Runnable program
    cdef public list slots
    cdef public list bases
    cdef public list constants

cdef class Replay:
    cdef public object device
    cdef object noted
    cdef list entries
    cdef list captured
    cdef list written
    cdef public list results
    cdef public list parts
    cdef dict planned
    cdef public dict bound
    cdef list kept
    cdef list made
    cdef list places
    cdef dict sizes
    cdef Py_ssize_t given
    cdef Py_ssize_t known
    cdef Py_ssize_t slots
    cpdef list call(self, list views, list constants)
    cdef bint _is_watched(self, Tape tape)
    cdef bint _can_launch(self, Tape tape, list views, list storages)
    cdef list _storages(self, list views)
    cdef list _record(self, list views, list constants)
    cdef void record(self, list firsts, list constants)
    cdef list _launch(self, Tape tape, list views, list storages, Bound bound)
    cdef list _results(self, list views, list buffers)
    cdef void _launch_singly(self, Bound bound, list buffers)
    cdef void _launch_each(self, list launches, Memory memory)
    cdef bint _launch_together(self, Bound bound, list buffers)

cdef View view_in(object place, list firsts)
