"""What is said of names that xarr lacks."""

from __future__ import annotations

import re
from typing import Any

import numpy
import pytest

import xarr
from xarr.functions.names import missing_names


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("trapz", "write .*trapezoid"), ("in1d", "write xarr.isin"), ("NaN", "write xarr.nan"),
        ("product", "write xarr.prod"), ("float", "write xarr.float64"),
        ("cumproduct", "write xarr.cumprod"), ("rec", "records"), ("matrix", "x @ y"),
        ("datetime_data", "dates"), ("busday_count", "dates"), ("char", "strings"),
        ("recarray", "records"), ("object", "objects"), ("float128", "long double"),
        ("core", "take it from numpy"), ("conactenate", "nearest is xarr.concatenate"),
        ("jacrev", "xarr.jacobian"), ("njit", "xarr.jit"), ("guvectorize", "xarr.vmap"),
        ("pmap", "xarr.devices"), ("cuda", r'xarr.device\("cupy:1"\)'),
        ("scipy", "SciPy's functions take Arrays"), ("sparse", "scipy.sparse"),
        ("bfloat16", "float16, float32 and float64"), ("softmax", "keepdims"),
        ("get_array_module", "__array_namespace__"),
        ("get_default_memory_pool", r"xarr.device\(\).memory"),
        ("asnumpy", r"xarr.to_numpy\(x\)"), ("svd", "write xarr.linalg.svd"),
        ("ifft", "write xarr.fft.ifft"), ("gammaln", "write xarr.special.gammaln"),
        ("gamma", "write xarr.special.gamma"), ("torch", "DLPack"),
        ("randn", "write xarr.random.randn"), ("random.PRNGKey", "xarr.random.default_rng"),
        ("random.unifrom", "nearest is xarr.random.uniform"),
        ("linalg.sovle", "nearest is xarr.linalg.solve"),
        ("fft.fftshft", "nearest is xarr.fft.fftshift"),
    ],
)  # fmt: skip
def test_a_missing_name_says_what_to_write(name: str, said: str) -> None:
    space: Any = xarr
    for part in name.split(".")[:-1]:
        space = getattr(space, part)
    own = name.rpartition(".")[2]
    text = str(missing_names.missing(space.__name__, own, dir(space)))
    assert text.startswith(f"xarr.{name}: ")
    assert re.search(said, text)
    if own not in vars(space):
        with pytest.raises(AttributeError, match=re.escape(text)):
            getattr(space, own)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("get", "xarr.to_numpy"), ("set", r"x\[...\] = values"), ("copy_to_host", "xarr.to_numpy"),
        ("cpu", r'x.to_device\("cpu:0"\)'), ("at", r"x\[key\] = values"), ("numel", "x.size"),
    ],
)  # fmt: skip
def test_a_missing_attribute_says_what_to_write(name: str, said: str) -> None:
    x = xarr.arange(3)
    assert not hasattr(x, name)
    assert name not in dir(x)
    with pytest.raises(AttributeError, match=rf"^Array.{name}: .*write {said}"):
        getattr(x, name)


def test_what_is_said_of_a_name_of_numpys() -> None:
    said = str(missing_names.missing("xarr", "nanmedian", ["nanmean", "median"]))
    assert said == (
        "xarr.nanmedian: xarr lacks NumPy's numpy.nanmedian; the nearest is xarr.nanmean; "
        "NumPy's takes arrays, on the host; docs/names.md compares the names"
    )
    assert "xarr lacks" in str(missing_names.missing("xarr.linalg", "inv", []))
    assert "nearest" not in str(missing_names.missing("xarr", "quaternion", ["inv"]))


def test_advice_names_what_there_is() -> None:
    assert not [name for name in missing_names._OF_OTHERS if hasattr(xarr, name)]
    for text in (*missing_names._OF_OTHERS.values(), *missing_names._ELSEWHERE.values()):
        for path in re.findall(r"\bxarr((?:\.\w+)+)", text):
            found: Any = xarr
            for part in path.removeprefix(".").split("."):
                found = getattr(found, part)
    for name in ("schedul", "compilr", "sprse"):  # no modules that are xarr's own, nor any letters
        assert "nearest" not in str(missing_names.missing("xarr", name, dir(xarr)))


def test_private_names_are_absent_in_pythons_words() -> None:
    assert not hasattr(xarr, "__wrapped__")
    with pytest.raises(AttributeError, match="has no attribute"):
        xarr._nothing  # type: ignore[attr-defined]  # noqa: B018


def test_annotations_are_numpys() -> None:
    def annotated(
        x: xarr.typing.NDArray[numpy.float64], y: xarr.typing.ArrayLike, z: xarr.typing.DTypeLike
    ) -> xarr.typing.NDArray[Any]:
        return xarr.asarray(x)

    assert annotated(xarr.ones(2), 1, "f4").shape == (2,)


def test_exceptions_are_numpys() -> None:
    assert xarr.exceptions.AxisError is numpy.exceptions.AxisError
    with pytest.raises(xarr.exceptions.AxisError):
        xarr.ones(2).sum(axis=3)
    assert xarr.exceptions.ComplexWarning is numpy.exceptions.ComplexWarning
