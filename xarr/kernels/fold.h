// What the reduction skeletons share: how an element is reached, accumulated and put away.
// Included in both by codegen/source.py, since a kernel source has no #include.
//
// A kernel may accumulate several folds. Each has words of its own, such as XR_ACC and XR_COMBINE,
// those of the second fold end with 1, those of the third with 2: XR_FOLDS(what, x, y) is
// what(, x, y) what(1, x, y) what(2, x, y). An accumulator `acc` is then acc, acc1 and acc2.
#if XR_PARTIAL
#define XR_POINTERS(parameter) XR_FOLDS(XR_PARTIAL_OF, parameter, 0)
#define XR_PARTIAL_OF(n, parameter, y) parameter(GLOBAL const XR_ACC##n *RESTRICT, partial##n)
#define XR_ENTER_OUTER
#define XR_ENTER_POSITION
#define XR_COLUMN_ELEMENT XR_ELEMENT
#define XR_ELEMENT                                                                          \
    const xr_index at = (outer * a.position_extent + position) * a.inner_extent + inner;    \
    XR_FOLDS(XR_ELEMENT_OF, 0, 0)
#define XR_ELEMENT_OF(n, x, y) const XR_ACC##n element##n = partial##n[at];
#define XR_START_OF(n, acc, y) acc##n = element##n;
#define XR_NEXT_OF(n, acc, seen) acc##n = XR_COMBINE##n(acc##n, element##n);
#define XR_END_OF(n, acc, seen)
#else
#define XR_ENTER_OUTER XR_AT_OUTER
#define XR_ENTER_POSITION XR_AT_POSITION XR_COMMON
#define XR_COLUMN_ELEMENT XR_AT_INNER XR_OWN XR_STORE
#define XR_ELEMENT XR_AT_POSITION XR_AT_INNER XR_COMPUTE XR_STORE
#define XR_START_OF(n, acc, y) acc##n = XR_FIRST##n(XR_VALUE##n, position);
#define XR_NEXT_OF(n, acc, seen) acc##n = XR_STEP##n(acc##n, XR_VALUE##n, position, seen);
#define XR_END_OF(n, acc, seen) XR_CLOSE##n(acc##n, seen)
#endif

// What one element of `seen` counts for.
#ifndef XR_SHARES
#define XR_SHARE(cast, seen) (cast 1 / cast(seen))
#endif

#define XR_ACCUMULATOR(acc) XR_FOLDS(XR_ACCUMULATOR_OF, acc, 0)
#define XR_ACCUMULATOR_OF(n, acc, y) XR_ACC##n acc##n;
#define XR_START(acc) XR_FOLDS(XR_START_OF, acc, 0)
#define XR_NEXT(acc, seen) XR_FOLDS(XR_NEXT_OF, acc, seen)
#define XR_END(acc, seen) XR_FOLDS(XR_END_OF, acc, seen)
#define XR_JOIN(acc, other) XR_FOLDS(XR_JOIN_OF, acc, other)
#define XR_JOIN_OF(n, acc, other) acc##n = XR_COMBINE##n(acc##n, other##n);

// The lanes' accumulators, one for each fold.
// Lanes that lie across the lines of the cache cost a reduction a third of its speed.
#define XR_LANES_OF(n, size, y) XR_LANES##n(ALIGNED(128), size)
#define XR_TAKE(acc, lane) XR_ACCUMULATOR(acc) XR_FOLDS(XR_TAKE_OF, acc, lane)
#define XR_TAKE_OF(n, acc, lane) XR_GET##n(acc##n, lane)
#define XR_KEEP(lane, acc) XR_FOLDS(XR_KEEP_OF, lane, acc)
#define XR_KEEP_OF(n, lane, acc) XR_PUT##n(lane, acc##n)

#define XR_PIECE                                                                            \
    const xr_index begin = piece * a.piece_length;                                          \
    const xr_index left = a.position_extent - begin;                                        \
    const xr_index count = left < a.piece_length ? left : a.piece_length;                   \
    const xr_index end = begin + count;

#define XR_PUT_AWAY(acc)                                                                    \
    {                                                                                       \
        const xr_index place = (outer * a.pieces + piece) * a.inner_extent + inner;         \
        XR_DELIVER(acc, place)                                                              \
    }

// All of a row, of XR_LENGTH elements, in one piece.
#define XR_BEGIN_STAGE                                                                      \
    const xr_index begin = 0, inner = 0;                                                    \
    const xr_index end = XR_LENGTH, count = XR_LENGTH;                                      \
    XR_AT_OUTER
