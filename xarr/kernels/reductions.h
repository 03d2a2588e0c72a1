// What reductions accumulate where a plain value is not enough. T is the type of the elements.
#ifndef XR_ASSEMBLED
#include "editor.h"
int xr_isnan_C(C x), xr_equal_C(C x, C y), xr_exceeds_C(C x, C y);
#endif

// An extreme value and where it is; of equal values the first, and NaN before all others. The index
// is the first field, because rusticl 22.3 copies only a byte of a structure that begins with one.
typedef struct {
    i64 index;
    T value;
    XR_FILL(T)
} xr_arg_T;

DEVICE xr_arg_T xr_arg_first_T(const T x, const i64 index)
{
    xr_arg_T result;
    result.value = x;
    result.index = index;
    return result;
}

DEVICE xr_arg_T xr_argmax_T(const xr_arg_T a, const xr_arg_T b)
{
    const int a_is_nan = a.value != a.value;
    const int b_is_nan = b.value != b.value;
    const int greater = (b.value > a.value) | (b_is_nan & !a_is_nan);
    const int equal = (b.value == a.value) | (b_is_nan & a_is_nan);
    const int take = greater | (equal & (b.index < a.index));
    xr_arg_T result;
    result.value = take ? b.value : a.value;
    result.index = take ? b.index : a.index;
    return result;
}

DEVICE xr_arg_T xr_argmin_T(const xr_arg_T a, const xr_arg_T b)
{
    const int a_is_nan = a.value != a.value;
    const int b_is_nan = b.value != b.value;
    const int less = (b.value < a.value) | (b_is_nan & !a_is_nan);
    const int equal = (b.value == a.value) | (b_is_nan & a_is_nan);
    const int take = less | (equal & (b.index < a.index));
    xr_arg_T result;
    result.value = take ? b.value : a.value;
    result.index = take ? b.index : a.index;
    return result;
}

// The same where NaN comes after all others.
DEVICE xr_arg_T xr_nanargmax_T(const xr_arg_T a, const xr_arg_T b)
{
    const int a_is_nan = a.value != a.value;
    const int b_is_nan = b.value != b.value;
    const int greater = (b.value > a.value) | (a_is_nan & !b_is_nan);
    const int equal = (b.value == a.value) | (b_is_nan & a_is_nan);
    const int take = greater | (equal & (b.index < a.index));
    xr_arg_T result;
    result.value = take ? b.value : a.value;
    result.index = take ? b.index : a.index;
    return result;
}

DEVICE xr_arg_T xr_nanargmin_T(const xr_arg_T a, const xr_arg_T b)
{
    const int a_is_nan = a.value != a.value;
    const int b_is_nan = b.value != b.value;
    const int less = (b.value < a.value) | (a_is_nan & !b_is_nan);
    const int equal = (b.value == a.value) | (b_is_nan & a_is_nan);
    const int take = less | (equal & (b.index < a.index));
    xr_arg_T result;
    result.value = take ? b.value : a.value;
    result.index = take ? b.index : a.index;
    return result;
}

// The same of an extreme so far and an element behind it, of which the index cannot be the smaller.
DEVICE xr_arg_T xr_arg_next_T(const xr_arg_T a, const T x, const i64 index, const int take)
{
    xr_arg_T result;
    result.value = take ? x : a.value;
    result.index = take ? index : a.index;
    return result;
}

DEVICE xr_arg_T xr_argmax_next_T(const xr_arg_T a, const T x, const i64 index)
{
    return xr_arg_next_T(a, x, index, (x > a.value) | ((x != x) & (a.value == a.value)));
}

DEVICE xr_arg_T xr_argmin_next_T(const xr_arg_T a, const T x, const i64 index)
{
    return xr_arg_next_T(a, x, index, (x < a.value) | ((x != x) & (a.value == a.value)));
}

DEVICE xr_arg_T xr_nanargmax_next_T(const xr_arg_T a, const T x, const i64 index)
{
    return xr_arg_next_T(a, x, index, (x > a.value) | ((a.value != a.value) & (x == x)));
}

DEVICE xr_arg_T xr_nanargmin_next_T(const xr_arg_T a, const T x, const i64 index)
{
    return xr_arg_next_T(a, x, index, (x < a.value) | ((a.value != a.value) & (x == x)));
}

// The index of a number; -1 of NaN, which is found where there is nothing else.
DEVICE i64 xr_arg_number_T(const xr_arg_T a)
{
    return a.value == a.value ? a.index : (i64)-1;
}

// The same of complex numbers, which go by their real parts and then by the imaginary ones. What is
// NaN in a part is NaN.
typedef struct {
    i64 index;
    C value;
} xr_arg_C;

DEVICE xr_arg_C xr_arg_first_C(const C x, const i64 index)
{
    xr_arg_C result;
    result.value = x;
    result.index = index;
    return result;
}

