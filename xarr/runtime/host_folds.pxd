cpdef object total(object x)
cpdef object largest(object x, double sign)
cpdef object running(object x)
