// Discrete Fourier transforms along an axis, one pass of Stockham's method: sorted, without a
// reversal of bits. (M. R. G. Stockham in W. T. Cochran et al., "What is the fast Fourier
// transform?", Proc. IEEE 55, 1967; as passes of large radix N. K. Govindaraju et al., "High
// performance discrete Fourier transforms on graphics processors", SC 2008.)
//
// With s the product of the lengths of the passes before (a.done) and L = XR_LENGTH that of this
// one, a line of n numbers has n / L columns (a.span): column j has the elements j + q n / L, times
// exp(-2 pi i k q / (s L)) where k = j % s. The transform of the column goes to the elements
// (j - k) L + k + q s. A group takes XR_COLUMNS neighbouring columns through local memory, where
// the same method is applied with the radices of XR_STAGES. A line that fits is one column.
//
// Inverse transforms exchange real and imaginary parts before and after.
//
// What is read (XR_FETCH, XR_ENTER), taken from the tile (XR_TAKE), and written (XR_LEAVE, XR_KEEP)
// are names of the macros below; ops/fft.py chooses them.
typedef struct { XR_FIELDS } xr_arguments;

// Neighbours a power of two apart would share a bank of local memory; so would what a stage writes.
#define XR_SPREAD(place) ((place) ^ (((place) >> 4) & 15))
#if XR_ALONG
#define XR_TILE(q, w) XR_SPREAD((w) * XR_LENGTH + (q))
#define XR_SPLIT(item, count) const int at = item % (count); const int w = item / (count);
#else
#define XR_TILE(q, w) XR_SPREAD((q) * XR_COLUMNS + (w))
#define XR_SPLIT(item, count) const int w = item % XR_COLUMNS; const int at = item / XR_COLUMNS;
#endif

#if XR_INNER
#define XR_EXTENT a.inner_extent
#define XR_LINE                                                                             \
    const xr_index inner = column % a.inner_extent;                                         \
    const xr_index line = column / a.inner_extent;
#else
#define XR_EXTENT 1
#define XR_LINE                                                                             \
    const xr_index inner = 0;                                                               \
    const xr_index line = column;
#endif
#if XR_SPANS
#define XR_COLUMN                                                                           \
    const xr_index column = first + w;                                                      \
    XR_LINE                                                                                 \
    const xr_index outer = line / a.span;                                                   \
    const xr_index j = line % a.span;                                                       \
    const xr_index k = j % a.done;
#define XR_FROM(q) (j + (q) * a.span)
#define XR_TO(q) ((j - k) * XR_LENGTH + k + (q) * a.done)
#else
#define XR_COLUMN                                                                           \
    const xr_index column = first + w;                                                      \
    XR_LINE                                                                                 \
    const xr_index outer = line;
#define XR_FROM(q) (q)
#define XR_TO(q) (q)
#endif

// -- what is read: `value`, element `index` of the line -------------------------------------------

#define XR_ELEMENT XR_AT_POSITION XR_AT_INNER XR_COMPUTE
#define XR_FETCH_VALUE                                                                      \
    {                                                                                       \
        const xr_index position = index;                                                    \
        XR_ELEMENT                                                                          \
        XR_STORE                                                                            \
        value = XR_VALUE;                                                                   \
    }
#define XR_FETCH_PAIR                                                                       \
    {                                                                                       \
        const xr_index position = 2 * index;                                                \
        XR_ELEMENT                                                                          \
        XR_STORE                                                                            \
        value.re = XR_VALUE;                                                                \
    }                                                                                       \
    {                                                                                       \
        const xr_index position = 2 * index + 1;                                            \
        XR_ELEMENT                                                                          \
        XR_STORE                                                                            \
        value.im = XR_VALUE;                                                                \
    }
