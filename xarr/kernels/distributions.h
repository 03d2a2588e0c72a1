// Random numbers of distributions, by transformation or by rejection, generic in T = f32 f64.
//
// A function of (block, draw, key) has all blocks of random bits whose lower 48 bits are `block`: the
// upper 16 count attempts. There are 64 at most, and each is taken with a probability above 1/3.
// Literals are numbers of f32, which bound or shape a method; where all digits matter, a constant is
// the sum of two.
#ifndef XR_ASSEMBLED
#include <math.h>
#define DEVICE static inline
typedef int i32;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;
typedef float f32;
typedef double f64;
typedef float T;
typedef struct {
    u32 x, y, z, w;
} xr_words;
xr_words xr_philox(u64 block, u64 draw, u64 key);
u64 xr_word_u64(u64 block, u32 lane, u64 draw, u64 key);
u32 xr_word_u32(u64 block, u32 lane, u64 draw, u64 key);
f64 xr_exponential_of_f64(u64 bits);
f32 xr_exponential_of_f32(u32 bits);
f64 xr_on_circle_f64(u64 bits, u32 part);
f32 xr_on_circle_f32(u32 bits, u32 part);
f32 xr_from_bits_f32(u32 x);
f64 xr_from_bits_f64(u64 x);
T xr_log_T(T x);
T xr_log1p_T(T x);
T xr_exp_T(T x);
T xr_expm1_T(T x);
T xr_pow_T(T x, T y);
T xr_acos_T(T x);
T xr_maximum_T(T x, T y);
T xr_minimum_T(T x, T y);
#endif

// In (0, 1), both ends as far off as the numbers from each other.
DEVICE f64 xr_open_f64(const u64 bits)
{
    return (xr_from_bits_f64(0x3ff0000000000000ul | (bits >> 12)) - 1.0) + 1.1102230246251565e-16;
}

DEVICE f32 xr_open_f32(const u32 bits)
{
    return (xr_from_bits_f32(0x3f800000u | (bits >> 9)) - 1.0f) + 5.9604645e-8f;
}

// What two words give: f32 needs one of them.
DEVICE f64 xr_open_of_words_f64(const u32 low, const u32 high)
{
    return xr_open_f64((u64)low | ((u64)high << 32));
}

DEVICE f32 xr_open_of_words_f32(const u32 low, const u32 high)
{
    return xr_open_f32(low ^ (high & 0u));
}

DEVICE f64 xr_exponential_of_words_f64(const u32 low, const u32 high)
{
    return xr_exponential_of_f64((u64)low | ((u64)high << 32));
}

DEVICE f32 xr_exponential_of_words_f32(const u32 low, const u32 high)
{
    return xr_exponential_of_f32(low ^ (high & 0u));
}

DEVICE f64 xr_cosine_of_word_f64(const u32 word)
{
    return xr_on_circle_f64((u64)word << 32, 0u);
}

DEVICE f32 xr_cosine_of_word_f32(const u32 word)
{
    return xr_on_circle_f32(word, 0u);
}

DEVICE T xr_normal_of_words_T(const xr_words words)
{
    return sqrt((T)2.0f * xr_exponential_of_words_T(words.x, words.y))
        * xr_cosine_of_word_T(words.z);
}

DEVICE xr_words xr_attempt(const u64 block, const u32 attempt, const u64 draw, const u64 key)
{
    return xr_philox(block | ((u64)attempt << 48), draw, key);
}

// -- one element of a lane ---------------------------------------------------------------------

DEVICE f64 xr_standard_open_f64(const u64 block, const u32 lane, const u64 draw, const u64 key)
{
    return xr_open_f64(xr_word_u64(block, lane, draw, key));
}

DEVICE f32 xr_standard_open_f32(const u64 block, const u32 lane, const u64 draw, const u64 key)
{
    return xr_open_f32(xr_word_u32(block, lane, draw, key));
}

// An exponential whose sign is the last bit, which its magnitude hardly depends on.
DEVICE f64 xr_standard_laplace_f64(
    const u64 block, const u32 lane, const u64 draw, const u64 key)
{
    const u64 bits = xr_word_u64(block, lane, draw, key);
    const f64 magnitude = xr_exponential_of_f64(bits);
    return (bits & (u64)1) != (u64)0 ? -magnitude : magnitude;
}

