// Power, hypotenuse and logaddexp of f32 and f64, in IEEE operations of a fixed order: the same
// bits on every device.
//
// pow: e^(y log x) with the logarithm and the product in two parts (T. J. Dekker, "A floating-point
// technique for extending the available precision", Numerische Mathematik 18, 1971), relative error
// of y log x about 2^-38 (f32) and 2^-64 (f64), so exact powers come out exact.
// hypot: C. F. Borges, "An improved algorithm for hypot(a, b)" (ACM TOMS 47, 2021).
// Coefficients: weighted least squares made minimax by Lawson's iteration in 300 bits, rounded one
// after the other. Errors: logarithm 2^-43.7, exponential 2^-33.1 (f32); 2^-73.5, 2^-63.8 (f64).
#ifndef XR_ASSEMBLED
#include "exp.h"
#include "log.h"
#endif

// 1 / x of 1.707 <= x <= 2.415, to a unit or two of the last place: by Newton, as CPUs take five times
// as long for a division.
DEVICE f32 xr_inverse_of_two_f32(const f32 x)
{
    const f32 y0 = fma(x, fma(x, 1.1685672e-1f, -7.2241992e-1f), 1.4777325f);
    const f32 y1 = fma(y0, fma(-x, y0, 1.0f), y0);
    const f32 y2 = fma(y1, fma(-x, y1, 1.0f), y1);
    return y2;
}

// log(x) of positive finite x, and its tail.
DEVICE f32 xr_log_pair_f32(const f32 x, f32 *tail)
{
    const f32 k = xr_log_exponent_f32(x);
    const f32 f = xr_log_fraction_f32(x);
    // s = f / (2 + f), its cube and two thirds of that, each with its tail.
    const f32 denominator = 2.0f + f;
    const f32 denominator_tail = f - (denominator - 2.0f);
    const f32 inverse = xr_inverse_of_two_f32(denominator);
    const f32 s = f * inverse;
    const f32 remainder = fma(-s, denominator_tail, fma(-s, denominator, f));
    const f32 s_tail = remainder * inverse;
    const f32 z = s * s;
    const f32 z_tail = fma(s + s, s_tail, xr_product_tail_f32(s, s));
    const f32 cube = z * s;
    const f32 cube_tail = fma(z, s_tail, fma(z_tail, s, xr_product_tail_f32(z, s)));
    const f32 cubic = cube * 6.666667e-1f;
    const f32 cubic_tail = fma(cube, -1.9868216e-8f,
        fma(cube_tail, 6.666667e-1f, xr_product_tail_f32(cube, 6.666667e-1f)));
    const f32 w = z * z;
    const f32 even = fma(w, 2.2179963e-1f, 3.9999998e-1f);
    const f32 odd = fma(w, 1.955218e-1f, 2.857197e-1f);
    const f32 quintic = (cube * z) * fma(z, odd, even);
    const f32 main_part = k * 6.9314575e-1f;
    const f32 linear = main_part + 2.0f * s;
    const f32 linear_tail = 2.0f * s - (linear - main_part);
    const f32 sum = linear + cubic;
    const f32 sum_tail = cubic - (sum - linear);
    const f32 low = (linear_tail + sum_tail)
        + ((2.0f * s_tail + cubic_tail) + fma(k, 1.4286068e-6f, quintic));
    const f32 high = sum + low;
    *tail = low - (high - sum);
    return high;
}

// exp(x + tail) as (high + low) 2^power, for a power that u32 holds by wrapping around.
DEVICE f32 xr_exp_parts_f32(const f32 x, const f32 tail, f32 *low, u32 *power)
{
    const f32 shifted = fma(x, 1.442695f, 12582912.0f);
    const f32 n = shifted - 12582912.0f;
    const f32 r_high = fma(n, -6.9314575e-1f, x);
    const f32 r_low = fma(n, 1.4286068e-6f, -tail);
    const f32 r = r_high - r_low;
    const f32 rest = (r_high - r) - r_low;
    const f32 z = r * r;
    const f32 even = fma(z, fma(z, 1.9952582e-4f, 8.333199e-3f), 1.6666667e-1f);
    const f32 odd = fma(z, 1.3935468e-3f, 4.166646e-2f);
    const f32 cubic = (r * z) * fma(r, odd, even);
    const f32 linear = 1.0f + r;
    const f32 linear_tail = r - (linear - 1.0f);
    const f32 high = linear + 0.5f * z;
    const f32 high_tail = 0.5f * z - (high - linear);
    *low = (linear_tail + high_tail)
        + (cubic + (0.5f * xr_product_tail_f32(r, r) + fma(r, rest, rest)));
    *power = xr_bits_f32(shifted) - 0x4b400000u;
    return high;
}

