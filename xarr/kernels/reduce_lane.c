// Reductions where an item is a processor core: along a contiguous axis it takes pieces, as
// piece_lane.h has it, along an outer axis pieces of many columns, whose accumulators are its lanes.
typedef struct { XR_FIELDS } xr_arguments;

#define XR_PARAMETERS(parameter) XR_POINTERS(parameter) XR_RESULTS(parameter)

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
        XR_REDUCE_PIECE
        XR_TAKE_CLOSED(total, 0)
        XR_PUT_AWAY(total)
#endif
    }
}