DEVICE f32 xr_standard_laplace_f32(
    const u64 block, const u32 lane, const u64 draw, const u64 key)
{
    const u32 bits = xr_word_u32(block, lane, draw, key);
    const f32 magnitude = xr_exponential_of_f32(bits);
    return (bits & 1u) != 0u ? -magnitude : magnitude;
}

DEVICE f64 xr_standard_cauchy_f64(
    const u64 block, const u32 lane, const u64 draw, const u64 key)
{
    const u64 bits = xr_word_u64(block, lane, draw, key);
    return xr_on_circle_f64(bits, 1u) / xr_on_circle_f64(bits, 0u);
}

DEVICE f32 xr_standard_cauchy_f32(
    const u64 block, const u32 lane, const u64 draw, const u64 key)
{
    const u32 bits = xr_word_u32(block, lane, draw, key);
    return xr_on_circle_f32(bits, 1u) / xr_on_circle_f32(bits, 0u);
}

DEVICE T xr_logit_T(const T u)
{
    return xr_log_T(u / ((T)1.0f - u));
}

DEVICE T xr_triangular_T(const T u, const T left, const T mode, const T right)
{
    const T base = right - left;
    const T below = mode - left;
    const T low = left + sqrt(u * base * below);
    const T high = right - sqrt(((T)1.0f - u) * base * (right - mode));
    return u * base <= below ? low : high;
}

// -- gamma and what is made of it --------------------------------------------------------------

// G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables" (ACM TOMS 26, 2000),
// for shape >= 1; above 95% of the attempts are taken.
DEVICE T xr_gamma_attempts_T(const u64 block, const u64 draw, const u64 key, const T shape)
{
    const T d = shape - (T)1.0f / (T)3.0f;
    const T c = (T)1.0f / sqrt((T)9.0f * d);
    T result = d;
    int taken = 0;
    for (u32 attempt = 0u; attempt < 64u && taken == 0; ++attempt) {
        const xr_words words = xr_attempt(block, attempt, draw, key);
        const T z = xr_normal_of_words_T(words);
        const T t = (T)1.0f + c * z;
        const T v = t * t * t;
        const T limit = (T)0.5f * z * z + d * ((T)1.0f - v + xr_log_T(v));
        taken = t > (T)0.0f && -xr_exponential_of_words_T(words.w, words.w * 0x9e3779b9u) < limit;
        result = d * v;
    }
    return ((shape == shape) & (taken != 0)) ? result : shape;
}

// The logarithm of a gamma variable; that of a small shape is one of shape + 1 times u^(1 / shape).
DEVICE T xr_log_gamma_variable_T(const u64 block, const u64 draw, const u64 key, const T shape)
{
    const T wide = shape < (T)1.0f ? shape + (T)1.0f : shape;
    const T drawn = xr_log_T(xr_gamma_attempts_T(block, draw, key, wide));
    const xr_words words = xr_attempt(block, 0x3fffu, draw, key);
    const T lower = xr_exponential_of_words_T(words.x, words.y) / shape;
    return shape < (T)1.0f ? drawn - lower : drawn;
}

DEVICE T xr_standard_gamma_T(const u64 block, const u64 draw, const u64 key, const T shape)
{
    const T wide = shape < (T)1.0f ? shape + (T)1.0f : shape;
    const T drawn = xr_gamma_attempts_T(block, draw, key, wide);
    if (shape >= (T)1.0f) {
        return drawn;
    }
    const xr_words words = xr_attempt(block, 0x3fffu, draw, key);
    const T smaller = drawn * xr_exp_T(-xr_exponential_of_words_T(words.x, words.y) / shape);
    return shape == (T)0.0f ? (T)0.0f : smaller;
}

// A second variable of an element has the upper half of its blocks.
DEVICE u64 xr_second(const u64 block)
{
    return block | ((u64)1 << 63);
}

DEVICE T xr_beta_T(const u64 block, const u64 draw, const u64 key, const T a, const T b)
{
    const T first = xr_log_gamma_variable_T(block, draw, key, a);
    const T second = xr_log_gamma_variable_T(xr_second(block), draw, key, b);
    return (T)1.0f / ((T)1.0f + xr_exp_T(second - first));
}

