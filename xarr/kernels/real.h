// Real floating-point scalar functions, generic in T = f32 f64.
// U and I are the unsigned and the signed integer of T's width.
// floor, ceil, trunc, rint, fabs, copysign and sqrt are exact built-ins: no function here.
#ifndef XR_ASSEMBLED
#include <math.h>
#define DEVICE static inline
#define GLOBAL
typedef unsigned int u32;
typedef float T;
typedef unsigned int U;
typedef int I;
U xr_bits_T(T x);
T xr_from_bits_T(U x);
U XR_CAS_U(volatile U *p, U seen, U next);
#endif

DEVICE T xr_reciprocal_T(const T x)
{
    return (T)1.0f / x;
}

// 1 / sqrt(x) in two roundings, so at most one unit of the last place off; -inf at -0.
DEVICE T xr_rsqrt_T(const T x)
{
    return (T)1.0f / sqrt(x);
}

// C's round: halves away from zero, where rint takes them to even. x keeps the sign of a zero.
DEVICE T xr_round_T(const T x)
{
    const T whole = trunc(x);
    const T away = xr_magnitude_T(x - whole) >= (T)0.5f ? (T)1.0f : (T)0.0f;
    return xr_with_sign_T(xr_magnitude_T(whole) + away, x);
}

// Powers with exponents that programs write, with pow's special values: -inf has no root, -0 is 0.
DEVICE T xr_cube_T(const T x)
{
    const T square = x * x;
    return square * x;
}

DEVICE T xr_pow_three_halves_T(const T x)
{
    const T root = sqrt(x);
    return (x < (T)0.0f) & (x == x + x) ? -x : x * root;
}

DEVICE T xr_pow_minus_half_T(const T x)
{
    const T root = sqrt(x + (T)0.0f);
    return (x < (T)0.0f) & (x == x + x) ? (T)0.0f : (T)1.0f / root;
}

DEVICE T xr_pow_minus_three_halves_T(const T x)
{
    const T positive = x + (T)0.0f;
    const T root = sqrt(positive);
    const T inverse = (T)1.0f / root;
    return (x < (T)0.0f) & (x == x + x) ? (T)0.0f : inverse / positive;
}

// Both zeros give +0; NaN stays (OpenCL's sign(NaN) is 0).
DEVICE T xr_sign_T(const T x)
{
    return x > (T)0.0f ? (T)1.0f : x < (T)0.0f ? (T)-1.0f : x == (T)0.0f ? (T)0.0f : x;
}

DEVICE int xr_signbit_T(const T x)
{
    return (int)(xr_bits_T(x) >> (8 * sizeof(T) - 1));
}

// NaN propagates, and +0 is greater than -0 in whichever order they come, so that a reduction
// has the same bits in any order.
DEVICE T xr_maximum_T(const T x, const T y)
{
    const T unequal = ((x > y) | (x != x)) ? x : y;
    return x == y ? xr_from_bits_T(xr_bits_T(x) & xr_bits_T(y)) : unequal;
}

DEVICE T xr_minimum_T(const T x, const T y)
{
    const T unequal = ((x < y) | (x != x)) ? x : y;
    return x == y ? xr_from_bits_T(xr_bits_T(x) | xr_bits_T(y)) : unequal;
}

// Make p point to the larger of x and what it points to, or to the smaller, which other items change
// as well. In any order this comes to the same bits, but for those of a NaN.
DEVICE void xr_extreme_at_T(GLOBAL T *const p, const T x, const int is_largest)
{
    U seen = xr_bits_T(*p);
    for (;;) {
        const U before = seen;
        const T there = xr_from_bits_T(before);
        const U next = xr_bits_T(is_largest ? xr_maximum_T(there, x) : xr_minimum_T(there, x));
        if (next == before) {
            return;
        }
        seen = XR_CAS_U((volatile GLOBAL U *)p, before, next);
        if (seen == before) {
            return;
        }
    }
}

DEVICE T xr_nextafter_T(const T x, const T y)
{
    const U bits = xr_bits_T(x);
    const U sign_mask = (U)1 << (8 * sizeof(T) - 1);
    const int outward = (y > x) == (x > (T)0.0f);
    const U from_zero = (xr_bits_T(y) & sign_mask) | (U)1;
    const U stepped = outward ? bits + (U)1 : bits - (U)1;
    const T next = xr_from_bits_T(x == (T)0.0f ? from_zero : stepped);
    return ((x != x) | (y != y)) ? x + y : x == y ? y : next;
}

