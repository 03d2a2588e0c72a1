// The stages of rows_lane.c where items run side by side (GPUs). A group takes XR_ROWS rows at a time,
// and XR_ABREAST items share a row. What there is once for a row is read by all of them, an element by
// the item that left it.
typedef struct { XR_FIELDS } xr_arguments;

// Of a short row an item has XR_TURNS elements, XR_ABREAST apart, so few that the loads of all are under
// way together. Where XR_SPREAD is 1 these are all lanes of the order in which a row is reduced, and the
// item makes the first steps of the tree by itself; else they are one lane's.
#if XR_TURNS
#define XR_FOR_ROWS                                                                         \
    const int rows = a.items - first < XR_ROWS ? (int)(a.items - first) : XR_ROWS;          \
    for (int row = item / XR_ABREAST; row < rows; row += XR_WIDTH / XR_ABREAST) {           \
        const xr_index outer = first + row;                                                 \
        XR_BEGIN_STAGE
#define XR_HAS(turn)                                                                        \
    ((turn) < (XR_SPREAD ? XR_TURNS / 2 : XR_TURNS - 1) || XR_IS_WHOLE ||                   \
     (turn) * XR_ABREAST + lane < end)
#define XR_FOR_TURNS                                                                        \
    _Pragma("unroll")                                                                       \
    for (int turn = 0; turn < XR_TURNS; ++turn) {                                           \
        const xr_index position = turn * XR_ABREAST + lane;                                 \
        if (XR_HAS(turn)) {                                                                 \
            XR_ELEMENT
#define XR_END_TURNS                                                                        \
        }                                                                                   \
    }
#if XR_SPREAD
// What an item's elements leave lies in an array for each field, which a compiler keeps in registers
// where it does not keep structures; rusticl 22.3 copies a part of one with padding.
#define XR_LEFT_OF(n, x, y) XR_LANES##n(, XR_TURNS)
#define XR_LEAVE_OF(n, turn, acc) XR_PUT_CLOSED##n(turn, acc##n)
#define XR_TAKE_OF(n, acc, turn) XR_GET_CLOSED##n(acc##n, turn)
#define XR_TAKE(acc, turn) XR_ACCUMULATOR(acc) XR_FOLDS(XR_TAKE_OF, acc, turn)
#define XR_REDUCE_TURNS                                                                     \
    XR_FOLDS(XR_LEFT_OF, 0, 0)                                                              \
    XR_FOR_TURNS                                                                            \
            XR_ACCUMULATOR(acc)                                                             \
            XR_START(acc)                                                                   \
            XR_END(acc, 1)                                                                  \
            XR_FOLDS(XR_LEAVE_OF, turn, acc)                                                \
    XR_END_TURNS                                                                            \
    _Pragma("unroll")                                                                       \
    for (int step = XR_OWN_STEPS - 1; step >= 0; --step) {                                  \
        _Pragma("unroll")                                                                   \
        for (int turn = 0; turn < XR_TURNS / 2; ++turn) {                                   \
            if (turn < 1 << step && XR_HAS(turn + (1 << step))) {                           \
                XR_TAKE(acc, turn)                                                          \
                XR_TAKE(other, turn + (1 << step))                                          \
                XR_JOIN(acc, other)                                                         \
                XR_FOLDS(XR_LEAVE_OF, turn, acc)                                            \
            }                                                                               \
        }                                                                                   \
    }                                                                                       \
    XR_TAKE(acc, 0)                                                                         \
    XR_PLANT(row * XR_ABREAST + lane, acc)
#else
#define XR_REDUCE_TURNS                                                                     \
    XR_ACCUMULATOR(acc)                                                                     \
    XR_FOR_TURNS                                                                            \
            if (turn == 0) {                                                                \
                XR_START(acc)                                                               \
            } else {                                                                        \
                XR_NEXT(acc, turn + 1)                                                      \
            }                                                                               \
    XR_END_TURNS                                                                            \
    XR_END(acc, XR_TURNS - !XR_HAS(XR_TURNS - 1))                                           \
    XR_PLANT(row * XR_ABREAST + lane, acc)
#endif
#define XR_REDUCTION                                                                        \
    {                                                                                       \
        XR_FOR_ROWS                                                                         \
            XR_REDUCE_TURNS                                                                 \
        }                                                                                   \
        BARRIER();                                                                          \
        for (int step = XR_STEPS - 1; step >= 0; --step) {                                  \
            for (int pair = item; pair < rows << step; pair += XR_WIDTH) {                  \
                const int of = pair & ((1 << step) - 1);                                    \
                const int place = (pair >> step) * XR_ABREAST + of;                         \
                XR_GRAFT(place, place + (1 << step))                                        \
            }                                                                               \
            BARRIER();                                                                      \
        }                                                                                   \
        for (int row = item; row < rows; row += XR_WIDTH) {                                 \
            XR_PICK(total, row * XR_ABREAST)                                                \
            XR_DELIVER(total, first + row)                                                  \
        }                                                                                   \
        BARRIER_OF_ALL();                                                                   \
    }
#else
#define XR_FOR_ROWS                                                                         \
    {                                                                                       \
        const int row = 0;                                                                  \
        const xr_index outer = first;                                                       \
        XR_BEGIN_STAGE
#define XR_FOR_TURNS                                                                        \
    _Pragma("unroll 4")                                                                     \
    for (xr_index position = begin + lane; position < end; position += XR_WIDTH) {          \
        XR_ELEMENT
#define XR_END_TURNS                                                                        \
    }
#define XR_REDUCTION                                                                        \
    {                                                                                       \
        XR_FOR_ROWS                                                                         \
            XR_REDUCE_PIECE                                                                 \
            if (lane == 0) {                                                                \
                XR_PICK(total, 0)                                                           \
                XR_DELIVER(total, outer)                                                    \
            }                                                                               \
        }                                                                                   \
        BARRIER_OF_ALL();                                                                   \
    }
#endif

#define XR_EACH                                                                             \
    {                                                                                       \
        XR_FOR_ROWS                                                                         \
            XR_FOR_TURNS                                                                    \
            XR_END_TURNS                                                                    \
        }                                                                                   \
    }
#define XR_ONCE                                                                             \
    {                                                                                       \
        BARRIER_OF_ALL();                                                                   \
        for (int row = item; row < XR_ROWS && first + row < a.items; row += XR_WIDTH) {     \
            const xr_index outer = first + row, position = 0;                               \
            XR_BEGIN_STAGE                                                                  \
            XR_ELEMENT                                                                      \
        }                                                                                   \
        BARRIER_OF_ALL();                                                                   \
    }

GROUP_KERNEL(xr_rows, XR_PARAMETERS)
{
    XR_PREPARE
    XR_ROOMS
    const int item = (int)LOCAL_ID(0) % XR_WIDTH;
    const int lane = item % XR_ABREAST;
    for (xr_index first = (xr_index)GROUP_ID(0) * XR_ROWS; first < a.items;
         first += (xr_index)GROUPS(0) * XR_ROWS) {
XR_STAGES
    }
}
