// Exponential functions of f32 and f64, in IEEE operations of a fixed order: the same bits on every
// device.
//
// Method: Cody and Waite, "Software Manual for the Elementary Functions" (1980), chapter 6.
// x = n ln2 + r with |r| <= 0.3475, n from adding 1.5 * 2^(p-1), so that no conversion to an
// integer (undefined for NaN) is needed; e^r = 1 + r + r^2 / 2 + r^3 P(r).
// Coefficients: weighted least squares made minimax by Lawson's iteration in 300 bits, rounded one
// after the other. Errors relative to e^r: 2^-33.1 (f32, degree 7), 2^-63.8 (f64, degree 12).
#ifndef XR_ASSEMBLED
#include <math.h>
#define DEVICE static inline
typedef int i32;
typedef unsigned int u32;
typedef unsigned long u64;
typedef float f32;
typedef double f64;
u32 xr_bits_f32(f32 x);
u64 xr_bits_f64(f64 x);
f32 xr_from_bits_f32(u32 x);
f64 xr_from_bits_f64(u64 x);
#define xr_infinity_f32 INFINITY
#define xr_infinity_f64 ((f64)INFINITY)
#define xr_nan_f32 NAN
#define xr_nan_f64 ((f64)NAN)
#endif

// |x|, and the magnitude of y with the sign of x. By bits, as PoCL calls its fabs and copysign out
// of line, which keeps a loop from being vectorised.
DEVICE f32 xr_magnitude_f32(const f32 x)
{
    return xr_from_bits_f32(xr_bits_f32(x) & 0x7fffffffu);
}

DEVICE f64 xr_magnitude_f64(const f64 x)
{
    return xr_from_bits_f64(xr_bits_f64(x) & 0x7ffffffffffffffful);
}

DEVICE f32 xr_with_sign_f32(const f32 y, const f32 x)
{
    return xr_from_bits_f32((xr_bits_f32(y) & 0x7fffffffu) | (xr_bits_f32(x) & 0x80000000u));
}

DEVICE f64 xr_with_sign_f64(const f64 y, const f64 x)
{
    const u64 sign = xr_bits_f64(x) & 0x8000000000000000ul;
    return xr_from_bits_f64((xr_bits_f64(y) & 0x7ffffffffffffffful) | sign);
}

// e^r - 1 - r for |r| <= 0.3475.
DEVICE f32 xr_exp_quadratic_f32(const f32 r)
{
    const f32 z = r * r;
    const f32 even = fma(z, fma(z, 1.9952582e-4f, 8.333199e-3f), 1.6666667e-1f);
    const f32 odd = fma(z, 1.3935468e-3f, 4.166646e-2f);
    return fma(r * z, fma(r, odd, even), 0.5f * z);
}

// e^r - 1 - r for |r| <= 0.3475.
DEVICE f64 xr_exp_quadratic_f64(const f64 r)
{
    const f64 z = r * r;
    const f64 even = fma(z, fma(z, fma(z, fma(z, 2.511287814390114e-08, 2.7557232300282243e-06),
        0.00019841269899130586), 0.008333333333315832), 0.16666666666666685);
    const f64 odd = fma(z, fma(z, fma(z, fma(z, 2.091995803458595e-09, 2.7557257990855476e-07),
        2.4801587341650906e-05), 0.0013888888888877167), 0.04166666666666668);
    return fma(r * z, fma(r, odd, even), 0.5 * z);
}

// y 2^n for n in -252 ... 254: two exact factors, so that a subnormal result is rounded once.
DEVICE f32 xr_scale_f32(const f32 y, const u32 n)
{
    const u32 half_n = ((n + 512u) >> 1) - 256u;
    const f32 first = xr_from_bits_f32((half_n + 127u) << 23);
    const f32 second = xr_from_bits_f32((n - half_n + 127u) << 23);
    return (y * first) * second;
}

// y 2^n for n in -2044 ... 2046: two exact factors, so that a subnormal result is rounded once.
DEVICE f64 xr_scale_f64(const f64 y, const u64 n)
{
    const u64 half_n = ((n + 4096ul) >> 1) - 2048ul;
    const f64 first = xr_from_bits_f64((half_n + 1023ul) << 52);
    const f64 second = xr_from_bits_f64((n - half_n + 1023ul) << 52);
    return (y * first) * second;
}

