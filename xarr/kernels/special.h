// Error and gamma functions of T = f32 f64, in IEEE operations of a fixed order: the same bits on
// every device.
//
// erf, erfc: a polynomial near 0; else e^(-x x) / (1 + 2 x) times a polynomial in
// t = (x - k) / (x + k) (M. M. Shepherd, J. G. Laframboise, "Chebyshev approximation of
// (1 + 2x) exp(x^2) erfc x in 0 <= x < infinity", Mathematics of Computation 36, 1981).
// gamma: Stirling's series from 8 on; below, gamma(x) = gamma(x + 8) / (x (x + 1) ... (x + 7)); for
// negative numbers the reflection gamma(-x) gamma(x) = -pi / (x sin(pi x)). Logarithms and
// products are in two parts, as in power.h, so that gamma(n) is exact where it is an integer of T.
// Coefficients: weighted least squares made minimax by Lawson's iteration in 300 bits, rounded one
// after the other. Errors: erf 2^-29.3, erfc 2^-30.3, Stirling's series 2^-33.8, near the zeros of
// log gamma 2^-30.1 (f32); erf 2^-56.3, erfc 2^-61.2, Stirling's series 2^-64.5, near the zeros
// 2^-60.9 (f64). In units of the last place the results are off by at most 1.1 (erf, erfc), 0.9
// (tgamma) and, for x > 0, 0.9 (lgamma of f32) and 1.5 (lgamma of f64), as measured.
// Where all digits of a constant matter, it is a sum of numbers that f32 holds.
#ifndef XR_ASSEMBLED
#include "power.h"
#include "trig.h"
typedef float T;
typedef unsigned int U;
#define xr_infinity_T INFINITY
#define xr_nan_T NAN
T xr_magnitude_T(T x);
T xr_with_sign_T(T y, T x);
T xr_sum_tail_T(T a, T b);
T xr_product_tail_T(T a, T b);
T xr_scale_T(T y, U n);
T xr_exp_parts_T(T x, T tail, T *low, U *power);
T xr_log_pair_T(T x, T *tail);
T xr_sin_rest_T(T r, T tail);
T xr_cos_rest_T(T r, T tail);
T xr_erf_series_T(T z);
T xr_erfc_series_T(T t);
T xr_stirling_series_T(T w);
float xr_log_pair_f32(float x, float *tail);
double xr_log_pair_f64(double x, double *tail);
#endif

// -- pairs of a number and its tail ------------------------------------------------------------

DEVICE T xr_pair_product_T(const T a, const T a_tail, const T b, const T b_tail, T *tail)
{
    const T product = a * b;
    *tail = xr_product_tail_T(a, b) + fma(a, b_tail, a_tail * b);
    return product;
}

DEVICE T xr_pair_quotient_T(const T a, const T a_tail, const T b, const T b_tail, T *tail)
{
    const T inverse = (T)1.0f / b;
    const T quotient = a * inverse;
    *tail = (fma(-quotient, b, a) + fma(-quotient, b_tail, a_tail)) * inverse;
    return quotient;
}

// -- the error function ------------------------------------------------------------------------

// erf(x) / x - 1 for z = x x <= 1/4.
DEVICE f32 xr_erf_series_f32(const f32 z)
{
    return fma(z, fma(z, fma(z, fma(z, 4.7205808e-03f, -2.6758738e-02f), 1.12828545e-01f),
        -3.761261e-01f), 1.2837917e-01f);
}

DEVICE f64 xr_erf_series_f64(const f64 z)
{
    const f64 square = z * z;
    const f64 even = fma(square, fma(square, fma(square, fma(square, 2.0738501119007667e-06,
        0.00012060510129228996), 0.005223978297032953), 0.11283791671036558),
        0.1283791670955126);
    const f64 odd = fma(square, fma(square, fma(square, fma(square, -5.329310703656326e-07,
        -1.5128615751774476e-05), -0.0008548403937252436), -0.026866170678123694),
        -0.3761263890318453);
    return fma(z, odd, even);
}

