"""`kernel`: kernels by threads, written in Python, for every device.

A marked function is translated to portable C once for each signature (data types, axes, whether
arrays lie in one piece), and launched by a `RawKernel`, with all that this brings: order, caching
on disk, `explain` and `profile`.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any, Final, NamedTuple, NoReturn

import numpy

from xarr import dtypes, errors
from xarr.array.array import Array
from xarr.array.layouts import assign, require_writeable, settled, writeable
from xarr.array.transfers import from_host
from xarr.backends.device import Device, get_device
from xarr.settings import settings
from xarr.tape.traced import plainly
from xarr.user_kernels import language
from xarr.user_kernels.arguments import Begin, Memory, is_small_integer, launch_sizes, storage_of
from xarr.user_kernels.raw import RawKernel
from xarr.user_kernels.repeats import Launched, Repeats
from xarr.user_kernels.threads import host
from xarr.user_kernels.threads.arguments import (
    are_narrow,
    is_first,
    memory_of,
    most_items,
    scalar_of,
    shares_memory,
    sizes_of,
)
from xarr.user_kernels.threads.loops import after_declarations, kernel_text, of_loops
from xarr.user_kernels.threads.operations import HELPERS
from xarr.user_kernels.threads.statements import Function, Program
from xarr.user_kernels.threads.values import (
    NARROW_BITS,
    SMALL,
    WEAK_INT,
    ArrayValue,
    Types,
    Value,
    c_type,
    memory_type,
)
from xarr.user_kernels.threads.words import ATOMICS, Word, Words, axes

_BLOCKS: Final = ((256,), (16, 16), (8, 8, 4))
"""The items of a group of `over`, by the number of axes."""
_BUILT_IN: Final = frozenset(
    (
        *("all", "any", "bitselect", "cross", "distance", "dot", "hadd", "length", "mad24", "mix"),
        *("mul24", "mul_hi", "normalize", "popcount", "prefetch", "rhadd", "rotate", "select"),
        *("shuffle", "smoothstep", "step", "upsample", "abort", "calloc", "clock", "close", "div"),
        *("exit", "free", "index", "link", "main", "malloc", "memcpy", "memset", "open", "pipe"),
        *("printf", "puts", "rand", "random", "read", "remove", "rename", "rindex", "signal"),
        *("sleep", "srand", "swab", "sync", "time", "write"),
    )
)
"""Functions that OpenCL C and C's library have beside those of kernels."""
_LEAST, _MOST = dtypes.integer_bounds(dtypes.int64)
_FORMS: Final = 64
"""Signatures that a kernel remembers."""


class _Form(NamedTuple):
    """A kernel for a signature.

    code : str -- The portable C.
    raw : RawKernel -- What launches it.
    passed : tuple -- For each parameter of the C: what it is, of which argument, along which axis.
    written : tuple of bool -- Whether each argument is written to.
    on_host : callable -- What `interpret` runs.
    has_barrier : bool -- Whether the items of a group wait for each other.
    """

    code: str
    raw: RawKernel
    passed: tuple[tuple[str, int, int], ...]
    written: tuple[bool, ...]
    on_host: Callable[..., None]
    has_barrier: bool


