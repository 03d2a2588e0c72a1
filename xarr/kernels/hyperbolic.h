// Hyperbolic functions of f32 and f64, in IEEE operations of a fixed order: the same bits on every
// device.
//
// With |x| = n ln2 + r (Cody and Waite, as in exp.h), A = 2^n / 2 and B = 2^-n / 2:
// sinh|x| = (A - B) cosh r + (A + B) sinh r, cosh x = (A + B) cosh r + (A - B) sinh r, where the
// leading terms are exact or carried. Inverses: W. Kahan, "Branch cuts for complex elementary
// functions" (1987): logarithms of 1 + y with y in two parts.
// Coefficients: weighted least squares made minimax by Lawson's iteration in 300 bits, rounded one
// after the other. Errors: sinh 2^-33.9, cosh 2^-40.7 (f32); sinh 2^-61.7, cosh 2^-70.0 (f64).
#ifndef XR_ASSEMBLED
#include "exp.h"
#include "log.h"
#endif

// sinh(r) - r for |r| <= 0.3475.
DEVICE f32 xr_sinh_rest_f32(const f32 r)
{
    const f32 z = r * r;
    const f32 series = fma(z, fma(z, 1.9978425e-4f, 8.33317e-3f), 1.6666667e-1f);
    return (r * z) * series;
}

// cosh(r) - 1 for |r| <= 0.3475.
DEVICE f32 xr_cosh_rest_f32(const f32 r)
{
    const f32 z = r * r;
    const f32 series = fma(z, fma(z, 2.4999097e-5f, 1.388859e-3f), 4.1666668e-2f);
    return fma(z * z, series, 0.5f * z);
}

// sinh(r) - r for |r| <= 0.3475.
DEVICE f64 xr_sinh_rest_f64(const f64 r)
{
    const f64 z = r * r;
    const f64 series = fma(z, fma(z, fma(z, fma(z, 2.5109333742459815e-08, 2.755724342171471e-06),
        0.00019841269886838314), 0.008333333333321381), 0.16666666666666677);
    return (r * z) * series;
}

// cosh(r) - 1 for |r| <= 0.3475.
DEVICE f64 xr_cosh_rest_f64(const f64 r)
{
    const f64 z = r * r;
    const f64 series = fma(z, fma(z, fma(z, fma(z, 2.0921818124250393e-09, 2.755725169676215e-07),
        2.4801587349302545e-05), 0.0013888888888873257), 0.041666666666666685);
    return fma(z * z, series, 0.5 * z);
}

// sinh(x) / 2 and cosh(x) / 2 of 0 <= x <= 89.5f and their rounding errors; halved, as 2^n may
// overflow before the result does.
DEVICE f32 xr_half_sinh_f32(const f32 clamped, f32 *tail)
{
    const f32 shifted = clamped * 1.442695f + 12582912.0f;
    const f32 n = shifted - 12582912.0f;
    const u32 power = xr_bits_f32(shifted) - 0x4b400000u;
    const f32 r_high = clamped - n * 6.9314575e-1f;
    const f32 r_low = n * 1.4286068e-6f;
    const f32 r = r_high - r_low;
    const f32 rest = (r_high - r) - r_low;
    const f32 grown = xr_from_bits_f32((power + 127u - 2u) << 23);
    const f32 shrunk = power > 60u ? 0.0f : xr_from_bits_f32((127u - 2u - power) << 23);
    const f32 difference = grown - shrunk;
    const f32 sum = grown + shrunk;
    const f32 cosh_rest = xr_cosh_rest_f32(r) + r * rest;
    const f32 sinh_rest = xr_sinh_rest_f32(r) + rest;
    // For n = 0 both halves of sum r matter alike: one exact product.
    const f32 linear = (power == 0u ? sum : grown) * r;
    const f32 second = power == 0u ? 0.0f : shrunk * r;
    const f32 lost = (grown - difference) - shrunk;
    const f32 high = difference + linear;
    const f32 low = (linear - (high - difference)) + lost;
    const f32 rounded = low + (second + (difference * cosh_rest + sum * sinh_rest));
    *tail = rounded - ((high + rounded) - high);
    return high + rounded;
}

