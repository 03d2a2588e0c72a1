"""A script that tests itself, with numpy.testing and with plain assertions."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal


def running_mean(x, n):
    return np.convolve(x, np.ones(n) / n, mode="valid")


x = np.array([1.0, 2.0, 4.0, 8.0])
assert_allclose(running_mean(x, 2), [1.5, 3.0, 6.0])
assert_array_equal(np.diff(x), [1, 2, 4])
np.testing.assert_almost_equal(np.pi, 3.1415926, decimal=6)
np.testing.assert_array_almost_equal(np.sin([0, np.pi]), [0, 0])
np.testing.assert_equal(x.shape, (4,))
np.testing.assert_array_less(x, x + 1)
assert (x[1:] > x[:-1]).all()
assert np.allclose(x, [1, 2, 4, 8 + 1e-9]), "close"
assert x.sum() == 15 and x.max() == 8.0 and 4 in x and len(x) == 4
assert not np.array_equal(x, x[::-1])
caught = []
for check in (
    lambda: assert_allclose(x, x + 0.1),
    lambda: assert_array_equal(x, x[:2]),
    lambda: np.testing.assert_equal(x, x * 2),
):
    try:
        check()
    except AssertionError as error:
        caught.append("Mismatch" in str(error) or "mismatch" in str(error))
with np.testing.assert_raises(ValueError):
    np.zeros(3) + np.zeros(4)
np.testing.assert_raises(IndexError, lambda: x[7])
problems = []
for wrong in (lambda: np.linalg.inv(np.zeros((2, 2))), lambda: x.reshape(3, 3), lambda: np.concatenate([]), lambda: x.sum(axis=2)):
    try:
        wrong()
    except (np.linalg.LinAlgError, ValueError) as error:
        problems.append(type(error).__name__)
print("caught", caught, problems)
