// Where each value would go in an ordered row: a binary search an item, for the first element that
// is not less (XR_RIGHT: that is greater). XR_SORTED: the row is ordered through an index.
#ifndef XR_ASSEMBLED
#include "keys.h"
#endif
typedef struct { XR_FIELDS } xr_arguments;

#if XR_CHUNKED
#define XR_FOR_VALUES                                                                       \
    const xr_index first_value = (xr_index)GLOBAL_ID(0) * a.item_chunk;                     \
    const xr_index values_left = a.items - first_value;                                     \
    const xr_index last_value =                                                             \
        first_value + (values_left < a.item_chunk ? values_left : a.item_chunk);            \
    for (xr_index i = first_value; i < last_value; ++i)
#else
#define XR_FOR_VALUES                                                                       \
    for (xr_index i = (xr_index)GLOBAL_ID(0); i < a.items; i += (xr_index)GLOBAL_SIZE(0))
#endif

#if XR_SORTED
#define XR_SORTER(parameter) parameter(GLOBAL const i64 *RESTRICT, sorter)
#else
#define XR_SORTER(parameter)
#endif
#define XR_PARAMETERS(parameter)                                                            \
    parameter(GLOBAL const XR_UNIT *RESTRICT, ordered)                                      \
    parameter(GLOBAL const XR_UNIT *RESTRICT, values)                                       \
    XR_SORTER(parameter)                                                                    \
    parameter(GLOBAL i64 *RESTRICT, result)

ITEM_KERNEL(xr_sort_search, XR_PARAMETERS)
{
    XR_FOR_VALUES
    {
        GLOBAL const XR_UNIT *const value = values + (a.values_offset + i) * XR_UNITS;
#if XR_UNITS == 2
        const xr_sort_key wanted = xr_sort_key_of(value[0], value[1], a.flip);
#else
        const XR_KEY wanted = xr_sort_order(value[0], a.flip);
#endif
        xr_index low = 0;
        xr_index high = a.length;
        while (low < high) {
            const xr_index middle = low + (high - low) / 2;
#if XR_SORTED
            const xr_index at = (xr_index)sorter[a.sorter_offset + middle * a.sorter_stride];
#else
            const xr_index at = middle;
#endif
            GLOBAL const XR_UNIT *const element =
                ordered + (a.ordered_offset + at * a.ordered_stride) * XR_UNITS;
#if XR_UNITS == 2
            const xr_sort_key key = xr_sort_key_of(element[0], element[1], a.flip);
            const int less = key.major < wanted.major ||
                (key.major == wanted.major && key.minor < wanted.minor);
            const int equal = key.major == wanted.major && key.minor == wanted.minor;
#else
            const XR_KEY key = xr_sort_order(element[0], a.flip);
            const int less = key < wanted;
            const int equal = key == wanted;
#endif
            if (less || (equal && a.right != 0)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        result[i] = (i64)low;
    }
}
