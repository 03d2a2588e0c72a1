// Sums neighbours that have the same place, of sorted places: result[i] is the sum where a run of
// equal places begins at i. The first launch sums up to 1,024 values in order, wherever so many of a
// run begin; the second (XR_JOIN) joins those sums in order, in place. What lies between has no
// meaning. histogram_sum.c sums in the same order, to the bit.
#ifndef XR_ASSEMBLED
#include "editor.h"
#endif
typedef struct { XR_FIELDS } xr_arguments;

#define XR_PARAMETERS(parameter)                                                            \
    parameter(GLOBAL const XR_PLACE *RESTRICT, places)                                      \
    parameter(GLOBAL const XR_VALUE *RESTRICT, values)                                      \
    parameter(GLOBAL XR_VALUE *, result)

#if XR_JOIN
#define XR_STEP 1024
#define XR_TERM result
#else
#define XR_STEP 1
#define XR_TERM values
#endif

// Where the run of equal places begins that goes on at i.
DEVICE xr_index xr_run_begin(GLOBAL const XR_PLACE *const places, const xr_index i)
{
    const XR_PLACE place = places[i];
    xr_index low = 0;
    xr_index high = i;
    while (low < high) {
        const xr_index middle = low + (high - low) / 2;
        if (places[middle] < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

ITEM_KERNEL(xr_segment_sum, XR_PARAMETERS)
{
    places += a.places_offset;
    values += a.values_offset;
    for (xr_index i = (xr_index)GLOBAL_ID(0); i < a.items; i += a.threads) {
        const XR_PLACE place = places[i];
        const int goes_on = i > 0 && places[i - 1] == place;
#if XR_JOIN
        const int is_term = !goes_on && a.items - i > 1024 && places[i + 1024] == place;
        const xr_index end = a.items;
#else
        int is_term = !goes_on;
        if (goes_on && i >= 1024 && places[i - 1024] == place) {
            is_term = (i - xr_run_begin(places, i)) % 1024 == 0;
        }
        const xr_index end = a.items - i > 1024 ? i + 1024 : a.items;
#endif
        if (is_term) {
            XR_VALUE sum = XR_TERM[i];
            xr_index k = i + XR_STEP;
            // Eight at a time, whose loads do not wait for each other.
            while (k + 7 * XR_STEP < end && places[k + 7 * XR_STEP] == place) {
                for (int ahead = 0; ahead < 8; ++ahead) {
                    sum = XR_SUM(sum, XR_TERM[k]);
                    k += XR_STEP;
                }
            }
            while (k < end && places[k] == place) {
                sum = XR_SUM(sum, XR_TERM[k]);
                k += XR_STEP;
            }
            result[i] = sum;
        }
#if !XR_JOIN
        else {
            result[i] = XR_ZERO; // read where it does not matter
        }
#endif
    }
}
