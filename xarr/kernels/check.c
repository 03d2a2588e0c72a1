// What a compiler has to say of a program's own functions is all that is asked for: it never runs.
#ifndef XR_ASSEMBLED
#include "editor.h"
#define XR_CHECKED
#endif

typedef struct { u32 nothing; } xr_arguments;

#define XR_PARAMETERS(parameter) parameter(GLOBAL u32 *RESTRICT, p)

GROUP_KERNEL(xr_check, XR_PARAMETERS)
{
    XR_CHECKED
    p[0] = 0u;
}
