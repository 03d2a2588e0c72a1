// What a compiler has to say of a program's own functions is all that is asked for: it never runs.
#ifndef XR_ASSEMBLED
#include "editor.h"
#define XR_CHECKED
#endif

KERNEL void xr_check(GLOBAL u32 *p)
{
    XR_CHECKED
    p[0] = 0u;
}
