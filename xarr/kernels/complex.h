// Complex scalar functions, generic in T = f32 f64 and C = c64 c128, the struct {T re, im;}.
// U and I are the unsigned and the signed integer of T's width.
//
// Special values are those of the Array API standard 2025.12 (C99, Annex G). add, subtract,
// multiply, divide and reciprocal do NumPy's operations in NumPy's order, as it does them without
// fused multiply-add. Powers that are not small integers are exp(w log(z)),
// whose relative error grows with |w log(z)|. The real part of expm1 is accurate relative to
// |expm1(z)|: it vanishes on the curve exp(a) cos(b) = 1 too, not only at 0.
// sin, tan, asinh and atan are their counterparts with the parts of operand and result exchanged:
// if f(b + ia) = p + iq, then -i f(i(a + ib)) = q + ip for these odd functions.
#ifndef XR_ASSEMBLED
#include <math.h>
#define DEVICE static inline
typedef unsigned int u32;
typedef float T;
typedef unsigned int U;
typedef int I;
typedef struct { T re, im; } C;
extern const T xr_infinity_T, xr_nan_T;
U xr_bits_T(T x);
T xr_from_bits_T(U x);
T xr_exp_T(T x), xr_exp2_T(T x), xr_expm1_T(T x), xr_log_T(T x), xr_log1p_T(T x), xr_atan2_T(T y, T x);
T xr_sin_T(T x), xr_cos_T(T x), xr_tan_T(T x), xr_sinh_T(T x), xr_cosh_T(T x), xr_tanh_T(T x);
T xr_hypot_T(T x, T y);
#endif

DEVICE C xr_complex_C(const T re, const T im)
{
    C z;
    z.re = re;
    z.im = im;
    return z;
}

DEVICE C xr_exchange_C(const C z)
{
    return xr_complex_C(z.im, z.re);
}

DEVICE C xr_conj_C(const C z)
{
    return xr_complex_C(z.re, -z.im);
}

DEVICE C xr_negative_C(const C z)
{
    return xr_complex_C(-z.re, -z.im);
}

DEVICE C xr_round_C(const C z)
{
    return xr_complex_C(rint(z.re), rint(z.im));
}

DEVICE int xr_equal_C(const C x, const C y)
{
    return (x.re == y.re) & (x.im == y.im);
}

DEVICE int xr_not_equal_C(const C x, const C y)
{
    return (x.re != y.re) | (x.im != y.im);
}

// Whether x is greater: numbers go by their real parts, and where those are equal by the imaginary
// ones, as in NumPy.
DEVICE int xr_exceeds_C(const C x, const C y)
{
    return (x.re > y.re) | ((x.re == y.re) & (x.im > y.im));
}

// As NumPy orders them; an imaginary part that is NaN compares with nothing.
DEVICE int xr_less_C(const C x, const C y)
{
    return ((x.re < y.re) & (x.im == x.im) & (y.im == y.im)) | ((x.re == y.re) & (x.im < y.im));
}

DEVICE int xr_less_equal_C(const C x, const C y)
{
    return ((x.re < y.re) & (x.im == x.im) & (y.im == y.im)) | ((x.re == y.re) & (x.im <= y.im));
}

// A number is NaN where a part is. NaN propagates, of two the first; so does the first of two equal
// numbers, whose zeros may have other signs.
DEVICE C xr_maximum_C(const C x, const C y)
{
    return (xr_isnan_C(x) | (!xr_isnan_C(y) & !xr_exceeds_C(y, x))) ? x : y;
}

DEVICE C xr_minimum_C(const C x, const C y)
{
    return (xr_isnan_C(x) | (!xr_isnan_C(y) & !xr_exceeds_C(x, y))) ? x : y;
}

// A number is preferred to NaN; of two NaN the first is taken.
DEVICE C xr_fmax_C(const C x, const C y)
{
    return (xr_isnan_C(y) | (!xr_isnan_C(x) & !xr_exceeds_C(y, x))) ? x : y;
}

