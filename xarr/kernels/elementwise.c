// Elementwise work: every element of the iteration space is computed and stored by itself.
// XR_POINTERS, XR_FIELDS, XR_AT_*, XR_COMPUTE and XR_STORE come from engine/plan.py.
#ifndef XR_ASSEMBLED
#include "editor.h"
#endif

typedef struct { XR_FIELDS } xr_arguments;

// An item walks a chunk: on a CPU of neighbours, in a loop that the compiler vectorises. A GPU's items
// walk side by side, so that a group's accesses coalesce, and an item takes a few rows, whose loads
// are under way together.
#define XR_CHUNK(d, index)                                                                  \
    const xr_index index##_begin = (xr_index)GLOBAL_ID(d) * a.index##_chunk;                \
    const xr_index index##_left = a.index##_extent - index##_begin;                         \
    const xr_index index##_end =                                                            \
        index##_begin + (index##_left < a.index##_chunk ? index##_left : a.index##_chunk);
#define XR_WALK(index)                                                                      \
    for (xr_index index = index##_begin; index < index##_end; ++index)
#define XR_FOR_ROW XR_CHUNK(1, row) XR_WALK(row)
#if XR_CHUNKED
#define XR_FOR_I XR_CHUNK(0, i) XR_WALK(i)
#define XR_FOR_COLUMN XR_CHUNK(0, column) XR_WALK(column)
#else
#define XR_FOR_I                                                                            \
    for (xr_index i = (xr_index)GLOBAL_ID(0); i < a.i_extent; i += (xr_index)GLOBAL_SIZE(0))
#define XR_FOR_COLUMN                                                                       \
    const xr_index column = (xr_index)GLOBAL_ID(0);                                         \
    if (column < a.column_extent)
#endif

ITEM_KERNEL(xr_elementwise, XR_POINTERS)
{
#if XR_ROWS
    XR_FOR_ROW
    {
        XR_AT_ROW
        XR_FOR_COLUMN
        {
            XR_AT_COLUMN
            XR_COMPUTE
            XR_STORE
        }
    }
#else
    XR_FOR_I
    {
        XR_AT_I
        XR_COMPUTE
        XR_STORE
    }
#endif
}
