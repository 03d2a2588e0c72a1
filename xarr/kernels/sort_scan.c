// The counts of the pieces of a row, summed up over the pieces before each, in place; `digits` gets
// the counts of the whole row. A group takes one digit of one row.
#ifndef XR_ASSEMBLED
#include "keys.h"
#endif
typedef struct { XR_FIELDS } xr_arguments;

#define XR_PARAMETERS(parameter)                                                            \
    parameter(GLOBAL XR_PLACE *RESTRICT, totals) parameter(GLOBAL XR_PLACE *RESTRICT, digits)

GROUP_KERNEL(xr_sort_scan, XR_PARAMETERS)
{
    LOCAL XR_PLACE sums[XR_GROUP];
    const int lane = (int)LOCAL_ID(0);
    const xr_index item = a.first_item + (xr_index)GROUP_ID(0);
    const xr_index start = item / 256 * a.pieces * 256 + item % 256;
    const xr_index run = (a.pieces + XR_GROUP - 1) / XR_GROUP;
    const xr_index begin = lane * run;
    const xr_index end = begin + run < a.pieces ? begin + run : a.pieces;
    XR_PLACE sum = 0;
    for (xr_index piece = begin; piece < end; ++piece) {
        sum += totals[start + piece * 256];
    }
    sums[lane] = sum;
    BARRIER();
    for (int reach = 1; reach < XR_GROUP; reach *= 2) {
        const XR_PLACE earlier = lane >= reach ? sums[lane - reach] : 0;
        BARRIER();
        sums[lane] += earlier;
        BARRIER();
    }
    XR_PLACE running = sums[lane] - sum;
    for (xr_index piece = begin; piece < end; ++piece) {
        const XR_PLACE count = totals[start + piece * 256];
        totals[start + piece * 256] = running;
        running += count;
    }
    if (lane == XR_GROUP - 1) {
        digits[item] = running;
    }
}
