// How sorting cuts its work. A row is cut into tiles of XR_TILE elements, which a group of XR_GROUP
// items takes at once, XR_EACH elements an item; pieces are runs of tiles. XR_EACH is what a counter
// of four bits can count, so that an item counts its sixteen digits in one 64-bit number, and odd,
// so that items which walk their own elements in local memory meet in no bank. Loops over them are
// unrolled, so that an item's elements stay in registers.
#define XR_EACH 15
#define XR_TILE (XR_GROUP * XR_EACH)
#define XR_ALL _Pragma("unroll") for (int k = 0; k < XR_EACH; ++k)

#if XR_UNITS == 2
#define XR_DIGITS(k, shift) xr_sort_digits(first[k], second[k], a.flip, shift)
#else
#define XR_DIGITS(k, shift) xr_sort_digits(first[k], a.flip, shift)
#endif
