// Modified Bessel functions of T = f32 f64, in IEEE operations of a fixed order: the same bits on
// every device.
//
// Below 8 a polynomial in x x / 4, from 8 on e^x / sqrt(x) times one in 16 / x - 1, as of the series
// in C. W. Clenshaw, "Chebyshev series for mathematical functions" (NPL Mathematical Tables 5, 1962).
// e^x is in two parts, as in power.h.
// Coefficients: weighted least squares made minimax by Lawson's iteration in 300 bits, rounded one
// after the other. Errors: I0 2^-29.5, I1 2^-28.4 (f32); I0 2^-57.5, I1 2^-56.3 (f64). In units of
// the last place the results are off by at most 2.9, as measured.
#ifndef XR_ASSEMBLED
#include "power.h"
typedef float T;
typedef unsigned int U;
#define xr_infinity_T INFINITY
#define xr_nan_T NAN
T xr_magnitude_T(T x);
T xr_with_sign_T(T y, T x);
T xr_product_tail_T(T a, T b);
T xr_scale_T(T y, U n);
T xr_exp_parts_T(T x, T tail, T *low, U *power);
T xr_i0_near_T(T z);
T xr_i0_far_T(T t);
T xr_i1_near_T(T z);
T xr_i1_far_T(T t);
#endif

// (I0(x) - 1) / z for z = x x / 4 <= 16.
DEVICE f32 xr_i0_near_f32(const f32 z)
{
    return fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, 1.3730969e-13f,
        5.5669245e-12f), 6.497768e-10f), 3.902557e-08f), 1.9310028e-06f), 6.943785e-05f),
        0.0017361223f), 0.02777777f), 0.25f), 1.0f);
}

DEVICE f64 xr_i0_near_f64(const f64 z)
{
    return fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z,
        fma(z, fma(z, 9.16096933301727e-25, 1.1314554670996221e-22), 2.637630648066271e-20),
        4.346222209997293e-18), 6.277821789876152e-16), 7.593881725140046e-14),
        7.594071297012307e-12), 6.151186656095891e-10), 3.936759913800285e-08),
        1.929012345056892e-06), 6.944444444547272e-05), 0.0017361111111100797),
        0.027777777777778324), 0.2499999999999999), 1.0);
}

// sqrt(x) e^-x I0(x) - 0.40234375 for t = 16 / x - 1, x >= 8.
DEVICE f32 xr_i0_far_f32(const f32 t)
{
    return fma(t, fma(t, fma(t, fma(t, fma(t, fma(t, 1.088842e-07f, 3.6207229e-07f),
        1.4757319e-06f), 1.1112898e-05f), 1.3621735e-04f), 0.0033605555f), -1.6724059e-04f);
}

DEVICE f64 xr_i0_far_f64(const f64 t)
{
    const f64 square = t * t;
    const f64 even = fma(square, fma(square, fma(square, fma(square, fma(square, fma(square,
        fma(square, fma(square, fma(square, fma(square, fma(square, fma(square,
        -5.849091765229393e-11, 4.452354015799081e-10), -1.5879934139859202e-09),
        3.5939957564839546e-09), -5.914298041389933e-09), 7.40748065045262e-09),
        -5.395883635144478e-09), -6.749895530832787e-09), 2.1548730702345873e-08),
        8.87221649735705e-08), 1.4838475673534467e-06), 0.0001362160743919022),
        -0.00016724055499192265);
    const f64 odd = fma(square, fma(square, fma(square, fma(square, fma(square, fma(square,
        fma(square, fma(square, fma(square, fma(square, fma(square, -2.1777735158723994e-11,
        1.613015744898061e-10), -5.92290066103467e-10), 1.5487253618068424e-09),
        -3.53077240623118e-09), 7.56654041320023e-09), -1.341404465040385e-08),
        7.555895974719774e-09), 3.9325671368414607e-08), 2.973598724648414e-07),
        1.1143033790432578e-05), 0.003360551983667867);
    return fma(t, odd, even);
}

// (2 I1(x) / x - 1) / z for z = x x / 4 <= 16.
DEVICE f32 xr_i1_near_f32(const f32 z)
{
    return fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, 1.4136069e-12f, 4.7806602e-11f),
        5.250532e-09f), 2.725651e-07f), 1.15899575e-05f), 3.471757e-04f), 0.0069445116f),
        0.0833333f), 0.5f);
}