// Whether T holds the quotient of two magnitudes, with bits to spare.
DEVICE int xr_holds_quotient_T(const T size, const T unit)
{
    const T most = sizeof(T) == 4 ? (T)4194304.0f : (T)2251799813685248.0f;
    return (size < unit * most) & (unit < xr_infinity_T);
}

// x - trunc(x / y) * y without rounding. A quotient that T holds is at most one off, and what is
// left then is exact; else it is long division of the significands, as many bits at a time as fit
// in U.
DEVICE T xr_fmod_T(const T x, const T y)
{
    const T size = xr_magnitude_T(x);
    const T unit = xr_magnitude_T(y);
    if (xr_holds_quotient_T(size, unit)) {
        const T near = fma(-trunc(size / unit), unit, size);
        const T above = near < (T)0.0f ? near + unit : near;
        return xr_with_sign_T(above >= unit ? above - unit : above, x);
    }
    const int digits = sizeof(T) == 4 ? 23 : 52;
    const int step = (int)(8 * sizeof(T)) - digits - 1;
    const U sign_mask = (U)1 << (8 * sizeof(T) - 1);
    const U one = (U)1 << digits;
    const U sign = xr_bits_T(x) & sign_mask;
    const U a = xr_bits_T(x) & ~sign_mask;
    const U b = xr_bits_T(y) & ~sign_mask;
    const U infinite = ~sign_mask & ~(one - (U)1);
    if (a >= infinite || b > infinite || b == (U)0) {
        return (x * y) / (x * y);
    }
    if (a < b) {
        return x;
    }
    // Subnormal numbers have the exponent of the smallest normal ones and no leading one.
    int exponent = (int)(a >> digits);
    int goal = (int)(b >> digits);
    U rest = (a & (one - (U)1)) | (exponent > 0 ? one : (U)0);
    const U divisor = (b & (one - (U)1)) | (goal > 0 ? one : (U)0);
    exponent = exponent > 0 ? exponent : 1;
    goal = goal > 0 ? goal : 1;
    rest = rest % divisor;
    while (exponent > goal && rest != (U)0) {
        const int shift = exponent - goal < step ? exponent - goal : step;
        rest = (rest << shift) % divisor;
        exponent -= shift;
    }
    // rest is below divisor, so its value in units of y's last place is at most y's significand.
    if (rest == (U)0) {
        return xr_from_bits_T(sign);
    }
    int place = goal;
    while (place > 1 && rest < one) {
        rest = rest << 1;
        place -= 1;
    }
    const U magnitude = rest >= one ? (rest - one) + ((U)place << digits) : rest;
    return xr_from_bits_T(sign | magnitude);
}

// NumPy's and Python's rule: the sign of the divisor, and x == y * (x // y) + x % y as nearly as
// rounding allows. An infinite dividend gives NaN in both.
DEVICE T xr_remainder_T(const T x, const T y)
{
    const T rest = xr_fmod_T(x, y);
    const T folded = (y < (T)0.0f) != (rest < (T)0.0f) ? rest + y : rest;
    return ((y == (T)0.0f) | (rest != rest)) ? rest : rest == (T)0.0f ? copysign((T)0.0f, y) : folded;
}

DEVICE T xr_floor_divide_T(const T x, const T y)
{
    const T size = xr_magnitude_T(x);
    const T unit = xr_magnitude_T(y);
    // As in fmod: a quotient that T holds is at most one off, and what is left tells.
    if (xr_holds_quotient_T(size, unit)) {
        const T about = trunc(size / unit);
        const T left = fma(-about, unit, size);
        const T whole = about - (T)(left < (T)0.0f) + (T)(left >= unit);
        const int between = (left != (T)0.0f) & (left != unit) & (left != -unit);
        const int opposite = xr_signbit_T(x) != xr_signbit_T(y);
        const T quotient = whole + (T)(opposite & between);
        return opposite ? -quotient : quotient;
    }
    const T rest = xr_fmod_T(x, y);
    const int fold = (rest != (T)0.0f) & ((y < (T)0.0f) != (rest < (T)0.0f));
    const T exact = (x - rest) / y;
    const T quotient = fold ? exact - (T)1.0f : exact;
    const T below = floor(quotient);
    // (x - rest) / y is an integer but for its rounding: take the nearest.
    const T nearest = quotient - below > (T)0.5f ? below + (T)1.0f : below;
    const T zero = copysign((T)0.0f, x / y);
    // The standard's special cases: an infinite operand gives what true division does.
    const int special = (y == (T)0.0f) | (x - x != (T)0.0f) | (y - y != (T)0.0f);
    return special ? x / y : quotient == (T)0.0f ? zero : nearest;
}

