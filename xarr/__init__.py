"""xarr: NumPy's idiom and the whole Python Array API, fast on any device.

>>> import xarr as np
>>> x = np.linspace(0, 1, 5)
>>> float(((x - x.mean()) ** 2).sum())
0.625
"""

import math as _math
import typing as _typing

import numpy as _numpy

import xarr.installed as _installed  # noqa: F401 - first: the files may be another project's
import xarr.interpreted as _interpreted  # noqa: F401 - then: what follows may be compiled
from xarr import adapters as _adapters, array as _array, settings as _settings  # noqa: F401
from xarr.functions.names.namespace import public as _public
from xarr.lib import scimath as _scimath

__version__ = "0.1.0"
e, inf, nan, pi = _math.e, _math.inf, _math.nan, _math.pi
euler_gamma, little_endian, newaxis = _numpy.euler_gamma, _numpy.little_endian, None
bool = bool_ = _numpy.bool_
True_, False_ = _numpy.True_, _numpy.False_
int8, int16, int32, int64 = _numpy.int8, _numpy.int16, _numpy.int32, _numpy.int64
uint8, uint16, uint32, uint64 = _numpy.uint8, _numpy.uint16, _numpy.uint32, _numpy.uint64
float16, float32, float64 = _numpy.float16, _numpy.float32, _numpy.float64
complex64, complex128 = _numpy.complex64, _numpy.complex128
byte, short, intc, int_, long = _numpy.byte, _numpy.short, _numpy.intc, _numpy.int_, _numpy.long
longlong, intp = _numpy.longlong, _numpy.intp
ubyte, ushort, uintc, uint = _numpy.ubyte, _numpy.ushort, _numpy.uintc, _numpy.uint
ulong, ulonglong, uintp = _numpy.ulong, _numpy.ulonglong, _numpy.uintp
half, single, double, longdouble = _numpy.half, _numpy.single, _numpy.double, _numpy.longdouble
csingle, cdouble, clongdouble = _numpy.csingle, _numpy.cdouble, _numpy.clongdouble
generic, number = _numpy.generic, _numpy.number
flexible, character = _numpy.flexible, _numpy.character
integer, signedinteger = _numpy.integer, _numpy.signedinteger
unsignedinteger = _numpy.unsignedinteger
inexact, floating, complexfloating = _numpy.inexact, _numpy.floating, _numpy.complexfloating
object_, str_, bytes_, void = _numpy.object_, _numpy.str_, _numpy.bytes_, _numpy.void
datetime64, timedelta64 = _numpy.datetime64, _numpy.timedelta64
dtype = _numpy.dtype
emath = _scimath  # alone: type checkers read a module so, and not in a tuple
ScalarType, typecodes = _numpy.ScalarType, _numpy.typecodes
sctypeDict = _numpy.sctypeDict  # noqa: N816 - NumPy's name

