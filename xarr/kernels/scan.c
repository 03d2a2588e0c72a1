// Cumulative sums and products along an axis, in pieces: an item walks one piece of one line.
// XR_TOTALS: store the total of each piece. Otherwise: store every running value, begun with the
// running total of the pieces before: `carry`, which the same kernel has scanned, or, where one item
// walks all pieces of a line (XR_IN_ONE), its own.
typedef struct { XR_FIELDS } xr_arguments;

#if XR_CHUNKED
// The result may be the operand's memory: each element is read before it is written.
#undef RESTRICT
#define RESTRICT
#define XR_FOR_ITEMS                                                                        \
    const xr_index first_item = (xr_index)GLOBAL_ID(0) * a.item_chunk;                      \
    const xr_index items_left = a.items - first_item;                                       \
    const xr_index last_item =                                                              \
        first_item + (items_left < a.item_chunk ? items_left : a.item_chunk);               \
    for (xr_index item = first_item; item < last_item; ++item)
// Intel's compiler adds an element that does not change along the axis (a broadcast one) eight times
// at once, which rounds otherwise. What it cannot know never to happen keeps it from that.
#define XR_IN_ORDER                                                                         \
    if (never) {                                                                            \
        XR_START(acc)                                                                       \
    }
#else
#define XR_IN_ORDER
#define XR_FOR_ITEMS                                                                        \
    for (xr_index item = (xr_index)GLOBAL_ID(0); item < a.items; item += (xr_index)GLOBAL_SIZE(0))
#endif

#define XR_PARAMETERS(parameter)                                                            \
    XR_POINTERS(parameter) XR_CARRY(parameter) XR_RESULTS(parameter)

ITEM_KERNEL(xr_scan, XR_PARAMETERS)
{
#if XR_IN_ONE
    XR_ACC before;
#endif
    XR_FOR_ITEMS
    {
        const xr_index inner = item % a.inner_extent;
        const xr_index rest = item / a.inner_extent;
        const xr_index piece = rest % a.pieces;
        const xr_index outer = rest / a.pieces;
        XR_PIECE
        XR_ENTER_OUTER
        XR_ACC acc;
#if XR_CHUNKED
        volatile int never = 0;
#endif
        {
            const xr_index position = begin;
            XR_ELEMENT
            XR_START(acc)
        }
#if !XR_TOTALS
#if XR_CARRIED
        XR_ACC before;
        if (piece > 0) {
            before = carry[(outer * a.pieces + piece - 1) * a.inner_extent + inner];
        }
#endif
        for (xr_index position = begin;;) {
#if XR_CARRIED || XR_IN_ONE
            const XR_ACC running = piece > 0 ? XR_COMBINE(before, acc) : acc;
#else
            const XR_ACC running = acc;
#endif
            {
                const xr_index place = outer * a.length + position + a.shift;
                XR_DELIVER(running, place * a.inner_extent + inner)
            }
            if (++position == end) {
                break;
            }
            XR_ELEMENT
            XR_NEXT(acc, 0)
            XR_IN_ORDER
        }
#if XR_IN_ONE
        before = piece > 0 ? XR_COMBINE(before, acc) : acc;
#endif
#else
        for (xr_index position = begin + 1; position < end; ++position) {
            XR_ELEMENT
            XR_NEXT(acc, 0)
            XR_IN_ORDER
        }
        result[(outer * a.pieces + piece) * a.inner_extent + inner] = acc;
#endif
    }
}
