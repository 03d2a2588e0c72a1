// Random numbers: blocks of 128 bits as functions of a counter and a key, and uniform and normal
// numbers made of them. Nothing has a state, so element i has the same bits wherever it is computed.
//
// Philox 4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as
// easy as 1, 2, 3" (SC11). The counter is the number of the block (64 bits, the low words) and that
// of the draw. A function of (block, lane, draw, key) gives the element that has this lane of the
// block: of two where it is made of 64 bits, of four where it is made of 32.
#ifndef XR_ASSEMBLED
#include <math.h>
#define DEVICE static inline
typedef int i32;
typedef unsigned int u32;
typedef unsigned long u64;
typedef float f32;
typedef double f64;
typedef float T;
u32 xr_bits_f32(f32 x);
u64 xr_bits_f64(f64 x);
f32 xr_from_bits_f32(u32 x);
f64 xr_from_bits_f64(u64 x);
f32 xr_log_cubic_f32(f32 f);
u64 xr_mulhi_u64(u64 a, u64 b);
#endif

typedef struct {
    u32 x, y, z, w;
} xr_words;

// Products of 64 bits, both halves of which are needed: compilers make one multiplication of them, a
// vector's on CPUs, and recognise that elements share a block, where the languages' own functions for
// the high half keep NVIDIA's OpenCL from it.
DEVICE xr_words xr_philox_round(const xr_words given, const u32 first, const u32 second)
{
    const u64 left = (u64)0xcd9e8d57u * given.z;
    const u64 right = (u64)0xd2511f53u * given.x;
    xr_words words;
    words.x = (u32)(left >> 32) ^ given.y ^ first;
    words.y = (u32)left;
    words.z = (u32)(right >> 32) ^ given.w ^ second;
    words.w = (u32)right;
    return words;
}

// Without a loop: PoCL vectorises the loop around it only if there is none inside.
DEVICE xr_words xr_philox(const u64 block, const u64 draw, const u64 key)
{
    const u32 first = (u32)key;
    const u32 second = (u32)(key >> 32);
    xr_words words;
    words.x = (u32)block;
    words.y = (u32)(block >> 32);
    words.z = (u32)draw;
    words.w = (u32)(draw >> 32);
    words = xr_philox_round(words, first, second);
    words = xr_philox_round(words, first + 0x9e3779b9u, second + 0xbb67ae85u);
    words = xr_philox_round(words, first + 0x3c6ef372u, second + 0x76cf5d0au);
    words = xr_philox_round(words, first + 0xdaa66d2bu, second + 0x32370b8fu);
    words = xr_philox_round(words, first + 0x78dde6e4u, second + 0xed9eba14u);
    words = xr_philox_round(words, first + 0x1715609du, second + 0xa9066899u);
    words = xr_philox_round(words, first + 0xb54cda56u, second + 0x646e171eu);
    words = xr_philox_round(words, first + 0x5384540fu, second + 0x1fd5c5a3u);
    words = xr_philox_round(words, first + 0xf1bbcdc8u, second + 0xdb3d7428u);
    return xr_philox_round(words, first + 0x8ff34781u, second + 0x96a522adu);
}

DEVICE u32 xr_word_u32(const u64 block, const u32 lane, const u64 draw, const u64 key)
{
    const xr_words words = xr_philox(block, draw, key);
    const u32 low = (lane & 1u) != 0u ? words.y : words.x;
    const u32 high = (lane & 1u) != 0u ? words.w : words.z;
    return (lane & 2u) != 0u ? high : low;
}

DEVICE u64 xr_word_u64(const u64 block, const u32 lane, const u64 draw, const u64 key)
{
    const xr_words words = xr_philox(block, draw, key);
    const u32 low = lane != 0u ? words.z : words.x;
    const u32 high = lane != 0u ? words.w : words.y;
    return (u64)low | ((u64)high << 32);
}

// Below span, which is at most 2^32: how often a value occurs differs by 2^-32 of that at most.
DEVICE u64 xr_below(const u64 block, const u32 lane, const u64 draw, const u64 key, const u64 span)
{
    return xr_mulhi_u64(xr_word_u64(block, lane, draw, key), span);
}