// exp(x + tail).
DEVICE f32 xr_exp_pair_f32(const f32 x, const f32 tail)
{
    f32 low = 0.0f;
    u32 power = 0u;
    const f32 high = xr_exp_parts_f32(x, tail, &low, &power);
    return xr_scale_f32(high + low, power);
}

// Where nothing overflows or is subnormal, on the way either, and x > 0.
DEVICE u32 xr_pow_is_near_f32(const f32 x, const f32 y)
{
    return (x >= 9.5367432e-7f) & (x <= 1048576.0f) & (xr_magnitude_f32(y) <= 6.0f);
}

// x^y as C99 Annex F.9.4.4 has it. Beyond y_limit every power of x != 1 overflows or underflows.
DEVICE f32 xr_pow_f32(const f32 x, const f32 y)
{
#if !XR_CHUNKED // a CPU's vectors would do both
    if (xr_pow_is_near_f32(x, y)) {
        return xr_pow_near_f32(x, y);
    }
#endif
    const f32 magnitude = xr_magnitude_f32(x);
    const u32 is_ordinary = (magnitude > 0.0f) & (magnitude < xr_infinity_f32);
    const f32 y_limit = 1.0995116e12f;
    const f32 y_above = y < -y_limit ? -y_limit : y;
    const f32 exponent = y_above > y_limit ? y_limit : y_above;
    f32 log_tail = 0.0f;
    const f32 log_x = xr_log_pair_f32(is_ordinary ? magnitude : 1.0f, &log_tail);
    const f32 product = log_x * exponent;
    const f32 product_tail = fma(log_tail, exponent, xr_product_tail_f32(log_x, exponent));
    const f32 above = product < -104.0f ? -104.0f : product;
    const f32 clamped = above > 89.0f ? 89.0f : above;
    const f32 tail = clamped == product ? product_tail : 0.0f;
    const f32 power = xr_exp_pair_f32(clamped, tail);

    // Moved to where the unit is the last bit, an integer shows its parity there.
    const f32 y_size = xr_magnitude_f32(y);
    const f32 y_moved = y_size < 8388608.0f ? y_size + 8388608.0f : y_size;
    const u32 is_integer = (y_size >= 8388608.0f) | (y_moved - 8388608.0f == y_size);
    const u32 is_odd = is_integer & (y_size < 16777216.0f) & (xr_bits_f32(y_moved) & 1u);
    // Zero and infinity: x^y is 0 or infinity.
    const u32 is_growing = (magnitude > 1.0f) == (y > 0.0f);
    const f32 extreme = is_growing ? xr_infinity_f32 : 0.0f;
    const f32 size = is_ordinary ? power : extreme;
    const u32 sign = is_odd ? xr_bits_f32(x) & (1u << 31) : 0u;
    const f32 signed_size = xr_from_bits_f32(xr_bits_f32(size) | sign);
    const f32 real = ((x < 0.0f) & is_ordinary & !is_integer) ? xr_nan_f32 : signed_size;
    const f32 number = ((x != x) | (y != y)) ? x + y : real;
    return ((x == 1.0f) | (y == 0.0f)) ? 1.0f : number;
}

