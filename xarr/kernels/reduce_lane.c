// Reductions where an item is a processor core: it keeps all the lanes of a piece in private
// arrays, one for each part of an accumulator, and the compiler vectorises the loops over lanes.
// The order of operations is that of reduce_group.c, to the bit.
typedef struct { XR_FIELDS } xr_arguments;

#define XR_PARAMETERS(parameter) XR_POINTERS(parameter) XR_RESULTS(parameter)

// The lanes' accumulators, one for each fold.
#define XR_LANES_OF(n, size, y) XR_LANES##n(size)
#define XR_TAKE(acc, lane) XR_ACCUMULATOR(acc) XR_FOLDS(XR_TAKE_OF, acc, lane)
#define XR_TAKE_OF(n, acc, lane) XR_GET##n(acc##n, lane)
#define XR_KEEP(lane, acc) XR_FOLDS(XR_KEEP_OF, lane, acc)
#define XR_KEEP_OF(n, lane, acc) XR_PUT##n(lane, acc##n)
#define XR_TAKE_CLOSED(acc, lane) XR_ACCUMULATOR(acc) XR_FOLDS(XR_TAKE_CLOSED_OF, acc, lane)
#define XR_TAKE_CLOSED_OF(n, acc, lane) XR_GET_CLOSED##n(acc##n, lane)
#define XR_KEEP_CLOSED(lane, acc) XR_FOLDS(XR_KEEP_CLOSED_OF, lane, acc)
#define XR_KEEP_CLOSED_OF(n, lane, acc) XR_PUT_CLOSED##n(lane, acc##n)

ITEM_KERNEL(xr_reduce, XR_PARAMETERS)
{
    const xr_index first_item = (xr_index)GLOBAL_ID(0) * a.item_chunk;
    const xr_index items_left = a.items - first_item;
    const xr_index last_item =
        first_item + (items_left < a.item_chunk ? items_left : a.item_chunk);
    XR_FOLDS(XR_LANES_OF, XR_COLUMN ? XR_BLOCK : XR_WIDTH, 0)
    for (xr_index item = first_item; item < last_item; ++item) {
#if XR_COLUMN
        const xr_index block = item % a.blocks;
        const xr_index rest = item / a.blocks;
        const xr_index piece = rest % a.pieces;
        const xr_index outer = rest / a.pieces;
        const xr_index start = block * XR_BLOCK;
        const xr_index beyond = a.inner_extent - start;
        const int lanes = (int)(beyond < XR_BLOCK ? beyond : XR_BLOCK);
        XR_PIECE
        XR_ENTER_OUTER
        {
            const xr_index position = begin;
            for (int lane = 0; lane < lanes; ++lane) {
                const xr_index inner = start + lane;
                XR_ELEMENT
                XR_ACCUMULATOR(acc)
                XR_START(acc)
                XR_KEEP(lane, acc)
            }
        }
        for (xr_index position = begin + 1; position < end; ++position) {
            const xr_index seen = position - begin + 1;
            for (int lane = 0; lane < lanes; ++lane) {
                const xr_index inner = start + lane;
                XR_ELEMENT
                XR_TAKE(acc, lane)
                XR_NEXT(acc, seen)
                XR_KEEP(lane, acc)
            }
        }
        for (int lane = 0; lane < lanes; ++lane) {
            const xr_index inner = start + lane;
            XR_TAKE(acc, lane)
            XR_END(acc, count)
            XR_PUT_AWAY(acc)
        }
#else
        const xr_index piece = item % a.pieces;
        const xr_index outer = item / a.pieces;
        const xr_index inner = 0;
        XR_PIECE
        XR_ENTER_OUTER
        const int active = (int)(count < XR_WIDTH ? count : XR_WIDTH);
        for (int lane = 0; lane < active; ++lane) {
            const xr_index position = begin + lane;
            XR_ELEMENT
            XR_ACCUMULATOR(acc)
            XR_START(acc)
            XR_KEEP(lane, acc)
        }
        xr_index base = begin + XR_WIDTH;
        xr_index seen = 2;
        for (; base + XR_WIDTH <= end; base += XR_WIDTH, ++seen) {
            for (int lane = 0; lane < XR_WIDTH; ++lane) {
                const xr_index position = base + lane;
                XR_ELEMENT
                XR_TAKE(acc, lane)
                XR_NEXT(acc, seen)
                XR_KEEP(lane, acc)
            }
        }
        const int more = (int)(base < end ? end - base : 0);
        for (int lane = 0; lane < more; ++lane) {
            const xr_index position = base + lane;
            XR_ELEMENT
            XR_TAKE(acc, lane)
            XR_NEXT(acc, seen)
            XR_KEEP(lane, acc)
        }
#if XR_CLOSES
        for (int lane = 0; lane < active; ++lane) {
            XR_TAKE(acc, lane)
            XR_END(acc, (count - lane + XR_WIDTH - 1) / XR_WIDTH)
            XR_KEEP_CLOSED(lane, acc)
        }
#endif
        for (int reach = XR_WIDTH / 2; reach > 0; reach /= 2) {
            const int pairs = active - reach < reach ? active - reach : reach;
            for (int lane = 0; lane < pairs; ++lane) {
                XR_TAKE_CLOSED(low, lane)
                XR_TAKE_CLOSED(high, lane + reach)
                XR_JOIN(low, high)
                XR_KEEP_CLOSED(lane, low)
            }
        }
        XR_TAKE_CLOSED(total, 0)
        XR_PUT_AWAY(total)
#endif
    }
}
