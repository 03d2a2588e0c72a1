// The stages of rows_lane.c where items run side by side (GPUs): a group takes a row. A result is read
// by all its items, an element by the item that left it.
typedef struct { XR_FIELDS } xr_arguments;

#define XR_REDUCTION                                                                        \
    {                                                                                       \
        XR_BEGIN_STAGE                                                                      \
        XR_REDUCE_PIECE                                                                     \
        if (lane == 0) {                                                                    \
            XR_PICK(total, 0)                                                               \
            XR_DELIVER(total, outer)                                                        \
        }                                                                                   \
        BARRIER_OF_ALL();                                                                   \
    }
#define XR_EACH                                                                             \
    {                                                                                       \
        XR_BEGIN_STAGE                                                                      \
        _Pragma("unroll 4")                                                                 \
        for (xr_index position = begin + lane; position < end; position += XR_WIDTH) {      \
            XR_ELEMENT                                                                      \
        }                                                                                   \
    }

GROUP_KERNEL(xr_rows, XR_PARAMETERS)
{
    XR_PREPARE
    XR_ROOMS
    const int lane = (int)LOCAL_ID(0);
    for (xr_index outer = (xr_index)GROUP_ID(0); outer < a.items; outer += (xr_index)GROUPS(0)) {
XR_STAGES
    }
}