DEVICE C xr_fmin_C(const C x, const C y)
{
    return (xr_isnan_C(y) | (!xr_isnan_C(x) & !xr_exceeds_C(x, y))) ? x : y;
}

// NaN counts as true, as in NumPy.
DEVICE int xr_nonzero_C(const C z)
{
    return (z.re != (T)0.0f) | (z.im != (T)0.0f);
}

DEVICE int xr_isnan_C(const C z)
{
    return (z.re != z.re) | (z.im != z.im);
}

DEVICE int xr_isinf_C(const C z)
{
    return (fabs(z.re) == xr_infinity_T) | (fabs(z.im) == xr_infinity_T);
}

DEVICE int xr_isfinite_C(const C z)
{
    return (fabs(z.re) < xr_infinity_T) & (fabs(z.im) < xr_infinity_T);
}

DEVICE C xr_add_C(const C x, const C y)
{
    return xr_complex_C(x.re + y.re, x.im + y.im);
}

DEVICE C xr_subtract_C(const C x, const C y)
{
    return xr_complex_C(x.re - y.re, x.im - y.im);
}

DEVICE C xr_multiply_C(const C x, const C y)
{
    return xr_complex_C(
        ROUNDED(x.re * y.re) - ROUNDED(x.im * y.im), ROUNDED(x.re * y.im) + ROUNDED(x.im * y.re));
}

DEVICE C xr_square_C(const C z)
{
    return xr_multiply_C(z, z);
}

// Smith's algorithm (Communications of the ACM 5, 1962, algorithm 116). Exchanging the parts of
// y, and those of x with a sign, turns the case |y.re| < |y.im| into the other one.
DEVICE C xr_divide_C(const C x, const C y)
{
    const int wide = fabs(y.re) >= fabs(y.im);
    const T major = wide ? y.re : y.im;
    const T minor = wide ? y.im : y.re;
    const T ratio = minor / major;
    const T scale = (T)1.0f / (major + minor * ratio);
    const T re_part = ROUNDED(x.re * ratio);
    const T im_part = ROUNDED(x.im * ratio);
    const T re = wide ? x.re + im_part : re_part + x.im;
    const T im = wide ? x.im - re_part : im_part - x.re;
    const int zero = (major == (T)0.0f) & (minor == (T)0.0f);
    const T nothing = fabs(major);
    return xr_complex_C(zero ? x.re / nothing : re * scale, zero ? x.im / nothing : im * scale);
}

// 0 gives what 1/0 gives; elsewhere the conjugate of z gives the conjugate of the result.
DEVICE C xr_reciprocal_C(const C z)
{
    const int wide = fabs(z.re) >= fabs(z.im);
    const T major = wide ? z.re : z.im;
    const T minor = wide ? z.im : z.re;
    const T ratio = minor / major;
    const T size = major + minor * ratio;
    const T re = (wide ? (T)1.0f : ratio) / size;
    const T im = (wide ? -ratio : (T)-1.0f) / size;
    const int zero = (z.re == (T)0.0f) & (z.im == (T)0.0f);
    return xr_complex_C(zero ? xr_infinity_T : re, zero ? xr_nan_T : im);
}

DEVICE T xr_abs_C(const C z)
{
    return xr_hypot_T(z.re, z.im);
}

// 2^k, for k within the exponents of normal numbers.
DEVICE T xr_power_of_two_T(const int k)
{
    const int digits = sizeof(T) == 4 ? 23 : 52;
    const int bias = sizeof(T) == 4 ? 127 : 1023;
    return xr_from_bits_T((U)(k + bias) << digits);
}

DEVICE T xr_ln_2_T(void)
{
    return xr_from_bits_T((U)(sizeof(T) == 4 ? 0x3f317218 : 0x3fe62e42fefa39ef));
}

DEVICE T xr_half_pi_T(void)
{
    return xr_from_bits_T((U)(sizeof(T) == 4 ? 0x3fc90fdb : 0x3ff921fb54442d18));
}

