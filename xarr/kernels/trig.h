// Trigonometric functions of f32 and f64, in IEEE operations of a fixed order: the same bits on
// every device.
//
// Reduction to |r| <= pi/4: for moderate arguments W. J. Cody and W. Waite, "Software Manual for
// the Elementary Functions" (1980), with pi/2 in three parts and fused products; for
// large ones M. H. Payne and R. N. Hanek, "Radian reduction for trigonometric functions" (SIGNUM
// 18, 1983) in integers: the window of 2/pi is shifted out of its constant words by selections, so
// that no table is read and a loop stays vectorisable.
// Coefficients: weighted least squares made minimax by Lawson's iteration in 300 bits, rounded one
// after the other. Errors: sin 2^-32.1, cos 2^-33.1, atan 2^-31.8, asin 2^-31.7 (f32);
// sin 2^-62.7, cos 2^-64.1, atan 2^-65.6, asin 2^-63.7 (f64).
#ifndef XR_ASSEMBLED
#include "exp.h"
#include "log.h"
#endif

// sin(r + tail) - r for |r| <= 0.7865.
DEVICE f32 xr_sin_rest_f32(const f32 r, const f32 tail)
{
    const f32 z = r * r;
    const f32 cubic = fma(z, fma(z, fma(z, 2.8447664e-6f, -1.9854422e-4f), 8.333383e-3f),
        -1.6666667e-1f);
    return fma(r * z, cubic, tail * fma(-0.5f, z, 1.0f));
}

DEVICE f64 xr_sin_rest_f64(const f64 r, const f64 tail)
{
    const f64 z = r * r;
    const f64 w = z * z;
    const f64 even = fma(w, fma(w, fma(w, -7.351244774203054e-13, -2.5052064936002028e-08),
        -0.00019841269840926735), -0.16666666666666666);
    const f64 odd = fma(w, fma(w, 1.6053535851179956e-10, 2.7557319052353665e-06),
        0.008333333333333021);
    return (r * z) * fma(z, odd, even) + tail * (1.0 - 0.5 * z);
}

// cos(r + tail) - (1 - r r / 2), the latter as rounded, for |r| <= 0.7865.
DEVICE f32 xr_cos_rest_f32(const f32 r, const f32 tail)
{
    const f32 z = r * r;
    const f32 half_z = 0.5f * z;
    const f32 high = 1.0f - half_z;
    const f32 low = (1.0f - high) - half_z;
    const f32 quartic = fma(z, fma(z, 2.4432531e-5f, -1.3887311e-3f), 4.1666646e-2f);
    return fma(z * z, quartic, fma(-r, tail, low));
}

DEVICE f64 xr_cos_rest_f64(const f64 r, const f64 tail)
{
    const f64 z = r * r;
    const f64 w = z * z;
    const f64 half_z = 0.5 * z;
    const f64 high = 1.0 - half_z;
    const f64 low = (1.0 - high) - half_z;
    const f64 even = fma(w, fma(w, 2.0875727077472223e-09, 2.4801587289639123e-05),
        0.0416666666666666);
    const f64 odd = fma(w, fma(w, -1.135980030613759e-11, -2.755731438800526e-07),
        -0.0013888888888874446);
    return fma(w, fma(z, odd, even), fma(-r, tail, low));
}

// The high 64 bits of the 96-bit phase x / (pi/2) mod 4 in units of 2^-62, for x >= 2^12. With
// x = m 2^e the window of 96 bits starts at the bit of 2/pi worth 2^(1 - e); more significant ones
// give multiples of 4. A word of zeros stands before the binary point.
DEVICE u64 xr_phase_f32(const f32 x)
{
    const u32 bits = xr_bits_f32(x);
    const u64 m = (u64)((bits & 0x007fffffu) | 0x00800000u);
    const u32 offset = (bits >> 23) - 120u;
    const u32 shift = offset & 31u;
    const u32 by_4 = offset & 128u;
    const u32 by_2 = offset & 64u;
    const u32 by_1 = offset & 32u;
    const u32 a0 = by_4 ? 0xf534ddc0u : 0x00000000u;
    const u32 a1 = by_4 ? 0xdb629599u : 0xa2f9836eu;
    const u32 a2 = by_4 ? 0x3c439041u : 0x4e441529u;
    const u32 a3 = by_4 ? 0xfe5163abu : 0xfc2757d1u;
    const u32 b0 = by_2 ? a2 : a0;
    const u32 b1 = by_2 ? a3 : a1;
    const u32 b2 = by_2 ? 0xf534ddc0u : a2;
    const u32 b3 = by_2 ? 0xdb629599u : a3;
    const u32 b4 = by_2 ? 0x3c439041u : 0xf534ddc0u;
    const u32 c0 = by_1 ? b1 : b0;
    const u32 c1 = by_1 ? b2 : b1;
    const u32 c2 = by_1 ? b3 : b2;
    const u32 c3 = by_1 ? b4 : b3;
    const u32 w0 = (c0 << shift) | ((c1 >> 1) >> (31u - shift));
    const u32 w1 = (c1 << shift) | ((c2 >> 1) >> (31u - shift));
    const u32 w2 = (c2 << shift) | ((c3 >> 1) >> (31u - shift));
    return ((m * (u64)w0) << 32) + m * (u64)w1 + ((m * (u64)w2) >> 32);
}