// (1 + 2 x) e^(x x) erfc(x) - 5/4 for x >= 1/2 and t = (x - k) / (x + k), where k is 2.25 (f32)
// or 3.75 (f64).
DEVICE f32 xr_erfc_series_f32(const f32 t)
{
    const f32 square = t * t;
    const f32 even = fma(square, fma(square, fma(square, fma(square, fma(square, 1.984188e-04f,
        -1.157977e-03f), 8.093047e-03f), -8.313293e-02f), -1.3078006e-01f), 2.0979922e-02f);
    const f32 odd = fma(square, fma(square, fma(square, fma(square, 3.687462e-04f,
        -2.6053528e-03f), 1.1439472e-02f), 1.6525646e-01f), -1.10255614e-01f);
    return fma(t, odd, even);
}

DEVICE f64 xr_erfc_series_f64(const f64 t)
{
    const f64 square = t * t;
    const f64 even = fma(square, fma(square, fma(square, fma(square, fma(square, fma(square,
        fma(square, fma(square, fma(square, fma(square, fma(square, -3.996503452738627e-09,
        3.751365956773567e-08), -2.5842131932257304e-07), 1.7521022581977935e-06),
        -1.1444630934800903e-05), 5.1649328031845197e-05), 0.0002937136028763708),
        -0.009746579547777988), -0.058693398590595254), -0.10880393014170328),
        0.003585415485463584), -0.012487369162172418);
    const f64 odd = fma(square, fma(square, fma(square, fma(square, fma(square, fma(square,
        fma(square, fma(square, fma(square, fma(square, -2.878817909767551e-09,
        2.233202064045213e-08), -5.6802249928984766e-08), -9.735273916210033e-07),
        2.2384112369200446e-05), -0.00029015401647575185), 0.0017556258365098469),
        0.028362277421287573), 0.09230432116020154), 0.08227673849015119),
        -0.14024059858554702);
    return fma(t, odd, even);
}

// erfc(x) for x >= 1/2; 0 from where no number is above 0 and below it.
DEVICE T xr_erfc_far_T(const T x)
{
    const T k = sizeof(T) == 4 ? (T)2.25f : (T)3.75f;
    const T most = sizeof(T) == 4 ? (T)10.5f : (T)28.0f;
    const T y = x > most ? most : x;
    const T square = y * y;
    T exp_low = (T)0.0f;
    U power = (U)0;
    const T exp_high = xr_exp_parts_T(-square, -xr_product_tail_T(y, y), &exp_low, &power);
    const T series = xr_erfc_series_T((y - k) / (y + k));
    const T factor = (T)1.25f + series;
    const T factor_low = series - (factor - (T)1.25f);
    T low = (T)0.0f;
    const T high = xr_pair_product_T(exp_high, exp_low, factor, factor_low, &low);
    const T divisor = (T)1.0f + (T)2.0f * y;
    const T divisor_low = xr_sum_tail_T((T)1.0f, (T)2.0f * y);
    T quotient_low = (T)0.0f;
    const T quotient = xr_pair_quotient_T(high, low, divisor, divisor_low, &quotient_low);
    return xr_scale_T(quotient + quotient_low, power);
}

DEVICE T xr_erf_T(const T x)
{
    const T size = xr_magnitude_T(x);
    const T far = (T)1.0f - xr_erfc_far_T(size);
    const T near = fma(x, xr_erf_series_T(x * x), x);
    return size < (T)0.5f ? near : xr_with_sign_T(far, x);
}

DEVICE T xr_erfc_T(const T x)
{
    const T size = xr_magnitude_T(x);
    const T far = xr_erfc_far_T(size);
    const T rest = (T)1.0f - x;
    const T rest_low = ((T)1.0f - rest) - x;
    const T near = rest + (rest_low - x * xr_erf_series_T(x * x));
    return size < (T)0.5f ? near : x < (T)0.0f ? (T)2.0f - far : far;
}

// -- gamma -------------------------------------------------------------------------------------

// (log gamma(y) - (y - 1/2) log y + y - log(2 pi) / 2) y for w = 1 / (y y) <= 1/64.
DEVICE f32 xr_stirling_series_f32(const f32 w)
{
    return fma(w, fma(w, 8.120845e-04f, -2.7783338e-03f), 8.3333336e-02f);
}

DEVICE f64 xr_stirling_series_f64(const f64 w)
{
    const f64 square = w * w;
    const f64 even = fma(square, fma(square, fma(square, 0.0049836141854516115,
        0.0008413877935896228), 0.0007936507861853771), 0.08333333333333333);
    const f64 odd = fma(square, fma(square, -0.001886188972281889, -0.0005952358083416823),
        -0.002777777777766933);
    return fma(w, odd, even);
}

