// Conversions between data types that a C cast leaves undefined or that the devices disagree on.
// T = f32 f64 is the type converted from; the type converted to is in the function's name.
//
// float -> integer truncates toward zero; NaN and numbers out of range, undefined in C (INT_MIN
// on one device, 0 or the nearest integer on another), give what NumPy gives on x86-64:
//   int32: the most negative integer;          int8 uint8 int16 uint16: the low bits of the int32
//   int64: the most negative integer;          uint32: the low bits of the int64
//   uint64: numbers of [-2^63, 0) wrap around; NaN and below give 2^63, 2^64 and above give 0
//
// How the conversion of x from A to B is written (`real` is the type of the parts of a complex):
//   A       B                    expression
//   any     bool                 (b8)(x != (A)0)       NaN is true; complex: xr_nonzero_A(x)
//   bool, integer, float64  float16   as below to float32 (float64: xr_double_to_half(x)), then
//   float32 float16              xr_float_to_half(x)
//   float16 any                  as from the float32 xr_half_to_float(x)
//   bool or integer, integer or float32/64        (B)x; some by way of xr_wider_A(x), see there
//   float   float                (B)x
//   float   int8..int32, uint8, uint16            (B)xr_to_i32_A(x)
//   float   int64, uint32        (B)xr_to_i64_A(x)
//   float   uint64               xr_to_u64_A(x)
//   real    complex              xr_complex_B(x converted to B's real, 0)
//   complex complex              xr_complex_B(x.re converted, x.im converted)
//   complex real                 x.re converted
#ifndef XR_ASSEMBLED
#define DEVICE static inline
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float T;
#endif

DEVICE i32 xr_to_i32_T(const T x)
{
    const int inside = (x >= (T)-2147483648.0f) & (x < (T)2147483648.0f);
    const i32 truncated = (i32)(inside ? x : (T)0.0f);
    return inside ? truncated : -2147483647 - 1;
}

DEVICE i64 xr_to_i64_T(const T x)
{
    const int inside = (x >= (T)-9223372036854775808.0f) & (x < (T)9223372036854775808.0f);
    const i64 truncated = (i64)(inside ? x : (T)0.0f);
    return inside ? truncated : (i64)-9223372036854775807 - (i64)1;
}

// The upper half of the range is converted 2^63 lower; the difference is exact there.
DEVICE u64 xr_to_u64_T(const T x)
{
    const T half_range = (T)9223372036854775808.0f;
    const int upper = x >= half_range;
    return (u64)xr_to_i64_T(upper ? x - half_range : x) ^ ((u64)upper << 63);
}

// Sign extensions that rusticl 22.3 does not see through. Of a plain cast it knows that x is narrow,
// and then has `x < 0` wrong (an int64 x from int32, any constant), has `x > 89.0f ? 89.0f : x` wrong
// (a float32 x from 8 or 16 bits; it takes 89's bits in float16 for an integer), and dies of
// `x > 89 ? 89 : x` (an int32 x from int8). Others make one instruction of the two shifts.
DEVICE i32 xr_wider_i8(const i8 x)
{
    return (i32)((u32)x << 24) >> 24;
}

DEVICE i32 xr_wider_i16(const i16 x)
{
    return (i32)((u32)x << 16) >> 16;
}

DEVICE i64 xr_wider_i32(const i32 x)
{
    return (i64)((u64)x << 32) >> 32;
}