// A number is preferred to NaN, and +0 to -0.
DEVICE T xr_fmax_T(const T x, const T y)
{
    return x != x ? y : y != y ? x : xr_maximum_T(x, y);
}

DEVICE T xr_fmin_T(const T x, const T y)
{
    return x != x ? y : y != y ? x : xr_minimum_T(x, y);
}

DEVICE T xr_heaviside_T(const T x, const T at_zero)
{
    const T step = x < (T)0.0f ? (T)0.0f : (T)1.0f;
    return x != x ? x : x == (T)0.0f ? at_zero : step;
}

// x times 2 to the power of the integer n, rounded once: of the steps down, which keep a bit more
// than the significand has, only the last one rounds.
DEVICE T xr_ldexp_T(const T x, const T n)
{
    const int digits = sizeof(T) == 4 ? 23 : 52;
    const int bias = sizeof(T) == 4 ? 127 : 1023;
    const T furthest = (T)8192.0f;
    const T near = n > furthest ? furthest : n < -furthest ? -furthest : n == n ? n : (T)0.0f;
    int power = (int)near;
    const int stride = bias - digits - 2;
    const T up = xr_from_bits_T((U)(2 * bias) << digits);
    const T down = xr_from_bits_T((U)(digits + 2) << digits);
    T y = x;
    for (int step = 0; step < 2; ++step) {
        y *= power > bias ? up : power < 1 - bias ? down : (T)1.0f; // a branch would be no vector
        power = power > bias ? power - bias : power < 1 - bias ? power + stride : power;
    }
    power = power > bias ? bias : power < 1 - bias ? 1 - bias : power;
    return y * xr_from_bits_T((U)(bias + power) << digits);
}

// The exponent e of x = m * 2**e with 0.5 <= |m| < 1; 0 where there is none.
DEVICE T xr_exponent_T(const T x)
{
    const int digits = sizeof(T) == 4 ? 23 : 52;
    const int bias = sizeof(T) == 4 ? 127 : 1023;
    const T large = fabs(x) * (T)18014398509481984.0f;
    const int tiny = fabs(x) < xr_from_bits_T((U)1 << digits);
    const U magnitude = xr_bits_T(tiny ? large : fabs(x));
    const int exponent = (int)(magnitude >> digits) - bias + 1 - (tiny ? 54 : 0);
    return ((x == (T)0.0f) | (x - x != (T)0.0f)) ? (T)0.0f : (T)exponent;
}

DEVICE T xr_significand_T(const T x)
{
    const int digits = sizeof(T) == 4 ? 23 : 52;
    const U of_half = (U)(sizeof(T) == 4 ? 126 : 1022) << digits;
    const int tiny = fabs(x) < xr_from_bits_T((U)1 << digits);
    const U bits = xr_bits_T(tiny ? x * (T)18014398509481984.0f : x);
    const U below = ((U)1 << digits) - 1;
    const U sign = (U)1 << (sizeof(T) * 8 - 1);
    const T found = xr_from_bits_T((bits & (below | sign)) | of_half);
    return ((x == (T)0.0f) | (x - x != (T)0.0f)) ? x : found;
}

// What is left of x without its whole part, with the sign of x; 0 of infinity.
DEVICE T xr_modf_T(const T x)
{
    const T rest = fabs(x) == xr_infinity_T ? (T)0.0f : x - trunc(x);
    return copysign(rest, x);
}

// How far the next number away from 0 is, with the sign of x.
DEVICE T xr_spacing_T(const T x)
{
    const T next = xr_from_bits_T(xr_bits_T(fabs(x)) + (U)1);
    const T distance = next - fabs(x);
    return x - x != (T)0.0f ? x - x : x == (T)0.0f ? distance : copysign(distance, x);
}

DEVICE f32 xr_deg2rad_f32(const f32 x)
{
    return x * 0.017453292519943295f;
}

DEVICE f64 xr_deg2rad_f64(const f64 x)
{
    return x * 0.017453292519943295;
}

DEVICE f32 xr_rad2deg_f32(const f32 x)
{
    return x * 57.29577951308232f;
}

DEVICE f64 xr_rad2deg_f64(const f64 x)
{
    return x * 57.29577951308232;
}

