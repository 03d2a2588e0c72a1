"""Arrays in files: NumPy's formats and text, read and written by NumPy on the host."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy

from xarr import dtypes
from xarr.array import buffer_protocols
from xarr.array.array import Array, ArrayLike, DeviceLike, DTypeLike, ShapeLike
from xarr.array.coerce import as_array, holds_arrays
from xarr.array.exchange import from_dlpack, is_of_host
from xarr.array.transfers import Host, from_host, openly, tell
from xarr.backends.device import default_float, get_device
from xarr.errors import difference, type_error, value_error

File = Any
"""A path, or an open file; for text also lines."""


def _host_values(x: Any, where: str) -> Any:
    """The values of what is written, on the host: openly, since a file is asked for."""
    if type(x) is not Array and isinstance(x, list | tuple) and holds_arrays(x):
        x = as_array(x, where)
    if type(x) is not Array:
        return x
    tell(where, x.nbytes, "from", x.device)
    with openly():
        return buffer_protocols.to_array(x)


def _to_arrays(values: Any, device: DeviceLike, where: str) -> Any:
    """Arrays of what was read; what cannot be on a device stays NumPy's."""
    if isinstance(values, list | tuple):
        return type(values)(_to_arrays(part, device, where) for part in values)
    if not isinstance(values, numpy.ndarray):
        return values
    if values.dtype.newbyteorder("=") not in dtypes.BY_NUMPY:
        return values
    target = get_device(device, where)
    if target.no_float64 and values.dtype in (numpy.float64, numpy.complex128):
        values = values.astype("float32" if values.dtype.kind == "f" else "complex64")
    with openly():
        return Array(from_host(numpy.asarray(values), target, where))


def _map_file(values: Any, device: DeviceLike, where: str) -> Any:
    """An array in the memory of a mapped file, on a CPU; elsewhere a copy of it."""
    target = get_device(device, where)
    row = dtypes.BY_NUMPY.get(values.dtype) if isinstance(values, numpy.memmap) else None
    if row is None or (target.no_float64 and row in dtypes.NEEDS_FLOAT64):
        return _to_arrays(values, device, where)
    return from_dlpack(values, device=target)


def _type_of(dtype: Any, device: DeviceLike, where: str) -> Any:
    """The data type that NumPy reads: where it is Python's float, the device's default."""
    if dtype is None or dtype is float:
        return default_float(get_device(device, where)).numpy
    return dtype


class Archive(Mapping[str, Any]):
    """The arrays of an ``.npz`` file by name; each is read when it is indexed.

    >>> import io, xarr
    >>> file = io.BytesIO()
    >>> xarr.savez(file, x=xarr.arange(3))
    >>> _ = file.seek(0)
    >>> with xarr.load(file) as archive:
    ...     print(archive.files, archive["x"])
    ['x'] [0 1 2]
    """

    def __init__(self, archive: Any, device: DeviceLike = None) -> None:
        self._archive = archive
        self._device = device
        self.files: list[str] = archive.files

    def __getitem__(self, name: str) -> Any:
        return _to_arrays(self._archive[name], self._device, "load(file)")

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    @property
    def f(self) -> Any:
        """The same arrays as attributes: ``archive.f.x``."""
        return _Attributes(self)

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return repr(self._archive).replace("NpzFile", "Archive", 1)


