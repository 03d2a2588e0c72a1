"""Modules of files: SPIR-V for OpenCL, PTX and cubins for CUDA, sources of all three languages."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

import xarr

CUDA = """
extern "C" __global__ void twice(float *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}"""


def text(word: str) -> list[int]:
    """A word as SPIR-V has it."""
    content = word.encode() + b"\0"
    content += b"\0" * (-len(content) % 4)
    return list(struct.unpack(f"<{len(content) // 4}I", content))


def spirv() -> bytes:
    """`x[get_global_id(0)] += x[get_global_id(0)]`, an instruction a line; results are numbered."""
    entry, item, wide, three, items, nothing, real, pointer, kind = range(1, 10)
    x, label, where, i, at, value, double = range(10, 17)
    lines: list[tuple[int, ...]] = [
        (17, 4),  # capabilities: addresses,
        (17, 6),  # kernels,
        (17, 11),  # 64-bit integers
        (14, 2, 2),  # memory: 64-bit addresses, OpenCL's
        (15, 6, entry, *text("twice"), item),  # an entry point, which reads the item's number
        (71, item, 11, 28),  # which that is
        (21, wide, 64, 0),
        (23, three, wide, 3),
        (32, items, 1, three),
        (19, nothing),
        (22, real, 32),
        (32, pointer, 5, real),
        (33, kind, nothing, pointer),
        (59, items, item, 1),
        (54, nothing, entry, 0, kind),
        (55, pointer, x),
        (248, label),
        (61, three, where, item, 2, 32),
        (81, wide, i, where, 0),
        (70, pointer, at, x, i),
        (61, real, value, at, 2, 4),
        (129, real, double, value, value),
        (62, at, double, 2, 4),
        (253,),
        (56,),
    ]
    words = [0x07230203, 0x00010000, 0, 17, 0]
    for code, *rest in lines:
        words += [(len(rest) + 1) << 16 | code, *rest]
    return struct.pack(f"<{len(words)}I", *words)


def launched(path: Path) -> Any:
    x = xarr.arange(8, dtype="float32") + 1
    y = x * 2
    xarr.RawModule(path=path).get_function("twice")((2,), (4,), (x,))
    return (x + y).tolist()


WANTED = [4.0 * number for number in range(1, 9)]


def test_spirv(device: xarr.Device, tmp_path: Path) -> None:
    path = tmp_path / "twice.spv"
    path.write_bytes(spirv())
    if device.info.dialect != "opencl":
        with pytest.raises(ValueError, match="a binary of OpenCL C, and the arrays are on"):
            launched(path)
        return
    if not device.cl_context.devices[0].il_version:
        with pytest.raises(ValueError, match="refuses the binary of kernel 'twice'"):
            launched(path)
        return
    assert launched(path) == WANTED


@pytest.mark.parametrize("form", ["ptx", "cubin"])
def test_binaries_of_cuda(device: xarr.Device, tmp_path: Path, form: str) -> None:
    path = tmp_path / f"twice.{form}"
    if device.info.dialect != "cuda":
        path.write_bytes(b"")
        with pytest.raises(ValueError, match="a binary of CUDA C, and the arrays are on"):
            launched(path)
        return
    core = pytest.importorskip("cuda.core")
    arch = device.info.target.split("\n")[1]
    options = core.ProgramOptions(arch=arch)
    path.write_bytes(bytes(core.Program(CUDA, "c++", options).compile(form).code))
    assert launched(path) == WANTED
    path.write_bytes(b"nothing")
    with pytest.raises((ValueError, xarr.DeviceError), match="refuses the binary|INVALID"):
        launched(path)
