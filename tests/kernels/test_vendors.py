"""That `make check-vendors` knows a fused instruction when it sees one; it needs no compiler."""

import re

import pytest

from tools.vendors import TARGETS, grown, without_fused
from xarr import tuning
from xarr.codegen import source
from xarr.lowering import matmul, radix_sort

INTEL, AMD = TARGETS[0], TARGETS[2]


@pytest.mark.parametrize(
    "line",
    [
        "\tv_fmac_f32_e32 v1, s2, v2",
        "\tv_fma_f64 v[8:9], -v[4:5], v[6:7], 0.5",
        "\tv_mad_f32 v1, -v3, v4, v1",
        "\tv_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]",
    ],
)
def test_what_amd_fuses(line: str) -> None:
    assert AMD.fused(f"first\n{line}\nlast") == [line]


def test_what_intel_fuses() -> None:
    line = "        mad (16|M0)              r29.0<1>:f    r9.0<1;0>:f  r5.0<1;0>:f  r7.0<1>:f"
    assert INTEL.fused(f"first\n{line}\nlast") == [line]


def test_what_is_no_fused_product_of_floating_point() -> None:
    assert not AMD.fused("\tv_mad_u64_u32 v[0:1], null, s4, s8, v[0:1]\n\tv_div_fmas_f32 v4, v4")
    assert not INTEL.fused("(W) mad (1|M0) r127.0<1>:ud r1.2<0;0>:ud\n madm (16|M0) acc0.0<1>:f")


def test_nothing_that_fuses_by_right_is_left() -> None:
    code = "KERNEL void k(GLOBAL f32 *x) { x[0] = xr_atan2_f32(x[1], x[2]) + sqrt(x[3]) % XR_N; }"
    text = "\n".join(source.preamble(code, "opencl", has_float64=False)) + code
    own = without_fused(text, INTEL).split("#define LOCAL_SIZE(d) 64\n")[1]
    assert " / " not in own
    assert " % XR_N" in own


def test_what_is_larger_than_in_the_table() -> None:
    old = {"compiler": "1", "fft.c": [128, 1, 4, 0, 0]}
    assert grown(old, old) == []
    assert grown(old, {"compiler": "1", "fft.c": [127, 1, 5, 0, 0]}) == [
        "fft.c: spilled 5, in the table 4"
    ]


def test_no_group_has_more_items_than_hip_is_told() -> None:
    tiles = [tile.items for tiles in matmul.TILES.values() for tile in tiles]
    (bound,) = re.findall(r"__launch_bounds__\((\d+)\)", source.kernel_file("cuda.h"))
    assert max(*tiles, *radix_sort._GROUPS, tuning.GROUP) == int(bound)
