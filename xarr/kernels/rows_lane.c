// Rows that are read, reduced and computed of several times over while they are near: stages, one
// after the other for each row. The stages stand in place of XR_STAGES: each has its own words, and is
// a reduction, for each element, or once for a row, whose length is then 1. What a stage leaves for a
// later one is a number in memory or an element, both of which the same item reads.
typedef struct { XR_FIELDS } xr_arguments;

#define XR_REDUCTION                                                                        \
    {                                                                                       \
        XR_FOLDS(XR_LANES_OF, XR_WIDTH, 0)                                                  \
        XR_BEGIN_STAGE                                                                      \
        XR_REDUCE_PIECE                                                                     \
        XR_TAKE_CLOSED(total, 0)                                                            \
        XR_DELIVER(total, outer)                                                            \
    }
#define XR_EACH                                                                             \
    {                                                                                       \
        XR_BEGIN_STAGE                                                                      \
        XR_INDEPENDENT for (xr_index position = begin; position < end; ++position) {        \
            XR_ELEMENT                                                                      \
        }                                                                                   \
    }
#define XR_ONCE XR_EACH

ITEM_KERNEL(xr_rows, XR_PARAMETERS)
{
    const xr_index first = (xr_index)GLOBAL_ID(0) * a.item_chunk;
    const xr_index left = a.items - first;
    const xr_index last = first + (left < a.item_chunk ? left : a.item_chunk);
    XR_ROOMS
    for (xr_index outer = first; outer < last; ++outer) {
XR_STAGES
    }
}
