// Discrete Fourier transforms of 2, 3, 4, 5, 7 and 8 numbers, in place, generic in T = f32 f64 and
// C = c64 c128: v[k] becomes the sum over j of v[j] exp(-2 pi i j k / n).
//
// The odd lengths add and subtract v[j] and v[n - j] first, so that all factors are real. Each
// rounding is a statement of its own.
#ifndef XR_ASSEMBLED
#define DEVICE static inline
typedef float f32;
typedef double f64;
typedef float T;
typedef struct { T re, im; } C;
C xr_add_C(C x, C y), xr_subtract_C(C x, C y);
T xr_cos_turn_T(int k, int n), xr_sin_turn_T(int k, int n);
#endif

// cos(2 pi k / n), rounded, for the n and k that follow.
DEVICE f32 xr_cos_turn_f32(const int k, const int n)
{
    return n == 3 ? -0.5f
        : n == 5 ? (k == 1 ? 0.309017f : -0.809017f)
        : n == 7 ? (k == 1 ? 0.6234898f : k == 2 ? -0.22252093f : -0.90096885f)
        : 0.70710677f; // k = 1, n = 8
}

DEVICE f64 xr_cos_turn_f64(const int k, const int n)
{
    return n == 3 ? -0.5
        : n == 5 ? (k == 1 ? 0.30901699437494745 : -0.8090169943749475)
        : n == 7 ? (k == 1 ? 0.6234898018587335
              : k == 2 ? -0.2225209339563144 : -0.9009688679024191)
        : 0.7071067811865476;
}

// sin(2 pi k / n), likewise.
DEVICE f32 xr_sin_turn_f32(const int k, const int n)
{
    return n == 3 ? 0.8660254f
        : n == 5 ? (k == 1 ? 0.95105654f : 0.58778524f)
        : n == 7 ? (k == 1 ? 0.7818315f : k == 2 ? 0.9749279f : 0.43388373f)
        : 0.70710677f;
}

DEVICE f64 xr_sin_turn_f64(const int k, const int n)
{
    return n == 3 ? 0.8660254037844386
        : n == 5 ? (k == 1 ? 0.9510565162951535 : 0.5877852522924731)
        : n == 7 ? (k == 1 ? 0.7818314824680298 : k == 2 ? 0.9749279121818236 : 0.4338837391175581)
        : 0.7071067811865476;
}

// x + i y
DEVICE C xr_above_C(const C x, const C y)
{
    C z;
    z.re = x.re - y.im;
    z.im = x.im + y.re;
    return z;
}

// x - i y
DEVICE C xr_below_C(const C x, const C y)
{
    C z;
    z.re = x.re + y.im;
    z.im = x.im - y.re;
    return z;
}

// base + factor x
DEVICE C xr_weigh_C(const C base, const T factor, const C x)
{
    const T re = factor * x.re;
    const T im = factor * x.im;
    C z;
    z.re = base.re + re;
    z.im = base.im + im;
    return z;
}

DEVICE C xr_weight_C(const T factor, const C x)
{
    C z;
    z.re = ROUNDED(factor * x.re);
    z.im = ROUNDED(factor * x.im);
    return z;
}

DEVICE void xr_dft2_C(C *v)
{
    const C sum = xr_add_C(v[0], v[1]);
    v[1] = xr_subtract_C(v[0], v[1]);
    v[0] = sum;
}

DEVICE void xr_dft3_C(C *v)
{
    const C sum = xr_add_C(v[1], v[2]);
    const C difference = xr_subtract_C(v[1], v[2]);
    const C even = xr_weigh_C(v[0], xr_cos_turn_T(1, 3), sum);
    const C odd = xr_weight_C(xr_sin_turn_T(1, 3), difference);
    v[0] = xr_add_C(v[0], sum);
    v[1] = xr_below_C(even, odd);
    v[2] = xr_above_C(even, odd);
}

DEVICE void xr_dft4_C(C *v)
{
    const C sum0 = xr_add_C(v[0], v[2]);
    const C sum1 = xr_add_C(v[1], v[3]);
    const C difference0 = xr_subtract_C(v[0], v[2]);
    const C difference1 = xr_subtract_C(v[1], v[3]);
    v[0] = xr_add_C(sum0, sum1);
    v[1] = xr_below_C(difference0, difference1);
    v[2] = xr_subtract_C(sum0, sum1);
    v[3] = xr_above_C(difference0, difference1);
}