DEVICE f64 xr_i1_near_f64(const f64 z)
{
    return fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z,
        fma(z, 1.3891840892480222e-23, 1.5693262996697168e-21), 3.4352763628913264e-19),
        5.2138690418235874e-17), 6.905862871072285e-15), 7.593853381489464e-13),
        6.83466630305886e-11), 4.920949214077892e-09), 2.755731943556667e-07),
        1.1574074069442348e-05), 0.00034722222222865096), 0.006944444444439275),
        0.08333333333333538), 0.4999999999999997);
}

// sqrt(x) e^-x I1(x) - 0.390625 for t = 16 / x - 1, x >= 8.
DEVICE f32 xr_i1_far_f32(const f32 t)
{
    return fma(t, fma(t, fma(t, fma(t, fma(t, fma(t, -1.2384513e-07f, -4.2026366e-07f),
        -1.8239197e-06f), -1.5004962e-05f), -2.1923786e-04f), -0.009749581f), -0.0012265409f);
}

DEVICE f64 xr_i1_far_f64(const f64 t)
{
    const f64 square = t * t;
    const f64 even = fma(square, fma(square, fma(square, fma(square, fma(square, fma(square,
        fma(square, fma(square, fma(square, fma(square, fma(square, fma(square,
        6.018050293925478e-11, -4.594027540675035e-10), 1.6438374145873028e-09),
        -3.736236906633828e-09), 6.1903650352116916e-09), -7.857592934422986e-09),
        5.962502145647185e-09), 6.7374800844974245e-09), -2.3374405399792776e-08),
        -1.0001283881317036e-07), -1.834910134817632e-06), -0.000219235763833847),
        -0.0012265409741276717);
    const f64 odd = fma(square, fma(square, fma(square, fma(square, fma(square, fma(square,
        fma(square, fma(square, fma(square, fma(square, fma(square, 2.0808965571121494e-11,
        -1.530574798555913e-10), 5.612623728369666e-10), -1.4829182698874669e-09),
        3.4648545912758182e-09), -7.6643585976224e-09), 1.4042410887080668e-08),
        -8.429714714796532e-09), -4.312889396604468e-08), -3.4838559896688237e-07),
        -1.5038547199713849e-05), -0.009749577193235746);
    return fma(t, odd, even);
}
// x from 8 to where e^x / sqrt(x) overflows.
DEVICE T xr_bessel_range_T(const T size)
{
    const T most = sizeof(T) == 4 ? (T)93.0f : (T)715.0f;
    const T above = size < (T)8.0f ? (T)8.0f : size;
    return above > most ? most : above;
}

// e^y / sqrt(y) factor.
DEVICE T xr_bessel_growth_T(const T y, const T inverse, const T factor)
{
    T low = (T)0.0f;
    U power = (U)0;
    const T high = xr_exp_parts_T(y, (T)0.0f, &low, &power);
    return xr_scale_T(fma(high, factor, low * factor) * sqrt(inverse), power);
}

// The logarithm's derivative by z of the function near 0 is a - b z, within 0.25 / z (I0) and
// 0.11 / z (I1): by it the rounding of z, which counts up to 3.7 times, is made good.
DEVICE T xr_bessel_corrected_T(const T near, const T half_size, const T z, const T a, const T b)
{
    return fma(near * fma(z, -b, a), xr_product_tail_T(half_size, half_size), near);
}

// NaN at infinities, as NumPy has it.
DEVICE T xr_i0_T(const T x)
{
    const T size = xr_magnitude_T(x);
    const T half_size = (T)0.5f * size;
    const T z = half_size * half_size;
    const T near = xr_bessel_corrected_T(fma(z, xr_i0_near_T(z), (T)1.0f), half_size, z,
        (T)0.4765625f, (T)0.01611328125f);
    const T y = xr_bessel_range_T(size);
    const T inverse = (T)1.0f / y;
    const T factor = (T)0.40234375f + xr_i0_far_T(fma((T)16.0f, inverse, (T)-1.0f));
    const T far = xr_bessel_growth_T(y, inverse, factor);
    return size < (T)8.0f ? near : size == xr_infinity_T ? xr_nan_T : far;
}

DEVICE T xr_i1_T(const T x)
{
    const T size = xr_magnitude_T(x);
    const T half_size = (T)0.5f * size;
    const T z = half_size * half_size;
    const T near = xr_bessel_corrected_T(fma(half_size, z * xr_i1_near_T(z), half_size), half_size,
        z, (T)0.3515625f, (T)0.009765625f);
    const T y = xr_bessel_range_T(size);
    const T inverse = (T)1.0f / y;
    const T factor = (T)0.390625f + xr_i1_far_T(fma((T)16.0f, inverse, (T)-1.0f));
    return xr_with_sign_T(size < (T)8.0f ? near : xr_bessel_growth_T(y, inverse, factor), x);
}
