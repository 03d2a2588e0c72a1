"""Fourier transforms: the standard's extension fft."""

from xarr.functions.fft import (
    fft as fft,
)
from xarr.functions.fft import (
    fftfreq as fftfreq,
)
from xarr.functions.fft import (
    fftn as fftn,
)
from xarr.functions.fft import (
    fftshift as fftshift,
)
from xarr.functions.fft import (
    hfft as hfft,
)
from xarr.functions.fft import (
    ifft as ifft,
)
from xarr.functions.fft import (
    ifftn as ifftn,
)
from xarr.functions.fft import (
    ifftshift as ifftshift,
)
from xarr.functions.fft import (
    ihfft as ihfft,
)
from xarr.functions.fft import (
    irfft as irfft,
)
from xarr.functions.fft import (
    irfftn as irfftn,
)
from xarr.functions.fft import (
    rfft as rfft,
)
from xarr.functions.fft import (
    rfftfreq as rfftfreq,
)
from xarr.functions.fft import (
    rfftn as rfftn,
)
