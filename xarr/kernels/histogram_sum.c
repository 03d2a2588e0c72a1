// The sums of the weights of each bin, by one item in the order of the elements. Of a bin's weights
// each 256 are summed, then each 256 of those sums, and so on: level l of `sums` has the sum of the
// 256 to the power of l that are under way. segment_sum.c sums in the same order, to the bit.
#ifndef XR_ASSEMBLED
#include "editor.h"
#endif
typedef struct { XR_FIELDS } xr_arguments;

#define XR_PARAMETERS(parameter)                                                            \
    parameter(GLOBAL const i64 *RESTRICT, bins)                                             \
    parameter(GLOBAL const XR_WEIGHT *RESTRICT, weights)                                    \
    parameter(GLOBAL i64 *RESTRICT, counts)                                                 \
    parameter(GLOBAL XR_WEIGHT *RESTRICT, sums)

ITEM_KERNEL(xr_histogram_sum, XR_PARAMETERS)
{
    if (GLOBAL_ID(0) == 0) {
        for (xr_index bin = 0; bin < a.bins; ++bin) {
            counts[bin] = 0;
        }
        for (xr_index k = 0; k < a.bins * a.levels; ++k) {
            sums[k] = (XR_WEIGHT)0.0f;
        }
        for (xr_index i = 0; i < a.items; ++i) {
            const i64 bin = bins[i];
            if (bin >= 0 && bin < (i64)a.bins) {
                XR_WEIGHT sum = sums[bin] + weights[i];
                i64 seen = counts[bin] + 1;
                xr_index place = (xr_index)bin;
                counts[bin] = seen;
                while ((seen & 255) == 0) {
                    sums[place] = (XR_WEIGHT)0.0f;
                    place += a.bins;
                    sum = sums[place] + sum;
                    seen >>= 8;
                }
                sums[place] = sum;
            }
        }
        for (xr_index bin = 0; bin < a.bins; ++bin) {
            XR_WEIGHT sum = sums[bin];
            for (xr_index level = 1; level < a.levels; ++level) {
                sum = sums[level * a.bins + bin] + sum;
            }
            sums[bin] = sum;
        }
    }
}
