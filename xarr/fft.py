"""Fourier transforms: the standard's extension fft."""

from xarr.functions.fft import (
    fft as fft,
    fftn as fftn,
    hfft as hfft,
    ifft as ifft,
    ifftn as ifftn,
    ihfft as ihfft,
    irfft as irfft,
    irfftn as irfftn,
    rfft as rfft,
    rfftn as rfftn,
)
from xarr.functions.fourier import (
    fftfreq as fftfreq,
    fftshift as fftshift,
    ifftshift as ifftshift,
    rfftfreq as rfftfreq,
)
