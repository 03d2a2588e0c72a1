"""What runs on the host reads the values of arrays: noted under its name, or refused."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import xarr
from xarr.array.transfers import observed

Call = Callable[[xarr.Array], Any]

HIDDEN: dict[str, tuple[Call, int]] = {
    "vectorize(pyfunc)": (xarr.vectorize(lambda value: value**2), 8),
    "frompyfunc(func)": (xarr.frompyfunc(abs, 1, 1), 8),
    "frompyfunc(func).reduce(array)": (lambda x: xarr.frompyfunc(max, 2, 1).reduce(x), 8),
    "frompyfunc(func).accumulate(array)": (lambda x: xarr.frompyfunc(max, 2, 1).accumulate(x), 8),
    "frompyfunc(func).outer(a, b)": (lambda x: xarr.frompyfunc(max, 2, 1).outer(x, 1), 8),
    "add(x1, x2)": (lambda x: xarr.add(x, [x[0], True]), 8),
    "nditer(op)": (lambda x: list(xarr.nditer(x)), 8),
    "unique(ar)": (lambda x: xarr.unique(x, axis=0), 8),
    "pad(array, pad_width, mode)": (lambda x: xarr.pad(x, 1, lambda *given: None), 8),
    "linalg.qr(a)": (lambda x: xarr.linalg.qr(x.reshape(1, 2), mode="raw"), 8),
    "poly(seq_of_zeros)": (xarr.poly, 8),
    "roots(p)": (xarr.roots, 8),
    "polydiv(u, v)": (lambda x: xarr.polydiv(x, [1]), 8),
    "polyder(p, m)": (xarr.polyder, 8),
    "polyint(p, m, k)": (xarr.polyint, 8),
    "poly1d(...)": (xarr.poly1d, 8),
    "chebadd(...)": (lambda x: xarr.polynomial.chebyshev.chebadd(x, [1]), 8),
    "mapparms(old, new)": (lambda x: xarr.polynomial.polyutils.mapparms(x, [0, 1]), 8),
    "Legendre(...)": (xarr.polynomial.Legendre, 8),
    "repeat(a, repeats, axis)": (lambda x: x.repeat(x.astype("uint8")), 2),
    "insert(arr, obj, values, axis)": (lambda x: xarr.insert([1, 2, 3], x.astype("uint8"), 0), 2),
    "array_split(ary, indices_or_sections, axis)": (
        lambda x: xarr.array_split(xarr.arange(5), x.astype("uint8")),
        2,
    ),
    "subtract.reduceat(array, indices, axis)": (
        lambda x: xarr.subtract.reduceat(x, x.astype("int64")),
        16,
    ),
    "quantile(a, q, axis)": (lambda x: xarr.quantile(xarr.arange(5.0), x), 8),
    "histogram(a, bins)": (lambda x: xarr.histogram([0.5], x), 8),
    "linspace(start, stop, num)": (lambda x: xarr.linspace(0, x[1], 3), 4),
    "bytes(x)": (bytes, 8),
    "x.tobytes()": (lambda x: x.tobytes(), 8),
}

READING: dict[str, Call] = {
    "repr(x)": repr,
    "str(x)": str,
    "numpy.asarray(x)": numpy.asarray,
    "float(x)": lambda x: float(x[1]),
    "bool(x)": lambda x: bool(x[1]),
    "x.tolist()": lambda x: x.tolist(),
    "x.item()": lambda x: x.item(1),
    "allclose": lambda x: xarr.allclose(x, x),
}

FILES: dict[str, Call] = {
    "save(file, arr)": lambda x: xarr.save(io.BytesIO(), x),
    "savez(file)": lambda x: xarr.savez(io.BytesIO(), x),
    "savez_compressed(file)": lambda x: xarr.savez_compressed(io.BytesIO(), named=x),
    "savetxt(fname, X)": lambda x: xarr.savetxt(io.StringIO(), x),
}

READING_NO_ARRAY = "einsum_path fromfile fromiter fromregex fromstring genfromtxt load loadtxt"


def values(device: xarr.Device) -> xarr.Array:
    return xarr.asarray(numpy.asarray([0.0, 1.0], "float32"), device=device)


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.filterwarnings("ignore::xarr.HostFallbackWarning")
def test_what_runs_on_the_host_is_a_hidden_transfer(name: str, device: xarr.Device) -> None:
    call, nbytes = HIDDEN[name]
    x = values(device)
    told = list[tuple[Any, ...]]()
    with observed(lambda *given: told.append(given)):
        call(x)
    assert [(where, device) for where, *_, device in told] == [(name, device)]
    assert told[0][1] == nbytes or told[0][2] == "from and to"
    with xarr.no_implicit_transfer(), pytest.raises(xarr.ImplicitTransferError) as refused:
        call(x)
    assert str(refused.value).startswith(f"{name}: {told[0][1]} bytes would move")


@pytest.mark.parametrize("name", READING)
def test_what_reads_values_is_named_as_it_is_called(name: str, device: xarr.Device) -> None:
    x = values(device)
    xarr.synchronize()
    with xarr.no_implicit_transfer(), pytest.raises(xarr.ImplicitTransferError) as refused:
        READING[name](x)
    assert str(refused.value).startswith(f"{name}: ")


@pytest.mark.parametrize("name", FILES)
def test_files_are_told_and_not_refused(name: str, device: xarr.Device) -> None:
    x = values(device)
    told = list[tuple[Any, ...]]()
    with observed(lambda *given: told.append(given)), xarr.no_implicit_transfer():
        FILES[name](x)
    assert told == [(name, 8, "from", device)]


def test_a_function_that_says_so_is_among_the_hidden() -> None:
    says = {
        name
        for name in dir(xarr)
        if "Runs on the host." in (getattr(getattr(xarr, name), "__doc__", None) or "")
    }
    tested = {name.partition("(")[0] for name in (*HIDDEN, *FILES)}
    assert says - tested == set(READING_NO_ARRAY.split())


def test_elements_stay_on_the_device_where_they_may_not_be_read(device: xarr.Device) -> None:
    x = values(device)
    told = list[tuple[Any, ...]]()
    with observed(lambda *given: told.append(given)), xarr.no_implicit_transfer():
        found = dict(xarr.ndenumerate(x))
        xarr.apply_along_axis(xarr.sum, 0, x)
        xarr.apply_over_axes(xarr.sum, x, 0)
        xarr.piecewise(x, [x > 0], [lambda part: part + 1, 0.0])
    assert found[1,].tolist() == 1.0
    assert not told


@pytest.mark.filterwarnings("ignore::xarr.HostFallbackWarning")
def test_what_a_device_has_no_library_for_is_a_hidden_transfer() -> None:
    with xarr.device(xarr.devices()[0].pretending("as-gpu")) as apart:
        x = xarr.asarray(numpy.eye(2, dtype="float32"))
        told = list[tuple[Any, ...]]()
        with observed(lambda *given: told.append(given)):
            xarr.linalg.eigvals(x)
        assert told == [("linalg.eigvals(a)", 32, "from and to", apart)]
        with xarr.no_implicit_transfer(), pytest.raises(xarr.ImplicitTransferError):
            xarr.linalg.eigvals(x)