class _Attributes:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def __getattr__(self, name: str) -> Any:
        try:
            return self._archive[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return [*self._archive]


_NO_ARRAY = (
    "the file holds pickled objects, or is no file of save and savez",
    "its first bytes must be those of a .npy or .npz file",
    "read text by loadtxt, and objects that you trust with allow_pickle=True",
)


def load(
    file: File,
    mmap_mode: str | None = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: str = "ASCII",
    *,
    max_header_size: int = 10000,
    device: DeviceLike = None,
) -> Any:
    """Read a ``.npy`` or ``.npz`` file, or a pickle. Runs on the host.

    file : path or open file -- The file.
    mmap_mode : {"r", "r+", "w+", "c"}, optional
        How to map an ``.npy`` file into memory; None reads it at once. On a CPU the array is the
        mapped file; elsewhere it is a copy, and writes do not reach the file.
    fix_imports : bool -- Whether pickles of Python 2 find the modules that Python 3 renamed.
    encoding : {"ASCII", "latin1", "bytes"} -- How strings in pickles of Python 2 are decoded.
    max_header_size : int -- The longest header that is read, in bytes; a longer one raises
        ValueError. Without effect where `allow_pickle` is True.

    -> Array or Archive
        The array of an ``.npy`` file; a mapping of the arrays of an ``.npz`` file. Arrays of
        objects, strings, dates and records are NumPy arrays.

    >>> import io
    >>> file = io.BytesIO()
    >>> xarr.save(file, xarr.arange(3))
    >>> _ = file.seek(0)
    >>> xarr.load(file).tolist()
    [0, 1, 2]
    """
    read: Any = numpy.load
    options = (mmap_mode, allow_pickle, fix_imports, encoding)
    try:
        found = read(file, *options, max_header_size=max_header_size)
    except ValueError as error:
        if "pickled" not in str(error):
            raise
        raise value_error("load(file)", *_NO_ARRAY) from None
    if isinstance(found, numpy.lib.npyio.NpzFile):
        return Archive(found, device)
    return _map_file(found, device, "load(file)")


def save(file: File, arr: ArrayLike, allow_pickle: bool = True) -> None:
    """Write an array to a ``.npy`` file. Runs on the host.

    file : path or open file -- The file; ``.npy`` is added to a path without it.

    >>> import io
    >>> xarr.save(io.BytesIO(), xarr.ones(2))
    """
    numpy.save(file, _host_values(arr, "save(file, arr)"), allow_pickle)


def savez(file: File, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike) -> None:
    """Write several arrays to an ``.npz`` file, each with a name. Runs on the host.

    file : path or open file -- The file; ``.npz`` is added to a path without it.
    *args : Array, shape (...) -- Arrays to name ``arr_0``, ``arr_1`` and so on.
    **kwds : Array, shape (...) -- Arrays by name.

    >>> import io
    >>> xarr.savez(io.BytesIO(), xarr.ones(2), x=xarr.zeros(3))
    """
    _write(numpy.savez, file, args, allow_pickle, kwds)


def savez_compressed(
    file: File, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike
) -> None:
    """Write several arrays to a compressed ``.npz`` file; see `xarr.savez`. Runs on the host.

    >>> import io
    >>> xarr.savez_compressed(io.BytesIO(), xarr.ones(2), x=xarr.zeros(3))
    """
    _write(numpy.savez_compressed, file, args, allow_pickle, kwds)


def _write(
    writer: Callable[..., None],
    file: File,
    args: tuple[Any, ...],
    allow_pickle: bool,
    kwds: dict[str, Any],
) -> None:
    where = f"{writer.__name__}(file)"
    named = {name: _host_values(value, where) for name, value in kwds.items()}
    if not allow_pickle:  # a name of an array before NumPy 2.3
        named["allow_pickle"] = False
    writer(file, *(_host_values(value, where) for value in args), **named)


def loadtxt(
    fname: File,
    dtype: DTypeLike = float,
    comments: Any = "#",
    delimiter: str | None = None,
    converters: Any = None,
    skiprows: int = 0,
    usecols: Any = None,
    unpack: bool = False,
    ndmin: int = 0,
    encoding: str | None = None,
    max_rows: int | None = None,
    *,
    quotechar: str | None = None,
    like: Any = None,
    device: DeviceLike = None,
) -> Any:
    """Read numbers from text, one row per line. Runs on the host.

    dtype : dtype, optional
        The data type; Python's float is the default floating-point type.
    comments : str, sequence of str or None
        The text that begins a comment, to the end of the line; None for no comments.
    delimiter : str, optional -- The character between values; None for white space.
    converters : callable or dict of int to callable, optional -- Functions from the text of a field
        to its value: one for all columns, or one for each column number.
    skiprows : int
        The number of lines to skip at the beginning, comments and empty ones included.
    usecols : int or sequence of int, optional -- The columns to read, from 0; None for all.
    unpack : bool -- Whether to return the transposed array, whose rows are the columns of the file:
        ``x, y = xarr.loadtxt(fname, unpack=True)``.
    ndmin : {0, 1, 2} -- The least number of axes; axes of one element beyond it are dropped.
    encoding : str, optional -- The encoding of the file; None for the system's.
    max_rows : int, optional -- The number of rows to read after the skipped lines, without comments
        and empty lines; None for all.
    quotechar : str, optional -- The character around a field that may hold delimiters and comments;
        two of them are one character of the field. None for no quotes.

    -> Array, shape (N, M), or with fewer axes
        The values; transposed with `unpack`. Records and strings are NumPy arrays.

    >>> xarr.loadtxt(["1 2", "3 4"], dtype="int64", unpack=True).tolist()
    [[1, 3], [2, 4]]
    """
    where = "loadtxt(fname)"
    read: Any = numpy.loadtxt
    how = (_type_of(dtype, device, where), comments, delimiter, converters)
    which = (skiprows, usecols, unpack, ndmin, encoding, max_rows)
    return _to_arrays(read(fname, *how, *which, quotechar=quotechar), device, where)


def savetxt(
    fname: File,
    X: ArrayLike,  # noqa: N803 - NumPy's name
    fmt: Any = "%.18e",
    delimiter: str = " ",
    newline: str = "\n",
    header: str = "",
    footer: str = "",
    comments: str = "# ",
    encoding: str | None = None,
) -> None:
    """Write an array of one or two axes as text, one row per line. Runs on the host.

    X : Array, shape (N,) or (N, M) -- The values.
    fmt : str or sequence of str
        The format of all values, as "%.3f"; of each column; or of a row, as "%d: %.3f".
    delimiter : str -- The separator of columns.
    newline : str -- The end of a row.
    header, footer : str -- Text before and after the values, each of its lines after `comments`.
    comments : str -- The beginning of the lines of `header` and `footer`.
    encoding : str, optional -- The encoding of the file; None for latin1.
    fname : path or open file -- The file.

    ValueError -- If X has no axes, or more than two.

    >>> import io
    >>> file = io.StringIO()
    >>> xarr.savetxt(file, xarr.arange(4).reshape(2, 2), fmt="%d")
    >>> file.getvalue().split()
    ['0', '1', '2', '3']
    """
    values = _host_values(X, "savetxt(fname, X)")
    numpy.savetxt(fname, values, fmt, delimiter, newline, header, footer, comments, encoding)


def genfromtxt(
    fname: File,
    dtype: DTypeLike = float,
    comments: Any = "#",
    delimiter: Any = None,
    skip_header: int = 0,
    skip_footer: int = 0,
    *args: Any,
    device: DeviceLike = None,
    **kwargs: Any,
) -> Any:
    """Read numbers from text with missing values. Runs on the host.

    dtype : dtype, optional
        The data type of the result; None to find one for each column.
    comments : str, optional -- The text that begins a comment, to the end of the line.
    delimiter : str, int or sequence of int, optional
        The separator of values, or the width of the fields in characters; None for white space.
    skip_header, skip_footer : int -- The number of lines to skip at the beginning and at the end.
    *args, **kwargs : object -- The further parameters of `numpy.genfromtxt`, in its order or by
        name, as `usecols`, `names`, `missing_values` and `filling_values`; `usemask` is refused.

    -> Array
        The values; NaN where one is missing. Records and strings (``names=True``) are NumPy arrays.

    >>> xarr.genfromtxt(["1,2", "3,"], delimiter=",").tolist()
    [[1.0, 2.0], [3.0, nan]]
    """
    where = "genfromtxt(fname)"
    if kwargs.get("usemask"):
        fault = "usemask is True"
        accepted = "it must be False, as masked arrays are not on a device"
        remedy = f"pass filling_values, or take numpy.genfromtxt; {difference('np-ma')}"
        raise type_error(where, fault, accepted, remedy)
    read: Any = numpy.genfromtxt
    kind = None if dtype is None else _type_of(dtype, device, where)
    values = read(fname, kind, comments, delimiter, skip_header, skip_footer, *args, **kwargs)
    return _to_arrays(values, device, where)


def fromfile(
    file: File,
    dtype: DTypeLike = None,
    count: int = -1,
    sep: str = "",
    offset: int = 0,
    *,
    like: Any = None,
    device: DeviceLike = None,
) -> Any:
    """Read a vector from the bytes of a file, or from numbers in text. Runs on the host.

    dtype : dtype, optional
        The data type; None or Python's float for the default floating-point type.
    sep : str -- The separator of numbers in text; "" reads bytes.
    offset : int -- The byte that the first element begins at.
    file : path or open file -- The file.

    -> Array, shape (N,), of the data type asked for

    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     _ = file.write(bytes([1, 0, 2, 0]))
    ...     _ = file.seek(0)
    ...     xarr.fromfile(file, dtype="int16").tolist()
    [1, 2]
    """
    where = "fromfile(file)"
    kind = _type_of(dtype, device, where)
    return _to_arrays(numpy.fromfile(file, kind, count, sep, offset), device, where)


def fromstring(
    string: str,
    dtype: DTypeLike = None,
    count: int = -1,
    *,
    sep: str = "",
    like: Any = None,
    device: DeviceLike = None,
) -> Any:
    """Read a vector of numbers from a string. Runs on the host.

    string : str -- The text.
    dtype : dtype, optional
        The data type; None or Python's float for the default floating-point type.
    sep : str -- The separator of the numbers; not empty: `frombuffer` reads bytes.

    -> Array, shape (N,), of the data type asked for

    ValueError -- If sep is empty, or there is no such device.

    >>> xarr.fromstring("1 2 3", dtype="int64", sep=" ").tolist()
    [1, 2, 3]
    """
    where = "fromstring(string)"
    if not sep:
        raise value_error(
            where, 'sep is ""', "sep must not be empty", "read bytes with xarr.frombuffer"
        )
    kind = _type_of(dtype, device, where)
    return _to_arrays(numpy.fromstring(string, kind, count, sep=sep), device, where)


def fromregex(file: File, regexp: Any, dtype: DTypeLike, encoding: str | None = None) -> Host:
    r"""Read records from text by a regular expression. Runs on the host.

    file : path or open file -- The file.
    regexp : str or pattern -- The expression; each of its groups is a field of the record.
    dtype : dtype -- The records' data type.
    encoding : str, optional -- The encoding of the text.

    -> numpy.ndarray, shape (N,)
        Records, on the host; `xarr.asarray` copies a field to the device.

    >>> import io
    >>> found = xarr.fromregex(io.StringIO("a1 b2"), r"[a-z](\d)", [("n", "int64")])
    >>> xarr.asarray(found["n"]).tolist()
    [1, 2]
    """
    read: Callable[..., Host] = numpy.fromregex
    return read(file, regexp, dtype, encoding)


def memmap(
    filename: str | os.PathLike[str] | Any,
    dtype: DTypeLike = numpy.uint8,
    mode: str = "r+",
    offset: int = 0,
    shape: ShapeLike | None = None,
    order: str = "C",
    *,
    device: DeviceLike = None,
) -> Any:
    """Map a part of a file as an array; a device other than a CPU gets a copy.

    filename : path or open file -- The file.
    dtype : dtype -- The data type of the elements in the file.
    mode : {"r", "c", "r+", "w+"} -- "r" reads; "c" writes to memory only; "r+" writes to the file;
        "w+" creates or overwrites the file. The last two need a CPU.
    offset : int -- The byte of the file that the first element begins at.
    shape : int or tuple of int, optional
        The shape; None for one axis up to the end of the file.
    order : {"C", "F"} -- Whether the last index runs fastest in the file, or the first.

    -> Array, of the shape and data type asked for

    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     _ = file.write(bytes([1, 2, 3]))
    ...     xarr.memmap(file, mode="r").tolist()
    [1, 2, 3]
    """
    where = "memmap(filename, mode)"
    if mode not in ("r", "c", "readonly", "copyonwrite") and not is_of_host(get_device(device)):
        fault = f"mode is {mode!r}"
        accepted = "mode must be 'r' or 'c' on a device with memory of its own"
        remedy = "map the file with numpy.memmap, and write to that: mapped[...] = numpy.asarray(x)"
        remedy += f"; {difference('np-memmap')}"
        raise value_error(where, fault, accepted, remedy)
    read: Any = numpy.memmap
    return _map_file(read(filename, dtype, mode, offset, shape, order), device, where)