// A factor that brings the larger part away from overflow and from subnormal numbers, or 1.
DEVICE T xr_rescale_C(const C z)
{
    const int reach = sizeof(T) == 4 ? 100 : 600;
    const T x = fabs(z.re);
    const T y = fabs(z.im);
    const T larger = x > y ? x : y;
    const T limit = xr_power_of_two_T(sizeof(T) == 4 ? 60 : 500);
    const T down = larger > limit ? xr_power_of_two_T(-reach) : (T)1.0f;
    return larger < (T)1.0f / limit ? xr_power_of_two_T(reach) : down;
}

// z/|z|; an infinite part leaves the direction of that part, two infinite parts none.
DEVICE C xr_sign_C(const C z)
{
    const T infinity = xr_infinity_T;
    const int huge_re = fabs(z.re) == infinity;
    const int huge_im = fabs(z.im) == infinity;
    const T one = (T)1.0f;
    // Below overflow is enough: a large factor would lose the smaller part.
    const T rescale = xr_rescale_C(z);
    const T scale = rescale < one ? (T)0.25f : rescale;
    // z.im - z.im is 0, or NaN for NaN.
    const T x = huge_re ? copysign(one, z.re) : huge_im ? z.re - z.re : z.re * scale;
    const T y = huge_im ? copysign(one, z.im) : huge_re ? z.im - z.im : z.im * scale;
    const T size = xr_hypot_T(x, y);
    const T poison = huge_re & huge_im ? xr_nan_T : size;
    const int zero = (z.re == (T)0.0f) & (z.im == (T)0.0f);
    return xr_complex_C(zero ? (T)0.0f : x / poison, zero ? (T)0.0f : y / poison);
}

// Kahan, "Branch cuts for complex elementary functions" (1987): only sums of positive numbers.
DEVICE C xr_sqrt_C(const C z)
{
    const T infinity = xr_infinity_T;
    // Even powers of two, whose roots are exact.
    const T scale = xr_rescale_C(z);
    const int half_reach = sizeof(T) == 4 ? 50 : 300;
    const T shrunk = scale > (T)1.0f ? xr_power_of_two_T(-half_reach) : (T)1.0f;
    const T restore = scale < (T)1.0f ? xr_power_of_two_T(half_reach) : shrunk;
    const T x = fabs(z.re * scale);
    const T root = sqrt((x + xr_hypot_T(x, z.im * scale)) * (T)0.5f) * restore;
    const T other = z.im / (root * (T)2.0f);
    const int left = z.re < (T)0.0f;
    const T re = left ? fabs(other) : root;
    const T im = left ? copysign(root, z.im) : other;
    if (z.re == (T)0.0f && z.im == (T)0.0f) {
        return xr_complex_C((T)0.0f, z.im);
    }
    if (fabs(z.im) == infinity) {
        return xr_complex_C(infinity, z.im);
    }
    // z.im - z.im is 0, or NaN for NaN.
    if (z.re == infinity) {
        return xr_complex_C(infinity, copysign(z.im - z.im, z.im));
    }
    if (z.re == -infinity) {
        return xr_complex_C(fabs(z.im - z.im), copysign(infinity, z.im));
    }
    return xr_complex_C(re, im);
}

// exp(a) * factor * scale without overflow before the product does.
DEVICE T xr_exp_times_T(const T a, const T factor, const T scale)
{
    const T limit = sizeof(T) == 4 ? (T)88.0f : (T)704.0f;
    if (!(a > limit) || a == xr_infinity_T) {
        return xr_exp_T(a) * factor * scale;
    }
    // A subnormal factor can take two steps, hence the third.
    const T over = a - limit;
    const T second = over > limit ? limit : over;
    return xr_exp_T(limit) * factor * scale * xr_exp_T(second) * xr_exp_T(over - second);
}

