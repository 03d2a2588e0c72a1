from xarr.ir.events cimport core_counts, core_hooks, core_tier
from xarr.ir.storage cimport Storage
from xarr.ir.instructions cimport Instruction
from xarr.ir.views cimport View, Structure, array_in, number_like
from xarr.runtime.host_memory cimport get_in, put_in
from xarr.tape.tape cimport Tape, tape_of

cpdef object peek(View view, Py_ssize_t at)
cpdef View settled(View view)
cpdef object only(View view)
cpdef object values_of(View view)
cdef bint _is_there(Tape on, Storage storage)
cpdef object compute(View view)
cpdef object wait(View view)
cpdef object function_of(object function, object operands)
cpdef object read(View view, Py_ssize_t at)
cdef bint _comes_again(View view, Py_ssize_t at)
cpdef bint poke(View view, Py_ssize_t at, object value)
