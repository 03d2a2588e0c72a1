// Which of n equally wide bins a number is in, as NumPy finds it: a guess, which rounding may put
// one bin off, and a comparison with the edges of the bin that was guessed.
#ifndef XR_ASSEMBLED
#include "editor.h"
#endif

DEVICE i64 xr_bin_guess_T(const T x, const T first, const T last, const i64 n)
{
    const T width = last - first;
    const T along = x - first;
    const T share = along / width;
    const T place = share * (T)n;
    const int inside = (x >= first) & (x <= last);
    const i64 bin = inside ? (i64)place : (i64)-1;
    return bin < n ? bin : n - 1;
}

DEVICE i64 xr_bin_of_T(const T x, const i64 guess, const T low, const T high, const i64 n)
{
    const i64 after = ((x >= high) & (guess < n - 1)) ? guess + 1 : guess;
    return guess < 0 ? guess : (x < low ? guess - 1 : after);
}