// Without branches, which keep loops from being vectorised. Beyond the limit it takes three steps
// so that nothing overflows before the product does: a subnormal sine takes two, hence the third.
DEVICE C xr_exp_C(const C z)
{
    const T limit = sizeof(T) == 4 ? (T)88.0f : (T)704.0f;
    const int real = z.im == (T)0.0f;
    const int endless = !(fabs(z.im) < xr_infinity_T);
    const T over = ((z.re > limit) & (z.re < xr_infinity_T) & !real) ? z.re - limit : (T)0.0f;
    const T second = over > limit ? limit : over;
    const T growth = xr_exp_T(over > (T)0.0f ? limit : z.re);
    const T more = xr_exp_T(second);
    const T most = xr_exp_T(over - second);
    const T re = growth * xr_cos_T(z.im) * more * most;
    const T im = growth * xr_sin_T(z.im) * more * most;
    const int nothing = endless & (z.re == -xr_infinity_T);
    const int unbounded = endless & (z.re == xr_infinity_T);
    return xr_complex_C(
        nothing ? (T)0.0f : unbounded ? z.re : re,
        real ? z.im : nothing ? (T)0.0f : unbounded ? xr_nan_T : im);
}

// exp(z ln 2), whose argument is rounded: off by about |z| units of the last place, as NumPy's.
DEVICE C xr_exp2_C(const C z)
{
    const T ln2 = xr_from_bits_T((U)(sizeof(T) == 4 ? 0x3f317218 : 0x3fe62e42fefa39ef));
    const C power = xr_exp_C(xr_complex_C(z.re * ln2, z.im * ln2));
    const int real = z.im == (T)0.0f;
    return xr_complex_C(real ? xr_exp2_T(z.re) : power.re, real ? z.im : power.im);
}

DEVICE C xr_expm1_C(const C z)
{
    if (z.im == (T)0.0f) {
        return xr_complex_C(z.re == (T)0.0f ? (T)0.0f : xr_expm1_T(z.re), z.im);
    }
    // exp(a) cos(b) - 1 = expm1(a) cos(b) + (cos(b) - 1); beyond exp(40), 1 is lost in rounding.
    const C power = xr_exp_C(z);
    const T half_sine = xr_sin_T(z.im * (T)0.5f);
    const T versine = (T)2.0f * half_sine * half_sine;
    const T re = xr_expm1_T(z.re) * xr_cos_T(z.im) - versine;
    const int plain = !(fabs(z.re) <= (T)40.0f);
    return xr_complex_C(plain ? power.re - (T)1.0f : re, power.im);
}

// x + y - sum, exactly, where sum is their rounded sum (Knuth).
DEVICE T xr_sum_error_T(const T x, const T y, const T sum)
{
    const T y_part = sum - x;
    return (x - (sum - y_part)) + (y - y_part);
}

// x^2 - square, exactly, where square is the rounded square (Dekker 1971); for |x| < 8.
DEVICE T xr_square_error_T(const T x, const T square)
{
    const T moved = (sizeof(T) == 4 ? (T)4097.0f : (T)134217729.0f) * x;
    const T high = moved - (moved - x);
    const T low = x - high;
    return ((high * high - square) + (T)2.0f * high * low) + low * low;
}

// c + x^2 + y^2 for |x|, |y| < 8, accurate where the terms cancel to far below their rounding.
DEVICE T xr_plus_squares_T(const T c, const T x, const T y)
{
    const T xx = x * x;
    const T yy = y * y;
    const T xx_error = xr_square_error_T(x, xx);
    const T yy_error = xr_square_error_T(y, yy);
    const T errors = xx_error + yy_error;
    const T first = c + xx;
    const T second = first + yy;
    const T third = second + errors;
    const T rest = xr_sum_error_T(c, xx, first) + xr_sum_error_T(first, yy, second);
    const T rest_errors = xr_sum_error_T(xx_error, yy_error, errors);
    return third + (xr_sum_error_T(second, errors, third) + rest + rest_errors);
}

