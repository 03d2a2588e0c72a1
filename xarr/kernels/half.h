// float16 as its storage bits (f16 is a u16), in integer operations: no device needs a half type.
// Rounding is to nearest, ties to even; subnormals, infinities and NaN are exact. A dialect may have an
// instruction that rounds so, what else it makes of a NaN.
#ifndef XR_ASSEMBLED
#define DEVICE static inline
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
u32 xr_bits_f32(f32 x);
u64 xr_bits_f64(f64 x);
f32 xr_from_bits_f32(u32 x);
#endif

DEVICE f32 xr_half_to_float(const u16 x)
{
    const u32 sign = ((u32)x & 0x8000u) << 16;
    const u32 magnitude = (u32)x & 0x7fffu;
    // The exponents' biases differ by 127 - 15 = 112.
    const u32 rebias = magnitude < 0x7c00u ? 112u << 23 : 224u << 23;
    const u32 normal = (magnitude << 13) + rebias;
    const u32 subnormal = xr_bits_f32((f32)magnitude * 5.9604644775390625e-8f);
    return xr_from_bits_f32(sign | (magnitude < 0x400u ? subnormal : normal));
}

DEVICE u16 xr_float_to_half(const f32 x)
{
    const u32 bits = xr_bits_f32(x);
    const u32 sign = (bits >> 16) & 0x8000u;
    const u32 magnitude = bits & 0x7fffffffu;
    const u32 payload = (magnitude >> 13) & 0x3ffu;
    const u32 nan = 0x7c00u | (payload == 0u ? 1u : payload);
#ifdef XR_ROUNDS_TO_HALF
    return magnitude <= 0x7f800000u ? XR_rounded_f32(x) : (u16)(sign | nan);
#else
    const u32 exponent = magnitude >> 23;
    // A carry out of the significand raises the exponent, up to infinity: as it should.
    const u32 normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    // Units of 2^-24; a shift of 25 leaves less than half a unit.
    const u32 shift = exponent < 101u ? 25u : exponent > 112u ? 14u : 126u - exponent;
    const u32 significand = (magnitude & 0x7fffffu) | 0x800000u;
    const u32 units = significand >> shift;
    const u32 tie = 1u << (shift - 1u);
    const u32 rest = significand & (2u * tie - 1u);
    const u32 subnormal = units + (u32)((rest > tie) | ((rest == tie) & ((units & 1u) != 0u)));
    const u32 finite = exponent < 113u ? subnormal : normal;
    const u32 result = magnitude < 0x477ff000u ? finite : magnitude <= 0x7f800000u ? 0x7c00u : nan;
    return (u16)(sign | result);
#endif
}

// Not through float32, which would round twice.
DEVICE u16 xr_double_to_half(const f64 x)
{
    const u64 bits = xr_bits_f64(x);
    const u32 sign = (u32)(bits >> 48) & 0x8000u;
    const u64 magnitude = bits & (u64)0x7fffffffffffffff;
    const u64 payload = (magnitude >> 42) & 0x3ffu;
    const u64 nan = 0x7c00u | (payload == 0u ? 1u : payload);
#ifdef XR_ROUNDS_TO_HALF
    return magnitude <= (u64)0x7ff0000000000000 ? XR_rounded_f64(x) : (u16)(sign | (u32)nan);
#else
    const u32 exponent = (u32)(magnitude >> 52);
    // The exponents' biases differ by 1023 - 15 = 1008.
    const u64 odd = (magnitude >> 42) & 1u;
    const u64 normal = (magnitude - ((u64)1008 << 52) + 0x1ffffffffff + odd) >> 42;
    const u32 shift = exponent < 997u ? 54u : exponent > 1008u ? 43u : 1051u - exponent;
    const u64 significand = (magnitude & 0xfffffffffffff) | 0x10000000000000;
    const u64 units = significand >> shift;
    const u64 tie = (u64)1 << (shift - 1u);
    const u64 rest = significand & (2u * tie - 1u);
    const u64 subnormal = units + (u64)((rest > tie) | ((rest == tie) & ((units & 1u) != 0u)));
    const u64 finite = exponent < 1009u ? subnormal : normal;
    const int overflows = magnitude >= (u64)0x40effe0000000000;
    const u64 special = magnitude <= (u64)0x7ff0000000000000 ? 0x7c00u : nan;
    return (u16)(sign | (u32)(overflows ? special : finite));
#endif
}

// The half next to x towards y, both halves in registers as f32.
DEVICE f32 xr_nextafter_f16(const f32 x, const f32 y)
{
    const u16 bits = xr_float_to_half(x);
    const u16 sign = (u16)(xr_bits_f32(y) >> 31 << 15);
    const int away = (x < y) == (x > 0.0f);
    const u16 next = x == 0.0f ? (u16)(sign | 1) : (u16)(away ? bits + 1 : bits - 1);
    const f32 moved = xr_half_to_float(next);
    const f32 unmoved = x == y ? y : x + y;
    return ((x == y) | (x != x) | (y != y)) ? unmoved : moved;
}

// How far the next half above is, as NumPy has it for halves alone.
DEVICE f32 xr_spacing_f16(const f32 x)
{
    const u16 bits = (u16)(xr_float_to_half(x) & 0x7fff);
    const f32 size = xr_half_to_float(bits);
    const f32 above = xr_half_to_float((u16)(bits + 1)) - size;
    const f32 below = size - xr_half_to_float((u16)(bits - 1));
    return x - x != 0.0f ? x - x : x < 0.0f ? below : above;
}
