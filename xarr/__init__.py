"""xarr: NumPy's idiom and the whole Python Array API, fast on any device.

>>> import xarr as np
>>> x = np.linspace(0, 1, 5)
>>> float(((x - x.mean()) ** 2).sum())
0.625
"""

import math as _math

import numpy as _numpy

import xarr.functions.methods as _methods  # noqa: F401 - Array adopts them
from xarr import fft as fft
from xarr import linalg as linalg
from xarr.array.array import API_VERSIONS as _API_VERSIONS
from xarr.array.array import Array as Array
from xarr.array.interchange import (
    from_dlpack as from_dlpack,
)
from xarr.array.transfers import (
    no_implicit_transfer as no_implicit_transfer,
)
from xarr.backends.device import (
    Device as Device,
)
from xarr.backends.device import (
    default_device as default_device,
)
from xarr.backends.device import (
    device as device,
)
from xarr.backends.device import (
    devices as devices,
)
from xarr.engine.engine import (
    eager as eager,
)
from xarr.errors import (
    CacheWarning as CacheWarning,
)
from xarr.errors import (
    CompileError as CompileError,
)
from xarr.errors import (
    HostFallbackWarning as HostFallbackWarning,
)
from xarr.errors import (
    ImplicitTransferError as ImplicitTransferError,
)
from xarr.functions.aliases import (
    absolute as absolute,
)
from xarr.functions.aliases import (
    amax as amax,
)
from xarr.functions.aliases import (
    amin as amin,
)
from xarr.functions.aliases import (
    arccos as arccos,
)
from xarr.functions.aliases import (
    arccosh as arccosh,
)
from xarr.functions.aliases import (
    arcsin as arcsin,
)
from xarr.functions.aliases import (
    arcsinh as arcsinh,
)
from xarr.functions.aliases import (
    arctan as arctan,
)
from xarr.functions.aliases import (
    arctan2 as arctan2,
)
from xarr.functions.aliases import (
    arctanh as arctanh,
)
from xarr.functions.aliases import (
    asanyarray as asanyarray,
)
from xarr.functions.aliases import (
    bitwise_not as bitwise_not,
)
from xarr.functions.aliases import (
    concatenate as concatenate,
)
from xarr.functions.aliases import (
    conjugate as conjugate,
)
from xarr.functions.aliases import (
    invert as invert,
)
from xarr.functions.aliases import (
    left_shift as left_shift,
)
from xarr.functions.aliases import (
    mod as mod,
)
from xarr.functions.aliases import (
    power as power,
)
from xarr.functions.aliases import (
    right_shift as right_shift,
)
from xarr.functions.aliases import (
    rint as rint,
)
from xarr.functions.aliases import (
    true_divide as true_divide,
)
from xarr.functions.arithmetic import (
    around as around,
)
from xarr.functions.arithmetic import (
    clip as clip,
)
from xarr.functions.arithmetic import (
    pow as pow,
)
from xarr.functions.arithmetic import (
    round as round,
)
from xarr.functions.creation import (
    arange as arange,
)
from xarr.functions.creation import (
    array as array,
)
from xarr.functions.creation import (
    asarray as asarray,
)
from xarr.functions.creation import (
    ascontiguousarray as ascontiguousarray,
)
from xarr.functions.creation import (
    copy as copy,
)
from xarr.functions.creation import (
    empty as empty,
)
from xarr.functions.creation import (
    empty_like as empty_like,
)
from xarr.functions.creation import (
    eye as eye,
)
from xarr.functions.creation import (
    full as full,
)
from xarr.functions.creation import (
    full_like as full_like,
)
from xarr.functions.creation import (
    geomspace as geomspace,
)
from xarr.functions.creation import (
    identity as identity,
)
from xarr.functions.creation import (
    linspace as linspace,
)
from xarr.functions.creation import (
    logspace as logspace,
)
from xarr.functions.creation import (
    ones as ones,
)
from xarr.functions.creation import (
    ones_like as ones_like,
)
from xarr.functions.creation import (
    to_device as to_device,
)
from xarr.functions.creation import (
    to_numpy as to_numpy,
)
from xarr.functions.creation import (
    tri as tri,
)
from xarr.functions.creation import (
    tril as tril,
)
from xarr.functions.creation import (
    triu as triu,
)
from xarr.functions.creation import (
    zeros as zeros,
)
from xarr.functions.creation import (
    zeros_like as zeros_like,
)
from xarr.functions.data_types import (
    astype as astype,
)
from xarr.functions.data_types import (
    can_cast as can_cast,
)
from xarr.functions.data_types import (
    finfo as finfo,
)
from xarr.functions.data_types import (
    iinfo as iinfo,
)
from xarr.functions.data_types import (
    isdtype as isdtype,
)
from xarr.functions.data_types import (
    result_type as result_type,
)
from xarr.functions.diagnostics import (
    explain as explain,
)
from xarr.functions.diagnostics import (
    memory_info as memory_info,
)
from xarr.functions.diagnostics import (
    synchronize as synchronize,
)
from xarr.functions.elementwise import (
    abs as abs,
)
from xarr.functions.elementwise import (
    acos as acos,
)
from xarr.functions.elementwise import (
    acosh as acosh,
)
from xarr.functions.elementwise import (
    add as add,
)
from xarr.functions.elementwise import (
    asin as asin,
)
from xarr.functions.elementwise import (
    asinh as asinh,
)
from xarr.functions.elementwise import (
    atan as atan,
)
from xarr.functions.elementwise import (
    atan2 as atan2,
)
from xarr.functions.elementwise import (
    atanh as atanh,
)
from xarr.functions.elementwise import (
    bitwise_and as bitwise_and,
)
from xarr.functions.elementwise import (
    bitwise_invert as bitwise_invert,
)
from xarr.functions.elementwise import (
    bitwise_left_shift as bitwise_left_shift,
)
from xarr.functions.elementwise import (
    bitwise_or as bitwise_or,
)
from xarr.functions.elementwise import (
    bitwise_right_shift as bitwise_right_shift,
)
from xarr.functions.elementwise import (
    bitwise_xor as bitwise_xor,
)
from xarr.functions.elementwise import (
    ceil as ceil,
)
from xarr.functions.elementwise import (
    conj as conj,
)
from xarr.functions.elementwise import (
    copysign as copysign,
)
from xarr.functions.elementwise import (
    cos as cos,
)
from xarr.functions.elementwise import (
    cosh as cosh,
)
from xarr.functions.elementwise import (
    divide as divide,
)
from xarr.functions.elementwise import (
    equal as equal,
)
from xarr.functions.elementwise import (
    exp as exp,
)
from xarr.functions.elementwise import (
    expm1 as expm1,
)
from xarr.functions.elementwise import (
    floor as floor,
)
from xarr.functions.elementwise import (
    floor_divide as floor_divide,
)
from xarr.functions.elementwise import (
    greater as greater,
)
from xarr.functions.elementwise import (
    greater_equal as greater_equal,
)
from xarr.functions.elementwise import (
    hypot as hypot,
)
from xarr.functions.elementwise import (
    imag as imag,
)
from xarr.functions.elementwise import (
    isfinite as isfinite,
)
from xarr.functions.elementwise import (
    isinf as isinf,
)
from xarr.functions.elementwise import (
    isnan as isnan,
)
from xarr.functions.elementwise import (
    less as less,
)
from xarr.functions.elementwise import (
    less_equal as less_equal,
)
from xarr.functions.elementwise import (
    log as log,
)
from xarr.functions.elementwise import (
    log1p as log1p,
)
from xarr.functions.elementwise import (
    log2 as log2,
)
from xarr.functions.elementwise import (
    log10 as log10,
)
from xarr.functions.elementwise import (
    logaddexp as logaddexp,
)
from xarr.functions.elementwise import (
    logical_and as logical_and,
)
from xarr.functions.elementwise import (
    logical_not as logical_not,
)
from xarr.functions.elementwise import (
    logical_or as logical_or,
)
from xarr.functions.elementwise import (
    logical_xor as logical_xor,
)
from xarr.functions.elementwise import (
    maximum as maximum,
)
from xarr.functions.elementwise import (
    minimum as minimum,
)
from xarr.functions.elementwise import (
    multiply as multiply,
)
from xarr.functions.elementwise import (
    negative as negative,
)
from xarr.functions.elementwise import (
    nextafter as nextafter,
)
from xarr.functions.elementwise import (
    not_equal as not_equal,
)
from xarr.functions.elementwise import (
    positive as positive,
)
from xarr.functions.elementwise import (
    real as real,
)
from xarr.functions.elementwise import (
    reciprocal as reciprocal,
)
from xarr.functions.elementwise import (
    remainder as remainder,
)
from xarr.functions.elementwise import (
    sign as sign,
)
from xarr.functions.elementwise import (
    signbit as signbit,
)
from xarr.functions.elementwise import (
    sin as sin,
)
from xarr.functions.elementwise import (
    sinh as sinh,
)
from xarr.functions.elementwise import (
    sqrt as sqrt,
)
from xarr.functions.elementwise import (
    square as square,
)
from xarr.functions.elementwise import (
    subtract as subtract,
)
from xarr.functions.elementwise import (
    tan as tan,
)
from xarr.functions.elementwise import (
    tanh as tanh,
)
from xarr.functions.elementwise import (
    trunc as trunc,
)
from xarr.functions.grids import (
    fromfunction as fromfunction,
)
from xarr.functions.grids import (
    indices as indices,
)
from xarr.functions.grids import (
    meshgrid as meshgrid,
)
from xarr.functions.grids import (
    mgrid as mgrid,
)
from xarr.functions.grids import (
    ogrid as ogrid,
)
from xarr.functions.inspection import (
    __array_namespace_info__ as __array_namespace_info__,
)
from xarr.functions.joining import (
    append as append,
)
from xarr.functions.joining import (
    column_stack as column_stack,
)
from xarr.functions.joining import (
    concat as concat,
)
from xarr.functions.joining import (
    diff as diff,
)
from xarr.functions.joining import (
    dstack as dstack,
)
from xarr.functions.joining import (
    hstack as hstack,
)
from xarr.functions.joining import (
    pad as pad,
)
from xarr.functions.joining import (
    repeat as repeat,
)
from xarr.functions.joining import (
    roll as roll,
)
from xarr.functions.joining import (
    stack as stack,
)
from xarr.functions.joining import (
    tile as tile,
)
from xarr.functions.joining import (
    vstack as vstack,
)
from xarr.functions.linalg import (
    cross as cross,
)
from xarr.functions.linalg import (
    dot as dot,
)
from xarr.functions.linalg import (
    matmul as matmul,
)
from xarr.functions.linalg import (
    matrix_transpose as matrix_transpose,
)
from xarr.functions.linalg import (
    tensordot as tensordot,
)
from xarr.functions.linalg import (
    vecdot as vecdot,
)
from xarr.functions.manipulation import (
    array_split as array_split,
)
from xarr.functions.manipulation import (
    atleast_1d as atleast_1d,
)
from xarr.functions.manipulation import (
    atleast_2d as atleast_2d,
)
from xarr.functions.manipulation import (
    atleast_3d as atleast_3d,
)
from xarr.functions.manipulation import (
    broadcast_arrays as broadcast_arrays,
)
from xarr.functions.manipulation import (
    broadcast_shapes as broadcast_shapes,
)
from xarr.functions.manipulation import (
    broadcast_to as broadcast_to,
)
from xarr.functions.manipulation import (
    expand_dims as expand_dims,
)
from xarr.functions.manipulation import (
    flip as flip,
)
from xarr.functions.manipulation import (
    fliplr as fliplr,
)
from xarr.functions.manipulation import (
    flipud as flipud,
)
from xarr.functions.manipulation import (
    hsplit as hsplit,
)
from xarr.functions.manipulation import (
    moveaxis as moveaxis,
)
from xarr.functions.manipulation import (
    permute_dims as permute_dims,
)
from xarr.functions.manipulation import (
    ravel as ravel,
)
from xarr.functions.manipulation import (
    reshape as reshape,
)
from xarr.functions.manipulation import (
    rot90 as rot90,
)
from xarr.functions.manipulation import (
    split as split,
)
from xarr.functions.manipulation import (
    squeeze as squeeze,
)
from xarr.functions.manipulation import (
    swapaxes as swapaxes,
)
from xarr.functions.manipulation import (
    transpose as transpose,
)
from xarr.functions.manipulation import (
    unstack as unstack,
)
from xarr.functions.manipulation import (
    vsplit as vsplit,
)
from xarr.functions.matrices import (
    diagonal as diagonal,
)
from xarr.functions.matrices import (
    outer as outer,
)
from xarr.functions.matrices import (
    trace as trace,
)
from xarr.functions.printing import (
    array_repr as array_repr,
)
from xarr.functions.printing import (
    array_str as array_str,
)
from xarr.functions.printing import (
    get_printoptions as get_printoptions,
)
from xarr.functions.printing import (
    printoptions as printoptions,
)
from xarr.functions.printing import (
    set_printoptions as set_printoptions,
)
from xarr.functions.reductions import (
    all as all,
)
from xarr.functions.reductions import (
    any as any,
)
from xarr.functions.reductions import (
    argmax as argmax,
)
from xarr.functions.reductions import (
    argmin as argmin,
)
from xarr.functions.reductions import (
    count_nonzero as count_nonzero,
)
from xarr.functions.reductions import (
    cumulative_prod as cumulative_prod,
)
from xarr.functions.reductions import (
    cumulative_sum as cumulative_sum,
)
from xarr.functions.reductions import (
    max as max,
)
from xarr.functions.reductions import (
    mean as mean,
)
from xarr.functions.reductions import (
    min as min,
)
from xarr.functions.reductions import (
    prod as prod,
)
from xarr.functions.reductions import (
    std as std,
)
from xarr.functions.reductions import (
    sum as sum,
)
from xarr.functions.reductions import (
    var as var,
)
from xarr.functions.searching import (
    argwhere as argwhere,
)
from xarr.functions.searching import (
    nonzero as nonzero,
)
from xarr.functions.searching import (
    take as take,
)
from xarr.functions.searching import (
    take_along_axis as take_along_axis,
)
from xarr.functions.searching import (
    where as where,
)
from xarr.functions.sets import (
    isin as isin,
)
from xarr.functions.sets import (
    unique_all as unique_all,
)
from xarr.functions.sets import (
    unique_counts as unique_counts,
)
from xarr.functions.sets import (
    unique_inverse as unique_inverse,
)
from xarr.functions.sets import (
    unique_values as unique_values,
)
from xarr.functions.sorting import (
    argsort as argsort,
)
from xarr.functions.sorting import (
    searchsorted as searchsorted,
)
from xarr.functions.sorting import (
    sort as sort,
)
from xarr.functions.statistical import (
    cumprod as cumprod,
)
from xarr.functions.statistical import (
    cumsum as cumsum,
)
from xarr.functions.statistical import (
    ptp as ptp,
)
from xarr.functions.streams import (
    Event as Event,
)
from xarr.functions.streams import (
    Stream as Stream,
)

__version__ = "0.1.0"
__array_api_version__ = _API_VERSIONS[-1]

e = _math.e
inf = _math.inf
nan = _math.nan
newaxis = None
pi = _math.pi

bool = _numpy.bool_
int8, int16, int32, int64 = _numpy.int8, _numpy.int16, _numpy.int32, _numpy.int64
uint8, uint16, uint32, uint64 = _numpy.uint8, _numpy.uint16, _numpy.uint32, _numpy.uint64
float16, float32, float64 = _numpy.float16, _numpy.float32, _numpy.float64
complex64, complex128 = _numpy.complex64, _numpy.complex128
dtype = _numpy.dtype
ndarray = Array