DEVICE u32 xr_is_near_f32(const f32 x)
{
    return xr_magnitude_f32(x) < 4096.0f;
}

// The quadrant of 0 <= x < 2^12, and x - quadrant pi/2 = r + tail: pi/2 in three parts, so that
// the first difference and the second product are exact.
DEVICE u32 xr_reduce_near_f32(const f32 x, f32 *r, f32 *tail)
{
    const f32 shifted = fma(x, 6.3661975e-1f, 12582912.0f);
    const f32 n = shifted - 12582912.0f;
    const f32 first = fma(n, -1.5707964f, x);
    *r = fma(n, 4.3713953e-8f, first);
    *tail = fma(n, 4.3713953e-8f, first - *r);
    *tail = fma(n, -2.563344e-12f, *tail);
    return xr_bits_f32(shifted) & 3u;
}

// The same of larger finite x.
DEVICE u32 xr_reduce_far_f32(const f32 x, f32 *r, f32 *tail)
{
    const u64 phase = xr_phase_f32(x);
    const u32 phase_high = (u32)(phase >> 32);
    const u32 phase_low = (u32)phase;
    const u32 quadrant = ((phase_high + 0x20000000u) >> 30) & 3u;
    // Three exact parts of 22, 24 and 16 bits of the signed fraction of a quadrant.
    const u32 fraction = phase_high - (quadrant << 30);
    const i32 top = (i32)((fraction + 0x40000000u) >> 8) - 0x400000;
    const i32 middle = (i32)(((fraction & 255u) << 16) | (phase_low >> 16));
    const f32 a = (f32)top * 2.3841858e-7f;
    const f32 b = (f32)middle * 1.4210855e-14f;
    const f32 c = (f32)(i32)(phase_low & 0xffffu) * 2.1684043e-19f;
    const f32 ab = a + b;
    const f32 ab_tail = (b - (ab - a)) + c;
    const f32 turn = ab + ab_tail;
    const f32 turn_tail = ab_tail - (turn - ab);
    const f32 high = turn * 1.5707964f;
    const f32 low = xr_product_tail_f32(turn, 1.5707964f)
        + (turn * -4.371139e-8f + turn_tail * 1.5707964f);
    *r = high + low;
    *tail = low - (*r - high);
    return quadrant;
}

DEVICE u32 xr_reduce_f32(const f32 x, f32 *r, f32 *tail)
{
    u32 quadrant = xr_reduce_near_f32(x, r, tail);
    if (!xr_is_near_f32(x)) {
        quadrant = xr_reduce_far_f32(x, r, tail);
    }
    return quadrant;
}

// The 128-bit product a b: its high half. Written in 32-bit parts, which compilers vectorise.
DEVICE u64 xr_product_high_u64(const u64 a, const u64 b)
{
    const u64 a_high = a >> 32;
    const u64 b_high = b >> 32;
    const u64 a_low = a & 0xfffffffful;
    const u64 b_low = b & 0xfffffffful;
    const u64 lower = a_high * b_low + ((a_low * b_low) >> 32);
    const u64 upper = a_low * b_high + (lower & 0xfffffffful);
    return a_high * b_high + (lower >> 32) + (upper >> 32);
}

