// Pieces of rows where items run side by side (GPUs): a group of XR_WIDTH items takes a piece. An item
// takes every XR_WIDTH-th element, then a halving tree in local memory joins the items, with a barrier
// at every step, so no width of warp or wavefront is assumed.

// The tree of each fold.
#define XR_TREE_OF(n, x, y) LOCAL XR_ACC##n tree##n[XR_WIDTH];
#define XR_PLANT(lane, acc) XR_FOLDS(XR_PLANT_OF, lane, acc)
#define XR_PLANT_OF(n, lane, acc) tree##n[lane] = acc##n;
#define XR_GRAFT(lane, other) XR_FOLDS(XR_GRAFT_OF, lane, other)
#define XR_GRAFT_OF(n, lane, other) tree##n[lane] = XR_COMBINE##n(tree##n[lane], tree##n[other]);
#define XR_PICK(acc, lane) XR_ACCUMULATOR(acc) XR_FOLDS(XR_PICK_OF, acc, lane)
#define XR_PICK_OF(n, acc, lane) acc##n = tree##n[lane];

// A division takes a GPU longer than all else that becomes of an element, and items that run side by
// side divide by the same: a group divides once, by every number up to XR_LONGEST.
#ifdef XR_SHARES
#define XR_SHARE(cast, seen) shares[seen]
#define XR_PREPARE                                                                          \
    LOCAL XR_SHARES shares[XR_LONGEST + 1];                                                 \
    for (int seen = (int)LOCAL_ID(0) + 1; seen <= XR_LONGEST; seen += (int)LOCAL_SIZE(0)) { \
        shares[seen] = (XR_SHARES)1 / (XR_SHARES)seen;                                      \
    }                                                                                       \
    BARRIER();
#else
#define XR_PREPARE
#endif


// Accumulate the elements from `begin` to `end`, `count` of them; lane 0 of the trees has the total.
#define XR_REDUCE_PIECE                                                                     \
    const int active = (int)(count < XR_WIDTH ? count : XR_WIDTH);                          \
    if (lane < active) {                                                                    \
        XR_ACCUMULATOR(acc)                                                                 \
        {                                                                                   \
            const xr_index position = begin + lane;                                         \
            XR_ELEMENT                                                                      \
            XR_START(acc)                                                                   \
        }                                                                                   \
        xr_index seen = 2;                                                                  \
        _Pragma("unroll 4")                                                                 \
        for (xr_index position = begin + lane + XR_WIDTH; position < end;                   \
             position += XR_WIDTH, ++seen) {                                                \
            XR_ELEMENT                                                                      \
            XR_NEXT(acc, seen)                                                              \
        }                                                                                   \
        XR_END(acc, seen - 1)                                                               \
        XR_PLANT(lane, acc)                                                                 \
    }                                                                                       \
    BARRIER();                                                                              \
    for (int reach = XR_WIDTH / 2; reach > 0; reach /= 2) {                                 \
        if (lane < reach && lane + reach < active) {                                        \
            XR_GRAFT(lane, lane + reach)                                                    \
        }                                                                                   \
        BARRIER();                                                                          \
    }
