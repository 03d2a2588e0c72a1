// Sums the values at each place in the order of the elements. A CPU's one item walks them once
// (XR_CHUNKED): `result` is the sum of up to 1,024 values at a place, of which `seen` were added, and
// `before` the sum of such sums, which is touched where a place has so many. A GPU's item walks all
// of them, which are few, for a place. segment_sum.c sums in the same order, to the bit. XR_ZERO
// plus a value is that value; it is what a place without values has. XR_STEP is 0 for one value at
// all places, else 1.
#ifndef XR_ASSEMBLED
#include "editor.h"
#endif
typedef struct { XR_FIELDS } xr_arguments;

#if !XR_CHUNKED
#define XR_ADD_UP(i)                                                                        \
    sum = XR_SUM(sum, values[(i) * XR_STEP]);                                               \
    if (++count == 1024u) {                                                                 \
        total = XR_SUM(total, sum);                                                         \
        sum = XR_ZERO;                                                                      \
        count = 0u;                                                                         \
    }
#define XR_PARAMETERS(parameter)                                                            \
    parameter(GLOBAL const XR_PLACE *RESTRICT, places)                                      \
    parameter(GLOBAL const XR_VALUE *RESTRICT, values)                                      \
    parameter(GLOBAL XR_VALUE *RESTRICT, result)

ITEM_KERNEL(xr_histogram_sum, XR_PARAMETERS)
{
    places += a.places_offset;
    values += a.values_offset;
    for (xr_index k = (xr_index)GLOBAL_ID(0); k < a.number; k += a.threads) {
        XR_VALUE total = XR_ZERO;
        XR_VALUE sum = XR_ZERO;
        u32 count = 0u;
        const xr_index last = a.items - a.items % 8;
        for (xr_index i = 0; i < last; i += 8) {
            // Eight at a time, whose loads do not wait for each other; few have one of this place.
            i64 near[8];
            int is_among = 0;
            _Pragma("unroll")
            for (int ahead = 0; ahead < 8; ++ahead) {
                near[ahead] = (i64)places[i + ahead];
                is_among |= near[ahead] == (i64)k;
            }
            if (is_among) {
                _Pragma("unroll")
                for (int ahead = 0; ahead < 8; ++ahead) {
                    if (near[ahead] == (i64)k) {
                        XR_ADD_UP(i + ahead)
                    }
                }
            }
        }
        for (xr_index i = last; i < a.items; ++i) {
            if ((i64)places[i] == (i64)k) {
                XR_ADD_UP(i)
            }
        }
        result[k] = XR_SUM(total, sum);
    }
}
#else
#define XR_PARAMETERS(parameter)                                                            \
    parameter(GLOBAL const XR_PLACE *RESTRICT, places)                                      \
    parameter(GLOBAL const XR_VALUE *RESTRICT, values)                                      \
    parameter(GLOBAL u16 *RESTRICT, seen)                                                   \
    parameter(GLOBAL XR_VALUE *RESTRICT, before)                                            \
    parameter(GLOBAL XR_VALUE *RESTRICT, result)

ITEM_KERNEL(xr_histogram_sum, XR_PARAMETERS)
{
    places += a.places_offset;
    values += a.values_offset;
    if (GLOBAL_ID(0) == 0) {
        int is_begun = 0;
        for (xr_index k = 0; k < a.number; ++k) {
            seen[k] = 0;
            result[k] = XR_ZERO;
        }
        for (xr_index i = 0; i < a.items; ++i) {
            const i64 place = (i64)places[i];
            if (place >= 0 && place < (i64)a.number) {
                XR_VALUE sum = XR_SUM(result[place], values[i * XR_STEP]);
                u32 count = (u32)seen[place] + 1u;
                if (count == 1024u) {
                    for (xr_index k = 0; !is_begun && k < a.number; ++k) {
                        before[k] = XR_ZERO;
                    }
                    is_begun = 1;
                    before[place] = XR_SUM(before[place], sum);
                    sum = XR_ZERO;
                    count = 0u;
                }
                result[place] = sum;
                seen[place] = (u16)count;
            }
        }
        for (xr_index k = 0; is_begun && k < a.number; ++k) {
            result[k] = XR_SUM(before[k], result[k]);
        }
    }
}
#endif
