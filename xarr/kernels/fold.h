// What the reduction skeletons share: how an element is reached, accumulated and put away.
// Included in both by compiler/source.py, since a kernel source has no #include.
#if XR_PARTIAL
#define XR_ELEMENT                                                                          \
    const XR_ACC element = partial[(outer * a.position_extent + position) * a.inner_extent + inner];
#define XR_START(acc) acc = element;
#define XR_NEXT(acc, count) acc = XR_COMBINE(acc, element);
#define XR_END(acc, count)
#define XR_ENTER_OUTER
#else
#define XR_ENTER_OUTER XR_AT_OUTER
#define XR_ELEMENT XR_AT_POSITION XR_AT_INNER XR_COMPUTE XR_STORE
#define XR_START(acc) acc = XR_FIRST(XR_VALUE, position);
#define XR_NEXT(acc, count) acc = XR_STEP(acc, XR_VALUE, position, count);
#define XR_END(acc, count) XR_CLOSE(acc, count)
#endif

#define XR_PIECE                                                                            \
    const xr_index begin = piece * a.piece_length;                                          \
    const xr_index left = a.position_extent - begin;                                        \
    const xr_index count = left < a.piece_length ? left : a.piece_length;                   \
    const xr_index end = begin + count;

#define XR_PUT_AWAY(acc) result[(outer * a.pieces + piece) * a.inner_extent + inner] = XR_FINISH(acc);
