// `scan.c` along a contiguous axis, where items run side by side (GPUs): a group takes as many pieces
// as it has items. Neighbours load and store neighbouring elements of a piece; in between, in a tile
// in local memory, each item walks a piece of its own, in the order of `scan.c`.
typedef struct { XR_FIELDS } xr_arguments;

// A row of the tile is a span of a piece, and then the total of the piece so far. As its length is
// odd, items that walk down a column meet different banks.
#define XR_AT_TILE(row, column) tile[(row) * (XR_SPAN + 1) + (column)]
#define XR_FOR_TILE                                                                         \
    for (int place = lane; place < XR_PIECES * XR_SPAN; place += XR_PIECES) {               \
        const int row = place / XR_SPAN;                                                    \
        const int column = place % XR_SPAN;                                                 \
        if (from + column < counts[row]) {                                                  \
            const xr_index outer = outers[row];                                             \
            const xr_index position = begins[row] + from + column;
#define XR_END_TILE                                                                         \
        }                                                                                   \
    }

#define XR_PARAMETERS(parameter) XR_POINTERS(parameter) XR_CARRY(parameter) XR_RESULTS(parameter)

GROUP_KERNEL(xr_scan, XR_PARAMETERS)
{
    LOCAL XR_ACC tile[XR_PIECES * (XR_SPAN + 1)];
    LOCAL xr_index outers[XR_PIECES];
    LOCAL xr_index begins[XR_PIECES];
    LOCAL xr_index counts[XR_PIECES];
#if XR_CARRIED
    LOCAL XR_ACC befores[XR_PIECES];
#endif
    const int lane = (int)LOCAL_ID(0);
    const xr_index inner = 0;
    const xr_index longest = a.piece_length < a.position_extent ? a.piece_length : a.position_extent;
    for (xr_index first = (xr_index)GROUP_ID(0) * XR_PIECES; first < a.items;
         first += (xr_index)GROUPS(0) * XR_PIECES) {
        const xr_index item = first + lane;
        xr_index mine = 0;
        if (item < a.items) {
            const xr_index piece = item % a.pieces;
            const xr_index outer = item / a.pieces;
            XR_PIECE
            outers[lane] = outer;
            begins[lane] = begin;
            mine = end - begin;
#if XR_CARRIED
            if (piece > 0) {
                befores[lane] = carry[outer * a.pieces + piece - 1];
            }
#endif
        }
        counts[lane] = mine;
        BARRIER();
        for (xr_index from = 0; from < longest; from += XR_SPAN) {
            XR_FOR_TILE
                XR_ENTER_OUTER
                XR_ELEMENT
                XR_ACC value;
                XR_START(value)
                XR_AT_TILE(row, column) = value;
            XR_END_TILE
            BARRIER();
            if (from < mine) {
                XR_ACC acc = XR_AT_TILE(lane, 0);
                if (from > 0) {
                    acc = XR_COMBINE(XR_AT_TILE(lane, XR_SPAN), acc);
                    XR_AT_TILE(lane, 0) = acc;
                }
                for (int column = 1; column < XR_SPAN && from + column < mine; ++column) {
                    acc = XR_COMBINE(acc, XR_AT_TILE(lane, column));
                    XR_AT_TILE(lane, column) = acc;
                }
                XR_AT_TILE(lane, XR_SPAN) = acc;
            }
            BARRIER();
#if !XR_TOTALS
            XR_FOR_TILE
                XR_ACC running = XR_AT_TILE(row, column);
#if XR_CARRIED
                if (begins[row] > 0) {
                    running = XR_COMBINE(befores[row], running);
                }
#endif
                XR_DELIVER(running, outer * a.length + position + a.shift)
            XR_END_TILE
            BARRIER();
#endif
        }
#if XR_TOTALS
        if (mine > 0) {
            result[item] = XR_AT_TILE(lane, XR_SPAN);
        }
#endif
    }
}