DEVICE T xr_chisquare_T(const u64 block, const u64 draw, const u64 key, const T df)
{
    return (T)2.0f * xr_standard_gamma_T(block, draw, key, df * (T)0.5f);
}

DEVICE T xr_f_T(const u64 block, const u64 draw, const u64 key, const T dfnum, const T dfden)
{
    const T above = xr_chisquare_T(block, draw, key, dfnum) * dfden;
    return above / (xr_chisquare_T(xr_second(block), draw, key, dfden) * dfnum);
}

DEVICE T xr_standard_t_T(const u64 block, const u64 draw, const u64 key, const T df)
{
    const T z = xr_normal_of_words_T(xr_attempt(block, 0x3ffeu, draw, key));
    return z / sqrt(xr_chisquare_T(block, draw, key, df) / df);
}

// J. R. Michael, W. R. Schucany, R. W. Haas (American Statistician 30, 1976); the smaller root as a
// quotient, which does not cancel.
DEVICE T xr_wald_T(const u64 block, const u64 draw, const u64 key, const T mean, const T scale)
{
    const xr_words words = xr_attempt(block, 0u, draw, key);
    const T z = xr_normal_of_words_T(words);
    const T y = mean * z * z;
    const T root = y + sqrt(y * y + (T)4.0f * scale * y);
    const T x = y > (T)0.0f ? mean * ((T)4.0f * scale / root) * (y / root) : mean;
    const T u = xr_open_of_words_T(words.w, words.w * 0x9e3779b9u);
    return u * (mean + x) <= mean ? x : mean / x * mean;
}

// D. J. Best, N. I. Fisher (Applied Statistics 28, 1979). A concentration above 10^6 has a normal
// distribution to within its rounding, one below 10^-6 an even one.
DEVICE T xr_vonmises_T(const u64 block, const u64 draw, const u64 key, const T mu, const T kappa)
{
    const T pi = (T)3.1415927f - (T)8.742278e-8f;
    const T r = (T)1.0f + sqrt((T)1.0f + (T)4.0f * kappa * kappa);
    const T rho = (r - sqrt((T)2.0f * r)) / ((T)2.0f * kappa);
    const T s = kappa < (T)1e-3f ? (T)1.0f / kappa + kappa : ((T)1.0f + rho * rho) / ((T)2.0f * rho);
    const xr_words last = xr_attempt(block, 0x3fffu, draw, key);
    T angle = (T)0.0f;
    int taken = 0;
    for (u32 attempt = 0u; attempt < 64u && taken == 0; ++attempt) {
        const xr_words words = xr_attempt(block, attempt, draw, key);
        const T z = xr_cosine_of_word_T(words.z);
        const T w = ((T)1.0f + s * z) / (s + z);
        const T y = kappa * (s - w);
        const T v = xr_open_of_words_T(words.x, words.y);
        taken = y * ((T)2.0f - y) - v >= (T)0.0f || xr_log_T(y / v) + (T)1.0f - y >= (T)0.0f;
        angle = xr_acos_T(xr_maximum_T((T)-1.0f, xr_minimum_T((T)1.0f, w)));
    }
    const T narrow = xr_normal_of_words_T(last) / sqrt(kappa);
    const T even = pi * ((T)2.0f * xr_open_of_words_T(last.x, last.y) - (T)1.0f);
    const T sided = (last.w & 1u) != 0u ? angle : -angle;
    const T turned = kappa > (T)1e6f ? narrow : kappa < (T)1e-6f ? even : sided;
    const T sum = mu + turned;
    return kappa != kappa ? kappa : sum - (T)2.0f * pi * floor((sum + pi) / ((T)2.0f * pi));
}

// -- integers ----------------------------------------------------------------------------------

// log k! - (k + 1/2) log k + k - log(2 pi) / 2 for k >= 1: a product below 16, Stirling's series else.
DEVICE T xr_stirling_T(const T k)
{
    if (k < (T)16.0f) {
        const T half_log = (T)0.9189385f + (T)1.5634177e-8f;
        T product = (T)1.0f;
        for (u32 number = 2u; (T)number <= k; ++number) {
            product *= (T)number;
        }
        return xr_log_T(product) - (k + (T)0.5f) * xr_log_T(k) + k - half_log;
    }
    const T z = (T)1.0f / (k * k);
    return ((T)1.0f / (T)12.0f - z * ((T)1.0f / (T)360.0f - z / (T)1260.0f)) / k;
}