DEVICE f32 xr_hypot_f32(const f32 x1, const f32 x2)
{
    const f32 size1 = xr_magnitude_f32(x1);
    const f32 size2 = xr_magnitude_f32(x2);
    const f32 larger = size1 > size2 ? size1 : size2;
    const f32 smaller = size1 > size2 ? size2 : size1;
    const u32 is_big = larger > 1.0e18f;
    const u32 is_small = larger < 1.0e-18f;
    const f32 scale = is_big ? 7.888609e-31f : is_small ? 1.2676506e30f : 1.0f;
    const f32 unscale = is_big ? 1.2676506e30f : is_small ? 7.888609e-31f : 1.0f;
    const f32 a = larger * scale;
    const f32 b = smaller * scale;
    const f32 square = a * a;
    const f32 sum = square + b * b;
    const f32 sum_tail = (b * b - (sum - square))
        + (xr_product_tail_f32(a, a) + xr_product_tail_f32(b, b));
    const f32 root = sqrt(sum);
    const f32 remainder = fma(-root, root, sum) + sum_tail;
    const f32 y = (root + remainder / (root + root)) * unscale;
    const f32 nonzero = larger == 0.0f ? larger : y;
    const f32 number = ((x1 != x1) | (x2 != x2)) ? x1 + x2 : nonzero;
    return ((size1 == xr_infinity_f32) | (size2 == xr_infinity_f32)) ? xr_infinity_f32 : number;
}

// log(e^x1 + e^x2) = larger + log1p(e^d), d = smaller - larger and its rounding error. Where the
// two terms cancel (a result near 0), the error is relative to the larger operand.
DEVICE f32 xr_logaddexp_f32(const f32 x1, const f32 x2)
{
    const f32 larger = x1 > x2 ? x1 : x2;
    const f32 smaller = x1 > x2 ? x2 : x1;
    const f32 gap = smaller - larger;
    const f32 difference = x1 == x2 ? 0.0f : gap;
    const f32 gap_tail = xr_sum_tail_f32(smaller, -larger);
    const f32 tail = xr_magnitude_f32(gap) < xr_infinity_f32 ? gap_tail : 0.0f;
    const f32 ratio = xr_exp_f32(difference);
    const f32 growth = xr_log1p_sum_f32(0.0f, ratio, 0.0f);
    const f32 corrected = growth + ratio / (1.0f + ratio) * tail;
    return ((x1 != x1) | (x2 != x2)) ? x1 + x2 : larger + corrected;
}

// 1 / x of 1.707 <= x <= 2.415, to a unit or two of the last place: by Newton, as CPUs take five times
// as long for a division.
DEVICE f64 xr_inverse_of_two_f64(const f64 x)
{
    const f64 y0 = fma(x, fma(x, 0.11685672, -0.72241992), 1.4777325);
    const f64 y1 = fma(y0, fma(-x, y0, 1.0), y0);
    const f64 y2 = fma(y1, fma(-x, y1, 1.0), y1);
    const f64 y3 = fma(y2, fma(-x, y2, 1.0), y2);
    return y3;
}

// log(x) of positive finite x, and its tail.
DEVICE f64 xr_log_pair_f64(const f64 x, f64 *tail)
{
    const f64 k = xr_log_exponent_f64(x);
    const f64 f = xr_log_fraction_f64(x);
    // s = f / (2 + f), its cube and two thirds of that, each with its tail.
    const f64 denominator = 2.0 + f;
    const f64 denominator_tail = f - (denominator - 2.0);
    const f64 inverse = xr_inverse_of_two_f64(denominator);
    const f64 s = f * inverse;
    const f64 remainder = fma(-s, denominator_tail, fma(-s, denominator, f));
    const f64 s_tail = remainder * inverse;
    const f64 z = s * s;
    const f64 z_tail = fma(s + s, s_tail, xr_product_tail_f64(s, s));
    const f64 cube = z * s;
    const f64 cube_tail = fma(z, s_tail, fma(z_tail, s, xr_product_tail_f64(z, s)));
    const f64 cubic = cube * 0.6666666666666666;
    const f64 cubic_tail = fma(cube, 3.700743415417188e-17,
        fma(cube_tail, 0.6666666666666666, xr_product_tail_f64(cube, 0.6666666666666666)));
    const f64 w = z * z;
    const f64 even = fma(w, fma(w, fma(w, 0.11675842619415142, 0.1538455850510659),
        0.22222222217797377), 0.3999999999999998);
    const f64 odd = fma(w, fma(w, fma(w, 0.1198123706963565, 0.13336261479169914),
        0.18181818842930494), 0.2857142857144382);
    const f64 quintic = (cube * z) * fma(z, odd, even);
    const f64 main_part = k * 0.6931471805598903;
    const f64 linear = main_part + 2.0 * s;
    const f64 linear_tail = 2.0 * s - (linear - main_part);
    const f64 sum = linear + cubic;
    const f64 sum_tail = cubic - (sum - linear);
    const f64 low = (linear_tail + sum_tail)
        + ((2.0 * s_tail + cubic_tail) + fma(k, 5.497923018708371e-14, quintic));
    const f64 high = sum + low;
    *tail = low - (high - sum);
    return high;
}

