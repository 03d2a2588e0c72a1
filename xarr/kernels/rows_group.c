// The stages of rows_lane.c where items run side by side (GPUs): a group takes XR_ROWS rows at a time,
// and XR_ABREAST items share a row. A result is read by all of them, an element by the item that left
// it.
typedef struct { XR_FIELDS } xr_arguments;

// Short rows have one element for an item, so that loads of several rows are under way together.
#if XR_ABREAST < XR_WIDTH
#define XR_TOGETHER _Pragma("unroll 4")
#else
#define XR_TOGETHER
#endif

#define XR_FOR_ROWS                                                                         \
    XR_TOGETHER                                                                             \
    for (int row = (int)LOCAL_ID(0) / XR_ABREAST; row < XR_ROWS; row += XR_WIDTH / XR_ABREAST) { \
        const xr_index outer = first + row;                                                 \
        if (outer < a.items) {                                                              \
            XR_BEGIN_STAGE
#define XR_END_ROWS                                                                         \
        }                                                                                   \
    }

#define XR_REDUCTION                                                                        \
    {                                                                                       \
        XR_FOR_ROWS                                                                         \
            XR_ACCUMULATE_PIECE(row * XR_ABREAST + lane)                                    \
        XR_END_ROWS                                                                         \
        BARRIER();                                                                          \
        _Pragma("unroll")                                                                   \
        for (int reach = XR_ABREAST / 2; reach > 0; reach /= 2) {                           \
            for (int pair = (int)LOCAL_ID(0); pair < XR_ROWS * reach; pair += XR_WIDTH) {   \
                const int row = pair / reach;                                               \
                const int place = row * XR_ABREAST + pair % reach;                          \
                if (first + row < a.items && pair % reach + reach < XR_LENGTH) {            \
                    XR_GRAFT(place, place + reach)                                          \
                }                                                                           \
            }                                                                               \
            BARRIER();                                                                      \
        }                                                                                   \
        for (int row = (int)LOCAL_ID(0); row < XR_ROWS; row += XR_WIDTH) {                  \
            if (first + row < a.items) {                                                    \
                XR_PICK(total, row * XR_ABREAST)                                            \
                XR_DELIVER(total, first + row)                                              \
            }                                                                               \
        }                                                                                   \
        BARRIER_OF_ALL();                                                                   \
    }
#define XR_EACH                                                                             \
    {                                                                                       \
        XR_FOR_ROWS                                                                         \
            _Pragma("unroll 4")                                                             \
            for (xr_index position = begin + lane; position < end; position += XR_ABREAST) { \
                XR_ELEMENT                                                                  \
            }                                                                               \
        XR_END_ROWS                                                                         \
    }

GROUP_KERNEL(xr_rows, XR_PARAMETERS)
{
    XR_PREPARE
    XR_ROOMS
    const int lane = (int)LOCAL_ID(0) % XR_ABREAST;
    for (xr_index first = (xr_index)GROUP_ID(0) * XR_ROWS; first < a.items;
         first += (xr_index)GROUPS(0) * XR_ROWS) {
XR_STAGES
    }
}