// Below span, where 0 stands for 2^64, of all bits of a block: the same 2^-64 at most.
DEVICE u64 xr_below_wide(const u64 block, const u64 draw, const u64 key, const u64 span)
{
    const xr_words words = xr_philox(block, draw, key);
    const u64 high = (u64)words.x | ((u64)words.y << 32);
    const u64 low = (u64)words.z | ((u64)words.w << 32);
    const u64 middle = high * span;
    const u64 carry = middle + xr_mulhi_u64(low, span) < middle ? (u64)1 : (u64)0;
    return span == (u64)0 ? high : xr_mulhi_u64(high, span) + carry;
}

// k 2^-53 for the integer k of the upper 53 bits; in [0, 1). Conversion from 64-bit integers is slow
// on many CPUs and GPUs: 52 bits become a number in [1, 2), the last one a number of its own.
DEVICE f64 xr_fraction_f64(const u64 bits)
{
    const f64 most = xr_from_bits_f64(0x3ff0000000000000ul | (bits >> 12)) - 1.0;
    const u64 last = (u64)0 - ((bits >> 11) & (u64)1);
    return most + xr_from_bits_f64(last & 0x3ca0000000000000ul);
}

// k 2^-24 for the integer k of the upper 24 bits; in [0, 1).
DEVICE f32 xr_fraction_f32(const u32 bits)
{
    return (f32)(i32)(bits >> 8) * 5.9604645e-8f;
}

DEVICE f64 xr_random_f64(const u64 block, const u32 lane, const u64 draw, const u64 key)
{
    return xr_fraction_f64(xr_word_u64(block, lane, draw, key));
}

DEVICE f32 xr_random_f32(const u64 block, const u32 lane, const u64 draw, const u64 key)
{
    return xr_fraction_f32(xr_word_u32(block, lane, draw, key));
}

// -log of a number in (0, 1], which `bits` make: an exponential. The number is neither zero nor
// subnormal, 2^k (1 + f), and log(1 + f) is 2 s (1 + s^2 / 3 + s^4 / 5 + ...) for s = f / (2 + f).
// What is left out is 2^-50 of it, which no sample shows. Added to the number's bits is what moves the
// change of the exponent from 1 to sqrt(1/2); the exponent becomes a float by its bits.
DEVICE f64 xr_exponential_of_f64(const u64 bits)
{
    const u64 moved = xr_bits_f64(xr_fraction_f64(bits) + 1.1102230246251565e-16) + 0x95f619980c433ul;
    const f64 k = xr_from_bits_f64(0x4330000000000000ul | (moved >> 52)) - 4503599627371519.0;
    const f64 f = xr_from_bits_f64((moved & 0x000ffffffffffffful) + 0x3fe6a09e667f3bcdul) - 1.0;
    const f64 s = f / (2.0 + f);
    const f64 z = s * s;
    f64 sum = fma(z, 0.11764705882352941, 0.13333333333333333);
    sum = fma(z, sum, 0.15384615384615385);
    sum = fma(z, sum, 0.18181818181818182);
    sum = fma(z, sum, 0.2222222222222222);
    sum = fma(z, sum, 0.2857142857142857);
    sum = fma(z, sum, 0.4);
    sum = fma(z, sum, 0.6666666666666666);
    sum = fma(z, sum, 2.0);
    return fma(-s, sum, k * -0.6931471805599453);
}

// (bits + 1/2) 2^-32, rounded, is in (0, 1]; it gives `times`, a power of two, such exponentials. The
// number's exponent is kept times 2^23, as its bits have it. Each fma replaces two operations of which
// the first is exact.
DEVICE f32 xr_exponential_times_f32(const u32 bits, const f32 times)
{
    const f32 u = fma((f32)bits, 2.3283064e-10f, 1.1641532e-10f);
    const u32 exponent = (xr_bits_f32(u) - 0x3f3504f3u) & 0xff800000u;
    const f32 f = xr_from_bits_f32(xr_bits_f32(u) - exponent) - 1.0f;
    const f32 curved = fma(0.5f, f * f, -xr_log_cubic_f32(f));
    return fma(times, curved - f, (f32)(i32)exponent * (times * -8.262958e-8f));
}

DEVICE f32 xr_exponential_of_f32(const u32 bits)
{
    return xr_exponential_times_f32(bits, 1.0f);
}