DEVICE f32 xr_exp_f32(const f32 x)
{
    const f32 above = x < -104.0f ? -104.0f : x;
    const f32 clamped = above > 89.0f ? 89.0f : above;
    const f32 shifted = fma(clamped, 1.442695f, 12582912.0f);
    const f32 n = shifted - 12582912.0f;
    const f32 r_high = fma(n, -6.9314575e-1f, clamped);
    const f32 r_low = n * 1.4286068e-6f;
    const f32 r = r_high - r_low;
    const f32 y = 1.0f + (r_high + (xr_exp_quadratic_f32(r) - r_low));
    return xr_scale_f32(y, xr_bits_f32(shifted) - 0x4b400000u);
}

DEVICE f64 xr_exp_f64(const f64 x)
{
    const f64 above = x < -746.0 ? -746.0 : x;
    const f64 clamped = above > 710.0 ? 710.0 : above;
    const f64 shifted = fma(clamped, 1.4426950408889634, 6755399441055744.0);
    const f64 n = shifted - 6755399441055744.0;
    const f64 r_high = fma(n, -0.6931471805598903, clamped);
    const f64 r_low = n * 5.497923018708371e-14;
    const f64 r = r_high - r_low;
    const f64 y = 1.0 + (r_high + (xr_exp_quadratic_f64(r) - r_low));
    return xr_scale_f64(y, xr_bits_f64(shifted) - 0x4338000000000000ul);
}

// expm1(x) = (2^n - 1) + 2^n (e^r - 1), computed at half size so that 2^n does not overflow before
// the result does. The first two terms are added without error, lost included.
DEVICE f32 xr_expm1_f32(const f32 x)
{
    const f32 above = x < -20.0f ? -20.0f : x;
    const f32 clamped = above > 89.0f ? 89.0f : above;
    const f32 shifted = fma(clamped, 1.442695f, 12582912.0f);
    const f32 n = shifted - 12582912.0f;
    const f32 r_high = fma(n, -6.9314575e-1f, clamped);
    const f32 r_low = n * 1.4286068e-6f;
    const f32 r = r_high - r_low;
    const f32 rest = (r_high - r) - r_low;
    const u32 power = xr_bits_f32(shifted) - 0x4b400000u;
    const f32 scale = xr_from_bits_f32((power + 126u) << 23);
    const f32 offset = scale - 0.5f;
    const f32 linear = scale * r;
    const f32 high = offset + linear;
    const f32 lost = -0.5f - (offset - scale);
    const f32 low = (linear - (high - offset)) + lost;
    const f32 y = high + (low + scale * (xr_exp_quadratic_f32(r) + (rest + r * rest)));
    return xr_magnitude_f32(x) < 2.9802322e-8f ? x : y + y;
}

DEVICE f64 xr_expm1_f64(const f64 x)
{
    const f64 above = x < -40.0 ? -40.0 : x;
    const f64 clamped = above > 710.0 ? 710.0 : above;
    const f64 shifted = fma(clamped, 1.4426950408889634, 6755399441055744.0);
    const f64 n = shifted - 6755399441055744.0;
    const f64 r_high = fma(n, -0.6931471805598903, clamped);
    const f64 r_low = n * 5.497923018708371e-14;
    const f64 r = r_high - r_low;
    const f64 rest = (r_high - r) - r_low;
    const u64 power = xr_bits_f64(shifted) - 0x4338000000000000ul;
    const f64 scale = xr_from_bits_f64((power + 1022ul) << 52);
    const f64 offset = scale - 0.5;
    const f64 linear = scale * r;
    const f64 high = offset + linear;
    const f64 lost = -0.5 - (offset - scale);
    const f64 low = (linear - (high - offset)) + lost;
    const f64 y = high + (low + scale * (xr_exp_quadratic_f64(r) + (rest + r * rest)));
    return xr_magnitude_f64(x) < 5.551115123125783e-17 ? x : y + y;
}