class Kernel:
    """A function that `xarr.kernel` marked; other marked functions may call it, too.

    ``f[grid, block](x, y, 2.0)`` launches it, as Numba's kernels: grid counts groups, block the
    items of a group. ``f.interpret[grid, block](x, y, 2.0)`` runs it in Python. ``f(2.0)`` calls
    the function as Python does.
    """

    def __init__(self, function: FunctionType) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._names = function.__code__.co_varnames[: function.__code__.co_argcount]
        self._where = f"{self.__name__}[grid, block]({', '.join(self._names)})"
        self._forms = dict[Any, _Form]()
        self._repeats = Repeats()

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_forms": {}, "_repeats": Repeats()}

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}>"

    __name__: str

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call the function as Python does."""
        return self._function(*args, **named)

    def __getitem__(self, sizes: Any) -> Callable[..., None]:
        return self._launcher(sizes, on_host=settings().kernel_debug)

    @property
    def interpret(self) -> Interpreted:
        """Run the kernel in Python: ``f.interpret[grid, block](...)``, with bounds checks."""
        return Interpreted(self)

    def over(
        self, shape: Sequence[int] | int, *, block: Sequence[int] | int | None = None
    ) -> Callable[..., None]:
        """Return a function that launches the kernel with one item for each element of a shape.

        In the kernel, ``i, j = grid(2)`` are the element's indices, all of them within the shape.

        shape : int, or tuple of 1 to 3 int -- The elements.
        block : int, or tuple of as many int, optional -- The items of a group.
        """
        return self._over(shape, block, on_host=settings().kernel_debug)

    def forall(
        self, ntasks: int, tpb: int = 0, stream: Any = 0, sharedmem: int = 0
    ) -> Callable[..., None]:
        """Return a function that launches at least `ntasks` items; Numba's name.

        The kernel has to skip indices from `ntasks` on; `over` launches none.
        """
        block = tpb or _BLOCKS[0][0]
        return self[max(-(-ntasks // block), 1), block, stream, sharedmem]

    def source(self, *args: Any, over: int = 0) -> str:
        """Return the portable C of the kernel for the given arguments.

        args : Array, number -- The arguments of a launch.
        over : int -- The number of axes, for the C that `over` launches; 0 for that of a grid.
        """
        device = self._device(args)
        return self._form(device, args, over)[0].code

    # -- launching ------------------------------------------------------------------------------

    def _launcher(self, sizes: Any, *, on_host: bool) -> Callable[..., None]:
        where = self._where
        if not isinstance(sizes, tuple) or not 2 <= len(sizes) <= 4:
            raise errors.type_error(
                where, f"[{sizes!r}] is written", "write f[grid, block] or f[grid, block, stream]"
            )
        grid, block, *more = sizes
        stream = more[0] if more and not (type(more[0]) is int and more[0] == 0) else None
        if len(more) > 1 and more[1]:
            raise errors.value_error(
                where,
                f"{more[1]} bytes of dynamic shared memory are asked for",
                "local memory has a known size",
                "write local_array(shape, dtype) with constants",
            )

        def launch(*given: Any, **named: Any) -> None:
            if named:
                self._refuse_keywords(named)
            key = None
            if stream is None and not on_host:
                key = self._repeats.key(grid, block, given)
                if self._repeats.launch(key, given):
                    return
            args = [plainly(arg) for arg in given]
            device = self._device(args)
            sizes = launch_sizes(grid, block, device, where) if on_host else (grid, block)
            launched = self._run(device, sizes, args, 0, (), stream, on_host)
            if launched is not None:
                self._repeats.keep(key, *launched, given)

        return launch

    def _over(self, shape: Any, block: Any, *, on_host: bool) -> Callable[..., None]:
        where = f"{self.__name__}.over(shape)({', '.join(self._names)})"
        extents, asked = sizes_of(shape), () if block is None else sizes_of(block)
        if not 1 <= len(extents) <= 3 or min(extents) < 0:
            raise errors.value_error(where, f"shape is {shape!r}", "it must be 1 to 3 sizes")
        ndim = len(extents)
        if block is not None and (len(asked) != ndim or min(asked) < 1):
            raise errors.value_error(
                where, f"block is {block!r}", f"it must be {ndim} sizes, one for each axis, from 1"
            )

        def launch(*given: Any, **named: Any) -> None:
            if named:
                self._refuse_keywords(named)
            key = self._repeats.key(extents, ("over", asked), given)
            if not on_host and self._repeats.launch(key, given):
                return
            args = [plainly(arg) for arg in given]
            device = self._device(args)
            items = asked or _BLOCKS[ndim - 1]
            while math.prod(items) > device.info.group_size and block is None:
                items = tuple(max(1, size // 2) for size in items)
            if 0 in extents:
                self._form(device, args, ndim)
                return
            # The last axis, along which elements follow each other, is the first dimension.
            groups = tuple(-(-n // b) for n, b in zip(extents[::-1], items, strict=True))
            sizes = (extents, (1,) * ndim) if on_host else (groups, items)
            launched = self._run(device, sizes, args, ndim, extents, None, on_host)
            if launched is not None:
                self._repeats.keep(key, *launched, given)

        return launch

    def _refuse_keywords(self, named: Iterable[str]) -> NoReturn:
        fault = f"{', '.join(named)} {'is' if len([*named]) == 1 else 'are'} given by keyword"
        remedy = f"give them in the order {', '.join(self._names)}"
        raise errors.type_error(self._where, fault, "arguments must be given by position", remedy)

    def _device(self, args: Sequence[Any]) -> Device:
        return next((arg.device for arg in args if type(arg) is Array), get_device())

    def _run(
        self,
        device: Device,
        sizes: tuple[Any, Any],
        args: Sequence[Any],
        over: int,
        extents: tuple[int, ...],
        stream: Any,
        on_host: bool,
    ) -> Launched | None:
        """Launch the kernel; return the launch if it may be repeated."""
        most = max(extents) if over else most_items(*sizes)
        form, layouts = self._form(device, args, over, most)
        for number, is_written in enumerate(form.written):
            if is_written and not writeable(args[number]):
                where = f"{self._where}: {self._names[number]} is written"
                require_writeable(args[number], where)
        if on_host:
            self._interpret(form, device, *sizes, args, layouts)
            return None
        passed = list[Any]()
        for what, number, axis in form.passed:
            if what == "pointer":
                is_begin = layouts[number].linear and is_first(args[number])
                passed.append(args[number] if is_begin else Memory(args[number]))
            elif what == "value":
                passed.append(args[number])
            elif what == "extent":
                passed.append(layouts[number].shape[axis])
            elif what == "stride":
                passed.append(layouts[number].strides[axis])
            else:
                passed.append(Begin() if what == "offset" else extents[axis])
        if stream is not None:
            form.raw(*sizes, passed, stream=stream)
            return None
        launched = form.raw._launch(*sizes, passed, 0, False, ())
        if launched is None:
            return None
        # The extents and strides follow from the arrays' structures.
        operation, device, places, formats = launched
        numbers = [
            number if what in ("pointer", "value") else None for what, number, _ in form.passed
        ]
        origins = [None if place is None else numbers[place] for place in places]
        known = {numbers[place]: text for place, text in formats.items()}
        return (
            operation,
            device,
            origins,
            {at: text for at, text in known.items() if at is not None},
        )

    def _interpret(
        self,
        form: _Form,
        device: Device,
        places: tuple[int, ...],
        items: tuple[int, ...],
        args: Sequence[Any],
        layouts: Sequence[Any],
    ) -> None:
        """Run the kernel on copies of the arrays' memory, and write back what it has changed."""
        memories = dict[int, tuple[Array, numpy.ndarray[Any, Any]]]()
        given = list[Any]()
        for name, arg, lies in zip(self._names, args, layouts, strict=True):
            if lies is None:
                given.append(arg if isinstance(arg, numpy.generic) else scalar_of(arg, device))
                continue
            serial = storage_of(arg).serial
            if serial not in memories:
                flat = memory_of(arg)
                memories[serial] = flat, numpy.array(flat)
            size, row = arg.itemsize, arg._view.dtype
            values = numpy.ndarray(
                lies.shape,
                row.numpy,
                memories[serial][1].data if arg.size else None,
                lies.offset * size if arg.size else 0,
                [stride * size for stride in lies.strides] if arg.size else None,
            )
            given.append(host.HostArray(name, values))
        try:
            host.launch(form.on_host, places, items, given, has_barrier=form.has_barrier)
        finally:
            changed = {storage_of(a).serial for a, w in zip(args, form.written, strict=True) if w}
            for serial in changed:
                flat, values = memories[serial]
                assign(flat, settled(flat), from_host(values, device, self._where))

    # -- translating ----------------------------------------------------------------------------

    def _form(
        self, device: Device, args: Sequence[Any], over: int, most: int = 0
    ) -> tuple[_Form, list[Any]]:
        """Return the form for arguments, and the layouts of those that are arrays.

        most : int -- The items of a launch along a dimension.
        """
        layouts = list[Any]()
        key = list[Any]([device.info.has_float64, device.info.local_nbytes, over])
        for number, arg in enumerate(args):
            if type(arg) is Array:
                lies = settled(arg)
                layouts.append(lies)
                key.append((arg._view.dtype, len(lies.shape), lies.linear, is_first(arg)))
                if arg.device is not device:
                    raise errors.value_error(
                        self._where,
                        f"{self._name(number)} is on {arg.device}, another array on {device}",
                        "all arrays must be on one device",
                        f"write {self._name(number)}.to_device({str(device)!r})",
                    )
            else:
                if type(arg) is int and not _LEAST <= arg <= _MOST:
                    raise errors.refused(
                        OverflowError,
                        self._where,
                        f"{self._name(number)} is {arg}",
                        "Python's integers must fit int64",
                        f"give numpy.uint64({arg})" if _MOST < arg < 2**64 else "",
                    )
                layouts.append(None)
                key.append(type(arg))
        is_narrow = are_narrow(device, most, layouts)
        known = (*key, shares_memory(args), is_narrow and tuple(map(is_small_integer, args)))
        form = self._forms.get(known)
        if form is None:
            if len(self._forms) >= _FORMS:
                self._forms.clear()
            form = self._forms[known] = self._translated(
                device, args, layouts, over, is_narrow=is_narrow
            )
        return form, layouts

    def _name(self, number: int) -> str:
        return self._names[number] if number < len(self._names) else f"argument {number + 1}"

    def _translated(
        self,
        device: Device,
        args: Sequence[Any],
        layouts: Sequence[Any],
        over: int,
        *,
        is_narrow: bool,
    ) -> _Form:
        types = Types(has_float64=device.info.has_float64, is_narrow=is_narrow)
        program = Program(types, _function_of, over, device.info.local_nbytes)
        made = Function(program, self._function, _c_name(self.__name__), is_kernel=True)
        made.parameters(len(args), None, None)
        params = [
            self._parameter(types, number, arg, lies)
            for number, (arg, lies) in enumerate(zip(args, layouts, strict=True))
        ]
        made.translate(params)
        size_type = "u32" if is_narrow else "i64"
        declared = list[tuple[str, str, tuple[str, int, int]]]()
        for number, param in enumerate(params):
            if isinstance(param, Value):
                declared.append((c_type(param.kind), param.c, ("value", number, 0)))
                continue
            const = "" if param.written[0] else "const "
            kind = f"GLOBAL {const}{memory_type(param.row)} *"
            declared.append((kind, param.pointer, ("pointer", number, 0)))
            declared.append(("i64", param.offset, ("offset", number, 0)))
            for axis in range(param.ndim):
                name = f"n_{param.name}_{axis}"
                declared.append((size_type, name, ("extent", number, axis)))
            for axis, stride in enumerate(param.strides):
                declared.append(("i64", stride, ("stride", number, axis)))
        begin = ""
        if over:
            declared += [(size_type, f"e_{axis}", ("over", 0, axis)) for axis in range(over)]
            tests = [
                f"    if (({size_type})GLOBAL_ID({over - 1 - axis}) >= e_{axis}) return;\n"
                for axis in range(over)
            ]
            begin = "".join(tests)
        body = after_declarations(made.body, begin)
        words = set(re.findall(r"\w+", body))
        used = [one for one in declared if one[1] in words or one[2][0] == "value"]
        head = ", ".join(f"{kind} {name}".replace("* ", "*") for kind, name, _ in used)
        functions = list(program.functions.values())
        texts = [function.c for function in functions]
        words = set(re.findall(r"\w+", "\n".join((*texts, body))))
        texts[:0] = [text for name, text in HELPERS.items() if name in words]
        texts.append(kernel_text(made, head, body))
        code = "\n".join(texts)
        raw = RawKernel(code, made.name)
        limits = {one[2][2]: number for number, one in enumerate(used) if one[2][0] == "over"}
        shares = shares_memory(args)
        raw._module.run_in_loops(of_loops(made, texts, head, limits, shares=shares))
        raw._where = self._where
        names = dict(host.NAMES)
        for function in (*functions, made):
            file = function.function.__code__.co_filename
            exec(host.compiled(function.py_lines, file), names)
        return _Form(
            code,
            raw,
            tuple(one[2] for one in used),
            tuple(isinstance(param, ArrayValue) and param.written[0] for param in params),
            names[made.name],
            made.has_barrier,
        )

    def _parameter(self, types: Types, number: int, arg: Any, lies: Any) -> Any:
        """Return the parameter for an argument."""
        name = self._names[number]
        if lies is None:
            kind = types.of_scalar(arg)
            if kind is None:
                raise errors.type_error(
                    self._where,
                    f"{name} is of type {type(arg).__name__}",
                    "it must be an Array or a real number",
                    f"write xarr.asarray({name})" if isinstance(arg, numpy.ndarray) else "",
                )
            if kind.row in dtypes.NEEDS_FLOAT64 and not types.has_float64:
                raise errors.type_error(
                    self._where,
                    f"{name} is a float64",
                    "it must be float32, as the device has no float64",
                    "give a numpy.float32",
                )
            span = SMALL if types.is_narrow and is_small_integer(arg) else None
            return Value(kind, f"a_{name}", name, span=span)
        row = types.row_of(arg._view.dtype.numpy)
        if row is None:
            raise errors.type_error(
                self._where,
                f"{name} has dtype {arg.dtype}",
                "its dtype must be bool, int8 to uint64, float16, float32 or float64",
                f'convert with {name}.astype("float32")',
            )
        to, end, bits = ("((i64)", ")", NARROW_BITS) if types.is_narrow else ("", "", 48)
        shape = tuple(
            Value(
                *(WEAK_INT, f"{to}n_{name}_{axis}{end}", f"_xr_extent({name}, {axis})", bits),
                span=(0, (1 << bits) - 1),
            )
            for axis in range(len(lies.shape))
        )
        strides = (
            () if lies.linear else tuple(f"s_{name}_{axis}" for axis in range(len(lies.shape)))
        )
        offset = "" if is_first(arg) else f"o_{name}"
        return ArrayValue(name, row, f"p_{name}", name, shape, strides, offset)