DEVICE f32 xr_half_cosh_f32(const f32 clamped, f32 *tail)
{
    const f32 shifted = clamped * 1.442695f + 12582912.0f;
    const f32 n = shifted - 12582912.0f;
    const u32 power = xr_bits_f32(shifted) - 0x4b400000u;
    const f32 r_high = clamped - n * 6.9314575e-1f;
    const f32 r_low = n * 1.4286068e-6f;
    const f32 r = r_high - r_low;
    const f32 rest = (r_high - r) - r_low;
    const f32 grown = xr_from_bits_f32((power + 127u - 2u) << 23);
    const f32 shrunk = power > 60u ? 0.0f : xr_from_bits_f32((127u - 2u - power) << 23);
    const f32 difference = grown - shrunk;
    const f32 sum = grown + shrunk;
    const f32 cosh_rest = xr_cosh_rest_f32(r) + r * rest;
    const f32 sinh_rest = xr_sinh_rest_f32(r) + rest;
    const f32 linear = grown * r;
    const f32 lost = (grown - sum) + shrunk;
    const f32 high = sum + linear;
    const f32 low = (linear - (high - sum)) + lost;
    const f32 rounded = low + ((sum * cosh_rest + difference * sinh_rest) - shrunk * r);
    *tail = rounded - ((high + rounded) - high);
    return high + rounded;
}

DEVICE f32 xr_sinh_f32(const f32 x)
{
    const f32 magnitude = xr_magnitude_f32(x);
    f32 tail = 0.0f;
    const f32 half_y = xr_half_sinh_f32(magnitude > 89.5f ? 89.5f : magnitude, &tail);
    return magnitude < 1.0e-4f ? x : xr_with_sign_f32(half_y + half_y, x);
}

DEVICE f32 xr_cosh_f32(const f32 x)
{
    const f32 magnitude = xr_magnitude_f32(x);
    f32 tail = 0.0f;
    const f32 half_y = xr_half_cosh_f32(magnitude > 89.5f ? 89.5f : magnitude, &tail);
    return half_y + half_y;
}

// e / (e + 2), e = 2^n (e^r - 1) + (2^n - 1) = e^2|x| - 1. The rounding errors of e, of e + 2 and of
// the quotient are carried.
DEVICE f32 xr_tanh_f32(const f32 x)
{
    const f32 magnitude = xr_magnitude_f32(x);
    const f32 twice = magnitude > 10.0f ? 20.0f : magnitude + magnitude;
    const f32 shifted = twice * 1.442695f + 12582912.0f;
    const f32 n = shifted - 12582912.0f;
    const f32 r_high = twice - n * 6.9314575e-1f;
    const f32 r = fma(n, -1.4286068e-6f, r_high);
    const f32 rest = fma(n, -1.4286068e-6f, r_high - r);
    const f32 scale = xr_from_bits_f32((xr_bits_f32(shifted) - 0x4b400000u + 127u) << 23);
    const f32 offset = scale - 1.0f;
    const f32 linear = fma(scale, r, offset);
    const f32 low = fma(scale, r, offset - linear)
        + scale * (xr_exp_quadratic_f32(r) + rest);
    const f32 growth = linear + low;
    const f32 growth_tail = low - (growth - linear);
    const f32 sum = growth + 2.0f;
    const f32 sum_tail = xr_sum_tail_f32(growth, 2.0f) + growth_tail;
    const f32 inverse = 1.0f / sum;
    const f32 q = growth * inverse;
    const f32 remainder = fma(-q, sum, growth);
    const f32 y = fma(remainder + fma(-q, sum_tail, growth_tail), inverse, q);
    return xr_with_sign_f32(magnitude < 1.0e-4f ? x : y, x);
}

// log(1 + y), y = |x| + x^2 / (1 + sqrt(1 + x^2)); log(2 |x|) where 1 + x^2 = x^2.
DEVICE f32 xr_asinh_f32(const f32 x)
{
    const f32 magnitude = xr_magnitude_f32(x);
    const u32 is_large = magnitude > 8192.0f;
    const f32 square = is_large ? 0.0f : magnitude * magnitude;
    const f32 growth = is_large ? -1.0f : square / (1.0f + sqrt(1.0f + square));
    const f32 argument = magnitude < xr_infinity_f32 ? magnitude : 1.0f;
    const f32 high = argument + growth;
    const f32 low = growth - (high - argument);
    const f32 y = xr_log1p_sum_f32(is_large ? 1.0f : 0.0f, high, low);
    return xr_with_sign_f32(magnitude < xr_infinity_f32 ? y : magnitude, x);
}

