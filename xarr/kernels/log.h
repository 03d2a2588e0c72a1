// Logarithms of f32 and f64, in IEEE operations of a fixed order: the same bits on every device.
//
// Method: P. T. P. Tang, "Table-driven implementation of the logarithm function" (ACM TOMS 16,
// 1990) without the table: x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2). In f64 log(1 + f) =
// f - f^2/2 + s (f^2/2 + R(s^2)), s = f / (2 + f); in f32 f - f^2/2 + f^3 P(f), which saves the
// division. The leading terms are added without error.
// Coefficients: weighted least squares made minimax by Lawson's iteration in 300 bits, rounded one
// after the other. Errors relative to log(1 + f): 2^-30.2 (f32, degree 8), 2^-59.5 (f64, degree 6).
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

// The rounding error of a + b (D. E. Knuth, TAOCP 4.2.2, theorem B).
DEVICE f32 xr_sum_tail_f32(const f32 a, const f32 b)
{
    const f32 sum = a + b;
    const f32 moved = sum - a;
    return (a - (sum - moved)) + (b - moved);
}

DEVICE f64 xr_sum_tail_f64(const f64 a, const f64 b)
{
    const f64 sum = a + b;
    const f64 moved = sum - a;
    return (a - (sum - moved)) + (b - moved);
}

// The rounding error of a b, which is a number unless it underflows.
DEVICE f32 xr_product_tail_f32(const f32 a, const f32 b)
{
    return fma(a, b, -(a * b));
}

DEVICE f64 xr_product_tail_f64(const f64 a, const f64 b)
{
    return fma(a, b, -(a * b));
}

// The bits of x > 0 made normal, moved so that the exponent field changes at sqrt(1/2), not at 1.
DEVICE u32 xr_log_bits_f32(const f32 x)
{
    const f32 normal = x < 1.1754944e-38f ? x * 8388608.0f : x;
    return xr_bits_f32(normal) + (0x3f800000u - 0x3f3504f3u);
}

DEVICE u64 xr_log_bits_f64(const f64 x)
{
    const f64 normal = x < 2.2250738585072014e-308 ? x * 4503599627370496.0 : x;
    return xr_bits_f64(normal) + (0x3ff0000000000000ul - 0x3fe6a09e667f3bcdul);
}

// k of x = 2^k (1 + f).
DEVICE f32 xr_log_exponent_f32(const f32 x)
{
    const f32 field = (f32)(i32)(xr_log_bits_f32(x) >> 23);
    return field - (x < 1.1754944e-38f ? 150.0f : 127.0f);
}

// k of x = 2^k (1 + f); the field becomes a float by bits, as conversion from 64-bit integers is
// slow on many CPUs.
DEVICE f64 xr_log_exponent_f64(const f64 x)
{
    const u64 field = xr_log_bits_f64(x) >> 52;
    const f64 exponent = xr_from_bits_f64(0x4330000000000000ul | field) - 4503599627370496.0;
    return exponent - (x < 2.2250738585072014e-308 ? 1075.0 : 1023.0);
}

// f of x = 2^k (1 + f).
DEVICE f32 xr_log_fraction_f32(const f32 x)
{
    const u32 mantissa = xr_log_bits_f32(x) & 0x007fffffu;
    return xr_from_bits_f32(mantissa + 0x3f3504f3u) - 1.0f;
}

DEVICE f64 xr_log_fraction_f64(const f64 x)
{
    const u64 mantissa = xr_log_bits_f64(x) & 0x000ffffffffffffful;
    return xr_from_bits_f64(mantissa + 0x3fe6a09e667f3bcdul) - 1.0;
}

// log(1 + f) - f + f^2 / 2.
DEVICE f32 xr_log_cubic_f32(const f32 f)
{
    const f32 z = f * f;
    const f32 even = fma(z, fma(z, fma(z, fma(z, 6.73426e-2f, 1.1886203e-1f), 1.4220223e-1f),
        2.0002073e-1f), 3.3333313e-1f);
    const f32 odd = fma(z, fma(z, fma(z, -1.1661616e-1f, -1.24080785e-1f), -1.6667858e-1f),
        -2.5000012e-1f);
    return f * z * fma(f, odd, even);
}