// log|z|
DEVICE T xr_log_abs_C(const C z)
{
    if (xr_isinf_C(z)) {
        return xr_infinity_T;
    }
    const T scale = xr_rescale_C(z);
    const T x = z.re * scale;
    const T y = z.im * scale;
    const T norm = x * x + y * y;
    if (scale == (T)1.0f && norm > (T)0.375f && norm < (T)3.0f) {
        const int wide = fabs(x) > fabs(y);
        return (T)0.5f * xr_log1p_T(xr_plus_squares_T((T)-1.0f, wide ? x : y, wide ? y : x));
    }
    const T reach = (sizeof(T) == 4 ? (T)100.0f : (T)600.0f) * xr_ln_2_T();
    const T offset = scale > (T)1.0f ? -reach : scale < (T)1.0f ? reach : (T)0.0f;
    return (T)0.5f * xr_log_T(norm) + offset;
}

DEVICE C xr_log_C(const C z)
{
    return xr_complex_C(xr_log_abs_C(z), xr_atan2_T(z.im, z.re));
}

DEVICE C xr_log2_C(const C z)
{
    const T factor = xr_from_bits_T((U)(sizeof(T) == 4 ? 0x3fb8aa3b : 0x3ff71547652b82fe));
    const C w = xr_log_C(z);
    return xr_complex_C(w.re * factor, w.im * factor);
}

DEVICE C xr_log10_C(const C z)
{
    const T factor = xr_from_bits_T((U)(sizeof(T) == 4 ? 0x3ede5bd9 : 0x3fdbcb7b1526e50e));
    const C w = xr_log_C(z);
    return xr_complex_C(w.re * factor, w.im * factor);
}

DEVICE C xr_log1p_C(const C z)
{
    const C w = xr_complex_C((T)1.0f + z.re, z.im);
    const T norm = w.re * w.re + w.im * w.im;
    const T angle = xr_atan2_T(w.im, w.re);
    if (norm > (T)0.375f && norm < (T)3.0f) {
        const T rest = xr_plus_squares_T((T)2.0f * z.re, z.re, z.im);
        return xr_complex_C((T)0.5f * xr_log1p_T(rest), angle);
    }
    return xr_complex_C(xr_log_abs_C(w), angle);
}

DEVICE C xr_sinh_C(const C z)
{
    const T infinity = xr_infinity_T;
    if (z.im == (T)0.0f) {
        return xr_complex_C(xr_sinh_T(z.re), z.im);
    }
    const int endless = !(fabs(z.im) < infinity);
    if (endless && (z.re == (T)0.0f || fabs(z.re) == infinity)) {
        return xr_complex_C(z.re, xr_nan_T);
    }
    const T cosine = xr_cos_T(z.im);
    const T sine = xr_sin_T(z.im);
    const T a = fabs(z.re);
    if (a > (T)40.0f) {
        const T re = xr_exp_times_T(a, cosine, (T)0.5f);
        return xr_complex_C(z.re < (T)0.0f ? -re : re, xr_exp_times_T(a, sine, (T)0.5f));
    }
    return xr_complex_C(xr_sinh_T(z.re) * cosine, xr_cosh_T(z.re) * sine);
}

DEVICE C xr_cosh_C(const C z)
{
    const T infinity = xr_infinity_T;
    const T signed_zero = copysign((T)0.0f, z.re);
    if (z.im == (T)0.0f) {
        return xr_complex_C(xr_cosh_T(z.re), signed_zero * z.im);
    }
    const int endless = !(fabs(z.im) < infinity);
    if (endless && z.re == (T)0.0f) {
        return xr_complex_C(xr_nan_T, (T)0.0f);
    }
    if (endless && fabs(z.re) == infinity) {
        return xr_complex_C(infinity, xr_nan_T);
    }
    const T cosine = xr_cos_T(z.im);
    const T sine = xr_sin_T(z.im);
    const T a = fabs(z.re);
    if (a > (T)40.0f) {
        const T im = xr_exp_times_T(a, sine, (T)0.5f);
        return xr_complex_C(xr_exp_times_T(a, cosine, (T)0.5f), z.re < (T)0.0f ? -im : im);
    }
    return xr_complex_C(xr_cosh_T(z.re) * cosine, xr_sinh_T(z.re) * sine);
}