// log(1 + y), y = t + sqrt(t (t + 2)), t = x - 1; log(2 x) where t^2 + 2 t = t^2.
DEVICE f32 xr_acosh_f32(const f32 x)
{
    const f32 argument = x < xr_infinity_f32 ? x : 1.0f;
    const u32 is_large = argument > 8192.0f;
    const f32 t = argument - 1.0f;
    const f32 t_tail = (argument - t) - 1.0f;
    const f32 root = is_large ? 0.0f : sqrt(t * (t + 2.0f));
    const f32 high = t + root;
    const f32 low = xr_sum_tail_f32(t, root) + t_tail;
    const f32 y = xr_log1p_sum_f32(is_large ? 1.0f : 0.0f, high, low);
    const f32 finite = x < xr_infinity_f32 ? y : x;
    return x < 1.0f ? xr_nan_f32 : finite;
}

// log(1 + 2 |x| / (1 - |x|)) / 2.
DEVICE f32 xr_atanh_f32(const f32 x)
{
    const f32 magnitude = xr_magnitude_f32(x);
    const f32 inside = magnitude < 1.0f ? magnitude : 0.0f;
    const f32 denominator = 1.0f - inside;
    const f32 denominator_tail = (1.0f - denominator) - inside;
    const f32 inverse = 1.0f / denominator;
    const f32 numerator = inside + inside;
    const f32 q = numerator * inverse;
    const f32 remainder = fma(-q, denominator_tail, fma(-q, denominator, numerator));
    const f32 y = 0.5f * xr_log1p_sum_f32(0.0f, q, remainder * inverse);
    const f32 edge = magnitude == 1.0f ? xr_infinity_f32 : xr_nan_f32;
    return xr_with_sign_f32(magnitude < 1.0f ? y : edge, x);
}

// sinh(x) / 2 and cosh(x) / 2 of 0 <= x <= 710.5 and their rounding errors; halved, as 2^n may
// overflow before the result does.
DEVICE f64 xr_half_sinh_f64(const f64 clamped, f64 *tail)
{
    const f64 shifted = clamped * 1.4426950408889634 + 6755399441055744.0;
    const f64 n = shifted - 6755399441055744.0;
    const u64 power = xr_bits_f64(shifted) - 0x4338000000000000ul;
    const f64 r_high = clamped - n * 0.6931471805598903;
    const f64 r_low = n * 5.497923018708371e-14;
    const f64 r = r_high - r_low;
    const f64 rest = (r_high - r) - r_low;
    const f64 grown = xr_from_bits_f64((power + 1023ul - 2ul) << 52);
    const f64 shrunk = power > 60ul ? 0.0 : xr_from_bits_f64((1023ul - 2ul - power) << 52);
    const f64 difference = grown - shrunk;
    const f64 sum = grown + shrunk;
    const f64 cosh_rest = xr_cosh_rest_f64(r) + r * rest;
    const f64 sinh_rest = xr_sinh_rest_f64(r) + rest;
    // For n = 0 both halves of sum r matter alike: one exact product.
    const f64 linear = (power == 0ul ? sum : grown) * r;
    const f64 second = power == 0ul ? 0.0 : shrunk * r;
    const f64 lost = (grown - difference) - shrunk;
    const f64 high = difference + linear;
    const f64 low = (linear - (high - difference)) + lost;
    const f64 rounded = low + (second + (difference * cosh_rest + sum * sinh_rest));
    *tail = rounded - ((high + rounded) - high);
    return high + rounded;
}

DEVICE f64 xr_half_cosh_f64(const f64 clamped, f64 *tail)
{
    const f64 shifted = clamped * 1.4426950408889634 + 6755399441055744.0;
    const f64 n = shifted - 6755399441055744.0;
    const u64 power = xr_bits_f64(shifted) - 0x4338000000000000ul;
    const f64 r_high = clamped - n * 0.6931471805598903;
    const f64 r_low = n * 5.497923018708371e-14;
    const f64 r = r_high - r_low;
    const f64 rest = (r_high - r) - r_low;
    const f64 grown = xr_from_bits_f64((power + 1023ul - 2ul) << 52);
    const f64 shrunk = power > 60ul ? 0.0 : xr_from_bits_f64((1023ul - 2ul - power) << 52);
    const f64 difference = grown - shrunk;
    const f64 sum = grown + shrunk;
    const f64 cosh_rest = xr_cosh_rest_f64(r) + r * rest;
    const f64 sinh_rest = xr_sinh_rest_f64(r) + rest;
    const f64 linear = grown * r;
    const f64 lost = (grown - sum) + shrunk;
    const f64 high = sum + linear;
    const f64 low = (linear - (high - sum)) + lost;
    const f64 rounded = low + ((sum * cosh_rest + difference * sinh_rest) - shrunk * r);
    *tail = rounded - ((high + rounded) - high);
    return high + rounded;
}