// exp(x + tail) as (high + low) 2^power, for a power that u64 holds by wrapping around.
DEVICE f64 xr_exp_parts_f64(const f64 x, const f64 tail, f64 *low, u64 *power)
{
    const f64 shifted = fma(x, 1.4426950408889634, 6755399441055744.0);
    const f64 n = shifted - 6755399441055744.0;
    const f64 r_high = fma(n, -0.6931471805598903, x);
    const f64 r_low = fma(n, 5.497923018708371e-14, -tail);
    const f64 r = r_high - r_low;
    const f64 rest = (r_high - r) - r_low;
    const f64 z = r * r;
    const f64 even = fma(z, fma(z, fma(z, fma(z, 2.511287814390114e-08, 2.7557232300282243e-06),
        0.00019841269899130586), 0.008333333333315832), 0.16666666666666685);
    const f64 odd = fma(z, fma(z, fma(z, fma(z, 2.091995803458595e-09, 2.7557257990855476e-07),
        2.4801587341650906e-05), 0.0013888888888877167), 0.04166666666666668);
    const f64 cubic = (r * z) * fma(r, odd, even);
    const f64 linear = 1.0 + r;
    const f64 linear_tail = r - (linear - 1.0);
    const f64 high = linear + 0.5 * z;
    const f64 high_tail = 0.5 * z - (high - linear);
    *low = (linear_tail + high_tail)
        + (cubic + (0.5 * xr_product_tail_f64(r, r) + fma(r, rest, rest)));
    *power = xr_bits_f64(shifted) - 0x4338000000000000ul;
    return high;
}

// exp(x + tail).
DEVICE f64 xr_exp_pair_f64(const f64 x, const f64 tail)
{
    f64 low = 0.0;
    u64 power = 0ul;
    const f64 high = xr_exp_parts_f64(x, tail, &low, &power);
    return xr_scale_f64(high + low, power);
}

// Where nothing overflows or is subnormal, on the way either, and x > 0.
DEVICE u64 xr_pow_is_near_f64(const f64 x, const f64 y)
{
    return (x >= 7.888609052210118e-31) & (x <= 1.2676506002282294e30) & (xr_magnitude_f64(y) <= 10.0);
}

// x^y as C99 Annex F.9.4.4 has it. Beyond y_limit every power of x != 1 overflows or underflows.
DEVICE f64 xr_pow_f64(const f64 x, const f64 y)
{
#if !XR_CHUNKED // a CPU's vectors would do both
    if (xr_pow_is_near_f64(x, y)) {
        return xr_pow_near_f64(x, y);
    }
#endif
    const f64 magnitude = xr_magnitude_f64(x);
    const u64 is_ordinary = (magnitude > 0.0) & (magnitude < xr_infinity_f64);
    const f64 y_limit = 1.1805916207174113e21;
    const f64 y_above = y < -y_limit ? -y_limit : y;
    const f64 exponent = y_above > y_limit ? y_limit : y_above;
    f64 log_tail = 0.0;
    const f64 log_x = xr_log_pair_f64(is_ordinary ? magnitude : 1.0, &log_tail);
    const f64 product = log_x * exponent;
    const f64 product_tail = fma(log_tail, exponent, xr_product_tail_f64(log_x, exponent));
    const f64 above = product < -746.0 ? -746.0 : product;
    const f64 clamped = above > 710.0 ? 710.0 : above;
    const f64 tail = clamped == product ? product_tail : 0.0;
    const f64 power = xr_exp_pair_f64(clamped, tail);

    // Moved to where the unit is the last bit, an integer shows its parity there.
    const f64 y_size = xr_magnitude_f64(y);
    const f64 y_moved = y_size < 4503599627370496.0 ? y_size + 4503599627370496.0 : y_size;
    const u64 is_integer = (y_size >= 4503599627370496.0) | (y_moved - 4503599627370496.0 == y_size);
    const u64 is_odd = is_integer & (y_size < 9007199254740992.0) & (xr_bits_f64(y_moved) & 1ul);
    // Zero and infinity: x^y is 0 or infinity.
    const u64 is_growing = (magnitude > 1.0) == (y > 0.0);
    const f64 extreme = is_growing ? xr_infinity_f64 : 0.0;
    const f64 size = is_ordinary ? power : extreme;
    const u64 sign = is_odd ? xr_bits_f64(x) & (1ul << 63) : 0ul;
    const f64 signed_size = xr_from_bits_f64(xr_bits_f64(size) | sign);
    const f64 real = ((x < 0.0) & is_ordinary & !is_integer) ? xr_nan_f64 : signed_size;
    const f64 number = ((x != x) | (y != y)) ? x + y : real;
    return ((x == 1.0) | (y == 0.0)) ? 1.0 : number;
}