// x / (pi/2) mod 4 for x >= 2^20: the result in units of 2^-62, then *low in units of 2^-126. As
// xr_phase_f32 with a window of 192 bits, as |x - n pi/2| may be as small as 2^-61.
DEVICE u64 xr_phase_f64(const f64 x, u64 *low)
{
    const u64 bits = xr_bits_f64(x);
    const u64 m = (bits & 0x000ffffffffffffful) | 0x0010000000000000ul;
    const u64 offset = (bits >> 52) - 1013ul;
    const u64 shift = offset & 63ul;
    const u64 by_16 = offset & 1024ul;
    const u64 by_8 = offset & 512ul;
    const u64 by_4 = offset & 256ul;
    const u64 by_2 = offset & 128ul;
    const u64 by_1 = offset & 64ul;
    const u64 a0 = by_16 ? 0x7527bac7ebe5f17bul : 0x0000000000000000ul;
    const u64 a1 = by_16 ? 0x3d0739f78a5292eaul : 0xa2f9836e4e441529ul;
    const u64 a2 = by_16 ? 0x6bfb5fb11f8d5d08ul : 0xfc2757d1f534ddc0ul;
    const u64 a3 = by_16 ? 0x56033046fc7b6babul : 0xdb6295993c439041ul;
    const u64 b0 = by_8 ? 0xe88235f52ebb4484ul : a0;
    const u64 b1 = by_8 ? 0xe99c7026b45f7e41ul : a1;
    const u64 b2 = by_8 ? 0x3991d639835339f4ul : a2;
    const u64 b3 = by_8 ? 0x9c845f8bbdf9283bul : a3;
    const u64 b4 = by_8 ? 0x1ff897ffde05980ful : 0xfe5163abdebbc561ul;
    const u64 b5 = by_8 ? 0xef2f118b5a0a6d1ful : 0xb7246e3a424dd2e0ul;
    const u64 b6 = by_8 ? 0x6d367ecf27cb09b7ul : 0x06492eea09d1921cul;
    const u64 b7 = by_8 ? 0x4f463f669e5fea2dul : 0xfe1deb1cb129a73eul;
    const u64 b8 = by_8 ? 0x7527bac7ebe5f17bul : 0xe88235f52ebb4484ul;
    const u64 b9 = by_8 ? 0x3d0739f78a5292eaul : 0xe99c7026b45f7e41ul;
    const u64 b10 = by_8 ? 0x6bfb5fb11f8d5d08ul : 0x3991d639835339f4ul;
    const u64 c0 = by_4 ? b4 : b0;
    const u64 c1 = by_4 ? b5 : b1;
    const u64 c2 = by_4 ? b6 : b2;
    const u64 c3 = by_4 ? b7 : b3;
    const u64 c4 = by_4 ? b8 : b4;
    const u64 c5 = by_4 ? b9 : b5;
    const u64 c6 = by_4 ? b10 : b6;
    const u64 d0 = by_2 ? c2 : c0;
    const u64 d1 = by_2 ? c3 : c1;
    const u64 d2 = by_2 ? c4 : c2;
    const u64 d3 = by_2 ? c5 : c3;
    const u64 d4 = by_2 ? c6 : c4;
    const u64 e0 = by_1 ? d1 : d0;
    const u64 e1 = by_1 ? d2 : d1;
    const u64 e2 = by_1 ? d3 : d2;
    const u64 e3 = by_1 ? d4 : d3;
    const u64 w0 = (e0 << shift) | ((e1 >> 1) >> (63ul - shift));
    const u64 w1 = (e1 << shift) | ((e2 >> 1) >> (63ul - shift));
    const u64 w2 = (e2 << shift) | ((e3 >> 1) >> (63ul - shift));
    const u64 carried = xr_product_high_u64(m, w2);
    const u64 sum = m * w1 + carried;
    *low = sum;
    return m * w0 + xr_product_high_u64(m, w1) + (sum < carried ? 1ul : 0ul);
}

DEVICE u64 xr_is_near_f64(const f64 x)
{
    return xr_magnitude_f64(x) < 1048576.0;
}

// The quadrant of 0 <= x < 2^20, and x - quadrant pi/2 = r + tail: pi/2 in three parts, so that
// the first difference and the second product are exact.
DEVICE u64 xr_reduce_near_f64(const f64 x, f64 *r, f64 *tail)
{
    const f64 shifted = fma(x, 0.6366197723675814, 6755399441055744.0);
    const f64 n = shifted - 6755399441055744.0;
    const f64 first = fma(n, -1.5707963267948966, x);
    *r = fma(n, -6.12323399667708e-17, first);
    *tail = fma(n, -6.12323399667708e-17, first - *r);
    *tail = fma(n, 9.403137205957857e-27, *tail);
    return xr_bits_f64(shifted) & 3ul;
}

// The same of larger finite x.
DEVICE u64 xr_reduce_far_f64(const f64 x, f64 *r, f64 *tail)
{
    u64 phase_low = 0ul;
    const u64 phase_high = xr_phase_f64(x, &phase_low);
    const u64 quadrant = ((phase_high + 0x2000000000000000ul) >> 62) & 3ul;
    // Three exact parts of 50, 52 and 24 bits of the signed fraction of a quadrant, made floats
    // by bits, as conversion from 64-bit integers is slow on many CPUs.
    const u64 fraction = phase_high - (quadrant << 62);
    const u64 top = (fraction + 0x2000000000000000ul) >> 12;
    const u64 middle = ((fraction & 0xffful) << 40) | (phase_low >> 24);
    const u64 bottom = phase_low & 0xfffffful;
    const f64 a = (xr_from_bits_f64(0x4330000000000000ul | top) - 5066549580791808.0)
        * 8.881784197001252e-16;
    const f64 b = (xr_from_bits_f64(0x4330000000000000ul | middle) - 4503599627370496.0)
        * 1.9721522630525295e-31;
    const f64 c = (xr_from_bits_f64(0x4330000000000000ul | bottom) - 4503599627370496.0)
        * 1.1754943508222875e-38;
    const f64 ab = a + b;
    const f64 ab_tail = (b - (ab - a)) + c;
    const f64 turn = ab + ab_tail;
    const f64 turn_tail = ab_tail - (turn - ab);
    const f64 high = turn * 1.5707963267948966;
    const f64 low = xr_product_tail_f64(turn, 1.5707963267948966)
        + (turn * 6.123233995736766e-17 + turn_tail * 1.5707963267948966);
    *r = high + low;
    *tail = low - (*r - high);
    return quadrant;
}

