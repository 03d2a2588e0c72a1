"""Examples of docstrings that differ in a name and a result: each call, and who is called so."""

from __future__ import annotations

import re
from typing import Final

_CALLS: Final = {
    "xarr.{}(xarr.asarray([3, 1])).tolist()": """
        all: True | any: True | argmax: 0 | argmin: 1 | argsort: [1, 0] | count_nonzero: 2
        cumprod: [3, 3] | cumsum: [3, 4] | cumulative_prod: [3, 3] | cumulative_sum: [3, 4]
        empty_like: [0, 0] | flip: [1, 3] | max: 3 | mean: 2.0 | median: 2.0 | min: 1
        ones_like: [1, 1] | prod: 3 | ptp: 2 | sort_complex: [(1+0j), (3+0j)] | std: 1.0 | sum: 4
        var: 1.0 | zeros_like: [0, 0]
    """,
    "xarr.{}(xarr.asarray([3.0, xarr.nan, 1.0])).tolist()": """
        nanargmax: 0 | nanargmin: 2 | nancumprod: [3.0, 3.0, 3.0] | nancumsum: [3.0, 3.0, 4.0]
        nanmax: 3.0 | nanmean: 2.0 | nanmedian: 2.0 | nanmin: 1.0 | nanprod: 3.0 | nanstd: 1.0
        nansum: 4.0 | nanvar: 1.0
    """,
    "xarr.{}(xarr.asarray([[1, 2], [3, 4]])).tolist()": """
        argwhere: [[0, 0], [0, 1], [1, 0], [1, 1]] | fliplr: [[2, 1], [4, 3]]
        flipud: [[3, 4], [1, 2]] | matrix_transpose: [[1, 3], [2, 4]] | ravel: [1, 2, 3, 4]
        transpose: [[1, 3], [2, 4]] | tril: [[1, 0], [3, 4]] | triu: [[1, 2], [0, 4]]
    """,
    "xarr.{}(xarr.asarray([1, 2]), xarr.asarray([3, 4])).tolist()": """
        convolve: [3, 10, 8] | correlate: [11] | dot: 11 | inner: 11 | kron: [3, 4, 6, 8]
        outer: [[3, 4], [6, 8]] | polyadd: [4, 6] | polymul: [3, 10, 8] | polysub: [-2, -2]
    """,
    "xarr.{}([1, 3, 2], [4, 3]).tolist()": """
        intersect1d: [3] | setdiff1d: [1, 2] | setxor1d: [1, 2, 4] | union1d: [1, 2, 3, 4]
    """,
    'xarr.{}(2, dtype="int8").tolist()': """
        empty: [0, 0] | identity: [[1, 0], [0, 1]] | ones: [1, 1] | tri: [[1, 0], [1, 1]]
        zeros: [0, 0]
    """,
    "xarr.{}([xarr.arange(2), xarr.arange(2)]).tolist()": """
        column_stack: [[0, 0], [1, 1]] | dstack: [[[0, 0], [1, 1]]] | hstack: [0, 1, 0, 1]
        vstack: [[0, 1], [0, 1]]
    """,
    "xarr.{}(3).round(12).tolist()": """
        bartlett: [0.0, 1.0, 0.0] | blackman: [-0.0, 1.0, -0.0] | hamming: [0.08, 1.0, 0.08]
        hanning: [0.0, 1.0, 0.0]
    """,
    "xarr.{}(xarr.zeros(3)).shape": "atleast_1d: (3,) | atleast_2d: (1, 3) | atleast_3d: (1, 3, 1)",
    "[part.tolist() for part in xarr.{}(2)]": """
        diag_indices: [[0, 1], [0, 1]] | tril_indices: [[0, 1, 1], [0, 0, 1]]
        triu_indices: [[0, 0, 1], [0, 1, 1]]
    """,
    "[part.tolist() for part in xarr.{}(xarr.eye(2))]": """
        diag_indices_from: [[0, 1], [0, 1]]
        tril_indices_from: [[0, 1, 1], [0, 0, 1]] | triu_indices_from: [[0, 0, 1], [0, 1, 1]]
    """,
    "[part.tolist() for part in xarr.{}(xarr.arange(4), 2)]": """
        hsplit: [[0, 1], [2, 3]] | split: [[0, 1], [2, 3]]
    """,
    "xarr.{}(xarr.asarray([-xarr.inf, 0.0, xarr.inf])).tolist()": """
        isneginf: [True, False, False] | isposinf: [False, False, True]
    """,
    "xarr.{}(xarr.asarray([1 + 1j, 1 + 0j])).tolist()": """
        iscomplex: [True, False] | isreal: [False, True]
    """,
    "xarr.polynomial.legendre.leg{}([2.0], [3.0], xarr.ones((2, 2))).tolist()": """
        val2d: [12.0] | grid2d: [[12.0]]
    """,
    "xarr.polynomial.legendre.leg{}([2.0], [3.0], [4.0], xarr.ones((2, 2, 2))).tolist()": """
        val3d: [60.0] | grid3d: [[[60.0]]]
    """,
    "xarr.polynomial.legendre.leg{}([2.0], [3.0], [1, 1]).shape": "vander2d: (1, 4)",
    "xarr.polynomial.legendre.leg{}([2.0], [3.0], [4.0], [1, 0, 1]).shape": "vander3d: (1, 4)",
    "xarr.polynomial.chebyshev.{}([0.0]).tolist()": "chebweight: [1.0]",
    "xarr.polynomial.hermite.{}([0.0]).tolist()": "hermweight: [1.0]",
    "xarr.polynomial.hermite_e.{}([0.0]).tolist()": "hermeweight: [1.0]",
    "xarr.polynomial.laguerre.{}([0.0]).tolist()": "lagweight: [1.0]",
    "xarr.polynomial.legendre.{}([0.0]).tolist()": "legweight: [1.0]",
    "xarr.random.{}(2, 3).shape": "rand: (2, 3) | randn: (2, 3)",
}
"""For each call with a name left out, the names that stand there, and what each gives."""

