// Elementwise work: every element of the iteration space is computed and stored by itself.
// XR_POINTERS, XR_FIELDS, XR_AT_*, XR_COMPUTE and XR_STORE come from xarr/plan.py.
#ifndef XR_ASSEMBLED
#include "editor.h"
#endif

typedef struct { XR_FIELDS } xr_arguments;

// A CPU's item walks a chunk of neighbours in a loop that the compiler vectorises; a GPU's items
// walk side by side, so that a group's accesses coalesce.
#if XR_CHUNKED
#define XR_FOR(d, index)                                                       \
    const xr_index index##_begin = (xr_index)GLOBAL_ID(d) * a.index##_chunk;   \
    const xr_index index##_left = a.index##_extent - index##_begin;            \
    const xr_index index##_end =                                               \
        index##_begin + (index##_left < a.index##_chunk ? index##_left : a.index##_chunk); \
    for (xr_index index = index##_begin; index < index##_end; ++index)
#else
#define XR_FOR(d, index)                                                       \
    for (xr_index index = (xr_index)GLOBAL_ID(d); index < a.index##_extent;    \
         index += (xr_index)GLOBAL_SIZE(d))
#endif

KERNEL void xr_elementwise(XR_POINTERS const xr_arguments a)
{
#if XR_ROWS
    XR_FOR(1, row)
    {
        XR_AT_ROW
        XR_FOR(0, column)
        {
            XR_AT_COLUMN
            XR_COMPUTE
            XR_STORE
        }
    }
#else
    XR_FOR(0, i)
    {
        XR_AT_I
        XR_COMPUTE
        XR_STORE
    }
#endif
}
