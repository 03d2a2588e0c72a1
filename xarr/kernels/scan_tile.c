// `scan.c` along a contiguous axis, where items run side by side (GPUs): a group takes XR_PIECES pieces,
// XR_LINE_PIECES of a line and so of several lines where these are short. Neighbours load and store
// neighbouring elements of a piece; in between, in a tile in local memory, an item walks each piece, in
// the order of `scan.c`. XR_IN_ONE: a group has all pieces of its lines, and adds up their totals.
typedef struct { XR_FIELDS } xr_arguments;

#define XR_LINES (XR_PIECES / XR_LINE_PIECES)
#if XR_LINE_PIECES < XR_PIECES
#define XR_LINE_OF(row) ((row) / XR_LINE_PIECES)
#define XR_PIECE_OF(row) ((row) % XR_LINE_PIECES)
#else
#define XR_LINE_OF(row) 0
#define XR_PIECE_OF(row) (row)
#endif

// A row of the tile is a piece, or a line that is shorter. As its length is odd, items that walk down a
// column meet different banks.
#define XR_AT_TILE(row, column) tile[(row) * (XR_SPAN + 1) + (column)]

// Loads that are under way together; a scan of totals has few groups, which wait for each.
#if XR_PARTIAL
#define XR_TOGETHER _Pragma("unroll")
#else
#define XR_TOGETHER _Pragma("unroll 8")
#endif

// Every element of the tile, and how far it lies behind the first one of its line.
#define XR_FOR_TILE                                                                         \
    XR_TOGETHER                                                                             \
    for (int turn = 0; turn < XR_PIECES * XR_SPAN / XR_ITEMS; ++turn) {                     \
        const int row = (turn * XR_ITEMS + lane) / XR_SPAN;                                 \
        const int column = (turn * XR_ITEMS + lane) % XR_SPAN;                              \
        const int line = XR_LINE_OF(row);                                                   \
        const int beyond = XR_PIECE_OF(row) * XR_PIECE_LENGTH + column;

// Beyond an end the last element is loaded again: a load without a branch waits for no other.
#define XR_FILL_TILE(line, beyond)                                                          \
    XR_FOR_TILE                                                                             \
        const xr_index outer = first_line + (line);                                         \
        const xr_index position = begin + (beyond);                                         \
        XR_ENTER_OUTER                                                                      \
        XR_ELEMENT                                                                          \
        XR_ACC value;                                                                       \
        XR_START(value)                                                                     \
        XR_AT_TILE(row, column) = value;                                                    \
    }
#define XR_EMPTY_TILE(condition)                                                            \
    XR_FOR_TILE                                                                             \
        if (condition) {                                                                    \
            const xr_index place = (first_line + line) * a.length + begin + beyond + a.shift; \
            const XR_ACC acc = XR_AT_TILE(row, column);                                     \
            XR_RUNNING                                                                      \
            XR_DELIVER(running, place)                                                      \
        }                                                                                   \
    }
#if XR_CARRIED || XR_IN_ONE
#define XR_RUNNING                                                                          \
    XR_ACC running = acc;                                                                   \
    if (first_piece + XR_PIECE_OF(row) > 0) {                                               \
        running = XR_COMBINE(before[row], acc);                                             \
    }
#else
#define XR_RUNNING const XR_ACC running = acc;
#endif

#if XR_TOTALS
#define XR_KEEP_RUNNING
#else
#define XR_KEEP_RUNNING XR_AT_TILE(lane, column) = acc;
#endif
#define XR_ADD_UP                                                                           \
    acc = XR_COMBINE(acc, XR_AT_TILE(lane, column));                                        \
    XR_KEEP_RUNNING

#define XR_PARAMETERS(parameter) XR_POINTERS(parameter) XR_CARRY(parameter) XR_RESULTS(parameter)

GROUP_KERNEL(xr_scan, XR_PARAMETERS)
{
    LOCAL XR_ACC tile[XR_PIECES * (XR_SPAN + 1)];
#if XR_CARRIED || XR_IN_ONE
    // What comes before each piece.
    LOCAL XR_ACC before[XR_PIECES + 1];
#endif
    const int lane = (int)LOCAL_ID(0);
    const xr_index inner = 0;
    const xr_index first_piece = (xr_index)GROUP_ID(0) % a.blocks * XR_LINE_PIECES;
    const xr_index first_line = (xr_index)GROUP_ID(0) / a.blocks * XR_LINES;
    const xr_index begin = first_piece * XR_PIECE_LENGTH;
    const xr_index behind = a.position_extent - begin;
    const xr_index under = a.lines - first_line;
    const int rest = behind < XR_LINE_PIECES * XR_PIECE_LENGTH
        ? (int)behind : XR_LINE_PIECES * XR_PIECE_LENGTH;
    const int lines = under < XR_LINES ? (int)under : XR_LINES;
    const int is_full = rest == (XR_LINE_PIECES - 1) * XR_PIECE_LENGTH + XR_SPAN && lines == XR_LINES;

    // This item's own piece.
    const xr_index piece = first_piece + lane % XR_LINE_PIECES;
    const int left = rest - lane % XR_LINE_PIECES * XR_PIECE_LENGTH;
    const int mine = lane < XR_PIECES && lane / XR_LINE_PIECES < lines ? left : 0;
#if XR_CARRIED || XR_TOTALS
    const xr_index number = (first_line + lane / XR_LINE_PIECES) * a.pieces + piece;
#endif
#if XR_CARRIED
    if (piece > 0 && mine > 0) {
        before[lane] = carry[number - 1];
    }
#endif
    if (is_full) {
        XR_FILL_TILE(line, beyond)
    } else {
        XR_FILL_TILE(line < lines ? line : lines - 1, beyond < rest ? beyond : rest - 1)
    }
    BARRIER();
    if (mine > 0) {
        XR_ACC acc = XR_AT_TILE(lane, 0);
        if (mine >= XR_SPAN) {
            _Pragma("unroll 16")
            for (int column = 1; column < XR_SPAN; ++column) {
                XR_ADD_UP
            }
        } else {
            for (int column = 1; column < mine; ++column) {
                XR_ADD_UP
            }
        }
#if XR_TOTALS
        result[number] = acc;
#elif XR_IN_ONE
        before[lane + 1] = acc;
#endif
    }
#if !XR_TOTALS
    BARRIER();
#if XR_IN_ONE
    if (mine > 0 && lane % XR_LINE_PIECES == 0) {
        for (int k = 2; k < a.pieces; ++k) {
            before[lane + k] = XR_COMBINE(before[lane + k - 1], before[lane + k]);
        }
    }
    BARRIER();
#endif
    if (is_full) {
        XR_EMPTY_TILE(1)
    } else {
        XR_EMPTY_TILE(beyond < rest && line < lines)
    }
#endif
}
