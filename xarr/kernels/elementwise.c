// Elementwise work: every element of the iteration space is computed and stored by itself.
// XR_POINTERS, XR_FIELDS, XR_AT_*, XR_COMPUTE and XR_STORE come from codegen/kernel_spec.py.
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
// No item reads or writes what another one writes, unless places follow from values. Compilers cannot
// see that where a pointer is read and written, as where a result takes the memory of an operand.
#if XR_FREE
#define XR_FREELY XR_INDEPENDENT
#else
#define XR_FREELY
#endif
// Where operands come round, a loop goes from one such place to the next, so that it reads neighbours.
#ifdef XR_STOP
DEVICE xr_index xr_cut(xr_index begin, xr_index cut, xr_index stop)
{
    return begin < cut && cut < stop ? cut : stop;
}

#define XR_WALK_LAST(index)                                                                 \
    for (xr_index index##_from = index##_begin, index##_stop = 0; index##_from < index##_end; \
         index##_from = index##_stop)                                                       \
        XR_FREELY for (                                                                     \
            xr_index index = (index##_stop = XR_STOP(index##_from, index##_end), index##_from); \
             index < index##_stop; ++index)
#else
#define XR_WALK_LAST(index) XR_FREELY XR_WALK(index)
#endif
#define XR_FOR_I XR_CHUNK(0, i) XR_WALK_LAST(i)
#define XR_FOR_COLUMN XR_CHUNK(0, column) XR_WALK_LAST(column)
#else
#define XR_FOR_I                                                                            \
    for (xr_index i = (xr_index)GLOBAL_ID(0); i < a.i_extent; i += (xr_index)GLOBAL_SIZE(0))
#define XR_FOR_COLUMN                                                                       \
    const xr_index column = (xr_index)GLOBAL_ID(0);                                         \
    if (column < a.column_extent)
#endif

// Where XR_ITEMS is defined, a tile's elements, XR_STRIP apart, are computed beside each other: on a GPU
// so that their loads are under way together, on a CPU where a block of random numbers serves them
// all, which the compiler sees.
#define XR_TILE (XR_ITEMS * XR_STRIP)
#if XR_CHUNKED
#define XR_LANE(number)                                                                     \
    {                                                                                       \
        const xr_index lane = number;                                                       \
        const xr_index i = tile * XR_TILE + number * XR_STRIP + place;                      \
        XR_AT_I                                                                             \
        XR_COMPUTE                                                                          \
        XR_STORE                                                                            \
    }
#if XR_ITEMS == 2
#define XR_ALL_LANES XR_LANE(0) XR_LANE(1)
#else
#define XR_ALL_LANES XR_LANE(0) XR_LANE(1) XR_LANE(2) XR_LANE(3)
#endif
#else
// Beyond the end lanes compute of zeros, and what they do at places that follow from values is left out.
#define XR_EACH_LANE                                                                        \
    _Pragma("unroll") for (int n = 0; n < XR_ITEMS; ++n)
#define XR_ENTER_LANE                                                                       \
    const xr_index lane = n;                                                                \
    const xr_index within = lane * XR_STRIP + place;                                        \
    const xr_index i = tile * XR_TILE + within;                                             \
    XR_AT_I
#define XR_ENTER_ROW                                                                        \
    const xr_index row = first + n;                                                         \
    XR_AT_ROW                                                                               \
    XR_AT_COLUMN
#if XR_GUARDED && XR_ROWS
#define XR_IF_GUARDED if (row < row_end)
#elif XR_GUARDED
#define XR_IF_GUARDED if (within < left)
#else
#define XR_IF_GUARDED
#endif
#endif

ITEM_KERNEL(xr_elementwise, XR_POINTERS)
{
#if defined(XR_ITEMS) && XR_CHUNKED
    XR_CHUNK(0, i)
    const xr_index whole = i_end / XR_TILE;
    for (xr_index tile = i_begin / XR_TILE; tile < whole; ++tile) {
        for (xr_index place = 0; place < XR_STRIP; ++place) {
            XR_ALL_LANES
        }
    }
    for (xr_index i = whole * XR_TILE; i < i_end; ++i) {
        const xr_index tile = i / XR_TILE;
        const xr_index lane = i / XR_STRIP % XR_ITEMS;
        const xr_index place = i % XR_STRIP;
        XR_AT_I
        XR_COMPUTE
        XR_STORE
    }
#elif defined(XR_ITEMS) && XR_ROWS
    XR_CHUNK(1, row)
    XR_FOR_COLUMN
    {
        for (xr_index first = row_begin; first < row_end; first += XR_ITEMS) {
            XR_KEPT
            XR_EACH_LANE
            {
                XR_ENTER_ROW
                if (row < row_end) {
                    XR_LOAD
                }
            }
            XR_EACH_LANE
            {
                XR_ENTER_ROW
                XR_IF_GUARDED {
                    XR_COMPUTE
                    XR_KEEP
                }
            }
            XR_EACH_LANE
            {
                XR_ENTER_ROW
                if (row < row_end) {
                    XR_STORE
                }
            }
        }
    }
#elif defined(XR_ITEMS)
    const xr_index tile = (xr_index)GROUP_ID(0);
    const xr_index place = (xr_index)LOCAL_ID(0);
    const xr_index left = a.i_extent - tile * XR_TILE;
    XR_KEPT
    XR_EACH_LANE
    {
        XR_ENTER_LANE
        if (within < left) {
            XR_LOAD
        }
    }
    XR_EACH_LANE
    {
        XR_ENTER_LANE
        XR_IF_GUARDED {
            XR_COMPUTE
            XR_KEEP
        }
    }
    XR_EACH_LANE
    {
        XR_ENTER_LANE
        if (within < left) {
            XR_STORE
        }
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
