// Elementwise work: every element of the iteration space is computed and stored by itself.
// XR_POINTERS, XR_FIELDS, XR_AT_*, XR_COMPUTE and XR_STORE come from codegen/kernel_spec.py.
#ifndef XR_ASSEMBLED
#include "editor.h"
#endif

typedef struct { XR_FIELDS } xr_arguments;

// An item walks a chunk: on a CPU of neighbours, in a loop that the compiler vectorises. A GPU's items
// walk side by side, so that a group's accesses coalesce, and an item takes a few rows, whose loads
// are under way together.
#define XR_CHUNK(d, index, chunk)                                                           \
    const xr_index index##_begin = (xr_index)GLOBAL_ID(d) * chunk;                          \
    const xr_index index##_left = a.index##_extent - index##_begin;                         \
    const xr_index index##_end = index##_begin + (index##_left < chunk ? index##_left : chunk);
#define XR_WALK(index)                                                                      \
    for (xr_index index = index##_begin; index < index##_end; ++index)
#define XR_FOR_ROW XR_CHUNK(1, row, a.row_chunk) XR_WALK(row)
#ifdef XR_STOP
// Where operands come round, a loop goes from one such place to the next, so that it reads neighbours.
DEVICE xr_index xr_cut(xr_index begin, xr_index cut, xr_index stop)
{
    return begin < cut && cut < stop ? cut : stop;
}
#endif
#if XR_CHUNKED
// No item reads or writes what another one writes, unless places follow from values. Compilers cannot
// see that where a pointer is read and written, as where a result takes the memory of an operand.
#if XR_FREE
#define XR_FREELY XR_INDEPENDENT
#else
#define XR_FREELY
#endif
#ifdef XR_STOP
#define XR_WALK_LAST(index)                                                                 \
    for (xr_index index##_from = index##_begin, index##_stop = 0; index##_from < index##_end; \
         index##_from = index##_stop)                                                       \
        XR_FREELY for (                                                                     \
            xr_index index = (index##_stop = XR_STOP(index##_from, index##_end), index##_from); \
             index < index##_stop; ++index)
#else
#define XR_WALK_LAST(index) XR_FREELY XR_WALK(index)
#endif
#define XR_FOR_I XR_CHUNK(0, i, a.i_chunk) XR_WALK_LAST(i)
#define XR_FOR_COLUMN XR_CHUNK(0, column, a.column_chunk) XR_WALK_LAST(column)
#else
#define XR_FOR_I                                                                            \
    for (xr_index i = (xr_index)GLOBAL_ID(0); i < a.i_extent; i += (xr_index)GLOBAL_SIZE(0))
#define XR_FOR_COLUMN                                                                       \
    const xr_index column = (xr_index)GLOBAL_ID(0);                                         \
    if (column < a.column_extent)
#endif

// Where a function has a short way for most arguments (XR_NEAR), a CPU looks through a strip of elements
// first, and takes the long way if one of them needs it: vectors would take both for all.
#if XR_NEAR
#define XR_IN_STRIP(index, at, work)                                                        \
    XR_FREELY for (xr_index index = index##_strip; index < index##_last; ++index) {         \
        at work                                                                             \
    }
#define XR_STRIPS(index, at)                                                                \
    for (xr_index index##_strip = index##_begin, index##_last = 0; index##_strip < index##_end; \
         index##_strip = index##_last) {                                                    \
        u32 far_f32 = 0u;                                                                   \
        u64 far_f64 = 0ul;                                                                  \
        index##_last = index##_end - index##_strip < 4 * XR_STRIP ? index##_end             \
                                                                  : index##_strip + 4 * XR_STRIP; \
        XR_IN_STRIP(index, at, XR_COMPUTE_SEEN)                                             \
        if (far_f32 | far_f64) {                                                            \
            XR_IN_STRIP(index, at, XR_COMPUTE XR_STORE)                                     \
        } else {                                                                            \
            XR_IN_STRIP(index, at, XR_COMPUTE_NEAR XR_STORE)                                \
        }                                                                                   \
    }
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

// Of one byte each, an item takes XR_WIDTH neighbours in each of its rows: places are computed once,
// operands that begin near each other share loads, and what is aligned is loaded and stored as one.
// Where operands come round or have bounds between them, or the row ends, each has a place of its own.
#if XR_WIDTH > 1
#ifndef XR_STOP
#define XR_STOP(begin, end) end
#endif
#define XR_EACH_PART                                                                        \
    _Pragma("unroll") for (int begin = 0; begin < XR_ITEMS; begin += XR_WIDTH)
#define XR_EACH_NEIGHBOUR                                                                   \
    _Pragma("unroll") for (int w = 0; w < XR_WIDTH; ++w)
#define XR_EACH_ALONE                                                                       \
    _Pragma("unroll") for (int n = 0; n < XR_WIDTH; ++n)
#define XR_ENTER_ALONE                                                                      \
    const int begin = 0, w = 0;                                                             \
    XR_ENTER_PART(n, 0)
#undef XR_IF_GUARDED
#if XR_ROWS
#define XR_NEIGHBOURS                                                                       \
    XR_CHUNK(0, column, XR_WIDTH)                                                           \
    XR_CHUNK(1, row, a.row_chunk)                                                           \
    const xr_index count = column_end - column_begin;                                       \
    const int is_whole = XR_STOP(column_begin, column_end) - column_begin == XR_WIDTH;
#define XR_FOR_ROWS(step) for (xr_index first = row_begin; first < row_end; first += step)
#define XR_ENTER_PART(from, w)                                                              \
    const xr_index row = first + begin / XR_WIDTH;                                          \
    const xr_index column_from = column_begin + from;                                       \
    const xr_index column = column_from + w;                                                \
    XR_AT_ROW                                                                               \
    XR_AT_COLUMN
#define XR_IF_ROW if (row < row_end)
#define XR_IF_GUARDED if (!XR_GUARDED || row < row_end)
#else
#define XR_NEIGHBOURS                                                                       \
    XR_CHUNK(0, i, XR_WIDTH)                                                                \
    const xr_index count = i_end - i_begin;                                                 \
    const int is_whole = XR_STOP(i_begin, i_end) - i_begin == XR_WIDTH;
#define XR_FOR_ROWS(step)
#define XR_ENTER_PART(from, w)                                                              \
    const xr_index i_from = i_begin + from;                                                 \
    const xr_index i = i_from + w;                                                          \
    XR_AT_I
#define XR_IF_ROW
#define XR_IF_GUARDED
#endif
#endif

ITEM_KERNEL(xr_elementwise, XR_POINTERS)
{
#if defined(XR_ITEMS) && XR_CHUNKED
    XR_CHUNK(0, i, a.i_chunk)
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
#elif XR_WIDTH > 1
    XR_NEIGHBOURS
    if (is_whole) {
        XR_FOR_ROWS(XR_ITEMS / XR_WIDTH)
        {
            XR_KEPT
            XR_EACH_PART
            {
                XR_ENTER_PART(0, 0)
                XR_IF_ROW {
                    if (XR_LOADS_ALIGNED) {
                        XR_LOAD_WORDS
                    } else {
                        XR_EACH_NEIGHBOUR
                        {
                            const int n = begin + w;
                            XR_LOAD
                        }
                    }
                }
            }
            XR_EACH_PART
            XR_EACH_NEIGHBOUR
            {
                const int n = begin + w;
                XR_ENTER_PART(0, w)
                XR_IF_GUARDED {
                    XR_COMPUTE
                    XR_KEEP
                }
            }
            XR_EACH_PART
            {
                XR_ENTER_PART(0, 0)
                XR_IF_ROW {
                    if (XR_STORES_ALIGNED) {
                        XR_STORE_WORDS
                    } else {
                        XR_EACH_NEIGHBOUR
                        {
                            const int n = begin + w;
                            XR_STORE
                        }
                    }
                }
            }
        }
    } else {
        XR_FOR_ROWS(1)
        {
            XR_KEPT
            XR_EACH_ALONE
            if (n < count) {
                XR_ENTER_ALONE
                XR_LOAD
            }
            XR_EACH_ALONE
            if (n < count) {
                XR_ENTER_ALONE
                XR_COMPUTE
                XR_KEEP
            }
            XR_EACH_ALONE
            if (n < count) {
                XR_ENTER_ALONE
                XR_STORE
            }
        }
    }
#elif defined(XR_ITEMS) && XR_ROWS
    XR_CHUNK(1, row, a.row_chunk)
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
#elif XR_NEAR && XR_ROWS
    XR_FOR_ROW
    {
        XR_AT_ROW
        XR_CHUNK(0, column, a.column_chunk)
        XR_STRIPS(column, XR_AT_COLUMN)
    }
#elif XR_NEAR
    XR_CHUNK(0, i, a.i_chunk)
    XR_STRIPS(i, XR_AT_I)
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