DEVICE T xr_log_factorial_T(const T k)
{
    const T one = k < (T)1.0f ? (T)1.0f : k;
    const T half_log = (T)0.9189385f + (T)1.5634177e-8f;
    const T value = (one + (T)0.5f) * xr_log_T(one) - one + half_log + xr_stirling_T(one);
    return k < (T)2.0f ? (T)0.0f : value;
}

// k log(k / mean) + mean - k without cancellation (C. Loader, "Fast and accurate computation of
// binomial probabilities", 2000).
DEVICE T xr_deviance_T(const T k, const T mean)
{
    const T t = (k - mean) / mean;
    const T near = mean * (((T)1.0f + t) * xr_log1p_T(t) - t);
    return k == (T)0.0f ? mean : near;
}

DEVICE T xr_log_poisson_T(const T k, const T mean)
{
    const T half_log = (T)0.9189385f + (T)1.5634177e-8f;
    const T some = -xr_stirling_T(k) - xr_deviance_T(k, mean) - half_log - (T)0.5f * xr_log_T(k);
    return k == (T)0.0f ? -mean : some;
}

DEVICE T xr_log_binomial_T(const T k, const T n, const T p)
{
    const T half_log = (T)0.9189385f + (T)1.5634177e-8f;
    const T rest = n - k;
    const T shares = xr_deviance_T(k, n * p) + xr_deviance_T(rest, n * ((T)1.0f - p));
    const T errors = xr_stirling_T(n) - xr_stirling_T(k) - xr_stirling_T(rest);
    const T some = errors - shares - half_log + (T)0.5f * xr_log_T(n / k / rest);
    return k == (T)0.0f ? n * xr_log1p_T(-p) : rest == (T)0.0f ? n * xr_log_T(p) : some;
}

// W. Hoermann, "The transformed rejection method for generating Poisson random variables" (Insurance:
// Mathematics and Economics 12, 1993), algorithm PTRS, for a mean of 10 or more; below that, the
// distribution is added up.
DEVICE T xr_poisson_T(const u64 block, const u64 draw, const u64 key, const T mean)
{
    T result = (T)0.0f;
    if (mean < (T)10.0f) {
        const xr_words words = xr_attempt(block, 0u, draw, key);
        const T u = xr_open_of_words_T(words.x, words.y);
        T share = xr_exp_T(-mean);
        T sum = share;
        for (u32 number = 1u; number < 128u && u > sum && share > (T)0.0f; ++number) {
            result = (T)number;
            share = share * mean / result;
            sum = sum + share;
        }
        return result;
    }
    const T b = (T)0.931f + (T)2.53f * sqrt(mean);
    const T a = (T)-0.059f + (T)0.02483f * b;
    const T inverse = (T)1.1239f + (T)1.1328f / (b - (T)3.4f);
    const T limit = (T)0.9277f - (T)3.6224f / (b - (T)2.0f);
    int taken = 0;
    for (u32 attempt = 0u; attempt < 64u && taken == 0; ++attempt) {
        const xr_words words = xr_attempt(block, attempt, draw, key);
        const T u = xr_open_of_words_T(words.x, words.y) - (T)0.5f;
        const T v = xr_open_of_words_T(words.z, words.w);
        const T us = (T)0.5f - fabs(u);
        const T k = floor(((T)2.0f * a / us + b) * u + mean + (T)0.43f);
        const int outside = (k < (T)0.0f) | ((us < (T)0.013f) & (v > us));
        if (us >= (T)0.07f && v <= limit) {
            taken = 1;
        } else if (outside == 0) {
            taken = xr_log_T(v * inverse / (a / (us * us) + b)) <= xr_log_poisson_T(k, mean);
        }
        result = k;
    }
    return taken != 0 ? result : floor(mean);
}