// log(1 + f) - f + f^2 / 2, where s = f / (2 + f).
DEVICE f64 xr_log_cubic_f64(const f64 f, const f64 s)
{
    const f64 z = s * s;
    const f64 w = z * z;
    const f64 even = fma(w, fma(w, fma(w, 0.14795630776296298, 0.18183562800073141),
        0.2857142874201122), 0.6666666666666734);
    const f64 odd = fma(w, fma(w, 0.15314085611377104, 0.22222198606452212), 0.39999999999416713);
    return s * fma(z, fma(z, odd, even), 0.5 * f * f);
}

// k ln2 + log(1 + f + tail), |tail| <= 2^-24; k = 0 or |k ln2| > |f|.
DEVICE f32 xr_log_sum_f32(const f32 k, const f32 f, const f32 tail)
{
    const f32 main_part = k * 6.9314575e-1f;
    const f32 high = main_part + f;
    const f32 low = f - (high - main_part);
    const f32 correction = fma(k, 1.4286068e-6f,
        tail * fma(-f, fma(-f, 1.0f - f, 1.0f), 1.0f));
    return high + (low + (fma(-0.5f * f, f, xr_log_cubic_f32(f)) + correction));
}

// k ln2 + log(1 + f + tail), |tail| <= 2^-53; k = 0 or |k ln2| > |f|.
DEVICE f64 xr_log_sum_f64(const f64 k, const f64 f, const f64 tail)
{
    const f64 s = f / (2.0 + f);
    const f64 main_part = k * 0.6931471805598903;
    const f64 high = main_part + f;
    const f64 low = f - (high - main_part);
    const f64 correction = k * 5.497923018708371e-14 + tail * (1.0 - 2.0 * s * (1.0 - s));
    return high + (low + (fma(-0.5 * f, f, xr_log_cubic_f64(f, s)) + correction));
}

// The value of a logarithm where the formula does not hold: x <= 0, infinite or NaN.
DEVICE f32 xr_log_special_f32(const f32 x, const f32 y)
{
    const f32 finite = x < xr_infinity_f32 ? y : x;
    const f32 positive = x == 0.0f ? -xr_infinity_f32 : finite;
    return x < 0.0f ? xr_nan_f32 : positive;
}

DEVICE f64 xr_log_special_f64(const f64 x, const f64 y)
{
    const f64 finite = x < xr_infinity_f64 ? y : x;
    const f64 positive = x == 0.0 ? -xr_infinity_f64 : finite;
    return x < 0.0 ? xr_nan_f64 : positive;
}

DEVICE f32 xr_log_f32(const f32 x)
{
    const f32 y = xr_log_sum_f32(xr_log_exponent_f32(x), xr_log_fraction_f32(x), 0.0f);
    return xr_log_special_f32(x, y);
}

DEVICE f64 xr_log_f64(const f64 x)
{
    const f64 y = xr_log_sum_f64(xr_log_exponent_f64(x), xr_log_fraction_f64(x), 0.0);
    return xr_log_special_f64(x, y);
}