// The line has a.middle + 1 elements; the imaginary parts of the first and the last are ignored.
#define XR_FETCH_TANGLE                                                                     \
    XR_COMPLEX here;                                                                        \
    {                                                                                       \
        const xr_index position = index;                                                    \
        XR_ELEMENT                                                                          \
        here = XR_VALUE;                                                                    \
    }                                                                                       \
    XR_COMPLEX there;                                                                         \
    {                                                                                       \
        const xr_index position = a.middle - index;                                           \
        XR_ELEMENT                                                                          \
        there = XR_VALUE;                                                                     \
    }                                                                                       \
    if (index == 0) {                                                                       \
        here.im = 0;                                                                        \
        there.im = 0;                                                                         \
    }                                                                                       \
    value = xr_entangle(here, there, xr_half_root(halves, a.half_shift, a.middle, index));
// The line has the first a.middle + 1 elements of a.given; the others are their conjugates.
#define XR_FETCH_MIRROR                                                                     \
    {                                                                                       \
        const xr_index position = index > a.middle ? a.given - index : index;                 \
        XR_ELEMENT                                                                          \
        value = XR_VALUE;                                                                   \
        value.im = index == 0 ? 0 : index > a.middle ? -value.im : value.im;                  \
    }
#define XR_FETCH_WORK value = work[(outer * a.length + index) * XR_EXTENT + inner];
#define XR_FETCH_TURNED                                                                     \
    XR_FETCH_WORK                                                                           \
    value = XR_MULTIPLY(value, xr_root(twiddles, a.twiddle_shift, k * q));

// -- what becomes of it ---------------------------------------------------------------------------

#define XR_DO_EXCHANGE value = a.inverse ? XR_EXCHANGE(value) : value;
#define XR_DO_SCALE                                                                         \
    value.re = value.re * a.scale;                                                          \
    value.im = value.im * a.scale;
#define XR_DO_REAL_FIRST value.im = index == 0 ? 0 : value.im;
// Bluestein's method: a transform of any length as a convolution with the conjugate of a chirp,
// whose spectrum is a table.
#define XR_DO_CHIRP value = XR_MULTIPLY(value, chirp[index]);
#define XR_DO_CONVOLVE                                                                      \
    value = XR_MULTIPLY(value, spectrum[index]);                                            \
    value = XR_EXCHANGE(value);
#define XR_DO_UNCHIRP                                                                       \
    value = XR_EXCHANGE(value);                                                             \
    XR_DO_CHIRP

// -- what is written ------------------------------------------------------------------------------

#define XR_TAKE_ELEMENT const XR_COMPLEX taken = XR_FINAL[XR_TILE(q, w)];
#define XR_TAKE_UNTANGLED                                                                   \
    const XR_COMPLEX taken = xr_untangle(                                                   \
        XR_FINAL[XR_TILE(q == XR_LENGTH ? 0 : q, w)],                                       \
        XR_FINAL[XR_TILE(q == 0 ? 0 : XR_LENGTH - q, w)],                                   \
        xr_half_root(halves, a.half_shift, XR_LENGTH, q));
#define XR_KEEP_VALUE result[(outer * a.kept + index) * XR_EXTENT + inner] = value;
#define XR_KEEP_REAL result[(outer * a.kept + index) * XR_EXTENT + inner] = value.re;
#define XR_KEEP_PAIR                                                                        \
    result[(outer * a.kept + index) * 2 * XR_EXTENT + inner] = value.re;                    \
    result[((outer * a.kept + index) * 2 + 1) * XR_EXTENT + inner] = value.im;

// -- the pass -------------------------------------------------------------------------------------

#define XR_LOAD                                                                             \
    const xr_index index = XR_FROM(q);                                                      \
    XR_COMPLEX value;                                                                       \
    value.re = 0;                                                                           \
    value.im = 0;                                                                           \
    if (column < a.columns && index < a.given) {                                            \
        XR_FETCH                                                                            \
        XR_ENTER                                                                            \
    }                                                                                       \
    tile0[XR_TILE(q, w)] = value;