DEVICE f64 xr_standard_exponential_f64(const u64 block, const u32 lane, const u64 draw, const u64 key)
{
    return xr_exponential_of_f64(xr_word_u64(block, lane, draw, key));
}

DEVICE f32 xr_standard_exponential_f32(const u64 block, const u32 lane, const u64 draw, const u64 key)
{
    return xr_exponential_of_f32(xr_word_u32(block, lane, draw, key));
}

// The cosine, or the sine for part 1, of the angle 2 pi (bits / 2^64): the upper two bits turn by
// quarters, the rest is an angle of at most pi / 4, for which Taylor's polynomials have 2^-45.
DEVICE f64 xr_on_circle_f64(const u64 bits, const u32 part)
{
    const f64 turn = xr_from_bits_f64(0x3ff0000000000000ul | ((bits << 2) >> 12)) - 1.5;
    const f64 x = (turn + 1.1102230246251565e-16) * 1.5707963267948966;
    const f64 z = x * x;
    f64 sine = fma(z, 1.6059043836821613e-10, -2.505210838544172e-8);
    sine = fma(z, sine, 2.7557319223985893e-6);
    sine = fma(z, sine, -1.984126984126984e-4);
    sine = fma(z, sine, 8.333333333333333e-3);
    sine = fma(z, sine, -1.6666666666666666e-1);
    sine = fma(x * z, sine, x);
    f64 cosine = fma(z, -1.1470745597729725e-11, 2.08767569878681e-9);
    cosine = fma(z, cosine, -2.755731922398589e-7);
    cosine = fma(z, cosine, 2.48015873015873e-5);
    cosine = fma(z, cosine, -1.388888888888889e-3);
    cosine = fma(z, cosine, 4.1666666666666664e-2);
    cosine = fma(z, cosine, -0.5);
    cosine = fma(z, cosine, 1.0);
    const u32 quarter = (u32)(bits >> 62) + (part != 0u ? 3u : 0u);
    const f64 along = (quarter & 1u) != 0u ? sine : cosine;
    return ((quarter + 1u) & 2u) != 0u ? -along : along;
}

// The same of 32 bits, to 2^-25.
DEVICE f32 xr_on_circle_f32(const u32 bits, const u32 part)
{
    const f32 turn = xr_from_bits_f32(0x3f800000u | ((bits << 2) >> 9)) - 1.5f;
    const f32 x = fma(turn, 1.5707964f, 9.362676e-8f);
    const f32 z = x * x;
    f32 sine = fma(z, 2.7557319e-6f, -1.9841270e-4f);
    sine = fma(z, sine, 8.333334e-3f);
    sine = fma(z, sine, -1.6666667e-1f);
    sine = fma(x * z, sine, x);
    f32 cosine = fma(z, 2.4801588e-5f, -1.3888889e-3f);
    cosine = fma(z, cosine, 4.1666668e-2f);
    cosine = fma(z, cosine, -0.5f);
    cosine = fma(z, cosine, 1.0f);
    // The quarter's lower bit exchanges the two, its upper one and `part` say the sign.
    const f32 along = ((bits >> 30) & 1u) != part ? sine : cosine;
    const u32 sign = (part != 0u ? bits : bits + 0x40000000u) & 0x80000000u;
    return xr_from_bits_f32(xr_bits_f32(along) ^ sign);
}

// Box and Muller (Annals of Mathematical Statistics 29, 1958): a pair has one radius and one angle.
DEVICE f64 xr_standard_normal_f64(const u64 block, const u32 lane, const u64 draw, const u64 key)
{
    const xr_words words = xr_philox(block, draw, key);
    const f64 radius = sqrt(2.0 * xr_exponential_of_f64((u64)words.x | ((u64)words.y << 32)));
    return radius * xr_on_circle_f64((u64)words.z | ((u64)words.w << 32), lane);
}

DEVICE f32 xr_standard_normal_f32(const u64 block, const u32 lane, const u64 draw, const u64 key)
{
    const xr_words words = xr_philox(block, draw, key);
    const u32 first = (lane & 2u) != 0u ? words.z : words.x;
    const u32 second = (lane & 2u) != 0u ? words.w : words.y;
    return sqrt(xr_exponential_times_f32(first, 2.0f)) * xr_on_circle_f32(second, lane & 1u);
}