// x^y where xr_pow_is_near holds, with the bits of xr_pow; and one that notes where it does not.
DEVICE T xr_pow_near_T(const T x, const T y)
{
    T log_tail = (T)0.0f;
    const T log_x = xr_log_pair_T(x, &log_tail);
    const T product = log_x * y;
    const T tail = fma(log_tail, y, xr_product_tail_T(log_x, y));
    T low = (T)0.0f;
    U power = (U)0;
    const T high = xr_exp_parts_T(product, tail, &low, &power);
    const U exponent = power + (U)(sizeof(T) == 4 ? 127 : 1023);
    return (high + low) * xr_from_bits_T(exponent << (sizeof(T) == 4 ? 23 : 52));
}

DEVICE T xr_pow_seen_T(U *const far, const T x, const T y)
{
    *far |= !xr_pow_is_near_T(x, y);
    return xr_pow_near_T(x, y);
}

DEVICE f64 xr_hypot_f64(const f64 x1, const f64 x2)
{
    const f64 size1 = xr_magnitude_f64(x1);
    const f64 size2 = xr_magnitude_f64(x2);
    const f64 larger = size1 > size2 ? size1 : size2;
    const f64 smaller = size1 > size2 ? size2 : size1;
    const u64 is_big = larger > 1.0e150;
    const u64 is_small = larger < 1.0e-150;
    const f64 scale = is_big ? 2.409919865102884e-181 : is_small ? 4.149515568880993e+180 : 1.0;
    const f64 unscale = is_big ? 4.149515568880993e+180 : is_small ? 2.409919865102884e-181 : 1.0;
    const f64 a = larger * scale;
    const f64 b = smaller * scale;
    const f64 square = a * a;
    const f64 sum = square + b * b;
    const f64 sum_tail = (b * b - (sum - square))
        + (xr_product_tail_f64(a, a) + xr_product_tail_f64(b, b));
    const f64 root = sqrt(sum);
    const f64 remainder = fma(-root, root, sum) + sum_tail;
    const f64 y = (root + remainder / (root + root)) * unscale;
    const f64 nonzero = larger == 0.0 ? larger : y;
    const f64 number = ((x1 != x1) | (x2 != x2)) ? x1 + x2 : nonzero;
    return ((size1 == xr_infinity_f64) | (size2 == xr_infinity_f64)) ? xr_infinity_f64 : number;
}

// log(e^x1 + e^x2) = larger + log1p(e^d), d = smaller - larger and its rounding error. Where the
// two terms cancel (a result near 0), the error is relative to the larger operand.
DEVICE f64 xr_logaddexp_f64(const f64 x1, const f64 x2)
{
    const f64 larger = x1 > x2 ? x1 : x2;
    const f64 smaller = x1 > x2 ? x2 : x1;
    const f64 gap = smaller - larger;
    const f64 difference = x1 == x2 ? 0.0 : gap;
    const f64 gap_tail = xr_sum_tail_f64(smaller, -larger);
    const f64 tail = xr_magnitude_f64(gap) < xr_infinity_f64 ? gap_tail : 0.0;
    const f64 ratio = xr_exp_f64(difference);
    const f64 growth = xr_log1p_sum_f64(0.0, ratio, 0.0);
    const f64 corrected = growth + ratio / (1.0 + ratio) * tail;
    return ((x1 != x1) | (x2 != x2)) ? x1 + x2 : larger + corrected;
}
