"""einops takes Arrays and gives Arrays."""

from __future__ import annotations

from typing import Final

import einops
import numpy as np
import pytest

import xarr
from tests.functions.calls import rows

X: Final = np.random.default_rng(3).random((4, 6, 3))


@pytest.mark.parametrize(
    "call",
    rows("""
rearrange({x, "a b c -> c b a"|x, "(a s) b c -> a (b s) c", s=2|[x, x + 1], "n a b c -> a (n b) c"})
reduce(x, {"a b c -> b c", "mean"|"a (b s) c -> a b c", "max", s=3})
repeat(x, "a b c -> a b n c", n=2)
einsum(x, x, "a b c, d b c -> a d")
pack([x, x[..., 0]], "a b *")[0]
unpack(x, [[1], [2]], "a b *")[1]
"""),
)
def test_a_call_gives_what_it_gives_of_numpys(call: str) -> None:
    found, wanted = (eval(call, {**vars(einops), "x": x}) for x in (xarr.asarray(X), X))
    assert type(found) is xarr.Array
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-12)


def test_it_knows_the_shape_and_refuses_a_wrong_one() -> None:
    x = xarr.asarray(X)
    assert einops.parse_shape(x, "a b _") == {"a": 4, "b": 6}
    with pytest.raises(einops.EinopsError):
        einops.rearrange(x, "(a s) b c -> a b c s", s=3)
    assert np.array_equal(einops.asnumpy(x), X)