// Halley's iteration, cubic; at a quarter of their size the powers of the root do not overflow.
DEVICE T xr_cbrt_step_T(const T root, const T quarter)
{
    const T square = (T)0.25f * root * root;
    const T cube = square * root;
    return root + root * (fma(-square, root, quarter) / (cube + (quarter + cube)));
}

// From an estimate that divides the exponent by 3 in the high bits, within 4 %. Tiny numbers are
// scaled by 2^102, so that no difference underflows.
DEVICE T xr_cbrt_T(const T x)
{
    const int digits = sizeof(T) == 4 ? 23 : 52;
    const int low_bits = sizeof(T) == 4 ? 0 : 32;
    const u32 bias = sizeof(T) == 4 ? 709921077u : 715094163u;
    const T magnitude = xr_magnitude_T(x);
    const int tiny = magnitude < xr_from_bits_T((U)64 << digits);
    const T y = tiny ? magnitude * (T)5070602400912917605986812821504.0f : magnitude;
    const u32 third = (u32)(xr_bits_T(y) >> low_bits) / 3u;
    const T first = xr_from_bits_T((U)(third + bias) << low_bits);
    const T second = xr_cbrt_step_T(xr_cbrt_step_T(first, (T)0.25f * y), (T)0.25f * y);
    const T root = sizeof(T) == 4 ? second : xr_cbrt_step_T(second, (T)0.25f * y);
    const T scaled = tiny ? root * (T)5.820766091346741e-11f : root;
    return ((x == (T)0.0f) | (magnitude >= xr_infinity_T) | (x != x)) ? x : xr_with_sign_T(scaled, x);
}

// The fraction's power, at most sqrt(2), scaled by the integer's: whole powers are exact.
DEVICE f32 xr_exp2_f32(const f32 x)
{
    const f32 above = x < -252.0f ? -252.0f : x;
    const f32 clamped = above > 254.0f ? 254.0f : above;
    const f32 shifted = clamped + 12582912.0f;
    const f32 fraction = clamped - (shifted - 12582912.0f);
    const f32 y = xr_exp_f32(fraction * 0.6931472f);
    return x != x ? x : xr_scale_f32(y, xr_bits_f32(shifted) - 0x4b400000u);
}

DEVICE f64 xr_exp2_f64(const f64 x)
{
    const f64 above = x < -2044.0 ? -2044.0 : x;
    const f64 clamped = above > 2046.0 ? 2046.0 : above;
    const f64 shifted = clamped + 6755399441055744.0;
    const f64 fraction = clamped - (shifted - 6755399441055744.0);
    const f64 y = xr_exp_f64(fraction * 0.6931471805599453);
    return x != x ? x : xr_scale_f64(y, xr_bits_f64(shifted) - 0x4338000000000000ul);
}

// log2(2^x1 + 2^x2) = larger + log2(1 + 2^d), d = smaller - larger and its rounding error.
DEVICE f32 xr_logaddexp2_f32(const f32 x1, const f32 x2)
{
    const f32 larger = x1 > x2 ? x1 : x2;
    const f32 smaller = x1 > x2 ? x2 : x1;
    const f32 gap = smaller - larger;
    const f32 difference = x1 == x2 ? 0.0f : gap;
    const f32 gap_tail = xr_sum_tail_f32(smaller, -larger);
    const f32 tail = xr_magnitude_f32(gap) < xr_infinity_f32 ? gap_tail : 0.0f;
    const f32 ratio = xr_exp2_f32(difference);
    const f32 growth = xr_log1p_f32(ratio) * 1.442695f;
    const f32 corrected = growth + ratio / (1.0f + ratio) * tail;
    return ((x1 != x1) | (x2 != x2)) ? x1 + x2 : larger + corrected;
}

DEVICE f64 xr_logaddexp2_f64(const f64 x1, const f64 x2)
{
    const f64 larger = x1 > x2 ? x1 : x2;
    const f64 smaller = x1 > x2 ? x2 : x1;
    const f64 gap = smaller - larger;
    const f64 difference = x1 == x2 ? 0.0 : gap;
    const f64 gap_tail = xr_sum_tail_f64(smaller, -larger);
    const f64 tail = xr_magnitude_f64(gap) < xr_infinity_f64 ? gap_tail : 0.0;
    const f64 ratio = xr_exp2_f64(difference);
    const f64 growth = xr_log1p_f64(ratio) * 1.4426950408889634;
    const f64 corrected = growth + ratio / (1.0 + ratio) * tail;
    return ((x1 != x1) | (x2 != x2)) ? x1 + x2 : larger + corrected;
}