DEVICE u64 xr_reduce_f64(const f64 x, f64 *r, f64 *tail)
{
    u64 quadrant = xr_reduce_near_f64(x, r, tail);
    if (!xr_is_near_f64(x)) {
        quadrant = xr_reduce_far_f64(x, r, tail);
    }
    return quadrant;
}

DEVICE f32 xr_sin_turned_f32(const u32 quadrant, const f32 r, const f32 tail, const f32 x)
{
    const f32 sine = r + xr_sin_rest_f32(r, tail);
    const f32 cosine = (1.0f - 0.5f * (r * r)) + xr_cos_rest_f32(r, tail);
    const u32 sign = (quadrant >> 1) ^ (xr_bits_f32(x) >> 31);
    const u32 y = xr_bits_f32((quadrant & 1u) ? cosine : sine) ^ (sign << 31);
    return xr_magnitude_f32(x) < xr_infinity_f32 ? xr_from_bits_f32(y) : xr_nan_f32;
}

DEVICE f32 xr_cos_turned_f32(const u32 quadrant, const f32 r, const f32 tail, const f32 x)
{
    const f32 sine = r + xr_sin_rest_f32(r, tail);
    const f32 cosine = (1.0f - 0.5f * (r * r)) + xr_cos_rest_f32(r, tail);
    const u32 sign = (quadrant >> 1) ^ quadrant;
    const u32 y = xr_bits_f32((quadrant & 1u) ? sine : cosine) ^ (sign << 31);
    return xr_magnitude_f32(x) < xr_infinity_f32 ? xr_from_bits_f32(y) : xr_nan_f32;
}

// The rounding errors of sine, cosine and their quotient are carried.
DEVICE f32 xr_tan_turned_f32(const u32 quadrant, const f32 r, const f32 tail, const f32 x)
{
    const f32 sine_rest = xr_sin_rest_f32(r, tail);
    const f32 cosine_main = 1.0f - 0.5f * (r * r);
    const f32 cosine_rest = xr_cos_rest_f32(r, tail);
    const f32 sine = r + sine_rest;
    const f32 sine_tail = sine_rest - (sine - r);
    const f32 cosine = cosine_main + cosine_rest;
    const f32 cosine_tail = cosine_rest - (cosine - cosine_main);
    const f32 numerator = (quadrant & 1u) ? -cosine : sine;
    const f32 numerator_tail = (quadrant & 1u) ? -cosine_tail : sine_tail;
    const f32 denominator = (quadrant & 1u) ? sine : cosine;
    const f32 denominator_tail = (quadrant & 1u) ? sine_tail : cosine_tail;
    const f32 inverse = 1.0f / denominator;
    const f32 q = numerator * inverse;
    const f32 remainder = fma(-q, denominator, numerator);
    const f32 y = fma(remainder + fma(-q, denominator_tail, numerator_tail), inverse, q);
    const u32 sign = xr_bits_f32(x) & (1u << 31);
    const f32 signed_y = xr_from_bits_f32(xr_bits_f32(y) ^ sign);
    return xr_magnitude_f32(x) < xr_infinity_f32 ? signed_y : xr_nan_f32;
}

DEVICE f64 xr_sin_turned_f64(const u64 quadrant, const f64 r, const f64 tail, const f64 x)
{
    const f64 sine = r + xr_sin_rest_f64(r, tail);
    const f64 cosine = (1.0 - 0.5 * (r * r)) + xr_cos_rest_f64(r, tail);
    const u64 sign = (quadrant >> 1) ^ (xr_bits_f64(x) >> 63);
    const u64 y = xr_bits_f64((quadrant & 1ul) ? cosine : sine) ^ (sign << 63);
    return xr_magnitude_f64(x) < xr_infinity_f64 ? xr_from_bits_f64(y) : xr_nan_f64;
}

DEVICE f64 xr_cos_turned_f64(const u64 quadrant, const f64 r, const f64 tail, const f64 x)
{
    const f64 sine = r + xr_sin_rest_f64(r, tail);
    const f64 cosine = (1.0 - 0.5 * (r * r)) + xr_cos_rest_f64(r, tail);
    const u64 sign = (quadrant >> 1) ^ quadrant;
    const u64 y = xr_bits_f64((quadrant & 1ul) ? sine : cosine) ^ (sign << 63);
    return xr_magnitude_f64(x) < xr_infinity_f64 ? xr_from_bits_f64(y) : xr_nan_f64;
}

