// Matrix products in tiles. A group computes XR_ROWS x XR_COLUMNS elements of the result, an item
// XR_ROW_BLOCK x XR_COLUMN_BLOCK of them in registers. Tiles of both operands, XR_DEPTH deep, go
// through local memory, stored with k first so that an item reads packs of 16 bytes. There are two
// buffers: while one is multiplied, the next tiles come from memory. ops/matmul.py chooses the tile
// and says in which order an element is summed, which no tile changes.
typedef struct { XR_FIELDS } xr_arguments;

#if XR_COMPLEX
#define XR_NOTHING xr_nothing()

// Not an initialiser in braces: with one, PoCL 3.0 made complex128 sums of zeros only.
DEVICE XR_ACC xr_nothing(void)
{
    XR_ACC zero;
    zero.re = 0;
    zero.im = 0;
    return zero;
}

DEVICE XR_ACC xr_sum(const XR_ACC x, const XR_ACC y)
{
    XR_ACC sum;
    sum.re = x.re + y.re;
    sum.im = x.im + y.im;
    return sum;
}

DEVICE XR_ACC xr_multiply_add(const XR_ACC x, const XR_ACC y, const XR_ACC acc)
{
    XR_ACC sum;
    sum.re = fma(x.re, y.re, acc.re);
    sum.im = fma(x.re, y.im, acc.im);
    sum.re = fma(-x.im, y.im, sum.re);
    sum.im = fma(x.im, y.re, sum.im);
    return sum;
}

// The k beyond the end, which are zeros, would make +0 of -0: so a sum of zero is +0 always.
DEVICE XR_ACC xr_unsigned_zero(const XR_ACC x)
{
    XR_ACC y;
    y.re = x.re == 0 ? 0 : x.re;
    y.im = x.im == 0 ? 0 : x.im;
    return y;
}
#else
#define XR_NOTHING 0

DEVICE XR_ACC xr_sum(const XR_ACC x, const XR_ACC y)
{
#if XR_LOGICAL
    return x | y;
#else
    return x + y;
#endif
}

DEVICE XR_ACC xr_multiply_add(const XR_ACC x, const XR_ACC y, const XR_ACC acc)
{
#if XR_LOGICAL
    return acc | (x & y);
#elif XR_FLOATING
    return fma(x, y, acc);
#else
    return acc + x * y;
#endif
}

DEVICE XR_ACC xr_unsigned_zero(const XR_ACC x)
{
    return x == 0 ? 0 : x;
}
#endif

#if XR_JOIN
// The sums of a split product, piece after piece; sixteen are on their way at once.
#define XR_PARAMETERS(parameter)                                                            \
    parameter(GLOBAL const XR_ACC *RESTRICT, partial)                                       \
    parameter(GLOBAL XR_RESULT *RESTRICT, result)

GROUP_KERNEL(xr_join, XR_PARAMETERS)
{
    for (xr_index item = (xr_index)GLOBAL_ID(0); item < a.size; item += (xr_index)GLOBAL_SIZE(0)) {
        XR_ACC total = partial[item];
        xr_index piece = 1;
        for (; piece + 16 <= a.pieces; piece += 16) {
            XR_ACC next[16];
            for (int ahead = 0; ahead < 16; ++ahead) {
                next[ahead] = partial[(piece + ahead) * a.size + item];
            }
            for (int ahead = 0; ahead < 16; ++ahead) {
                total = xr_sum(total, next[ahead]);
            }
        }
        for (; piece < a.pieces; ++piece) {
            total = xr_sum(total, partial[piece * a.size + item]);
        }
        result[item] = XR_FINISH(xr_unsigned_zero(total));
    }
}
#else

#define XR_DOWN (XR_ROWS / XR_ROW_BLOCK)
#define XR_ACROSS (XR_COLUMNS / XR_COLUMN_BLOCK)
#define XR_ITEMS (XR_DOWN * XR_ACROSS)
#define XR_SIDE (XR_ACROSS < 8 ? XR_ACROSS : 8)
#define XR_BAND 8

#define XR_FIRST_SIZE (XR_ROWS * XR_DEPTH)
#define XR_FIRST_STEPS ((XR_FIRST_SIZE + XR_ITEMS - 1) / XR_ITEMS)
#define XR_SECOND_SIZE (XR_COLUMNS * XR_DEPTH)
#define XR_SECOND_STEPS ((XR_SECOND_SIZE + XR_ITEMS - 1) / XR_ITEMS)