// Kahan (1987).
DEVICE C xr_tanh_C(const C z)
{
    if (z.im == (T)0.0f) {
        return xr_complex_C(xr_tanh_T(z.re), z.im);
    }
    const T a = fabs(z.re);
    if (a == xr_infinity_T) {
        return xr_complex_C(copysign((T)1.0f, z.re), copysign((T)0.0f, z.im));
    }
    if (!(fabs(z.im) < xr_infinity_T)) {
        return xr_complex_C(a == (T)0.0f ? z.re : xr_nan_T, xr_nan_T);
    }
    // 2 exp(-2a) is less than half a unit in the last place of 1.
    if (a > (sizeof(T) == 4 ? (T)11.0f : (T)22.0f)) {
        const T turn = (T)4.0f * xr_sin_T(z.im) * xr_cos_T(z.im);
        return xr_complex_C(copysign((T)1.0f, z.re), turn * xr_exp_T((T)-2.0f * a));
    }
    const T tangent = xr_tan_T(z.im);
    const T beta = (T)1.0f + tangent * tangent;
    const T sine = xr_sinh_T(z.re);
    const T rho = sqrt((T)1.0f + sine * sine);
    const T scale = (T)1.0f + beta * sine * sine;
    return xr_complex_C(beta * rho * sine / scale, tangent / scale);
}

DEVICE C xr_sin_C(const C z)
{
    return xr_exchange_C(xr_sinh_C(xr_exchange_C(z)));
}

DEVICE C xr_cos_C(const C z)
{
    return xr_cosh_C(xr_complex_C(-z.im, z.re));
}

DEVICE C xr_tan_C(const C z)
{
    return xr_exchange_C(xr_tanh_C(xr_exchange_C(z)));
}

// The part common to the inverse sines and cosines, for x = |re z| and y = |im z|: returns
// re = sqrt(A^2 - x^2) and im = acosh(A) with A = (|z + 1| + |z - 1|) / 2, after
// Hull, Fairgrieve, Tang, "Implementing the complex arcsine and arccosine functions using
// exception handling" (1997). A - x and A - 1 are written as sums of positive numbers, and
// y^2 as y * y * (...) wherever it could underflow.
DEVICE C xr_arc_C(const T x, const T y)
{
    // There |z|^2 +- 1 rounds to |z|^2.
    const T huge = xr_power_of_two_T(sizeof(T) == 4 ? 15 : 30);
    if (!(x < huge && y < huge)) {
        return xr_complex_C(y, xr_log_abs_C(xr_complex_C(x, y)) + xr_ln_2_T());
    }
    const T one = (T)1.0f;
    const T right = xr_hypot_T(x + one, y);
    const T left = xr_hypot_T(x - one, y);
    const T mean = (T)0.5f * (right + left);
    const T outer = right + (x + one);
    const T inner = left + fabs(x - one);
    const T gap = y * (y / outer) + inner;
    const T q = (T)0.5f * (one / outer + one / inner);
    const T re = x > one ? y * sqrt((mean + x) * q) : sqrt((T)0.5f * (mean + x) * gap);
    const T beside = y * (y * q + sqrt((mean + one) * q));
    const T beyond = (T)0.5f * gap + sqrt((T)0.5f * (mean + one) * gap);
    return xr_complex_C(re, xr_log1p_T(x < one ? beside : beyond));
}

DEVICE C xr_asin_C(const C z)
{
    if (xr_isnan_C(z)) {
        const T im = xr_isinf_C(z) ? copysign(xr_infinity_T, z.im) : xr_nan_T;
        return xr_complex_C(z.re == (T)0.0f ? z.re : xr_nan_T, im);
    }
    const C arc = xr_arc_C(fabs(z.re), fabs(z.im));
    return xr_complex_C(xr_atan2_T(z.re, arc.re), copysign(arc.im, z.im));
}

