// Integer scalar functions, generic in T = i8 u8 i16 u16 i32 u32 i64 u64.
// U and I are the unsigned and the signed type of T's width.
//
// Results are NumPy's: arithmetic wraps around, x // 0 and x % 0 are 0, a shift by the width or
// more moves every bit out. Wrap-around is done in U, because signed overflow is undefined in C;
// `(u32)0 + (U)x` keeps narrow operands from being promoted to int, where u16 * u16 overflows.
// The functions that are one C operator for every T (comparisons, & | ^) have no function here.
#ifndef XR_ASSEMBLED
#define DEVICE static inline
#define GLOBAL
typedef unsigned int u32;
typedef unsigned long long u64;
u32 ATOMIC_ADD_U32(u32 *p, u32 x);
typedef long long i64;
typedef int T;
typedef unsigned int U;
typedef int I;
U XR_CAS_U(volatile U *p, U seen, U next);
#endif

DEVICE T xr_add_T(const T x, const T y)
{
    return (T)(U)((U)x + (U)y);
}

DEVICE T xr_subtract_T(const T x, const T y)
{
    return (T)(U)((U)x - (U)y);
}

DEVICE T xr_multiply_T(const T x, const T y)
{
    return (T)(U)((u32)1 * (U)x * (U)y);
}

DEVICE T xr_square_T(const T x)
{
    return xr_multiply_T(x, x);
}

DEVICE T xr_negative_T(const T x)
{
    return (T)(U)((u32)0 - (U)x);
}

// The most negative integer has no opposite and stays as it is.
DEVICE T xr_abs_T(const T x)
{
    return x < (T)0 ? xr_negative_T(x) : x;
}

DEVICE T xr_sign_T(const T x)
{
    return (T)((x > (T)0) - (x < (T)0));
}

DEVICE T xr_maximum_T(const T x, const T y)
{
    return x > y ? x : y;
}

DEVICE T xr_minimum_T(const T x, const T y)
{
    return x < y ? x : y;
}

// Make p point to the larger of x and what it points to, or to the smaller, which other items change
// as well. In any order this comes to the same bits.
DEVICE void xr_extreme_at_T(GLOBAL T *const p, const T x, const int is_largest)
{
    U seen = (U)*p;
    for (;;) {
        const U before = seen;
        const U next = (U)(is_largest ? xr_maximum_T((T)before, x) : xr_minimum_T((T)before, x));
        if (next == before) {
            return;
        }
        seen = XR_CAS_U((volatile GLOBAL U *)p, before, next);
        if (seen == before) {
            return;
        }
    }
}

// 1 where y is -1; never for an unsigned T, whose (T)-1 is the largest integer.
DEVICE int xr_is_minus_one_T(const T y)
{
    return (y < (T)0) & (y == (T)-1);
}

// The hardware traps at a zero divisor and at the smallest integer divided by -1: neither
// reaches the division.
DEVICE T xr_floor_divide_T(const T x, const T y)
{
    const int flip = xr_is_minus_one_T(y);
    const T divisor = (y == (T)0) | flip ? (T)1 : y;
    const T quotient = (T)(x / divisor);
    const T rest = (T)(x % divisor);
    const int below = (rest != (T)0) & ((rest < (T)0) != (divisor < (T)0));
    const T floored = (T)(quotient - (T)below);
    return y == (T)0 ? (T)0 : flip ? xr_negative_T(x) : floored;
}

DEVICE T xr_remainder_T(const T x, const T y)
{
    const T divisor = (y == (T)0) | xr_is_minus_one_T(y) ? (T)1 : y;
    const T rest = (T)(x % divisor);
    const int below = (rest != (T)0) & ((rest < (T)0) != (divisor < (T)0));
    return below ? (T)(rest + divisor) : rest;
}

// The remainder by an n that is not negative. Compilers test outside loops whether n is a power of 2;
// most other numbers fit 32 bits, whose division takes a GPU a fourth of the time.
DEVICE i64 xr_cyclic_i64(const i64 x, const i64 n)
{
    if ((n & (n - (i64)1)) == (i64)0) {
        return n == (i64)0 ? (i64)0 : x & (n - (i64)1);
    }
    if (((u64)x | (u64)n) >> 32 == (u64)0) {
        return (i64)((u32)x % (u32)n);
    }
    const i64 rest = x % n;
    return rest < (i64)0 ? rest + n : rest;
}

// The same for numbers of 32 bits. A branch around the division would keep what is computed twice.
DEVICE u32 xr_cyclic_u32(const u32 x, const u32 n)
{
    return x % (n == (u32)0 ? (u32)1 : n);
}