// Where element `number` of a tile is: items that follow each other load along the smaller stride.
#if XR_FIRST_BY_K
#define XR_FIRST_K(number) ((number) % XR_DEPTH)
#define XR_FIRST_LINE(number) ((number) / XR_DEPTH)
#else
#define XR_FIRST_K(number) ((number) / XR_ROWS)
#define XR_FIRST_LINE(number) ((number) % XR_ROWS)
#endif
#if XR_SECOND_BY_K
#define XR_SECOND_K(number) ((number) % XR_DEPTH)
#define XR_SECOND_LINE(number) ((number) / XR_DEPTH)
#else
#define XR_SECOND_K(number) ((number) / XR_COLUMNS)
#define XR_SECOND_LINE(number) ((number) % XR_COLUMNS)
#endif

// What follows is done for `first` and `second` alike; `line` is a row or a column of the result.
// Lines beyond the last one are read as the last one, and their sums are not stored.
#define XR_FIND(operand, OPERAND, begin, extent)                                            \
    xr_index operand##_at[OPERAND##_STEPS];                                                 \
    for (int step = 0; step < OPERAND##_STEPS; ++step) {                                    \
        const int number = lane + step * XR_ITEMS;                                          \
        const xr_index line = begin + OPERAND##_LINE(number);                               \
        operand##_at[step] =                                                                \
            operand##_base + (line < extent ? line : extent - 1) * a.operand##_line;        \
    }