// The rounding errors of sine, cosine and their quotient are carried.
DEVICE f64 xr_tan_turned_f64(const u64 quadrant, const f64 r, const f64 tail, const f64 x)
{
    const f64 sine_rest = xr_sin_rest_f64(r, tail);
    const f64 cosine_main = 1.0 - 0.5 * (r * r);
    const f64 cosine_rest = xr_cos_rest_f64(r, tail);
    const f64 sine = r + sine_rest;
    const f64 sine_tail = sine_rest - (sine - r);
    const f64 cosine = cosine_main + cosine_rest;
    const f64 cosine_tail = cosine_rest - (cosine - cosine_main);
    const f64 numerator = (quadrant & 1ul) ? -cosine : sine;
    const f64 numerator_tail = (quadrant & 1ul) ? -cosine_tail : sine_tail;
    const f64 denominator = (quadrant & 1ul) ? sine : cosine;
    const f64 denominator_tail = (quadrant & 1ul) ? sine_tail : cosine_tail;
    const f64 inverse = 1.0 / denominator;
    const f64 q = numerator * inverse;
    const f64 remainder = fma(-q, denominator, numerator);
    const f64 y = fma(remainder + fma(-q, denominator_tail, numerator_tail), inverse, q);
    const u64 sign = xr_bits_f64(x) & (1ul << 63);
    const f64 signed_y = xr_from_bits_f64(xr_bits_f64(y) ^ sign);
    return xr_magnitude_f64(x) < xr_infinity_f64 ? signed_y : xr_nan_f64;
}

// The functions of any x; those of x for which xr_is_near holds, with the same bits; and those that
// note where it does not hold. A CPU's loop looks through its elements first, as its vectors would do
// the work of large ones for each.
DEVICE T xr_sin_T(const T x)
{
    T r = (T)0.0f;
    T tail = (T)0.0f;
    const U quadrant = xr_reduce_T(xr_magnitude_T(x), &r, &tail);
    return xr_sin_turned_T(quadrant, r, tail, x);
}

DEVICE T xr_sin_near_T(const T x)
{
    T r = (T)0.0f;
    T tail = (T)0.0f;
    const U quadrant = xr_reduce_near_T(xr_magnitude_T(x), &r, &tail);
    return xr_sin_turned_T(quadrant, r, tail, x);
}

DEVICE T xr_sin_seen_T(U *const far, const T x)
{
    *far |= !xr_is_near_T(x);
    return xr_sin_near_T(x);
}

DEVICE T xr_cos_T(const T x)
{
    T r = (T)0.0f;
    T tail = (T)0.0f;
    const U quadrant = xr_reduce_T(xr_magnitude_T(x), &r, &tail);
    return xr_cos_turned_T(quadrant, r, tail, x);
}

DEVICE T xr_cos_near_T(const T x)
{
    T r = (T)0.0f;
    T tail = (T)0.0f;
    const U quadrant = xr_reduce_near_T(xr_magnitude_T(x), &r, &tail);
    return xr_cos_turned_T(quadrant, r, tail, x);
}

DEVICE T xr_cos_seen_T(U *const far, const T x)
{
    *far |= !xr_is_near_T(x);
    return xr_cos_near_T(x);
}

DEVICE T xr_tan_T(const T x)
{
    T r = (T)0.0f;
    T tail = (T)0.0f;
    const U quadrant = xr_reduce_T(xr_magnitude_T(x), &r, &tail);
    return xr_tan_turned_T(quadrant, r, tail, x);
}

DEVICE T xr_tan_near_T(const T x)
{
    T r = (T)0.0f;
    T tail = (T)0.0f;
    const U quadrant = xr_reduce_near_T(xr_magnitude_T(x), &r, &tail);
    return xr_tan_turned_T(quadrant, r, tail, x);
}

DEVICE T xr_tan_seen_T(U *const far, const T x)
{
    *far |= !xr_is_near_T(x);
    return xr_tan_near_T(x);
}

// asin(s) / s - 1 of z = s^2, |s| <= 1/2.
DEVICE f32 xr_asin_series_f32(const f32 z)
{
    const f32 w = z * z;
    const f32 even = fma(w, fma(w, 1.4374781e-2f, 4.4514578e-2f), 1.666666e-1f);
    const f32 odd = fma(w, fma(w, 3.7600692e-2f, 3.182587e-2f), 7.500518e-2f);
    return z * fma(z, odd, even);
}

// asin(s) / s - 1 of z = s^2, |s| <= 1/2.
DEVICE f64 xr_asin_series_f64(const f64 z)
{
    const f64 w = z * z;
    const f64 even = fma(w, fma(w, fma(w, fma(w, fma(w, fma(w, -0.0260861319330348,
        0.0007069911720859389), 0.009485649145625037), 0.013961929750352793),
        0.022372151809221058), 0.04464285713982909), 0.1666666666666666);
    const f64 odd = fma(w, fma(w, fma(w, fma(w, fma(w, fma(w, 0.033608880018895206,
        0.02477483195734348), 0.010001910786883516), 0.011585435433997779), 0.017352941193847813),
        0.030381944637753525), 0.07500000000002381);
    return z * fma(z, odd, even);
}

