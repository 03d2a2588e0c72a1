// Nothing: what a compiler has to say of the functions that stand before it is what is asked for.
#ifndef XR_ASSEMBLED
#include "editor.h"
#endif

KERNEL void xr_check(GLOBAL u32 *p)
{
    p[0] = 0u;
}
