// Real floating-point scalar functions, generic in T = f32 f64.
// U and I are the unsigned and the signed integer of T's width.
// floor, ceil, trunc, rint, fabs, copysign and sqrt are exact built-ins: no function here.
#ifndef XR_ASSEMBLED
#include <math.h>
#define DEVICE static inline
typedef unsigned int u32;
typedef float T;
typedef unsigned int U;
typedef int I;
U xr_bits_T(T x);
T xr_from_bits_T(U x);
#endif

DEVICE T xr_reciprocal_T(const T x)
{
    return (T)1.0f / x;
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
    const T unequal = x > y || x != x ? x : y;
    return x == y ? xr_from_bits_T(xr_bits_T(x) & xr_bits_T(y)) : unequal;
}

DEVICE T xr_minimum_T(const T x, const T y)
{
    const T unequal = x < y || x != x ? x : y;
    return x == y ? xr_from_bits_T(xr_bits_T(x) | xr_bits_T(y)) : unequal;
}

DEVICE T xr_nextafter_T(const T x, const T y)
{
    const U bits = xr_bits_T(x);
    const U sign_mask = (U)1 << (8 * sizeof(T) - 1);
    const int outward = (y > x) == (x > (T)0.0f);
    const U from_zero = (xr_bits_T(y) & sign_mask) | (U)1;
    const U stepped = outward ? bits + (U)1 : bits - (U)1;
    const T next = xr_from_bits_T(x == (T)0.0f ? from_zero : stepped);
    return x != x || y != y ? x + y : x == y ? y : next;
}

// x - trunc(x / y) * y without rounding, whatever the ratio: long division of the significands,
// as many bits at a time as fit in U.
DEVICE T xr_fmod_T(const T x, const T y)
{
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
    return y == (T)0.0f || rest != rest ? rest : rest == (T)0.0f ? copysign((T)0.0f, y) : folded;
}

DEVICE T xr_floor_divide_T(const T x, const T y)
{
    const T rest = xr_fmod_T(x, y);
    const int fold = rest != (T)0.0f && (y < (T)0.0f) != (rest < (T)0.0f);
    const T exact = (x - rest) / y;
    const T quotient = fold ? exact - (T)1.0f : exact;
    const T below = floor(quotient);
    // (x - rest) / y is an integer but for its rounding: take the nearest.
    const T nearest = quotient - below > (T)0.5f ? below + (T)1.0f : below;
    const T zero = copysign((T)0.0f, x / y);
    // The standard's special cases: an infinite operand gives what true division does.
    const int special = y == (T)0.0f || x - x != (T)0.0f || y - y != (T)0.0f;
    return special ? x / y : quotient == (T)0.0f ? zero : nearest;
}