// twos ln2 + log(1 + high + low) for |low| <= ulp(high) / 2, high > -1 and finite.
// The sum is never subnormal.
DEVICE f32 xr_log1p_sum_f32(const f32 twos, const f32 high, const f32 low)
{
    const f32 sum = 1.0f + high;
    const f32 rest = xr_sum_tail_f32(1.0f, high) + low;
    const u32 bits = xr_bits_f32(sum) + (0x3f800000u - 0x3f3504f3u);
    const u32 field = bits >> 23;
    const u32 inverse_field = 254u - (field > 247u ? 247u : field);
    const f32 k = (f32)(i32)field - 127.0f;
    const f32 f = xr_from_bits_f32((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    const f32 scaled = rest * xr_from_bits_f32(inverse_field << 23);
    const f32 f_high = f + scaled;
    return xr_log_sum_f32(k + twos, f_high, xr_sum_tail_f32(f, scaled));
}

DEVICE f64 xr_log1p_sum_f64(const f64 twos, const f64 high, const f64 low)
{
    const f64 sum = 1.0 + high;
    const f64 rest = xr_sum_tail_f64(1.0, high) + low;
    const u64 bits = xr_bits_f64(sum) + (0x3ff0000000000000ul - 0x3fe6a09e667f3bcdul);
    const u64 field = bits >> 52;
    const u64 inverse_field = 2046ul - (field > 2023ul ? 2023ul : field);
    const f64 k = xr_from_bits_f64(0x4330000000000000ul | field) - 4503599627371519.0;
    const f64 f = xr_from_bits_f64((bits & 0x000ffffffffffffful) + 0x3fe6a09e667f3bcdul) - 1.0;
    const f64 scaled = rest * xr_from_bits_f64(inverse_field << 52);
    const f64 f_high = f + scaled;
    return xr_log_sum_f64(k + twos, f_high, xr_sum_tail_f64(f, scaled));
}

DEVICE f32 xr_log1p_f32(const f32 x)
{
    const f32 inside = ((x > -1.0f) & (x < xr_infinity_f32)) ? x : 0.0f;
    const f32 y = xr_log1p_sum_f32(0.0f, inside, 0.0f);
    const f32 finite = x < xr_infinity_f32 ? y : x;
    const f32 signed_zero = x == 0.0f ? x : finite;
    const f32 domain = x < -1.0f ? xr_nan_f32 : signed_zero;
    return x == -1.0f ? -xr_infinity_f32 : domain;
}

DEVICE f64 xr_log1p_f64(const f64 x)
{
    const f64 inside = ((x > -1.0) & (x < xr_infinity_f64)) ? x : 0.0;
    const f64 y = xr_log1p_sum_f64(0.0, inside, 0.0);
    const f64 finite = x < xr_infinity_f64 ? y : x;
    const f64 signed_zero = x == 0.0 ? x : finite;
    const f64 domain = x < -1.0 ? xr_nan_f64 : signed_zero;
    return x == -1.0 ? -xr_infinity_f64 : domain;
}

// k + base log(1 + f): f - f^2/2 is cut to 12 bits, so that base_high (12 bits) times it is exact.
DEVICE f32 xr_log_base_f32(const f32 k_high, const f32 k_low, const f32 f,
                           const f32 base_high, const f32 base_low)
{
    const f32 half_square = 0.5f * f * f;
    const f32 high = xr_from_bits_f32(xr_bits_f32(f - half_square) & 0xfffff000u);
    const f32 low = ((f - high) - half_square) + xr_log_cubic_f32(f);
    const f32 product = high * base_high;
    const f32 rest = (low * base_high + (low + high) * base_low) + k_low;
    const f32 sum = k_high + product;
    return sum + ((product - (sum - k_high)) + rest);
}

// k + base log(1 + f): f - f^2/2 is cut to 26 bits, so that base_high (26 bits) times it is exact.
DEVICE f64 xr_log_base_f64(const f64 k_high, const f64 k_low, const f64 f,
                           const f64 base_high, const f64 base_low)
{
    const f64 half_square = 0.5 * f * f;
    const f64 high = xr_from_bits_f64(xr_bits_f64(f - half_square) & 0xfffffffff8000000ul);
    const f64 low = ((f - high) - half_square) + xr_log_cubic_f64(f, f / (2.0 + f));
    const f64 product = high * base_high;
    const f64 rest = (low * base_high + (low + high) * base_low) + k_low;
    const f64 sum = k_high + product;
    return sum + ((product - (sum - k_high)) + rest);
}

DEVICE f32 xr_log2_f32(const f32 x)
{
    const f32 k = xr_log_exponent_f32(x);
    const f32 f = xr_log_fraction_f32(x);
    const f32 y = xr_log_base_f32(k, 0.0f, f, 1.4423828f, 3.122284e-4f);
    return xr_log_special_f32(x, y);
}

DEVICE f64 xr_log2_f64(const f64 x)
{
    const f64 k = xr_log_exponent_f64(x);
    const f64 f = xr_log_fraction_f64(x);
    const f64 y = xr_log_base_f64(k, 0.0, f, 1.4426950216293335, 1.9259629911266175e-08);
    return xr_log_special_f64(x, y);
}

DEVICE f32 xr_log10_f32(const f32 x)
{
    const f32 k = xr_log_exponent_f32(x);
    const f32 f = xr_log_fraction_f32(x);
    const f32 k_high = k * 3.010254e-1f;
    const f32 k_low = k * 4.605039e-6f;
    const f32 y = xr_log_base_f32(k_high, k_low, f, 4.342041e-1f, 9.038034e-5f);
    return xr_log_special_f32(x, y);
}

DEVICE f64 xr_log10_f64(const f64 x)
{
    const f64 k = xr_log_exponent_f64(x);
    const f64 f = xr_log_fraction_f64(x);
    const f64 k_high = k * 0.30102999566395283;
    const f64 k_low = k * 2.8363394551044964e-14;
    const f64 y = xr_log_base_f64(k_high, k_low, f, 0.4342944771051407, 4.798111141615973e-09);
    return xr_log_special_f64(x, y);
}