// W. Hoermann, "The generation of binomial random variates" (Journal of Statistical Computation and
// Simulation 46, 1993), algorithm BTRS, for p <= 1/2 and n p >= 10; else the distribution is added up.
DEVICE T xr_binomial_below_half_T(
    const u64 block, const u64 draw, const u64 key, const T n, const T p)
{
    T result = (T)0.0f;
    if (n * p < (T)10.0f) {
        const xr_words words = xr_attempt(block, 0u, draw, key);
        const T u = xr_open_of_words_T(words.x, words.y);
        const T odds = p / ((T)1.0f - p);
        T share = xr_exp_T(n * xr_log1p_T(-p));
        T sum = share;
        for (u32 number = 1u; number < 128u && u > sum && result < n; ++number) {
            result = (T)number;
            share = share * odds * ((n - result + (T)1.0f) / result);
            sum = sum + share;
        }
        return result;
    }
    const T spread = sqrt(n * p * ((T)1.0f - p));
    const T b = (T)1.15f + (T)2.53f * spread;
    const T a = (T)-0.0873f + (T)0.0248f * b + (T)0.01f * p;
    const T center = n * p + (T)0.5f;
    const T limit = (T)0.92f - (T)4.2f / b;
    const T alpha = ((T)2.83f + (T)5.1f / b) * spread;
    const T most = xr_log_binomial_T(floor((n + (T)1.0f) * p), n, p);
    int taken = 0;
    for (u32 attempt = 0u; attempt < 64u && taken == 0; ++attempt) {
        const xr_words words = xr_attempt(block, attempt, draw, key);
        const T u = xr_open_of_words_T(words.x, words.y) - (T)0.5f;
        const T v = xr_open_of_words_T(words.z, words.w);
        const T us = (T)0.5f - fabs(u);
        const T k = floor(((T)2.0f * a / us + b) * u + center);
        if (k >= (T)0.0f && k <= n) {
            taken = (us >= (T)0.07f) & (v <= limit);
            if (taken == 0) {
                const T height = xr_log_T(v * alpha / (a / (us * us) + b));
                taken = height <= xr_log_binomial_T(k, n, p) - most;
            }
        }
        result = k;
    }
    return taken != 0 ? result : floor(n * p);
}

DEVICE T xr_binomial_T(const u64 block, const u64 draw, const u64 key, const T n, const T p)
{
    const int above = p > (T)0.5f;
    const T smaller = above ? (T)1.0f - p : p;
    const T drawn = ((n > (T)0.0f) & (smaller > (T)0.0f))
        ? xr_binomial_below_half_T(block, draw, key, n, smaller) : (T)0.0f;
    return above ? n - drawn : drawn;
}

DEVICE T xr_negative_binomial_T(const u64 block, const u64 draw, const u64 key, const T n, const T p)
{
    const T mean = xr_standard_gamma_T(block, draw, key, n) * (((T)1.0f - p) / p);
    return xr_poisson_T(xr_second(block), draw, key, mean);
}

DEVICE T xr_noncentral_chisquare_T(
    const u64 block, const u64 draw, const u64 key, const T df, const T nonc)
{
    if (df > (T)1.0f) {
        const T z = xr_normal_of_words_T(xr_attempt(block, 0x3ffeu, draw, key)) + sqrt(nonc);
        return xr_chisquare_T(block, draw, key, df - (T)1.0f) + z * z;
    }
    const T pairs = xr_poisson_T(xr_second(block), draw, key, nonc * (T)0.5f);
    return xr_chisquare_T(block, draw, key, df + (T)2.0f * pairs);
}

// The quotient of two variables: the second one's blocks are those of bit 62 besides.
DEVICE T xr_noncentral_f_T(
    const u64 block, const u64 draw, const u64 key, const T dfnum, const T dfden, const T nonc)
{
    const T above = xr_noncentral_chisquare_T(block, draw, key, dfnum, nonc) * dfden;
    const u64 other = block | ((u64)1 << 62);
    return above / (xr_chisquare_T(other, draw, key, dfden) * dfnum);
}

// How often independent trials are made until one succeeds.
DEVICE T xr_geometric_T(const u64 block, const u64 draw, const u64 key, const T p)
{
    const xr_words words = xr_attempt(block, 0u, draw, key);
    const T trials = ceil(-xr_exponential_of_words_T(words.x, words.y) / xr_log1p_T(-p));
    return xr_maximum_T((T)1.0f, xr_minimum_T(trials, (T)9.223371e18f));
}