DEVICE i32 xr_cyclic_i32(const i32 x, const i32 n)
{
    const i32 rest = x % (n == 0 ? 1 : n);
    return rest < 0 ? rest + n : rest;
}

// A negative exponent gives the power truncated to an integer: 0, or 1 and -1 for those bases.
DEVICE T xr_pow_T(const T x, const T y)
{
    const T odd_power = (y & (T)1) != (T)0 ? x : (T)1;
    U result = (U)1;
    U factor = (U)x;
    U exponent = y < (T)0 ? (U)0 : (U)y;
    while (exponent != (U)0) {
        result = (exponent & (U)1) != (U)0 ? (U)((u32)1 * result * factor) : result;
        factor = (U)((u32)1 * factor * factor);
        exponent = (U)(exponent >> 1);
    }
    if (y < (T)0) {
        return (x == (T)1) | xr_is_minus_one_T(x) ? odd_power : (T)0;
    }
    return (T)result;
}

// C leaves a negative count, and one of the width or more, undefined; OpenCL masks it.
DEVICE T xr_left_shift_T(const T x, const T count)
{
    const int inside = (U)count < (U)(8 * sizeof(T));
    const U shift = inside ? (U)count : (U)0;
    return inside ? (T)(U)(((u32)0 + (U)x) << shift) : (T)0;
}

DEVICE T xr_right_shift_T(const T x, const T count)
{
    const int inside = (U)count < (U)(8 * sizeof(T));
    const U shift = inside ? (U)count : (U)0;
    return inside ? (T)(x >> shift) : (T)(x < (T)0 ? -1 : 0);
}

// x - y times the quotient rounded towards 0; 0 where y is.
DEVICE T xr_fmod_T(const T x, const T y)
{
    const T divisor = (y == (T)0) | xr_is_minus_one_T(y) ? (T)1 : y;
    return (T)(x % divisor);
}

// 0 where x is; NumPy gives what the processor makes of the division.
DEVICE T xr_reciprocal_T(const T x)
{
    return (x == (T)1) | xr_is_minus_one_T(x) ? x : (T)0;
}

// Euclid's algorithm on the magnitudes, which fit in U.
DEVICE T xr_gcd_T(const T x, const T y)
{
    U a = (U)xr_abs_T(x);
    U b = (U)xr_abs_T(y);
    while (b != (U)0) {
        const U rest = (U)(a % b);
        a = b;
        b = rest;
    }
    return (T)a;
}

DEVICE T xr_lcm_T(const T x, const T y)
{
    const U divisor = (U)xr_gcd_T(x, y);
    const U part = divisor == (U)0 ? (U)0 : (U)((U)xr_abs_T(x) / divisor);
    return (T)(U)((u32)1 * part * (U)xr_abs_T(y));
}

// How many bits of the magnitude are set: counts of pairs, of fours and of eights, side by side. A
// loop over the bits takes 40 times as long where the compiler does not know it.
DEVICE T xr_bit_count_T(const T x)
{
    U bits = (U)xr_abs_T(x);
    bits = (U)(bits - ((bits >> 1) & (U)0x5555555555555555));
    bits = (U)((bits & (U)0x3333333333333333) + ((bits >> 2) & (U)0x3333333333333333));
    bits = (U)((bits + (bits >> 4)) & (U)0x0f0f0f0f0f0f0f0f);
    return (T)((U)((u32)1 * bits * (U)0x0101010101010101) >> (8 * (int)sizeof(T) - 8));
}

// C's division of integers, towards 0; by 0 it gives 0, and what the type cannot hold wraps around.
DEVICE T xr_quotient_T(const T x, const T y)
{
    const int flip = xr_is_minus_one_T(y);
    const T divisor = (y == (T)0) | flip ? (T)1 : y;
    const T quotient = (T)(x / divisor);
    return y == (T)0 ? (T)0 : flip ? xr_negative_T(x) : quotient;
}

// How many bits above the highest one that is set are not; all of them where none is.
DEVICE int xr_clz_T(const T x)
{
    U rest = (U)x;
    int count = 8 * (int)sizeof(T);
    for (int step = count / 2; step > 0; step /= 2) {
        const int is_above = (U)(rest >> step) != (U)0;
        rest = is_above ? (U)(rest >> step) : rest;
        count -= is_above ? step : 0;
    }
    return count - (int)rest;
}

// Add to an integer of two words, the low one first, that other items add to at the same time. Who
// makes the low word overflow carries.
DEVICE void xr_add_words(GLOBAL u32 *const words, const u64 more)
{
    const u32 low = (u32)more;
    const u32 before = ATOMIC_ADD_U32(words, low);
    const u32 high = (u32)(more >> 32) + (u32)(before + low < before);
    if (high != 0) {
        ATOMIC_ADD_U32(words + 1, high);
    }
}
