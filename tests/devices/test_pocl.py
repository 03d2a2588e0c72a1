"""The name that PoCL's compiler is given for a processor that it does not know."""

from __future__ import annotations

import ctypes

import pytest

import xarr
from xarr.backends import pocl

HASWELL = frozenset(["avx2", "fma", "f16c", "bmi1", "bmi2", "movbe", "abm", "sse4_2"])
AVX512 = HASWELL | frozenset(["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"])


@pytest.mark.parametrize(
    ("features", "name"),
    [
        (AVX512, "skylake-avx512"),
        (AVX512 - {"avx512vl"}, "haswell"),
        (HASWELL, "haswell"),
        (HASWELL - {"fma"}, "x86-64"),
        (frozenset(), "x86-64"),
    ],
)
def test_a_processor_has_no_instructions_that_are_not_there(
    features: frozenset[str], name: str
) -> None:
    assert pocl.processor(features) == name


def test_what_is_not_named_generic_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Device:
        version = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-znver3"
        int_ptr = 0

    looked = list[int]()
    monkeypatch.setattr(pocl, "_places_of", lambda text, address: looked.append(address))
    pocl.name_processor(Device())
    assert not looked


def test_the_name_is_the_first_of_what_points_to_one() -> None:
    unknown = ctypes.create_string_buffer(b"generic")
    memory = (ctypes.c_void_p * 200)()
    memory[3], memory[80], memory[150] = 12345, ctypes.addressof(unknown), ctypes.addressof(unknown)

    class Device:
        version = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-generic "
        int_ptr = ctypes.addressof(memory)

    pocl.name_processor(Device())
    named = memory[80]
    assert named is not None
    assert ctypes.string_at(named) in (b"skylake-avx512", b"haswell", b"x86-64")
    assert (memory[3], memory[150]) == (12345, ctypes.addressof(unknown))


def test_kernels_compile_on_the_default_device(device: xarr.Device) -> None:
    assert (xarr.arange(3, dtype="int32") * 7 + 1).tolist() == [1, 8, 15]
