// The order of elements as unsigned integers, made from their bits alone: the same on every device,
// and float64 is sorted where nothing computes in it. NaN comes last, also
// where the order is descending, and -0.0 is 0.0, as in NumPy.
// XR_UNIT is the unsigned integer that an element's part lies in, XR_KEY what it is handled in,
// XR_BITS its width, XR_FRACTION that of a number's fraction, and XR_UNITS how many parts an element
// has (2 where complex). `flip` is the sign bit of signed integers, complemented where the order is
// descending.
// Included before skeletons by codegen/source.py, since a kernel source has no #include.
#ifndef XR_ASSEMBLED
#include "editor.h"
typedef unsigned int u32;
typedef unsigned long long u64;
#undef XR_FIELDS
#define XR_FIELDS                                                                           \
    xr_index first_item, tiles, pieces, piece_tiles, length, shift, stop, last, items,      \
        item_chunk, right, values_offset, ordered_offset, ordered_stride;                   \
    u32 flip;
#define XR_UNIT u32
#define XR_KEY u32
#define XR_PLACE u32
#define XR_BITS 32
#define XR_UNITS 1
#define XR_FLOATING 1
#define XR_FRACTION 23
#define XR_GROUP 256
#define XR_INDEXED 1
#endif

DEVICE XR_KEY xr_sort_order(const XR_KEY bits, const XR_KEY flip)
{
#if XR_FLOATING
    const XR_KEY sign = (XR_KEY)1 << (XR_BITS - 1);
    const XR_KEY all = sign | (sign - 1);
    const XR_KEY size = bits & (sign - 1);
    const XR_KEY order = (bits & sign) != 0 ? all - bits : bits | sign;
    const XR_KEY infinity = sign - ((XR_KEY)1 << XR_FRACTION);
    return size > infinity ? all : (size == 0 ? sign : order) ^ flip;
#else
    return bits ^ flip;
#endif
}

#if XR_UNITS == 2
typedef struct { XR_KEY major, minor; } xr_sort_key;

// Complex numbers go by their real part, then by the imaginary one. A real part with an imaginary
// NaN comes after all numbers and before a real NaN: in place of its order stands one that no part
// has, and the order itself decides among such elements.
DEVICE xr_sort_key xr_sort_key_of(const XR_KEY real, const XR_KEY imag, const XR_KEY flip)
{
    const XR_KEY sign = (XR_KEY)1 << (XR_BITS - 1);
    const XR_KEY all = sign | (sign - 1);
    const XR_KEY first = xr_sort_order(real, flip);
    const XR_KEY second = xr_sort_order(imag, flip);
    const int apart = (second == all) & (first != all);
    xr_sort_key key;
    key.major = apart ? all - 1 : first;
    key.minor = apart ? first : second;
    return key;
}
#endif

// The key from its bit `shift` on.
DEVICE u32 xr_sort_digits(
    const XR_KEY unit0,
#if XR_UNITS == 2
    const XR_KEY unit1,
#endif
    const XR_KEY flip, const int shift)
{
#if XR_UNITS == 2
    const xr_sort_key key = xr_sort_key_of(unit0, unit1, flip);
    return (u32)(shift < XR_BITS ? key.minor >> shift : key.major >> (shift - XR_BITS));
#else
    return (u32)(xr_sort_order(unit0, flip) >> shift);
#endif
}
