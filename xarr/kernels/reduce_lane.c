// Reductions where an item is a processor core: along a contiguous axis it takes pieces, as
// piece_lane.h has it, along an outer axis pieces of columns, as columns.h has it.
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
        XR_REDUCE_COLUMNS
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
