// The sums of up to 256 neighbours, in order. Segment b of the values lies from starts[b] up to
// starts[b + 1], and is cut into pieces of 256, of which it has the numbers from offsets[b] up to
// offsets[b + 1]; an item sums a piece. XR_WHOLE: each segment is one piece. XR_ORDERED: the values
// are read through an index.
#ifndef XR_ASSEMBLED
#include "editor.h"
#endif
typedef struct { XR_FIELDS } xr_arguments;

#if XR_ORDERED
#define XR_ORDER(parameter) parameter(GLOBAL const i64 *RESTRICT, order)
#else
#define XR_ORDER(parameter)
#endif
#if XR_WHOLE
#define XR_OFFSETS(parameter)
#else
#define XR_OFFSETS(parameter) parameter(GLOBAL const i64 *RESTRICT, offsets)
#endif
#define XR_PARAMETERS(parameter)                                                            \
    parameter(GLOBAL const XR_WEIGHT *RESTRICT, values)                                     \
    parameter(GLOBAL const i64 *RESTRICT, starts) XR_ORDER(parameter) XR_OFFSETS(parameter) \
    parameter(GLOBAL XR_WEIGHT *RESTRICT, result)

GROUP_KERNEL(xr_segment_sum, XR_PARAMETERS)
{
    for (xr_index i = (xr_index)GLOBAL_ID(0); i < a.items; i += (xr_index)GLOBAL_SIZE(0)) {
#if XR_WHOLE
        const xr_index begin = (xr_index)starts[i];
        const xr_index end = (xr_index)starts[i + 1];
#else
        // The last segment whose pieces begin at this one or before.
        xr_index low = 0;
        xr_index high = a.segments;
        while (high - low > 1) {
            const xr_index middle = low + (high - low) / 2;
            if (offsets[middle] <= (i64)i) {
                low = middle;
            } else {
                high = middle;
            }
        }
        const xr_index begin = (xr_index)(starts[low] + ((i64)i - offsets[low]) * 256);
        const xr_index stop = (xr_index)starts[low + 1];
        const xr_index end = stop - begin < 256 ? stop : begin + 256;
#endif
        XR_WEIGHT sum = (XR_WEIGHT)0.0f;
        for (xr_index k = begin; k < end; ++k) {
#if XR_ORDERED
            sum = sum + values[order[k]];
#else
            sum = sum + values[k];
#endif
        }
        result[i] = sum;
    }
}
