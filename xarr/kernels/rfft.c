// The last step of the transform of long real lines: their spectrum from that of their pairs. An
// item makes the elements k and middle - k of one line, which need the same two numbers.
typedef struct { XR_FIELDS } xr_arguments;

#define XR_PARAMETERS(parameter)                                                            \
    parameter(GLOBAL const XR_COMPLEX *RESTRICT, pairs)                                     \
    parameter(GLOBAL const XR_COMPLEX *RESTRICT, halves)                                    \
    parameter(GLOBAL XR_COMPLEX *RESTRICT, result)

GROUP_KERNEL(xr_rfft, XR_PARAMETERS)
{
    for (xr_index item = (xr_index)GLOBAL_ID(0); item < a.items; item += (xr_index)GLOBAL_SIZE(0)) {
        const xr_index inner = item % a.inner_extent;
        const xr_index rest = item / a.inner_extent;
        const xr_index k = rest % a.steps;
        const xr_index outer = rest / a.steps;
        const xr_index mirror = a.middle - k;
        const xr_index begin = outer * a.middle;
        const XR_COMPLEX here = pairs[(begin + k) * a.inner_extent + inner];
        const XR_COMPLEX there = pairs[(begin + (k == 0 ? 0 : mirror)) * a.inner_extent + inner];
        XR_COMPLEX root = xr_half_root(halves, a.half_shift, a.middle, k);
        const xr_index line = outer * (a.middle + 1);
        XR_COMPLEX value = xr_untangle(here, there, root);
        result[(line + k) * a.inner_extent + inner].re = value.re * a.scale;
        result[(line + k) * a.inner_extent + inner].im = value.im * a.scale;
        if (k != mirror) {
            root.re = -root.re;
            value = xr_untangle(there, here, root);
            result[(line + mirror) * a.inner_extent + inner].re = value.re * a.scale;
            result[(line + mirror) * a.inner_extent + inner].im = value.im * a.scale;
        }
    }
}