// The nearer of two to the front, where NaN stands before all others (`nan_first`) or after them, and
// b's number stands before a's where `before` is nonzero.
DEVICE xr_arg_C xr_arg_nearer_C(const xr_arg_C a, const xr_arg_C b, const int before, const int nan_first)
{
    const int a_is_nan = xr_isnan_C(a.value);
    const int b_is_nan = xr_isnan_C(b.value);
    const int apart = a_is_nan != b_is_nan;
    const int nearer = apart ? b_is_nan == nan_first : before & !a_is_nan;
    const int equal = !apart & (a_is_nan | xr_equal_C(a.value, b.value));
    return nearer | (equal & (b.index < a.index)) ? b : a;
}

DEVICE xr_arg_C xr_argmax_C(const xr_arg_C a, const xr_arg_C b)
{
    return xr_arg_nearer_C(a, b, xr_exceeds_C(b.value, a.value), 1);
}

DEVICE xr_arg_C xr_argmin_C(const xr_arg_C a, const xr_arg_C b)
{
    return xr_arg_nearer_C(a, b, xr_exceeds_C(a.value, b.value), 1);
}

DEVICE xr_arg_C xr_nanargmax_C(const xr_arg_C a, const xr_arg_C b)
{
    return xr_arg_nearer_C(a, b, xr_exceeds_C(b.value, a.value), 0);
}

DEVICE xr_arg_C xr_nanargmin_C(const xr_arg_C a, const xr_arg_C b)
{
    return xr_arg_nearer_C(a, b, xr_exceeds_C(a.value, b.value), 0);
}

DEVICE xr_arg_C xr_argmax_next_C(const xr_arg_C a, const C x, const i64 index)
{
    return xr_argmax_C(a, xr_arg_first_C(x, index));
}

DEVICE xr_arg_C xr_argmin_next_C(const xr_arg_C a, const C x, const i64 index)
{
    return xr_argmin_C(a, xr_arg_first_C(x, index));
}

DEVICE xr_arg_C xr_nanargmax_next_C(const xr_arg_C a, const C x, const i64 index)
{
    return xr_nanargmax_C(a, xr_arg_first_C(x, index));
}

DEVICE xr_arg_C xr_nanargmin_next_C(const xr_arg_C a, const C x, const i64 index)
{
    return xr_nanargmin_C(a, xr_arg_first_C(x, index));
}

DEVICE i64 xr_arg_number_C(const xr_arg_C a)
{
    return xr_isnan_C(a.value) ? (i64)-1 : a.index;
}

// What is accumulated since the last begin of a segment, if there is one (begins != 0). Both fields
// have one type, so that the structure has no padding.
typedef struct {
    T value;
    T begins;
} xr_segment_T;

DEVICE xr_segment_T xr_segment_first_T(const T x, const b8 begins)
{
    xr_segment_T result;
    result.value = x;
    result.begins = (T)(begins != 0);
    return result;
}

// `both` is the accumulation of both values.
DEVICE xr_segment_T xr_segment_join_T(const xr_segment_T a, const xr_segment_T b, const T both)
{
    xr_segment_T result;
    result.value = b.begins != (T)0 ? b.value : both;
    result.begins = b.begins != (T)0 ? b.begins : a.begins;
    return result;
}

typedef struct {
    C value;
    C begins;
} xr_segment_C;

DEVICE xr_segment_C xr_segment_first_C(const C x, const b8 begins)
{
    xr_segment_C result;
    result.value = x;
    result.begins.re = (T)(begins != 0);
    result.begins.im = (T)0;
    return result;
}

DEVICE xr_segment_C xr_segment_join_C(const xr_segment_C a, const xr_segment_C b, const C both)
{
    xr_segment_C result;
    result.value = b.begins.re != (T)0 ? b.value : both;
    result.begins = b.begins.re != (T)0 ? b.begins : a.begins;
    return result;
}

// Mean and sum of squared deviations: one element at a time by Welford (1962), two sets at a time
// by Chan, Golub and LeVeque (1979).
typedef struct {
    T mean;
    T m2;
    T count;
} xr_moments_T;

DEVICE xr_moments_T xr_moments_first_T(const T x)
{
    xr_moments_T result;
    result.mean = x;
    result.m2 = x - x; // NaN where x is infinite or NaN, so that the variance is
    result.count = (T)1;
    return result;
}

DEVICE xr_moments_T xr_moments_step_T(
    const xr_moments_T a, const T x, const T count, const T share)
{
    const T before = x - a.mean;
    const T change = before * share;
    const T mean = a.mean + change;
    const T after = x - mean;
    const T more = before * after;
    xr_moments_T result;
    result.mean = mean;
    result.m2 = a.m2 + more;
    result.count = count;
    return result;
}

DEVICE xr_moments_T xr_moments_combine_T(const xr_moments_T a, const xr_moments_T b)
{
    const T count = a.count + b.count;
    const T share = b.count / count;
    const T delta = b.mean - a.mean;
    const T change = delta * share;
    const T square = delta * delta;
    const T weight = a.count * share;
    const T between = square * weight;
    const T within = a.m2 + b.m2;
    xr_moments_T result;
    result.mean = a.mean + change;
    result.m2 = within + between;
    result.count = count;
    return result;
}

DEVICE T xr_over_T(const T x, const T divisor)
{
    return x / divisor;
}

DEVICE C xr_over_C(const C x, const T divisor)
{
    C result;
    result.re = x.re / divisor;
    result.im = x.im / divisor;
    return result;
}
