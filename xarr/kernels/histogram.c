// How often each bin occurs among the elements of an expression; what is no bin is not counted.
// On a CPU an item has counts of its own, which are summed afterwards. On a GPU the items of a group
// count in local memory, if the bins fit there (XR_LOCAL), and add to the result what they found.
// A count is 64 bits of two words, of which the low one comes first: when it overflows, who made it
// do so carries. Integers are added, so their order is of no matter.
#ifndef XR_ASSEMBLED
#include "editor.h"
#endif
typedef struct { XR_FIELDS } xr_arguments;

#if XR_CHUNKED
#define XR_PARAMETERS(parameter) XR_POINTERS(parameter) parameter(GLOBAL i64 *RESTRICT, result)

ITEM_KERNEL(xr_histogram, XR_PARAMETERS)
{
    const xr_index item = (xr_index)GLOBAL_ID(0);
    const xr_index begin = item * a.item_chunk;
    const xr_index left = a.position_extent - begin;
    const xr_index end = begin + (left < a.item_chunk ? left : a.item_chunk);
    GLOBAL i64 *const counts = result + item * a.bins;
    for (xr_index bin = 0; bin < a.bins; ++bin) {
        counts[bin] = 0;
    }
    const xr_index outer = 0;
    const xr_index inner = 0;
    XR_AT_OUTER
    for (xr_index position = begin; position < end; ++position) {
        XR_AT_POSITION XR_AT_INNER XR_COMPUTE XR_STORE
        const i64 bin = XR_VALUE;
        if (bin >= 0 && bin < (i64)a.bins) {
            counts[bin] += 1;
        }
    }
}
#else
DEVICE void xr_add_count(GLOBAL u32 *const count, const u32 more)
{
    const u32 before = ATOMIC_ADD_U32(count, more);
    const u32 after = before + more;
    if (after < before) {
        ATOMIC_ADD_U32(count + 1, 1u);
    }
}

#define XR_PARAMETERS(parameter) XR_POINTERS(parameter) parameter(GLOBAL u32 *RESTRICT, result)

GROUP_KERNEL(xr_histogram, XR_PARAMETERS)
{
#if XR_LOCAL
    LOCAL u32 counts[XR_LOCAL];
    for (xr_index bin = (xr_index)LOCAL_ID(0); bin < a.bins; bin += (xr_index)LOCAL_SIZE(0)) {
        counts[bin] = 0;
    }
    BARRIER();
#endif
    const xr_index outer = 0;
    const xr_index inner = 0;
    XR_AT_OUTER
    for (xr_index position = (xr_index)GLOBAL_ID(0); position < a.position_extent;
         position += (xr_index)GLOBAL_SIZE(0)) {
        XR_AT_POSITION XR_AT_INNER XR_COMPUTE XR_STORE
        const i64 bin = XR_VALUE;
        if (bin >= 0 && bin < (i64)a.bins) {
#if XR_LOCAL
            ATOMIC_ADD_U32(counts + bin, 1u);
#else
            xr_add_count(result + 2 * bin, 1u);
#endif
        }
    }
#if XR_LOCAL
    BARRIER();
    for (xr_index bin = (xr_index)LOCAL_ID(0); bin < a.bins; bin += (xr_index)LOCAL_SIZE(0)) {
        if (counts[bin] != 0) {
            xr_add_count(result + 2 * bin, counts[bin]);
        }
    }
#endif
}
#endif