_METHODS: Final = {
    "Series: xarr.polynomial.Polynomial([1.0, 2.0, 0.0]).{}.coef.tolist()": """
        copy(): [1.0, 2.0, 0.0] | cutdeg(1): [1.0, 2.0] | deriv(): [2.0, 0.0]
        integ(): [0.0, 1.0, 1.0, 0.0] | trim(): [1.0, 2.0] | truncate(1): [1.0]
    """,
    "Series: xarr.polynomial.Polynomial.{}.coef.tolist()": """
        basis(2): [0.0, 0.0, 1.0] | fromroots([1.0, 2.0]): [2.0, -3.0, 1.0] | identity(): [0.0, 1.0]
    """,
    "Series: xarr.polynomial.Polynomial([1.0, 2.0]).{}": "degree(): 1",
    "Series: p = xarr.polynomial.Polynomial([1.0, 2.0])\n>>> p.{}(p.copy()), p.{}(p + 1)": """
        has_samecoef: (True, False) | has_samedomain: (True, True) | has_samewindow: (True, True)
        has_sametype: (True, True)
    """,
    "RawKernel: xarr.RawKernel('KERNEL void f() {{}}', 'f').{}": "compile():",
    "RawKernel: kernel.{}  # doctest: +SKIP": "occupancy(256): 8 | suggested_block(): 1024",
    "RawModule: xarr.RawModule('KERNEL void f() {{}}').{}": """
        get_function("f").name: 'f'
        compile():
        run_in_loops("KERNEL void f() {}"):
    """,
    "RawModule: module.{}  # doctest: +SKIP": 'get_global("x").cast("float32").array(10):',
}
"""The same of methods, behind the name of their class; arguments and more may follow the name."""

EXAMPLES: Final = {
    name: f">>> {call.format(name)}\n{result}"
    for call, rows in _CALLS.items()
    for name, result in re.findall(r"(\w+): (.+?)(?= \||\n|$)", rows)
} | {
    f"{kind}.{name}": f">>> {call.format(name + more, name)}\n{result}".rstrip()
    for kind, call, rows in ((*key.split(": ", 1), rows) for key, rows in _METHODS.items())
    for name, more, result in re.findall(r"(\w+)(.*?): ?(.*?)(?= \||\n|$)", rows)
}
"""The example of a function or method that has none in the code."""