DEVICE void xr_dft5_C(C *v)
{
    const T c1 = xr_cos_turn_T(1, 5);
    const T c2 = xr_cos_turn_T(2, 5);
    const T s1 = xr_sin_turn_T(1, 5);
    const T s2 = xr_sin_turn_T(2, 5);
    const C sum1 = xr_add_C(v[1], v[4]);
    const C sum2 = xr_add_C(v[2], v[3]);
    const C difference1 = xr_subtract_C(v[1], v[4]);
    const C difference2 = xr_subtract_C(v[2], v[3]);
    const C even1 = xr_weigh_C(xr_weigh_C(v[0], c1, sum1), c2, sum2);
    const C even2 = xr_weigh_C(xr_weigh_C(v[0], c2, sum1), c1, sum2);
    const C odd1 = xr_weigh_C(xr_weight_C(s1, difference1), s2, difference2);
    const C odd2 = xr_weigh_C(xr_weight_C(s2, difference1), -s1, difference2);
    v[0] = xr_add_C(xr_add_C(v[0], sum1), sum2);
    v[1] = xr_below_C(even1, odd1);
    v[2] = xr_below_C(even2, odd2);
    v[3] = xr_above_C(even2, odd2);
    v[4] = xr_above_C(even1, odd1);
}

DEVICE void xr_dft7_C(C *v)
{
    const T c1 = xr_cos_turn_T(1, 7);
    const T c2 = xr_cos_turn_T(2, 7);
    const T c3 = xr_cos_turn_T(3, 7);
    const T s1 = xr_sin_turn_T(1, 7);
    const T s2 = xr_sin_turn_T(2, 7);
    const T s3 = xr_sin_turn_T(3, 7);
    const C sum1 = xr_add_C(v[1], v[6]);
    const C sum2 = xr_add_C(v[2], v[5]);
    const C sum3 = xr_add_C(v[3], v[4]);
    const C difference1 = xr_subtract_C(v[1], v[6]);
    const C difference2 = xr_subtract_C(v[2], v[5]);
    const C difference3 = xr_subtract_C(v[3], v[4]);
    const C even1 = xr_weigh_C(xr_weigh_C(xr_weigh_C(v[0], c1, sum1), c2, sum2), c3, sum3);
    const C even2 = xr_weigh_C(xr_weigh_C(xr_weigh_C(v[0], c2, sum1), c3, sum2), c1, sum3);
    const C even3 = xr_weigh_C(xr_weigh_C(xr_weigh_C(v[0], c3, sum1), c1, sum2), c2, sum3);
    const C odd1 =
        xr_weigh_C(xr_weigh_C(xr_weight_C(s1, difference1), s2, difference2), s3, difference3);
    const C odd2 =
        xr_weigh_C(xr_weigh_C(xr_weight_C(s2, difference1), -s3, difference2), -s1, difference3);
    const C odd3 =
        xr_weigh_C(xr_weigh_C(xr_weight_C(s3, difference1), -s1, difference2), s2, difference3);
    v[0] = xr_add_C(xr_add_C(xr_add_C(v[0], sum1), sum2), sum3);
    v[1] = xr_below_C(even1, odd1);
    v[2] = xr_below_C(even2, odd2);
    v[3] = xr_below_C(even3, odd3);
    v[4] = xr_above_C(even3, odd3);
    v[5] = xr_above_C(even2, odd2);
    v[6] = xr_above_C(even1, odd1);
}

DEVICE void xr_dft8_C(C *v)
{
    const T half_root = xr_cos_turn_T(1, 8);
    C even[4];
    C odd[4];
    even[0] = v[0];
    even[1] = v[2];
    even[2] = v[4];
    even[3] = v[6];
    odd[0] = v[1];
    odd[1] = v[3];
    odd[2] = v[5];
    odd[3] = v[7];
    xr_dft4_C(even);
    xr_dft4_C(odd);
    // (1 - i) odd[1] and (-1 - i) odd[3], over the root of 2.
    const C turned1 = xr_weight_C(half_root, xr_below_C(odd[1], odd[1]));
    const C turned3 = xr_weight_C(-half_root, xr_above_C(odd[3], odd[3]));
    v[0] = xr_add_C(even[0], odd[0]);
    v[1] = xr_add_C(even[1], turned1);
    v[2] = xr_below_C(even[2], odd[2]);
    v[3] = xr_add_C(even[3], turned3);
    v[4] = xr_subtract_C(even[0], odd[0]);
    v[5] = xr_subtract_C(even[1], turned1);
    v[6] = xr_above_C(even[2], odd[2]);
    v[7] = xr_subtract_C(even[3], turned3);
}