// A. W. Kemp, "Efficient generation of logarithmically distributed pseudo-random variables" (Applied
// Statistics 30, 1981), algorithm LK.
DEVICE T xr_logseries_T(const u64 block, const u64 draw, const u64 key, const T p)
{
    const xr_words words = xr_attempt(block, 0u, draw, key);
    const T v = xr_open_of_words_T(words.x, words.y);
    const T q = -xr_expm1_T(xr_log1p_T(-p) * xr_open_of_words_T(words.z, words.w));
    const T many = floor((T)1.0f + xr_log_T(v) / xr_log_T(q));
    const T some = v <= q * q ? xr_maximum_T((T)1.0f, many) : v >= q ? (T)1.0f : (T)2.0f;
    return v >= p ? (T)1.0f : xr_minimum_T(some, (T)9.223371e18f);
}

// L. Devroye, "Non-uniform random variate generation" (1986), chapter X.6.
DEVICE T xr_zipf_T(const u64 block, const u64 draw, const u64 key, const T a)
{
    if (a >= (T)1025.0f) {
        return (T)1.0f;
    }
    const T less = a - (T)1.0f;
    const T b = xr_pow_T((T)2.0f, less);
    T result = (T)1.0f;
    int taken = 0;
    for (u32 attempt = 0u; attempt < 64u && taken == 0; ++attempt) {
        const xr_words words = xr_attempt(block, attempt, draw, key);
        const T u = xr_open_of_words_T(words.x, words.y);
        const T v = xr_open_of_words_T(words.z, words.w);
        const T x = floor(xr_pow_T(u, (T)-1.0f / less));
        if (x < (T)9.223371e18f) {
            const T t = xr_pow_T((T)1.0f + (T)1.0f / x, less);
            taken = v * x * (t - (T)1.0f) / (b - (T)1.0f) <= t / b;
            result = x;
        }
    }
    return taken != 0 ? result : (T)1.0f;
}

// The logarithm of the ways to draw k of `good` and count - k of `bad`, negative.
DEVICE T xr_hypergeometric_ways_T(const T k, const T good, const T bad, const T count)
{
    return xr_log_factorial_T(k) + xr_log_factorial_T(good - k)
        + xr_log_factorial_T(count - k) + xr_log_factorial_T(bad - count + k);
}

// E. Stadlober, "The ratio of uniforms approach for generating discrete random variates" (Journal of
// Computational and Applied Mathematics 31, 1990), algorithm HRUA.
DEVICE T xr_hypergeometric_T(
    const u64 block, const u64 draw, const u64 key, const T good, const T bad, const T sample)
{
    const T whole = good + bad;
    const T few = xr_minimum_T(good, bad);
    const T many = xr_maximum_T(good, bad);
    const T count = xr_minimum_T(sample, whole - sample);
    if (count <= (T)0.0f || few <= (T)0.0f) {
        return few <= (T)0.0f ? (good > bad ? sample : (T)0.0f)
                              : (sample <= (T)0.0f ? (T)0.0f : good);
    }
    const T share = few / whole;
    const T spread = (whole - count) * count * share * ((T)1.0f - share) / (whole - (T)1.0f);
    const T center = count * share + (T)0.5f;
    const T c = sqrt(spread + (T)0.5f);
    const T width = (T)1.7155278f * c + (T)0.8989162f;
    const T mode = floor((count + (T)1.0f) * (few + (T)1.0f) / (whole + (T)2.0f));
    const T best = xr_hypergeometric_ways_T(mode, few, many, count);
    const T end = xr_minimum_T(xr_minimum_T(count, few) + (T)1.0f, floor(center + (T)16.0f * c));
    T result = mode;
    int taken = 0;
    for (u32 attempt = 0u; attempt < 64u && taken == 0; ++attempt) {
        const xr_words words = xr_attempt(block, attempt, draw, key);
        const T u = xr_open_of_words_T(words.x, words.y);
        const T v = xr_open_of_words_T(words.z, words.w);
        const T x = center + width * (v - (T)0.5f) / u;
        if (x >= (T)0.0f && x < end) {
            const T k = floor(x);
            const T gain = best - xr_hypergeometric_ways_T(k, few, many, count);
            taken = (T)2.0f * xr_log_T(u) <= gain;
            result = k;
        }
    }
    const T least = taken != 0 ? result : mode;
    const T of_good = good > bad ? count - least : least;
    return count < sample ? good - of_good : of_good;
}
