"""Fourier transforms: the standard's extension fft."""

import typing as _typing

from xarr.functions.names.absent import missing as _missing
from xarr.functions.signal.fourier import (
    fft as fft,
    fft2 as fft2,
    fftfreq as fftfreq,
    fftn as fftn,
    fftshift as fftshift,
    hfft as hfft,
    ifft as ifft,
    ifft2 as ifft2,
    ifftn as ifftn,
    ifftshift as ifftshift,
    ihfft as ihfft,
    irfft as irfft,
    irfft2 as irfft2,
    irfftn as irfftn,
    rfft as rfft,
    rfft2 as rfft2,
    rfftfreq as rfftfreq,
    rfftn as rfftn,
)

if not _typing.TYPE_CHECKING:  # which would take any name for one that is there

    def __getattr__(name: str) -> object:
        """Say which name is nearest to one that is not here."""
        raise _missing(__name__, name, globals())