// log gamma(y + y_tail) for y >= 8.
DEVICE T xr_log_gamma_pair_T(const T y, const T y_tail, T *tail)
{
    const T inverse = (T)1.0f / y;
    T log_tail = (T)0.0f;
    const T log_y = xr_log_pair_T(y, &log_tail);
    const T exponent = y - (T)0.5f;
    const T exponent_tail = xr_sum_tail_T(y, (T)-0.5f) + y_tail;
    T product_tail = (T)0.0f;
    const T product = xr_pair_product_T(
        exponent, exponent_tail, log_y, fma(y_tail, inverse, log_tail), &product_tail);
    const T difference = product - y;
    const T difference_tail = xr_sum_tail_T(product, -y) + (product_tail - y_tail);
    // log(2 pi) / 2
    const T constant_high = (T)0.9189385f;
    const T constant_low = (T)1.5634177e-8f + (T)5.163286e-16f;
    const T sum = difference + constant_high;
    const T rest = fma(inverse, xr_stirling_series_T(inverse * inverse), constant_low);
    const T sum_tail = xr_sum_tail_T(difference, constant_high) + (difference_tail + rest);
    const T high = sum + sum_tail;
    *tail = sum_tail - (high - sum);
    return high;
}

// |sin(pi x)|.
DEVICE T xr_sine_of_turns_T(const T x, T *tail)
{
    const T rest = xr_magnitude_T(x - rint(x));
    const int is_cosine = rest > (T)0.25f;
    const T part = is_cosine ? (T)0.5f - rest : rest;
    // pi
    const T pi_high = (T)3.1415927f;
    const T pi_low = (T)-8.742278e-8f + (T)-3.430249e-15f;
    const T product = part * pi_high;
    const T product_tail = fma(part, pi_low, xr_product_tail_T(part, pi_high));
    const T angle = product + product_tail;
    const T angle_tail = product_tail - (angle - product);
    const T square = angle * angle;
    const T cosine = (T)1.0f - (T)0.5f * square;
    const T cosine_rest = fma((T)-0.5f, xr_product_tail_T(angle, angle),
        xr_cos_rest_T(angle, angle_tail));
    const T base = is_cosine ? cosine : angle;
    const T more = is_cosine ? cosine_rest : xr_sin_rest_T(angle, angle_tail);
    const T high = base + more;
    *tail = more - (high - base);
    return high;
}

// w, by which gamma(x) = e^s / w for x > 0, and |gamma(x)| = pi / (e^s w) for x < 0, where s is the
// logarithm of gamma(size) for size = |x| >= 8, and of gamma(size + 8) below.
DEVICE T xr_gamma_weight_T(const T x, const T size, T *tail)
{
    const int is_small = size < (T)8.0f;
    const int is_negative = x < (T)0.0f;
    // (x + 1) ... (x + 7) = (x + 7) (u + 6) (u + 10) (u + 12) for u = x (x + 7).
    const T small = is_small ? size : (T)0.0f;
    const T seven = small + (T)7.0f;
    const T seven_tail = xr_sum_tail_T(small, (T)7.0f);
    T u_tail = (T)0.0f;
    const T u = xr_pair_product_T(small, (T)0.0f, seven, seven_tail, &u_tail);
    const T six = u + (T)6.0f;
    const T ten = u + (T)10.0f;
    const T twelve = u + (T)12.0f;
    T first_tail = (T)0.0f;
    T second_tail = (T)0.0f;
    T steps_tail = (T)0.0f;
    const T first = xr_pair_product_T(
        seven, seven_tail, six, xr_sum_tail_T(u, (T)6.0f) + u_tail, &first_tail);
    const T second = xr_pair_product_T(ten, xr_sum_tail_T(u, (T)10.0f) + u_tail,
        twelve, xr_sum_tail_T(u, (T)12.0f) + u_tail, &second_tail);
    const T steps = xr_pair_product_T(first, first_tail, second, second_tail, &steps_tail);
    T inverse_tail = (T)0.0f;
    const T inverse = xr_pair_quotient_T((T)1.0f, (T)0.0f, steps, steps_tail, &inverse_tail);
    T sine_tail = (T)0.0f;
    const T sine = xr_sine_of_turns_T(size, &sine_tail);

    const T positive = is_small ? size : (T)1.0f;
    const T a = is_negative ? sine : positive;
    const T a_tail = is_negative ? sine_tail : (T)0.0f;
    const T of_positive = is_small ? steps : (T)1.0f;
    const T of_positive_tail = is_small ? steps_tail : (T)0.0f;
    const T of_negative = is_small ? inverse : size;
    const T of_negative_tail = is_small ? inverse_tail : (T)0.0f;
    const T b = is_negative ? of_negative : of_positive;
    const T b_tail = is_negative ? of_negative_tail : of_positive_tail;
    return xr_pair_product_T(a, a_tail, b, b_tail, tail);
}