DEVICE C xr_acos_C(const C z)
{
    if (xr_isnan_C(z)) {
        const T im = xr_isinf_C(z) ? -copysign(xr_infinity_T, z.im) : xr_nan_T;
        return xr_complex_C(z.re == (T)0.0f ? xr_half_pi_T() : xr_nan_T, im);
    }
    const C arc = xr_arc_C(fabs(z.re), fabs(z.im));
    return xr_complex_C(xr_atan2_T(arc.re, z.re), -copysign(arc.im, z.im));
}

DEVICE C xr_asinh_C(const C z)
{
    return xr_exchange_C(xr_asin_C(xr_exchange_C(z)));
}

DEVICE C xr_acosh_C(const C z)
{
    const C w = xr_acos_C(z);
    return xr_complex_C(fabs(w.im), copysign(w.re, z.im));
}

// Kahan (1987) with the scaling of |z - 1|^2 and |z|^2 that large and small operands need.
DEVICE C xr_atanh_C(const C z)
{
    const T infinity = xr_infinity_T;
    const T one = (T)1.0f;
    const T quarter = (T)0.25f;
    const T x = fabs(z.re);
    const T y = fabs(z.im);
    if (x == infinity || y == infinity) {
        const T im = z.im != z.im ? z.im : copysign(xr_half_pi_T(), z.im);
        return xr_complex_C(copysign((T)0.0f, z.re), im);
    }
    if (xr_isnan_C(z)) {
        return xr_complex_C(x == (T)0.0f ? z.re : xr_nan_T, xr_nan_T);
    }
    // There z +- 1 rounds to z: the real part of 1/z, and half a turn over 2.
    const T far = xr_power_of_two_T(sizeof(T) == 4 ? 28 : 57);
    if (x > far || y > far) {
        const T size = xr_hypot_T(x * quarter, y * quarter);
        const T re = x * quarter / size / size * quarter;
        return xr_complex_C(copysign(re, z.re), copysign(xr_half_pi_T(), z.im));
    }
    const T distance = (x - one) * (x - one) + y * y;
    const int pole = (x == one) & (y < xr_power_of_two_T(-30));
    const T near = (T)0.5f * (xr_ln_2_T() - xr_log_T(y));
    const T re = pole ? near : quarter * xr_log1p_T((T)4.0f * x / distance);
    const T cosine = x == one ? -y : (one - x) * (one + x) - y * y;
    const T sine = x == one ? (T)2.0f : (T)2.0f * y;
    const T im = ((y == (T)0.0f) & (x <= one)) ? y : (T)0.5f * xr_atan2_T(sine, cosine);
    return xr_complex_C(copysign(re, z.re), copysign(im, z.im));
}

DEVICE C xr_atan_C(const C z)
{
    return xr_exchange_C(xr_atanh_C(xr_exchange_C(z)));
}

// exp(w log(z)); integer powers below 100 by multiplication, and NaN of 0 where it is not above 0, as
// in NumPy.
DEVICE C xr_pow_C(const C z, const C w)
{
    const C one = xr_complex_C((T)1.0f, (T)0.0f);
    if (w.re == (T)0.0f && w.im == (T)0.0f) {
        return one;
    }
    if (z.re == (T)0.0f && z.im == (T)0.0f) {
        const T zero = w.re > (T)0.0f ? (T)0.0f : xr_nan_T;
        return xr_complex_C(zero, zero);
    }
    if (w.im == (T)0.0f && fabs(w.re) < (T)100.0f && w.re == rint(w.re)) {
        int rest = (int)fabs(w.re);
        C factor = z;
        C result = one;
        int empty = 1;
        while (rest > 0) {
            if ((rest & 1) != 0) {
                result = empty ? factor : xr_multiply_C(result, factor);
                empty = 0;
            }
            rest = rest >> 1;
            factor = rest > 0 ? xr_square_C(factor) : factor;
        }
        return w.re < (T)0.0f ? xr_reciprocal_C(result) : result;
    }
    return xr_exp_C(xr_multiply_C(w, xr_log_C(z)));
}