class Interpreted:
    """A kernel that runs in Python; for debugging."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def __getitem__(self, sizes: Any) -> Callable[..., None]:
        return self._kernel._launcher(sizes, on_host=True)

    def over(self, shape: Sequence[int] | int) -> Callable[..., None]:
        """Return what runs the kernel with one item for each element of a shape."""
        return self._kernel._over(shape, None, on_host=True)


def _c_name(name: str) -> str:
    """Return a name for a kernel that C does not have already."""
    name = re.sub(r"\W", "_", name, flags=re.ASCII)
    taken = (
        name in _BUILT_IN
        or language.foreign(name)
        or language.replaced(name, has_float64=True) is not None
        or language.is_function(name)
        or name in language.TYPE_WORDS | language.KEYWORDS | language.ITEMS | {"KERNEL", *HELPERS}
        or re.match(r"[a-z]\d*_|[vt]\d|xr_|_|XR_", name) is not None
    )
    return f"kernel_{name}" if taken else name


def _function_of(value: Any) -> FunctionType | None:
    return value._function if isinstance(value, Kernel) else None


class KernelWords(Words):
    """Make a kernel for threads from a function of arrays and numbers.

    Parameters
    ----------
    function : Python function, made by `def`
        The work of each item (thread). At the launch, a SyntaxError shows a line that kernels do
        not support.
    **options : object
        Options of Numba, such as `fastmath`: accepted for compatibility, without effect.

    Returns
    -------
    Kernel
        ``f[grid, block](x, y, 2.0)`` launches it, ``f.over(shape)(x, y, 2.0)`` with one item for
        each element of a shape; ``f.interpret[grid, block](...)`` runs it in Python, with bounds
        checks, and ``f.source(x, y, 2.0)`` is its C. Other kernels may call it.

    Notes
    -----
    The names in `xarr.kernel` for use in kernels are `grid`, `gridsize`, `local_id`, `group_id`,
    `local_size`, `groups`, `barrier`, `local_array`, `private_array` and `atomic`. Names of
    ``numba.cuda`` are there too: `jit`, `threadIdx`, `blockIdx`, `blockDim`, `gridDim`,
    `syncthreads`, `shared`, `local` and, for the host, `to_device`, `device_array`, `stream`,
    `event` and `synchronize`.

    Examples
    --------
    >>> import xarr
    >>> @xarr.kernel
    ... def double(x):
    ...     i = xarr.kernel.grid(1)
    ...     if i < x.size:
    ...         x[i] *= 2
    >>> x = xarr.arange(5.0)
    >>> double[1, 8](x)
    >>> x.tolist()
    [0.0, 2.0, 4.0, 6.0, 8.0]
    """

    def __call__(self, function: Any = None, /, **options: Any) -> Any:
        """Mark a function; without one, return what marks it."""
        if isinstance(function, Kernel):
            return function
        if not isinstance(function, FunctionType):
            if function is None or isinstance(function, str | tuple | list):
                return self  # options and signatures, which launches know anyway
            raise errors.type_error(
                "kernel(function)", f"function is {function!r}", "it must be made by def"
            )
        return Kernel(function)

    @property
    def jit(self) -> KernelWords:
        """Mark a function as a kernel: Numba's name of `xarr.kernel`."""
        return self


_local_id, _group_id = axes("local_id"), axes("group_id")

kernel: Final = KernelWords(
    grid=Word("grid"),
    gridsize=Word("gridsize"),
    local_id=Word("local_id"),
    group_id=Word("group_id"),
    local_size=Word("local_size"),
    groups=Word("groups"),
    barrier=Word("barrier"),
    local_array=Word("local_array"),
    private_array=Word("private_array"),
    atomic=ATOMICS,
    threadIdx=_local_id,
    blockIdx=_group_id,
    blockDim=axes("local_size"),
    gridDim=axes("groups"),
    syncthreads=Word("barrier"),
    shared=Words(array=Word("local_array")),
    local=Words(array=Word("private_array")),
)
"""Mark a function as a kernel by threads; the words of such functions."""