// gamma(x) as C99 has it: NaN at negative integers, an infinity of its sign at a zero.
DEVICE T xr_tgamma_T(const T x)
{
    const T size = xr_magnitude_T(x);
    const T most = sizeof(T) == 4 ? (T)48.0f : (T)190.0f;
    const T least = sizeof(T) == 4 ? (T)9.313226e-10f : (T)8.67361737988403547e-19f;
    const T below = size > most ? most : size;
    const T y = below < (T)8.0f ? below + (T)8.0f : below;
    const T y_tail = below < (T)8.0f ? xr_sum_tail_T(below, (T)8.0f) : (T)0.0f;
    T log_tail = (T)0.0f;
    const T log_gamma = xr_log_gamma_pair_T(y, y_tail, &log_tail);
    T exp_low = (T)0.0f;
    U power = (U)0;
    const T exp_high = xr_exp_parts_T(log_gamma, log_tail, &exp_low, &power);
    const T exponential = exp_high + exp_low;
    const T exp_tail = exp_low - (exponential - exp_high);
    T weight_tail = (T)0.0f;
    const T weight = xr_gamma_weight_T(x, size, &weight_tail);

    const int is_negative = x < (T)0.0f;
    T product_tail = (T)0.0f;
    const T product = xr_pair_product_T(exponential, exp_tail, weight, weight_tail, &product_tail);
    // pi
    const T above = is_negative ? (T)3.1415927f : exponential;
    const T above_tail = is_negative ? (T)-8.742278e-8f + (T)-3.430249e-15f : exp_tail;
    const T divisor = is_negative ? product : weight;
    const T divisor_tail = is_negative ? product_tail : weight_tail;
    T tail = (T)0.0f;
    const T quotient = xr_pair_quotient_T(above, above_tail, divisor, divisor_tail, &tail);
    const T value = xr_scale_T(quotient + tail, is_negative ? (U)0 - power : power);

    const T whole = floor(size);
    const T half_whole = (T)0.5f * whole;
    const int is_even = half_whole == floor(half_whole);
    const T signed_value = (is_negative & is_even) ? -value : value;
    const T number = size < least ? (T)1.0f / x : signed_value;
    return (is_negative & (size == whole)) ? xr_nan_T : x != x ? x : number;
}

// ((log gamma(2 + d) / d - 1 + euler) / d - 0.32246703) / d for -1 <= d <= 1/2, euler = 0.577...
DEVICE f32 xr_lgamma_near_f32(const f32 d)
{
    return fma(d, fma(d, fma(d, fma(d, fma(d, fma(d, fma(d, fma(d, fma(d, fma(d,
        -6.0906015e-05f, -4.784401e-05f), -5.3272233e-05f), 1.3252864e-04f), -2.0618134e-04f),
        5.0717214e-04f), -1.1969454e-03f), 2.88969e-03f), -7.385199e-03f), 2.058094e-02f),
        -6.735231e-02f);
}

// (log gamma(y) - (y - 1/2) log y + y - log(2 pi) / 2) y for w = 1 / (y y) <= 1/16.
DEVICE f32 xr_lgamma_far_f32(const f32 w)
{
    return fma(w, fma(w, 7.23414e-04f, -2.774969e-03f), 8.33333e-02f);
}