if _typing.TYPE_CHECKING:
    from xarr import (
        exceptions as exceptions,
        fft as fft,
        lib as lib,
        linalg as linalg,
        polynomial as polynomial,
        random as random,
        special as special,
        testing as testing,
        typing as typing,
    )
    from xarr.array.array import Array as Array
    from xarr.array.exchange import from_cl as from_cl, from_dlpack as from_dlpack
    from xarr.array.pointers import Pointer as Pointer
    from xarr.array.transfers import no_implicit_transfer as no_implicit_transfer
    from xarr.backends.base import ForkedError as ForkedError
    from xarr.backends.device import (
        Device as Device,
        default_device as default_device,
        device as device,
        devices as devices,
    )
    from xarr.errors import (
        CacheWarning as CacheWarning,
        CompileError as CompileError,
        DeviceError as DeviceError,
        FloatingPointStateWarning as FloatingPointStateWarning,
        HostFallbackWarning as HostFallbackWarning,
        ImplicitTransferError as ImplicitTransferError,
    )
    from xarr.functions.create.buffers import (
        asarray_chkfinite as asarray_chkfinite,
        ascontiguousarray as ascontiguousarray,
        asfortranarray as asfortranarray,
        copy as copy,
        copyto as copyto,
        frombuffer as frombuffer,
        fromiter as fromiter,
        isfortran as isfortran,
        may_share_memory as may_share_memory,
        require as require,
        shares_memory as shares_memory,
    )
    from xarr.functions.create.creation import (
        array as array,
        asarray as asarray,
        eye as eye,
        full as full,
        full_like as full_like,
        identity as identity,
        to_device as to_device,
        to_numpy as to_numpy,
        tri as tri,
        tril as tril,
        triu as triu,
    )
    from xarr.functions.create.fills import (
        empty as empty,
        empty_like as empty_like,
        ones as ones,
        ones_like as ones_like,
        zeros as zeros,
        zeros_like as zeros_like,
    )
    from xarr.functions.create.grids import (
        c_ as c_,
        fromfunction as fromfunction,
        index_exp as index_exp,
        indices as indices,
        meshgrid as meshgrid,
        mgrid as mgrid,
        ogrid as ogrid,
        r_ as r_,
        s_ as s_,
    )
    from xarr.functions.create.ranges import (
        arange as arange,
        geomspace as geomspace,
        linspace as linspace,
        logspace as logspace,
    )
    from xarr.functions.device.explanation import explain as explain
    from xarr.functions.device.graphs import Graph as Graph, graph as graph
    from xarr.functions.device.kernel_words import kernel as kernel
    from xarr.functions.device.processes import IpcHandle as IpcHandle, ipc_handle as ipc_handle
    from xarr.functions.device.profiling import profile as profile
    from xarr.functions.device.streams import (
        Event as Event,
        Stream as Stream,
        copyto_async as copyto_async,
        current_stream as current_stream,
        empty_pinned as empty_pinned,
    )
    from xarr.functions.elementwise.arithmetic import (
        bitwise_count as bitwise_count,
        clip as clip,
        divmod as divmod,
        imag as imag,
        pow as pow,
        real as real,
        round as round,
    )
    from xarr.functions.elementwise.elementwise import (
        abs as abs,
        acos as acos,
        acosh as acosh,
        add as add,
        asin as asin,
        asinh as asinh,
        atan as atan,
        atan2 as atan2,
        atanh as atanh,
        bitwise_and as bitwise_and,
        bitwise_invert as bitwise_invert,
        bitwise_left_shift as bitwise_left_shift,
        bitwise_or as bitwise_or,
        bitwise_right_shift as bitwise_right_shift,
        bitwise_xor as bitwise_xor,
        cbrt as cbrt,
        ceil as ceil,
        conj as conj,
        copysign as copysign,
        cos as cos,
        cosh as cosh,
        deg2rad as deg2rad,
        divide as divide,
        equal as equal,
        erf as erf,
        erfc as erfc,
        exp as exp,
        exp2 as exp2,
        expm1 as expm1,
        fabs as fabs,
        floor as floor,
        floor_divide as floor_divide,
        fmax as fmax,
        fmin as fmin,
        fmod as fmod,
        gcd as gcd,
        greater as greater,
        greater_equal as greater_equal,
        heaviside as heaviside,
        hypot as hypot,
        isfinite as isfinite,
        isinf as isinf,
        isnan as isnan,
        lcm as lcm,
        less as less,
        less_equal as less_equal,
        lgamma as lgamma,
        log as log,
        log1p as log1p,
        log2 as log2,
        log10 as log10,
        logaddexp as logaddexp,
        logaddexp2 as logaddexp2,
        logical_and as logical_and,
        logical_not as logical_not,
        logical_or as logical_or,
        logical_xor as logical_xor,
        maximum as maximum,
        minimum as minimum,
        multiply as multiply,
        negative as negative,
        nextafter as nextafter,
        not_equal as not_equal,
        positive as positive,
        rad2deg as rad2deg,
        reciprocal as reciprocal,
        remainder as remainder,
        rint as rint,
        rsqrt as rsqrt,
        sign as sign,
        signbit as signbit,
        sin as sin,
        sinh as sinh,
        spacing as spacing,
        sqrt as sqrt,
        square as square,
        subtract as subtract,
        tan as tan,
        tanh as tanh,
        tgamma as tgamma,
        trunc as trunc,
    )
    from xarr.functions.elementwise.float_functions import (
        angle as angle,
        fix as fix,
        float_power as float_power,
        frexp as frexp,
        i0 as i0,
        isneginf as isneginf,
        isposinf as isposinf,
        ldexp as ldexp,
        modf as modf,
        nan_to_num as nan_to_num,
        real_if_close as real_if_close,
        sinc as sinc,
        unwrap as unwrap,
    )
    from xarr.functions.elementwise.floating_state import (
        errstate as errstate,
        getbufsize as getbufsize,
        geterr as geterr,
        geterrcall as geterrcall,
        setbufsize as setbufsize,
        seterr as seterr,
        seterrcall as seterrcall,
    )
    from xarr.functions.elementwise.ufuncs import ufunc as ufunc
    from xarr.functions.index.put import (
        diag_indices as diag_indices,
        diag_indices_from as diag_indices_from,
        fill_diagonal as fill_diagonal,
        ix_ as ix_,
        mask_indices as mask_indices,
        place as place,
        put as put,
        put_along_axis as put_along_axis,
        putmask as putmask,
        ravel_multi_index as ravel_multi_index,
        tril_indices as tril_indices,
        tril_indices_from as tril_indices_from,
        triu_indices as triu_indices,
        triu_indices_from as triu_indices_from,
        unravel_index as unravel_index,
    )
    from xarr.functions.index.searching import (
        argwhere as argwhere,
        choose as choose,
        compress as compress,
        extract as extract,
        flatnonzero as flatnonzero,
        nonzero as nonzero,
        piecewise as piecewise,
        select as select,
        take as take,
        take_along_axis as take_along_axis,
        where as where,
    )
    from xarr.functions.io.bits import packbits as packbits, unpackbits as unpackbits
    from xarr.functions.io.files import (
        fromfile as fromfile,
        fromregex as fromregex,
        fromstring as fromstring,
        genfromtxt as genfromtxt,
        load as load,
        loadtxt as loadtxt,
        memmap as memmap,
        save as save,
        savetxt as savetxt,
        savez as savez,
        savez_compressed as savez_compressed,
    )
    from xarr.functions.io.printing import (
        array2string as array2string,
        array_repr as array_repr,
        array_str as array_str,
        base_repr as base_repr,
        binary_repr as binary_repr,
        format_float_positional as format_float_positional,
        format_float_scientific as format_float_scientific,
        get_printoptions as get_printoptions,
        printoptions as printoptions,
        set_printoptions as set_printoptions,
    )
    from xarr.functions.linalg.einsum import einsum as einsum, einsum_path as einsum_path
    from xarr.functions.linalg.matrices import (
        diag as diag,
        diagflat as diagflat,
        diagonal as diagonal,
        trace as trace,
    )
    from xarr.functions.linalg.numpy_products import (
        cross as cross,
        dot as dot,
        inner as inner,
        kron as kron,
        outer as outer,
        vdot as vdot,
    )
    from xarr.functions.linalg.products import (
        matmul as matmul,
        matrix_transpose as matrix_transpose,
        matvec as matvec,
        tensordot as tensordot,
        vecdot as vecdot,
        vecmat as vecmat,
    )
    from xarr.functions.names.aliases import (
        absolute as absolute,
        amax as amax,
        amin as amin,
        arccos as arccos,
        arccosh as arccosh,
        arcsin as arcsin,
        arcsinh as arcsinh,
        arctan as arctan,
        arctan2 as arctan2,
        arctanh as arctanh,
        around as around,
        asanyarray as asanyarray,
        bitwise_not as bitwise_not,
        concatenate as concatenate,
        conjugate as conjugate,
        degrees as degrees,
        invert as invert,
        left_shift as left_shift,
        mod as mod,
        ndarray as ndarray,
        power as power,
        radians as radians,
        right_shift as right_shift,
        row_stack as row_stack,
        true_divide as true_divide,
    )
    from xarr.functions.names.inspection import (
        __array_api_version__ as __array_api_version__,
        __array_namespace_info__ as __array_namespace_info__,
        get_include as get_include,
        info as info,
        memory_info as memory_info,
        show_config as show_config,
        show_runtime as show_runtime,
        synchronize as synchronize,
    )
    from xarr.functions.polynomials.poly1d import (
        poly as poly,
        poly1d as poly1d,
        polyadd as polyadd,
        polyder as polyder,
        polydiv as polydiv,
        polyfit as polyfit,
        polyint as polyint,
        polymul as polymul,
        polysub as polysub,
        polyval as polyval,
        roots as roots,
        vander as vander,
    )
    from xarr.functions.python.nditer import (
        broadcast as broadcast,
        flatiter as flatiter,
        ndenumerate as ndenumerate,
        ndindex as ndindex,
        nditer as nditer,
    )
    from xarr.functions.python.python_kernels import elementwise as elementwise, fuse as fuse
    from xarr.functions.python.vectorize import (
        apply_along_axis as apply_along_axis,
        apply_over_axes as apply_over_axes,
        frompyfunc as frompyfunc,
        vectorize as vectorize,
    )
    from xarr.functions.reduce.comparing import (
        allclose as allclose,
        array_equal as array_equal,
        array_equiv as array_equiv,
        isclose as isclose,
    )
    from xarr.functions.reduce.reductions import (
        all as all,
        any as any,
        argmax as argmax,
        argmin as argmin,
        count_nonzero as count_nonzero,
        cumprod as cumprod,
        cumsum as cumsum,
        cumulative_prod as cumulative_prod,
        cumulative_sum as cumulative_sum,
        max as max,
        mean as mean,
        min as min,
        prod as prod,
        ptp as ptp,
        std as std,
        sum as sum,
        var as var,
    )
    from xarr.functions.shape.blocks import block as block
    from xarr.functions.shape.insert_delete_pad import (
        delete as delete,
        insert as insert,
        pad as pad,
        resize as resize,
        trim_zeros as trim_zeros,
    )
    from xarr.functions.shape.joining import (
        append as append,
        column_stack as column_stack,
        concat as concat,
        diff as diff,
        dstack as dstack,
        hstack as hstack,
        repeat as repeat,
        roll as roll,
        stack as stack,
        tile as tile,
        vstack as vstack,
    )
    from xarr.functions.shape.manipulation import (
        atleast_1d as atleast_1d,
        atleast_2d as atleast_2d,
        atleast_3d as atleast_3d,
        broadcast_arrays as broadcast_arrays,
        broadcast_shapes as broadcast_shapes,
        broadcast_to as broadcast_to,
        expand_dims as expand_dims,
        flip as flip,
        fliplr as fliplr,
        flipud as flipud,
        moveaxis as moveaxis,
        permute_dims as permute_dims,
        ravel as ravel,
        reshape as reshape,
        rollaxis as rollaxis,
        rot90 as rot90,
        squeeze as squeeze,
        swapaxes as swapaxes,
        transpose as transpose,
    )
    from xarr.functions.shape.splitting import (
        array_split as array_split,
        dsplit as dsplit,
        hsplit as hsplit,
        split as split,
        unstack as unstack,
        vsplit as vsplit,
    )
    from xarr.functions.signal.calculus import (
        bartlett as bartlett,
        blackman as blackman,
        convolve as convolve,
        correlate as correlate,
        gradient as gradient,
        hamming as hamming,
        hanning as hanning,
        interp as interp,
        kaiser as kaiser,
        trapezoid as trapezoid,
    )
    from xarr.functions.sort.sets import (
        ediff1d as ediff1d,
        intersect1d as intersect1d,
        isin as isin,
        setdiff1d as setdiff1d,
        setxor1d as setxor1d,
        union1d as union1d,
        unique as unique,
        unique_all as unique_all,
        unique_counts as unique_counts,
        unique_inverse as unique_inverse,
        unique_values as unique_values,
    )
    from xarr.functions.sort.sorting import (
        argpartition as argpartition,
        argsort as argsort,
        digitize as digitize,
        lexsort as lexsort,
        partition as partition,
        searchsorted as searchsorted,
        sort as sort,
        sort_complex as sort_complex,
    )
    from xarr.functions.statistics.averages import (
        average as average,
        corrcoef as corrcoef,
        cov as cov,
    )
    from xarr.functions.statistics.histograms import (
        bincount as bincount,
        histogram as histogram,
        histogram2d as histogram2d,
        histogram_bin_edges as histogram_bin_edges,
        histogramdd as histogramdd,
    )
    from xarr.functions.statistics.nan_statistics import (
        nanargmax as nanargmax,
        nanargmin as nanargmin,
        nancumprod as nancumprod,
        nancumsum as nancumsum,
        nanmax as nanmax,
        nanmean as nanmean,
        nanmedian as nanmedian,
        nanmin as nanmin,
        nanpercentile as nanpercentile,
        nanprod as nanprod,
        nanquantile as nanquantile,
        nanstd as nanstd,
        nansum as nansum,
        nanvar as nanvar,
    )
    from xarr.functions.statistics.order_statistics import (
        median as median,
        percentile as percentile,
        quantile as quantile,
    )
    from xarr.functions.types.data_types import (
        astype as astype,
        can_cast as can_cast,
        common_type as common_type,
        finfo as finfo,
        iinfo as iinfo,
        iscomplex as iscomplex,
        iscomplexobj as iscomplexobj,
        isdtype as isdtype,
        isreal as isreal,
        isrealobj as isrealobj,
        isscalar as isscalar,
        issubdtype as issubdtype,
        iterable as iterable,
        min_scalar_type as min_scalar_type,
        mintypecode as mintypecode,
        ndim as ndim,
        promote_types as promote_types,
        result_type as result_type,
        shape as shape,
        size as size,
        typename as typename,
    )
    from xarr.ops.vendor import reproducible as reproducible
    from xarr.tape.builder import eager as eager
    from xarr.transforms.batched import vmap as vmap
    from xarr.transforms.calls import (
        grad as grad,
        hessian as hessian,
        hvp as hvp,
        jacobian as jacobian,
        jvp as jvp,
        linearize as linearize,
        value_and_grad as value_and_grad,
        vjp as vjp,
    )
    from xarr.transforms.custom import custom_jvp as custom_jvp, custom_vjp as custom_vjp
    from xarr.transforms.jit import jit as jit
    from xarr.transforms.recomputed import checkpoint as checkpoint
    from xarr.user_kernels.elementwise import ElementwiseKernel as ElementwiseKernel
    from xarr.user_kernels.raw import RawKernel as RawKernel, RawModule as RawModule
    from xarr.user_kernels.reduction import ReductionKernel as ReductionKernel
else:
    del array  # the package, which is bound as it is imported; the function has its name
    _getattr, __dir__ = _public(__name__)

    def __getattr__(name: str) -> object:
        """Import what has a public name at its first use; NumPy's masked arrays at each."""
        if name == "ma":
            from xarr.functions.names.missing_names import masked_arrays

            return masked_arrays()
        return _getattr(name)


_adapters.watch()