DEVICE f64 xr_sinh_f64(const f64 x)
{
    const f64 magnitude = xr_magnitude_f64(x);
    f64 tail = 0.0;
    const f64 half_y = xr_half_sinh_f64(magnitude > 710.5 ? 710.5 : magnitude, &tail);
    return magnitude < 3.0e-9 ? x : xr_with_sign_f64(half_y + half_y, x);
}

DEVICE f64 xr_cosh_f64(const f64 x)
{
    const f64 magnitude = xr_magnitude_f64(x);
    f64 tail = 0.0;
    const f64 half_y = xr_half_cosh_f64(magnitude > 710.5 ? 710.5 : magnitude, &tail);
    return half_y + half_y;
}

DEVICE f64 xr_tanh_f64(const f64 x)
{
    const f64 magnitude = xr_magnitude_f64(x);
    const f64 clamped = magnitude > 22.0 ? 22.0 : magnitude;
    f64 sinh_tail = 0.0;
    f64 cosh_tail = 0.0;
    const f64 sinh_half = xr_half_sinh_f64(clamped, &sinh_tail);
    const f64 cosh_half = xr_half_cosh_f64(clamped, &cosh_tail);
    const f64 inverse = 1.0 / cosh_half;
    const f64 q = sinh_half * inverse;
    const f64 remainder = fma(-q, cosh_half, sinh_half);
    const f64 y = fma(remainder + fma(-q, cosh_tail, sinh_tail), inverse, q);
    return magnitude < 3.0e-9 ? x : xr_with_sign_f64(y, x);
}

// log(1 + y), y = |x| + x^2 / (1 + sqrt(1 + x^2)); log(2 |x|) where 1 + x^2 = x^2.
DEVICE f64 xr_asinh_f64(const f64 x)
{
    const f64 magnitude = xr_magnitude_f64(x);
    const u64 is_large = magnitude > 268435456.0;
    const f64 square = is_large ? 0.0 : magnitude * magnitude;
    const f64 growth = is_large ? -1.0 : square / (1.0 + sqrt(1.0 + square));
    const f64 argument = magnitude < xr_infinity_f64 ? magnitude : 1.0;
    const f64 high = argument + growth;
    const f64 low = growth - (high - argument);
    const f64 y = xr_log1p_sum_f64(is_large ? 1.0 : 0.0, high, low);
    return xr_with_sign_f64(magnitude < xr_infinity_f64 ? y : magnitude, x);
}

// log(1 + y), y = t + sqrt(t (t + 2)), t = x - 1; log(2 x) where t^2 + 2 t = t^2.
DEVICE f64 xr_acosh_f64(const f64 x)
{
    const f64 argument = x < xr_infinity_f64 ? x : 1.0;
    const u64 is_large = argument > 268435456.0;
    const f64 t = argument - 1.0;
    const f64 t_tail = (argument - t) - 1.0;
    const f64 root = is_large ? 0.0 : sqrt(t * (t + 2.0));
    const f64 high = t + root;
    const f64 low = xr_sum_tail_f64(t, root) + t_tail;
    const f64 y = xr_log1p_sum_f64(is_large ? 1.0 : 0.0, high, low);
    const f64 finite = x < xr_infinity_f64 ? y : x;
    return x < 1.0 ? xr_nan_f64 : finite;
}

// log(1 + 2 |x| / (1 - |x|)) / 2.
DEVICE f64 xr_atanh_f64(const f64 x)
{
    const f64 magnitude = xr_magnitude_f64(x);
    const f64 inside = magnitude < 1.0 ? magnitude : 0.0;
    const f64 denominator = 1.0 - inside;
    const f64 denominator_tail = (1.0 - denominator) - inside;
    const f64 inverse = 1.0 / denominator;
    const f64 numerator = inside + inside;
    const f64 q = numerator * inverse;
    const f64 remainder = fma(-q, denominator_tail, fma(-q, denominator, numerator));
    const f64 y = 0.5 * xr_log1p_sum_f64(0.0, q, remainder * inverse);
    const f64 edge = magnitude == 1.0 ? xr_infinity_f64 : xr_nan_f64;
    return xr_with_sign_f64(magnitude < 1.0 ? y : edge, x);
}
