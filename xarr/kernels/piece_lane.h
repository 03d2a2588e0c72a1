// Pieces of rows where an item is a processor core: it keeps all the lanes of a piece in private
// arrays, one for each part of an accumulator, and the compiler vectorises the loops over lanes.
// The order of operations is that of piece_group.h, to the bit.

#define XR_TAKE_CLOSED(acc, lane) XR_ACCUMULATOR(acc) XR_FOLDS(XR_TAKE_CLOSED_OF, acc, lane)
#define XR_TAKE_CLOSED_OF(n, acc, lane) XR_GET_CLOSED##n(acc##n, lane)
#define XR_KEEP_CLOSED(lane, acc) XR_FOLDS(XR_KEEP_CLOSED_OF, lane, acc)
#define XR_KEEP_CLOSED_OF(n, lane, acc) XR_PUT_CLOSED##n(lane, acc##n)

#define XR_NEXT_LANES(lanes)                                                                \
    for (int lane = 0; lane < (lanes); ++lane) {                                            \
        const xr_index position = base + lane;                                              \
        XR_ELEMENT                                                                          \
        XR_TAKE(acc, lane)                                                                  \
        XR_NEXT(acc, seen)                                                                  \
        XR_KEEP(lane, acc)                                                                  \
    }

// Accumulate the elements from `begin` to `end`, `count` of them; lane 0 has the total.
#define XR_REDUCE_PIECE                                                                     \
    const int active = (int)(count < XR_WIDTH ? count : XR_WIDTH);                          \
    for (int lane = 0; lane < active; ++lane) {                                             \
        const xr_index position = begin + lane;                                             \
        XR_ELEMENT                                                                          \
        XR_ACCUMULATOR(acc)                                                                 \
        XR_START(acc)                                                                       \
        XR_KEEP(lane, acc)                                                                  \
    }                                                                                       \
    xr_index base = begin + XR_WIDTH;                                                       \
    xr_index seen = 2;                                                                      \
    for (; base + XR_WIDTH <= end; base += XR_WIDTH, ++seen) {                              \
        XR_NEXT_LANES(XR_WIDTH)                                                             \
    }                                                                                       \
    const int more = (int)(base < end ? end - base : 0);                                    \
    XR_NEXT_LANES(more)                                                                     \
    for (int lane = 0; XR_CLOSES && lane < active; ++lane) {                                \
        XR_TAKE(acc, lane)                                                                  \
        XR_END(acc, (count - lane + XR_WIDTH - 1) / XR_WIDTH)                               \
        XR_KEEP_CLOSED(lane, acc)                                                           \
    }                                                                                       \
    for (int reach = XR_WIDTH / 2; reach > 0; reach /= 2) {                                 \
        const int pairs = active - reach < reach ? active - reach : reach;                  \
        for (int lane = 0; lane < pairs; ++lane) {                                          \
            XR_TAKE_CLOSED(low, lane)                                                       \
            XR_TAKE_CLOSED(high, lane + reach)                                              \
            XR_JOIN(low, high)                                                              \
            XR_KEEP_CLOSED(lane, low)                                                       \
        }                                                                                   \
    }
