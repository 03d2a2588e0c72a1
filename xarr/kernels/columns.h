// Pieces of columns. An item walks up to XR_BLOCK columns that lie side by side, whose accumulators are
// its lanes. What is the same for all is computed once. A GPU's item has XR_BLOCK always, unrolled.
#if XR_CHUNKED
#define XR_ACROSS (beyond < XR_BLOCK ? beyond : XR_BLOCK)
#define XR_EACH_LANE for (int lane = 0; lane < lanes; ++lane)
#else
#define XR_ACROSS XR_BLOCK
#define XR_EACH_LANE _Pragma("unroll") for (int lane = 0; lane < XR_BLOCK; ++lane)
#endif

// Neighbouring items take pieces of one row, or, where it is of all rows that they read the same, the
// same piece of neighbouring rows.
#if XR_ROWS_ABREAST
#define XR_SPLIT(rest)                                                                      \
    const xr_index rows = a.items / a.blocks / a.pieces;                                    \
    const xr_index piece = rest / rows;                                                     \
    const xr_index outer = rest % rows;
#else
#define XR_SPLIT(rest)                                                                      \
    const xr_index piece = rest % a.pieces;                                                 \
    const xr_index outer = rest / a.pieces;
#endif

#define XR_REDUCE_COLUMNS                                                                   \
    const xr_index block = item % a.blocks;                                                 \
    const xr_index rest = item / a.blocks;                                                  \
    XR_SPLIT(rest)                                                                          \
    const xr_index start = block * XR_BLOCK;                                                \
    const xr_index beyond = a.inner_extent - start;                                         \
    const int lanes = (int)XR_ACROSS;                                                       \
    XR_PIECE                                                                                \
    XR_ENTER_OUTER                                                                          \
    {                                                                                       \
        const xr_index position = begin;                                                    \
        XR_ENTER_POSITION                                                                   \
        XR_EACH_LANE {                                                                      \
            const xr_index inner = start + lane;                                            \
            XR_COLUMN_ELEMENT                                                               \
            XR_ACCUMULATOR(acc)                                                             \
            XR_START(acc)                                                                   \
            XR_KEEP(lane, acc)                                                              \
        }                                                                                   \
    }                                                                                       \
    for (xr_index position = begin + 1; position < end; ++position) {                       \
        const xr_index seen = position - begin + 1;                                         \
        XR_ENTER_POSITION                                                                   \
        XR_EACH_LANE {                                                                      \
            const xr_index inner = start + lane;                                            \
            XR_COLUMN_ELEMENT                                                               \
            XR_TAKE(acc, lane)                                                              \
            XR_NEXT(acc, seen)                                                              \
            XR_KEEP(lane, acc)                                                              \
        }                                                                                   \
    }                                                                                       \
    XR_EACH_LANE {                                                                          \
        const xr_index inner = start + lane;                                                \
        XR_TAKE(acc, lane)                                                                  \
        XR_END(acc, count)                                                                  \
        XR_PUT_AWAY(acc)                                                                    \
    }
