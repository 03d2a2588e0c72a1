from xarr.core.views cimport ArraySlots, Node, Structure, structure, view_at

cdef object value_of(ArraySlots x)
cpdef Node part_of(Node node, object key)
cpdef Py_ssize_t place_of(Node node, object key)
cdef Structure lone_of(Node node)