#define XR_FETCH(operand, OPERAND, from)                                                    \
    for (int step = 0; step < OPERAND##_STEPS; ++step) {                                    \
        const int number = lane + step * XR_ITEMS;                                          \
        const xr_index k = (from) + OPERAND##_K(number);                                    \
        XR_STORAGE value = XR_NOTHING;                                                      \
        if (k < end && (OPERAND##_SIZE % XR_ITEMS == 0 || number < OPERAND##_SIZE)) {       \
            value = operand[operand##_at[step] + k * a.operand##_k];                        \
        }                                                                                   \
        operand##_next[step] = value;                                                       \
    }

#define XR_KEEP(operand, OPERAND, tiles, pack, into)                                        \
    for (int step = 0; step < OPERAND##_STEPS; ++step) {                                    \
        const int number = lane + step * XR_ITEMS;                                          \
        const int line = OPERAND##_LINE(number);                                            \
        if (OPERAND##_SIZE % XR_ITEMS == 0 || number < OPERAND##_SIZE) {                    \
            tiles[(into) + OPERAND##_K(number)][line / pack].v[line % pack] =               \
                XR_LOAD(operand##_next[step]);                                              \
        }                                                                                   \
    }

typedef struct ALIGNED(XR_ROW_ALIGNMENT) { XR_ACC v[XR_ROW_PACK]; } xr_row_pack;
typedef struct ALIGNED(XR_COLUMN_ALIGNMENT) { XR_ACC v[XR_COLUMN_PACK]; } xr_column_pack;

#define XR_PARAMETERS(parameter)                                                            \
    parameter(GLOBAL const XR_STORAGE *RESTRICT, first)                                     \
    parameter(GLOBAL const XR_STORAGE *RESTRICT, second)                                    \
    parameter(GLOBAL XR_RESULT *RESTRICT, result)

GROUP_KERNEL(xr_matmul, XR_PARAMETERS)
{
    // One pack more than a line of tiles has: stores along k go to different banks.
    LOCAL xr_row_pack row_tiles[2 * XR_DEPTH][XR_ROWS / XR_ROW_PACK + 1];
    LOCAL xr_column_pack column_tiles[2 * XR_DEPTH][XR_COLUMNS / XR_COLUMN_PACK + 1];
    const int lane = (int)LOCAL_ID(0);
    // Items are numbered in strips, so that neighbours form a block and read few different packs.
    const int across = lane / (XR_SIDE * XR_DOWN) * XR_SIDE + lane % XR_SIDE;
    const int down = lane / XR_SIDE % XR_DOWN;

    // Groups go down a band of tiles before they go on to the right, so that caches serve them.
    const xr_index tile = (xr_index)GROUP_ID(0);
    const xr_index band = tile / (XR_BAND * a.tiles_across) * XR_BAND;
    const xr_index height = a.tiles_down - band < XR_BAND ? a.tiles_down - band : XR_BAND;
    const xr_index within = tile - band * a.tiles_across;
    const xr_index row_begin = (band + within % height) * XR_ROWS;
    const xr_index column_begin = within / height * XR_COLUMNS;
    // Read back where results are stored: else compilers compute all their addresses in advance,
    // and keep them in registers that the sums need.
    LOCAL xr_index corner[2];
    if (lane == 0) {
        corner[0] = row_begin;
        corner[1] = column_begin;
    }

    const xr_index layer = a.layer + (xr_index)GROUP_ID(1);
#if XR_SPLIT
    const xr_index stack = layer / a.pieces;
    xr_index piece = layer % a.pieces;
    const xr_index piece_end = piece + 1;
#else
    const xr_index stack = layer;
    xr_index piece = 0;
    const xr_index piece_end = a.pieces;
#endif
    XR_STACK
    XR_FIND(first, XR_FIRST, row_begin, a.rows)
    XR_FIND(second, XR_SECOND, column_begin, a.columns)
    // Every sum has a piece, and a piece a k. Loops that run at least once keep PoCL from copying,
    // for each barrier that may not be met, all that follows it.
    do {
        const xr_index begin = piece * XR_PIECE;
        const xr_index end = a.length - begin < XR_PIECE ? a.length : begin + XR_PIECE;
        XR_STORAGE first_next[XR_FIRST_STEPS];
        XR_STORAGE second_next[XR_SECOND_STEPS];
        XR_ACC acc[XR_ROW_BLOCK][XR_COLUMN_BLOCK];
        for (int i = 0; i < XR_ROW_BLOCK; ++i) {
            for (int j = 0; j < XR_COLUMN_BLOCK; ++j) {
                acc[i][j] = XR_NOTHING;
            }
        }
        XR_FETCH(first, XR_FIRST, begin)
        XR_FETCH(second, XR_SECOND, begin)
        XR_KEEP(first, XR_FIRST, row_tiles, XR_ROW_PACK, 0)
        XR_KEEP(second, XR_SECOND, column_tiles, XR_COLUMN_PACK, 0)
        BARRIER();
        int buffer = 0;
        xr_index from = begin;
        do {
            const int more = end - from > XR_DEPTH;
            if (more) {
                XR_FETCH(first, XR_FIRST, from + XR_DEPTH)
                XR_FETCH(second, XR_SECOND, from + XR_DEPTH)
            }
            for (int k = 0; k < XR_DEPTH; ++k) {
                xr_row_pack x[XR_ROW_BLOCK / XR_ROW_PACK];
                xr_column_pack y[XR_COLUMN_BLOCK / XR_COLUMN_PACK];
                for (int p = 0; p < XR_ROW_BLOCK / XR_ROW_PACK; ++p) {
                    x[p] = row_tiles[buffer + k][p * XR_DOWN + down];
                }
                for (int p = 0; p < XR_COLUMN_BLOCK / XR_COLUMN_PACK; ++p) {
                    y[p] = column_tiles[buffer + k][p * XR_ACROSS + across];
                }
                for (int i = 0; i < XR_ROW_BLOCK; ++i) {
                    for (int j = 0; j < XR_COLUMN_BLOCK; ++j) {
                        const XR_ACC x_i = x[i / XR_ROW_PACK].v[i % XR_ROW_PACK];
                        const XR_ACC y_j = y[j / XR_COLUMN_PACK].v[j % XR_COLUMN_PACK];
#if XR_SWAPPED
                        acc[i][j] = xr_multiply_add(y_j, x_i, acc[i][j]);
#else
                        acc[i][j] = xr_multiply_add(x_i, y_j, acc[i][j]);
#endif
                    }
                }
            }
            buffer = XR_DEPTH - buffer;
            if (more) {
                XR_KEEP(first, XR_FIRST, row_tiles, XR_ROW_PACK, buffer)
                XR_KEEP(second, XR_SECOND, column_tiles, XR_COLUMN_PACK, buffer)
            }
            BARRIER();
            from += XR_DEPTH;
        } while (from < end);
        const xr_index row_first = corner[0] + down * XR_ROW_PACK;
        const xr_index column_first = corner[1] + across * XR_COLUMN_PACK;
        for (int i = 0; i < XR_ROW_BLOCK; ++i) {
            const xr_index row = row_first
                + i / XR_ROW_PACK * (XR_DOWN * XR_ROW_PACK) + i % XR_ROW_PACK;
            for (int j = 0; j < XR_COLUMN_BLOCK; ++j) {
                const xr_index column = column_first
                    + j / XR_COLUMN_PACK * (XR_ACROSS * XR_COLUMN_PACK) + j % XR_COLUMN_PACK;
                if (row < a.rows && column < a.columns) {
                    const xr_index at = stack * a.rows * a.columns + row * a.result_row
                        + column * a.result_column;
#if XR_SPLIT
                    result[piece * a.size + at] = acc[i][j];
#else
                    XR_ACC total = acc[i][j];
                    if (piece > 0) {
                        total = xr_sum(XR_TOTAL(result[at]), total);
                    }
                    result[at] = XR_FINISH(xr_unsigned_zero(total));
#endif
                }
            }
        }
    } while (++piece < piece_end);
}
#endif