// log gamma(x) for x > 0 as a b + c. From 4 on Stirling's series for x (log x - 1); below, steps to
// the numbers from 1 to 5/2 on one side of which x lies.
DEVICE f32 xr_lgamma_terms_f32(const f32 x, f32 *a, f32 *b)
{
    const int is_far = x >= 4.0f;
    const int is_low = x < 1.5f;
    const f32 one = x - 1.0f;
    const f32 two = x - 2.0f;
    const f32 three = x < 3.5f ? x - 3.0f : x - 4.0f;
    const f32 above = x < 2.5f ? two : three;
    const f32 d = is_low ? one : above;
    const f32 product = x < 3.5f ? one : one * two;
    const f32 steps = x < 2.5f ? 1.0f : product;
    f32 log_tail = 0.0f;
    const f32 log_high = xr_log_pair_f32((is_far | is_low) ? x : steps, &log_tail);

    const f32 high = is_low ? -log_high : log_high;
    // The tail of the product times its inverse, of which a line is near enough.
    const f32 step_tail = x < 3.5f ? 0.0f
        : xr_product_tail_f32(one, two) * fma(-0.2f, x, 0.9625f);
    const f32 low = is_low ? -log_tail : log_tail + step_tail;
    // 1 - euler is 0.42278433 + 6.6e-9.
    const f32 linear = d * 0.42278433f;
    const f32 square = d * d;
    const f32 quadratic = square * 3.2246703e-1f;
    const f32 sum = high + linear;
    const f32 near_sum = sum + quadratic;
    const f32 tails = xr_sum_tail_f32(high, linear) + (quadratic - (near_sum - sum))
        + fma(xr_product_tail_f32(d, d), 3.2246703e-1f, fma(d, 6.637774e-9f, low))
        + xr_product_tail_f32(d, 0.42278433f) + xr_product_tail_f32(square, 3.2246703e-1f);
    const f32 near = fma(square * d, xr_lgamma_near_f32(d), tails);

    // log(2 pi) / 2 is 0.9189385 + 1.6e-8.
    const f32 inverse = 1.0f / x;
    const f32 far = fma(-0.5f, log_high, 0.9189385f)
        + fma(inverse, xr_lgamma_far_f32(inverse * inverse), fma(x, log_tail, 1.5634177e-8f));
    *a = is_far ? x : 1.0f;
    *b = is_far ? log_high - 1.0f : near_sum;
    return is_far ? far : near;
}

// As xr_lgamma_f64, with one logarithm for x > 0 and a branch to the reflection, which few arrays
// take: as PTX 190 instructions for x < 4 and 140 above, in place of 435.
DEVICE f32 xr_lgamma_f32(const f32 x)
{
    const f32 size = xr_magnitude_f32(x);
    f32 a = 0.0f;
    f32 b = 0.0f;
    const f32 c = xr_lgamma_terms_f32(size, &a, &b);
    f32 value = fma(a, b, c);
    if ((x < 0.0f) & (size >= 9.313226e-10f)) {
        f32 sine_tail = 0.0f;
        const f32 sine = xr_sine_of_turns_f32(size, &sine_tail);
        f32 weight_tail = 0.0f;
        const f32 weight = xr_pair_product_f32(size, 0.0f, sine, sine_tail, &weight_tail);
        f32 log_tail = 0.0f;
        const f32 log_weight = xr_log_pair_f32(weight, &log_tail);
        const f32 log_low = log_tail + weight_tail / weight;
        const f32 positive = a * b;
        const f32 positive_tail = xr_product_tail_f32(a, b) + c;
        // log(pi)
        const f32 base = 1.1447299f - positive;
        const f32 base_low = xr_sum_tail_f32(1.1447299f, -positive)
            + (3.317301e-8f - positive_tail);
        const f32 sum = base - log_weight;
        value = sum + (xr_sum_tail_f32(base, -log_weight) + (base_low - log_low));
    }
    const int is_pole = ((x <= 0.0f) & (size == floor(size))) | (size == xr_infinity_f32);
    return is_pole ? xr_infinity_f32 : x != x ? x : value;
}

