// Floating-point functions of C that no row of xarr's tables computes: a program's own C calls them.
#ifndef XR_ASSEMBLED
#include <math.h>
#define DEVICE static inline
typedef float T;
T xr_magnitude_T(T);
T xr_with_sign_T(T, T);
T xr_fmod_T(T, T);
#define xr_nan_T NAN
#define xr_infinity_T INFINITY
#endif

// The positive difference.
DEVICE T xr_fdim_T(const T x, const T y)
{
    return x != x ? x : y != y ? y : x > y ? x - y : (T)0.0f;
}

// x - n * y for the integer n nearest to x / y, halves to even: IEEE 754's remainder, exactly. The
// rest by twice y tells whether n is odd; halves of tiny numbers are compared by their doubles.
DEVICE T xr_ieee_remainder_T(const T x, const T y)
{
    const T unit = xr_magnitude_T(y);
    const T twice = unit + unit;
    const T size = xr_magnitude_T(x);
    const int is_special = (y == (T)0.0f) | (x - x != (T)0.0f) | (y != y);
    const T rest = is_special | (twice >= xr_infinity_T) ? size : xr_fmod_T(size, twice);
    const T half_unit = (T)0.5f * unit;
    const int is_tiny = twice + twice < (T)1e-30f;
    const int is_more = is_tiny ? rest + rest > unit : rest > half_unit;
    const T once = is_more ? rest - unit : rest;
    const int is_still = is_tiny ? once + once >= unit : once >= half_unit;
    const T found = is_more & is_still ? once - unit : once;
    return is_special ? xr_nan_T : xr_with_sign_T((T)1.0f, x) * found;
}
