// Reductions where items run side by side (GPUs). Along a contiguous axis a group takes a piece, as
// piece_group.h has it. Along an outer axis an item takes a piece of columns, as columns.h has it.
typedef struct { XR_FIELDS } xr_arguments;

#define XR_PARAMETERS(parameter) XR_POINTERS(parameter) XR_RESULTS(parameter)

GROUP_KERNEL(xr_reduce, XR_PARAMETERS)
{
    XR_PREPARE
#if XR_COLUMN
    XR_FOLDS(XR_LANES_OF, XR_BLOCK, 0)
    for (xr_index item = (xr_index)GLOBAL_ID(0); item < a.items; item += (xr_index)GLOBAL_SIZE(0)) {
        XR_REDUCE_COLUMNS
    }
#else
    XR_FOLDS(XR_TREE_OF, 0, 0)
    const int lane = (int)LOCAL_ID(0);
    for (xr_index item = (xr_index)GROUP_ID(0); item < a.items; item += (xr_index)GROUPS(0)) {
        const xr_index piece = item % a.pieces;
        const xr_index outer = item / a.pieces;
        const xr_index inner = 0;
        XR_PIECE
        XR_ENTER_OUTER
        XR_REDUCE_PIECE
        if (lane == 0) {
            XR_PICK(total, 0)
            XR_PUT_AWAY(total)
        }
        BARRIER();
    }
#endif
}