#define XR_STAGE(radix, before, butterfly, from, to)                                        \
    for (int item = (int)LOCAL_ID(0); item < XR_LENGTH / radix * XR_COLUMNS; item += XR_ITEMS) { \
        XR_SPLIT(item, XR_LENGTH / radix)                                                   \
        const int turn = at % before;                                                       \
        XR_COMPLEX v[radix];                                                                \
        for (int q = 0; q < radix; ++q) {                                                   \
            v[q] = from[XR_TILE(at + q * (XR_LENGTH / radix), w)];                          \
        }                                                                                   \
        if (before > 1) {                                                                   \
            for (int q = 1; q < radix; ++q) {                                               \
                v[q] = XR_MULTIPLY(v[q], roots[turn * q * (XR_LENGTH / (radix * before))]); \
            }                                                                               \
        }                                                                                   \
        butterfly(v);                                                                       \
        for (int q = 0; q < radix; ++q) {                                                   \
            to[XR_TILE((at - turn) * radix + turn + q * before, w)] = v[q];                 \
        }                                                                                   \
    }                                                                                       \
    BARRIER();

#define XR_UNLOAD                                                                           \
    const xr_index index = XR_TO(q);                                                        \
    if (column < a.columns && index < a.kept) {                                             \
        XR_TAKE                                                                             \
        XR_COMPLEX value = taken;                                                           \
        XR_LEAVE                                                                            \
        XR_KEEP                                                                             \
    }

#define XR_PARAMETERS(parameter)                                                            \
    XR_POINTERS(parameter) XR_WORK(parameter) XR_TABLES(parameter)                          \
    parameter(GLOBAL XR_RESULT *RESTRICT, result)

GROUP_KERNEL(xr_fft, XR_PARAMETERS)
{
    LOCAL XR_COMPLEX tile0[XR_ROOM];
    LOCAL XR_COMPLEX tile1[XR_ROOM];
    for (xr_index tile = (xr_index)GROUP_ID(0); tile < a.tiles; tile += (xr_index)GROUPS(0)) {
        const xr_index first = tile * XR_COLUMNS;
#if XR_ALONG
        for (int item = (int)LOCAL_ID(0); item < XR_LENGTH * XR_COLUMNS; item += XR_ITEMS) {
            const int q = item % XR_LENGTH;
            const int w = item / XR_LENGTH;
            XR_COLUMN
            XR_AT_OUTER
            XR_LOAD
        }
#else
        {
            const int w = (int)LOCAL_ID(0) % XR_COLUMNS;
            XR_COLUMN
            XR_AT_OUTER
            for (int q = (int)LOCAL_ID(0) / XR_COLUMNS; q < XR_LENGTH; q += XR_ITEMS / XR_COLUMNS) {
                XR_LOAD
            }
        }
#endif
        BARRIER();
        XR_STAGES
#if XR_KEEP_ALONG && XR_SPANS
        // The first of several passes along the last axis: results of columns follow each other.
        for (int item = (int)LOCAL_ID(0); item < XR_LENGTH * XR_COLUMNS; item += XR_ITEMS) {
            const int q = item % XR_LENGTH;
            const int w = item / XR_LENGTH;
            if (first + w < a.columns) {
                result[(first + w) * XR_LENGTH + q] = XR_FINAL[XR_TILE(q, w)];
            }
        }
#elif XR_KEEP_ALONG
        for (int item = (int)LOCAL_ID(0); item < XR_OUTPUTS * XR_COLUMNS; item += XR_ITEMS) {
            const int q = item % XR_OUTPUTS;
            const int w = item / XR_OUTPUTS;
            XR_COLUMN
            XR_UNLOAD
        }
#else
        {
            const int w = (int)LOCAL_ID(0) % XR_COLUMNS;
            XR_COLUMN
            const int q0 = (int)LOCAL_ID(0) / XR_COLUMNS;
            for (int q = q0; q < XR_OUTPUTS; q += XR_ITEMS / XR_COLUMNS) {
                XR_UNLOAD
            }
        }
#endif
        BARRIER();
    }
}
