from xarr.core.watch cimport core_counts, core_hooks
from xarr.core.storage cimport Storage
from xarr.core.views cimport Node, Structure, array_in
from xarr.core.tape cimport Tape

cpdef object read(Node node, Py_ssize_t at)
cpdef object only(Node node)
cpdef bint written(Node node, Py_ssize_t at, object value)
