// Elementwise work: every element of the iteration space is computed and stored by itself.
// XR_POINTERS, XR_FIELDS, XR_AT_*, XR_COMPUTE and XR_STORE come from compiler/forms.py.
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

// Where XR_LANES is above 1, a block of random numbers serves that many elements, XR_STRIP apart: a
// tile's elements are computed beside each other, and the compiler sees that they share the block.
#define XR_TILE (XR_LANES * XR_STRIP)
#define XR_LANE(number)                                                                     \
    {                                                                                       \
        const xr_index lane = number;                                                       \
        const xr_index i = tile * XR_TILE + number * XR_STRIP + place;                      \
        XR_AT_I                                                                             \
        XR_COMPUTE                                                                          \
        XR_STORE                                                                            \
    }
#if XR_LANES == 2
#define XR_ALL_LANES XR_LANE(0) XR_LANE(1)
#else
#define XR_ALL_LANES XR_LANE(0) XR_LANE(1) XR_LANE(2) XR_LANE(3)
#endif

ITEM_KERNEL(xr_elementwise, XR_POINTERS)
{
#if XR_LANES > 1
#if XR_CHUNKED
    XR_CHUNK(0, i)
    const xr_index whole = i_end / XR_TILE;
    for (xr_index tile = i_begin / XR_TILE; tile < whole; ++tile) {
        for (xr_index place = 0; place < XR_STRIP; ++place) {
            XR_ALL_LANES
        }
    }
    const xr_index rest = whole * XR_TILE;
    const xr_index step = 1;
#else
    const xr_index whole = a.i_extent / XR_TILE;
    for (xr_index tile = (xr_index)GROUP_ID(0); tile < whole; tile += (xr_index)GROUPS(0)) {
        const xr_index place = (xr_index)LOCAL_ID(0);
        XR_ALL_LANES
    }
    // The last elements are no whole tile: the first group takes them.
    const xr_index i_end = GROUP_ID(0) == 0 ? a.i_extent : 0;
    const xr_index rest = whole * XR_TILE + (xr_index)LOCAL_ID(0);
    const xr_index step = XR_STRIP;
#endif
    for (xr_index i = rest; i < i_end; i += step) {
        const xr_index tile = i / XR_TILE;
        const xr_index lane = i / XR_STRIP % XR_LANES;
        const xr_index place = i % XR_STRIP;
        XR_AT_I
        XR_COMPUTE
        XR_STORE
    }
#elif XR_ROWS
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