// atan(q) / q - 1 of z = q^2, |q| <= 1/2.
DEVICE f32 xr_atan_series_f32(const f32 z)
{
    const f32 w = z * z;
    const f32 even = fma(w, fma(w, -8.010988e-2f, -1.4273152e-1f), -3.3333328e-1f);
    const f32 odd = fma(w, fma(w, 3.907073e-2f, 1.0948865e-1f), 1.9999556e-1f);
    return z * fma(z, odd, even);
}

// atan(q) / q - 1 of z = q^2, |q| <= 1/2.
DEVICE f64 xr_atan_series_f64(const f64 z)
{
    const f64 w = z * z;
    const f64 even = fma(w, fma(w, fma(w, fma(w, fma(w, fma(w, -0.02016177224139875,
        -0.041309224560420674), -0.05255625658504615), -0.06666593256046502),
        -0.09090908911639702), -0.14285714285637605), -0.3333333333333333);
    const f64 odd = fma(w, fma(w, fma(w, fma(w, fma(w, fma(w, 0.0067716478451118976,
        0.032821741766943), 0.04714565013722871), 0.05881478652420465), 0.07692303316564966),
        0.11111111106319464), 0.1999999999999937);
    return z * fma(z, odd, even);
}

// For |x| <= 1/2 s = |x|, above asin|x| = pi/2 - 2 asin(s) with s^2 = (1 - |x|) / 2; the rounding
// error of the root is half of what is left of s^2 over s.
DEVICE f32 xr_asin_f32(const f32 x)
{
    const f32 magnitude = xr_magnitude_f32(x);
    const f32 square = 0.5f * (1.0f - magnitude);
    const f32 root = sqrt(square);
    const f32 root_tail = fma(-root, root, square) / (root + root + 1.0e-30f);
    const f32 small = magnitude + magnitude * xr_asin_series_f32(magnitude * magnitude);
    const f32 high = 1.5707964f - (root + root);
    const f32 low = (1.5707964f - high) - (root + root);
    const f32 rest = root * xr_asin_series_f32(square) + root_tail;
    const f32 large = high + (low + (-4.371139e-8f - (rest + rest)));
    return xr_with_sign_f32(magnitude > 0.5f ? large : small, x);
}

// As asin: acos is 2 asin(s), pi/2 - asin(x) or pi - 2 asin(s).
DEVICE f32 xr_acos_f32(const f32 x)
{
    const f32 magnitude = xr_magnitude_f32(x);
    const u32 is_large = magnitude > 0.5f;
    const f32 square = is_large ? 0.5f * (1.0f - magnitude) : x * x;
    const f32 root = sqrt(square);
    const f32 root_tail = fma(-root, root, square) / (root + root + 1.0e-30f);
    const f32 series = xr_asin_series_f32(square);
    const f32 angle = is_large ? root + root : magnitude;
    const f32 tail = is_large ? 2.0f * (root * series + root_tail) : magnitude * series;
    const u32 adds = is_large ? x > 0.0f : x < 0.0f;
    const f32 quarters = is_large ? (x > 0.0f ? 0.0f : 2.0f) : 1.0f;
    const f32 base = quarters * 1.5707964f;
    const f32 signed_angle = adds ? angle : -angle;
    const f32 signed_tail = adds ? tail : -tail;
    const f32 high = base + signed_angle;
    const f32 low = signed_angle - (high - base);
    return high + (low + (quarters * -4.371139e-8f + signed_tail));
}

// The angle of the point (x, y). With 0 <= n <= d the two magnitudes, atan(n / d) is atan(q) for
// q = n / d up to 1/2 and pi/4 + atan(q) for q = (n - d) / (n + d) above; the angle then is
// a multiple of pi/4 plus or minus atan(q). The rounding errors of n + d and of q are carried.
DEVICE f32 xr_atan2_f32(const f32 y, const f32 x)
{
    const f32 x_size = xr_magnitude_f32(x);
    const f32 y_size = xr_magnitude_f32(y);
    const u32 is_steep = y_size > x_size;
    const f32 larger = is_steep ? y_size : x_size;
    const f32 smaller = is_steep ? x_size : y_size;
    const f32 power = larger > 4.0e18f ? 5.421011e-20f
        : larger < 2.0e-19f ? 1.8446744e19f : 1.0f;
    const u32 is_infinite = larger == xr_infinity_f32;
    const f32 one_if_infinite = smaller == xr_infinity_f32 ? 1.0f : 0.0f;
    const f32 d = (is_infinite | (larger == 0.0f)) ? 1.0f : larger * power;
    // A quotient that may be subnormal is computed larger and scaled back at the end.
    const u32 is_left = (i32)xr_bits_f32(x) < 0;
    const u32 is_tiny = !is_steep & !is_left & (power <= 1.0f)
        & (smaller < larger * 9.313226e-10f);
    const f32 grown = power < 1.0f ? 1.0f : 1.8446744e19f;
    const f32 shrink = is_tiny ? 5.421011e-20f : 1.0f;
    const f32 n = is_infinite ? one_if_infinite : smaller * (is_tiny ? grown : power);
    const u32 is_high = !is_tiny & (n + n > d);
    const f32 numerator = is_high ? n - d : n;
    const f32 denominator = is_high ? d + n : d;
    const f32 denominator_tail = is_high ? n - (denominator - d) : 0.0f;
    const f32 inverse = 1.0f / denominator;
    const f32 q = numerator * inverse;
    const f32 remainder = fma(-q, denominator_tail, fma(-q, denominator, numerator));
    const f32 rest = q * xr_atan_series_f32(is_tiny ? 0.0f : q * q)
        + remainder * inverse;
    const f32 outer = is_left ? (is_steep ? 2.0f : 4.0f) : (is_steep ? 2.0f : 0.0f);
    const f32 inner = is_high ? 1.0f : 0.0f;
    const u32 is_minus = (is_left != 0) != (is_steep != 0);
    const f32 eighths = is_minus ? outer - inner : outer + inner;
    const f32 base = eighths * 7.85398e-1f;
    const f32 signed_q = is_minus ? -q : q;
    const f32 signed_rest = is_minus ? -rest : rest;
    const f32 high = base + signed_q;
    const f32 low = signed_q - (high - base);
    const f32 angle = high + (low + (eighths * 1.5695824e-7f + signed_rest));
    return ((x != x) | (y != y)) ? x + y : xr_with_sign_f32(angle * shrink, y);
}

