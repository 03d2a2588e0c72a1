// What the Fourier transforms share: roots of unity from tables, and how the spectrum of a real
// line follows from that of its pairs. Included in fft.c and rfft.c by codegen/source.py.

// exp(-2 pi i e / n) as a product: the table holds the first 2^shift powers of the root, then every
// 2^shift-th, so that it is short for any n.
DEVICE XR_COMPLEX xr_root(
    GLOBAL const XR_COMPLEX *RESTRICT roots, const xr_index shift, const xr_index e)
{
    const xr_index block = (xr_index)1 << shift;
    const XR_COMPLEX fine = roots[e & (block - 1)];
    const XR_COMPLEX coarse = roots[block + (e >> shift)];
    return XR_MULTIPLY(coarse, fine);
}

// exp(-pi i k / middle). The second half mirrors the first, so that k = middle gives exactly -1.
DEVICE XR_COMPLEX xr_half_root(
    GLOBAL const XR_COMPLEX *RESTRICT roots,
    const xr_index shift,
    const xr_index middle,
    const xr_index k)
{
    const int mirrored = k > middle - k;
    XR_COMPLEX root = xr_root(roots, shift, mirrored ? middle - k : k);
    root.re = mirrored ? -root.re : root.re;
    return root;
}

// A line x of 2 middle real numbers as pairs, z[k] = x[2k] + i x[2k + 1], has the spectrum
//   X[k] = (Z[k] + conj Z[middle - k]) / 2 - i root (Z[k] - conj Z[middle - k]) / 2,
// of which this is the double. here is Z[k], there is Z[middle - k].
DEVICE XR_COMPLEX xr_untangle(const XR_COMPLEX here, const XR_COMPLEX there, const XR_COMPLEX root)
{
    XR_COMPLEX even;
    even.re = here.re + there.re;
    even.im = here.im - there.im;
    XR_COMPLEX odd;
    odd.re = here.re - there.re;
    odd.im = here.im + there.im;
    const XR_COMPLEX turned = XR_MULTIPLY(root, odd);
    XR_COMPLEX result;
    result.re = even.re + turned.im;
    result.im = even.im - turned.re;
    return result;
}

// The way back: the double of Z[k], from X[k] and X[middle - k].
DEVICE XR_COMPLEX xr_entangle(const XR_COMPLEX here, const XR_COMPLEX there, XR_COMPLEX root)
{
    XR_COMPLEX even;
    even.re = here.re + there.re;
    even.im = here.im - there.im;
    XR_COMPLEX odd;
    odd.re = here.re - there.re;
    odd.im = here.im + there.im;
    root.im = -root.im;
    const XR_COMPLEX turned = XR_MULTIPLY(root, odd);
    XR_COMPLEX result;
    result.re = even.re - turned.im;
    result.im = even.im + turned.re;
    return result;
}