// (log gamma(1 + d) / d + euler) / d for |d| <= 1/8, euler = 0.577...
DEVICE f64 xr_lgamma_of_one_f64(const f64 d)
{
    const f64 square = d * d;
    const f64 even = fma(square, fma(square, fma(square, fma(square, fma(square, fma(square,
        0.074854200674236, 0.08328327219859245), 0.10010014266839012), 0.12550966652295545),
        0.16955717700077008), 0.2705808084277943), 0.8224670334241132);
    const f64 odd = fma(square, fma(square, fma(square, fma(square, fma(square, fma(square,
        -0.0695421681147244, -0.07688437615565719), -0.09095428687171848),
        -0.11133426681377277), -0.14404989675291036), -0.20738555102872816),
        -0.4006856343865314);
    return fma(d, odd, even);
}

// (log gamma(2 + d) / d - 1 + euler) / d for |d| <= 1/8.
DEVICE f64 xr_lgamma_of_two_f64(const f64 d)
{
    const f64 square = d * d;
    const f64 even = fma(square, fma(square, fma(square, fma(square, fma(square,
        2.1803793915149033e-05, 9.940427567083494e-05), 0.0005096703805847193),
        0.002890510324567334), 0.020580808427802952), 0.3224670334241132);
    const f64 odd = fma(square, fma(square, fma(square, fma(square, -4.533706295459397e-05,
        -0.00022314814190186607), -0.0011927539606691772), -0.007385551028506528),
        -0.06735230105319832);
    return fma(d, odd, even);
}

// log |gamma(x)| as C99 has it: infinity at integers that are not positive, and at both infinities.
// Near its zeros at 1 and 2 by a series; the zeros below 0 have an absolute error.
DEVICE f64 xr_lgamma_f64(const f64 x)
{
    const f64 size = xr_magnitude_f64(x);
    const f64 least = 8.67361737988403547e-19;
    // From here on y (log y - 1) is all that counts; less is added to y than its last place.
    const f64 most = 1152921504606846976.0;
    const int is_tiny = size < least;
    const int is_huge = size > most;
    const int is_negative = x < 0.0;
    const f64 below = is_huge ? most : size;
    const f64 y = below < 8.0 ? below + 8.0 : below;
    const f64 y_tail = below < 8.0 ? xr_sum_tail_f64(below, 8.0) : 0.0;
    f64 stirling_tail = 0.0;
    const f64 stirling = xr_log_gamma_pair_f64(y, y_tail, &stirling_tail);
    f64 weight_tail = 0.0;
    const f64 weight = xr_gamma_weight_f64(x, size, &weight_tail);
    const int is_end = is_tiny | is_huge;
    const f64 argument = is_end ? size : weight;
    f64 log_tail = 0.0;
    const f64 log_weight = xr_log_pair_f64(argument, &log_tail);
    const f64 log_low = is_end ? log_tail : log_tail + weight_tail / weight;

    // log(pi)
    const f64 reflected = (f64)1.1447299f - stirling;
    const f64 reflected_low = xr_sum_tail_f64((f64)1.1447299f, -stirling)
        + (((f64)3.317301e-8f + (f64)-6.558679e-16f) - stirling_tail);
    const f64 base = is_tiny ? 0.0 : is_negative ? reflected : stirling;
    const f64 base_low = is_tiny ? 0.0 : is_negative ? reflected_low : stirling_tail;
    const f64 sum = base - log_weight;
    const f64 value = sum + (xr_sum_tail_f64(base, -log_weight) + (base_low - log_low));
    const f64 huge = size * ((log_weight - 1.0) + log_tail);

    const f64 from_one = x - 1.0;
    const f64 from_two = x - 2.0;
    // Euler's constant is 0.5772157 - 6.6e-9.
    const f64 euler_low = (f64)6.637774e-9f + (f64)-1.0607939e-16f;
    const f64 one = fma(from_one, (f64)-0.5772157f,
        from_one * fma(from_one, xr_lgamma_of_one_f64(from_one), euler_low));
    const f64 two = fma(from_two, (f64)0.42278433f,
        from_two * fma(from_two, xr_lgamma_of_two_f64(from_two), euler_low));
    const f64 general = is_huge ? huge : value;
    const f64 near_one = xr_magnitude_f64(from_one) < 0.125 ? one : general;
    const f64 near_two = xr_magnitude_f64(from_two) < 0.125 ? two : near_one;
    const int is_pole = ((x <= 0.0) & (size == floor(size))) | (size == xr_infinity_f64);
    return is_pole ? xr_infinity_f64 : x != x ? x : near_two;
}