// As atan2 of x and 1, with the same bits: q is |x|, (|x| - 1) / (|x| + 1) or -1 / |x|.
DEVICE f32 xr_atan_f32(const f32 x)
{
    const f32 size = xr_magnitude_f32(x);
    const f32 magnitude = size > 4.0e18f ? 4.0e18f : size;
    const u32 is_small = magnitude <= 0.5f;
    const u32 is_large = magnitude >= 2.0f;
    const f32 larger = magnitude > 1.0f ? magnitude : 1.0f;
    const f32 smaller = magnitude > 1.0f ? 1.0f : magnitude;
    const f32 sum = magnitude + 1.0f;
    const f32 sum_tail = smaller - (sum - larger);
    const f32 numerator = is_small ? magnitude : is_large ? -1.0f : magnitude - 1.0f;
    const f32 denominator = is_small ? 1.0f : is_large ? magnitude : sum;
    const f32 denominator_tail = is_small | is_large ? 0.0f : sum_tail;
    const f32 inverse = 1.0f / denominator;
    const f32 q = numerator * inverse;
    const f32 remainder = fma(-q, denominator_tail, fma(-q, denominator, numerator));
    const f32 rest = q * xr_atan_series_f32(q * q) + remainder * inverse;
    const f32 eighths = is_small ? 0.0f : is_large ? 2.0f : 1.0f;
    const f32 base = eighths * 7.85398e-1f;
    const f32 high = base + q;
    const f32 low = q - (high - base);
    return xr_with_sign_f32(high + (low + (eighths * 1.5695824e-7f + rest)), x);
}

// For |x| <= 1/2 s = |x|, above asin|x| = pi/2 - 2 asin(s) with s^2 = (1 - |x|) / 2; the rounding
// error of the root is half of what is left of s^2 over s.
DEVICE f64 xr_asin_f64(const f64 x)
{
    const f64 magnitude = xr_magnitude_f64(x);
    const f64 square = 0.5 * (1.0 - magnitude);
    const f64 root = sqrt(square);
    const f64 root_tail = fma(-root, root, square) / (root + root + 1.0e-300);
    const f64 small = magnitude + magnitude * xr_asin_series_f64(magnitude * magnitude);
    const f64 high = 1.5707963267948966 - (root + root);
    const f64 low = (1.5707963267948966 - high) - (root + root);
    const f64 rest = root * xr_asin_series_f64(square) + root_tail;
    const f64 large = high + (low + (6.123233995736766e-17 - (rest + rest)));
    return xr_with_sign_f64(magnitude > 0.5 ? large : small, x);
}

// As asin: acos is 2 asin(s), pi/2 - asin(x) or pi - 2 asin(s).
DEVICE f64 xr_acos_f64(const f64 x)
{
    const f64 magnitude = xr_magnitude_f64(x);
    const u64 is_large = magnitude > 0.5;
    const f64 square = is_large ? 0.5 * (1.0 - magnitude) : x * x;
    const f64 root = sqrt(square);
    const f64 root_tail = fma(-root, root, square) / (root + root + 1.0e-300);
    const f64 series = xr_asin_series_f64(square);
    const f64 angle = is_large ? root + root : magnitude;
    const f64 tail = is_large ? 2.0 * (root * series + root_tail) : magnitude * series;
    const u64 adds = is_large ? x > 0.0 : x < 0.0;
    const f64 quarters = is_large ? (x > 0.0 ? 0.0 : 2.0) : 1.0;
    const f64 base = quarters * 1.5707963267948966;
    const f64 signed_angle = adds ? angle : -angle;
    const f64 signed_tail = adds ? tail : -tail;
    const f64 high = base + signed_angle;
    const f64 low = signed_angle - (high - base);
    return high + (low + (quarters * 6.123233995736766e-17 + signed_tail));
}

// The angle of the point (x, y). With 0 <= n <= d the two magnitudes, atan(n / d) is atan(q) for
// q = n / d up to 1/2 and pi/4 + atan(q) for q = (n - d) / (n + d) above; the angle then is
// a multiple of pi/4 plus or minus atan(q). The rounding errors of n + d and of q are carried.
DEVICE f64 xr_atan2_f64(const f64 y, const f64 x)
{
    const f64 x_size = xr_magnitude_f64(x);
    const f64 y_size = xr_magnitude_f64(y);
    const u64 is_steep = y_size > x_size;
    const f64 larger = is_steep ? y_size : x_size;
    const f64 smaller = is_steep ? x_size : y_size;
    const f64 power = larger > 1.0e150 ? 7.458340731200207e-155
        : larger < 1.0e-150 ? 1.3407807929942597e154 : 1.0;
    const u64 is_infinite = larger == xr_infinity_f64;
    const f64 one_if_infinite = smaller == xr_infinity_f64 ? 1.0 : 0.0;
    const f64 d = (is_infinite | (larger == 0.0)) ? 1.0 : larger * power;
    // A quotient that may be subnormal is computed larger and scaled back at the end.
    const u64 is_left = (i64)xr_bits_f64(x) < 0;
    const u64 is_tiny = !is_steep & !is_left & (power <= 1.0)
        & (smaller < larger * 9.313225746154785e-10);
    const f64 grown = power < 1.0 ? 1.0 : 1.3407807929942597e154;
    const f64 shrink = is_tiny ? 7.458340731200207e-155 : 1.0;
    const f64 n = is_infinite ? one_if_infinite : smaller * (is_tiny ? grown : power);
    const u64 is_high = !is_tiny & (n + n > d);
    const f64 numerator = is_high ? n - d : n;
    const f64 denominator = is_high ? d + n : d;
    const f64 denominator_tail = is_high ? n - (denominator - d) : 0.0;
    const f64 inverse = 1.0 / denominator;
    const f64 q = numerator * inverse;
    const f64 remainder = fma(-q, denominator_tail, fma(-q, denominator, numerator));
    const f64 rest = q * xr_atan_series_f64(is_tiny ? 0.0 : q * q)
        + remainder * inverse;
    const f64 outer = is_left ? (is_steep ? 2.0 : 4.0) : (is_steep ? 2.0 : 0.0);
    const f64 inner = is_high ? 1.0 : 0.0;
    const u64 is_minus = (is_left != 0) != (is_steep != 0);
    const f64 eighths = is_minus ? outer - inner : outer + inner;
    const f64 base = eighths * 0.7853981633974483;
    const f64 signed_q = is_minus ? -q : q;
    const f64 signed_rest = is_minus ? -rest : rest;
    const f64 high = base + signed_q;
    const f64 low = signed_q - (high - base);
    const f64 angle = high + (low + (eighths * 3.061616997868383e-17 + signed_rest));
    return ((x != x) | (y != y)) ? x + y : xr_with_sign_f64(angle * shrink, y);
}

// As atan2 of x and 1, with the same bits: q is |x|, (|x| - 1) / (|x| + 1) or -1 / |x|.
DEVICE f64 xr_atan_f64(const f64 x)
{
    const f64 size = xr_magnitude_f64(x);
    const f64 magnitude = size > 1.0e150 ? 1.0e150 : size;
    const u64 is_small = magnitude <= 0.5;
    const u64 is_large = magnitude >= 2.0;
    const f64 larger = magnitude > 1.0 ? magnitude : 1.0;
    const f64 smaller = magnitude > 1.0 ? 1.0 : magnitude;
    const f64 sum = magnitude + 1.0;
    const f64 sum_tail = smaller - (sum - larger);
    const f64 numerator = is_small ? magnitude : is_large ? -1.0 : magnitude - 1.0;
    const f64 denominator = is_small ? 1.0 : is_large ? magnitude : sum;
    const f64 denominator_tail = is_small | is_large ? 0.0 : sum_tail;
    const f64 inverse = 1.0 / denominator;
    const f64 q = numerator * inverse;
    const f64 remainder = fma(-q, denominator_tail, fma(-q, denominator, numerator));
    const f64 rest = q * xr_atan_series_f64(q * q) + remainder * inverse;
    const f64 eighths = is_small ? 0.0 : is_large ? 2.0 : 1.0;
    const f64 base = eighths * 0.7853981633974483;
    const f64 high = base + q;
    const f64 low = q - (high - base);
    return xr_with_sign_f64(high + (low + (eighths * 3.061616997868383e-17 + rest)), x);
}
