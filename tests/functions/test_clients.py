"""Matplotlib, Pillow and SciPy given arrays, as programs give them."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy
import pytest

import xarr as np
from tests.functions.calls import each
from xarr.ops import vendor


@pytest.fixture(autouse=True)
def cpu() -> Iterator[None]:
    """A device whose memory is the host's; elsewhere the same, with copies and a warning."""
    found = [one for one in np.devices() if vendor.runs_on_numpy(one)]
    if not found:
        pytest.skip("no device shares the host's memory")
    with np.device(found[0]):
        yield


def module(name: str) -> ModuleType:
    pytest.importorskip(name.partition(".")[0])
    return importlib.import_module(name)


Axes = Any
PLOTS: dict[str, Callable[[Axes, Any, Any, Any], Any]] = {
    "bar": lambda ax, x, y, z: ax.bar(x, y, width=x[1] - x[0], yerr=abs(y), bottom=y),
    "hist": lambda ax, x, y, z: ax.hist(y, bins=np.linspace(-1, 1, 7), weights=x),
    "hist of a number of bins": lambda ax, x, y, z: ax.hist(y, bins=5, density=True),
    "hist2d": lambda ax, x, y, z: ax.hist2d(x, y, bins=(5, 4)),
    "plot": lambda ax, x, y, z: ax.plot(x, y, "-", x, -y, alpha=x[3]),
    "plot of columns": lambda ax, x, y, z: ax.plot(z),
    "limits": lambda ax, x, y, z: ax.set(xlim=(x[0], x[-1]), ylim=(y.min(), y.max())),
    "scatter": lambda ax, x, y, z: ax.scatter(x, y, c=y, s=x * 20, alpha=x[3]),
    "rows of colours": lambda ax, x, y, z: ax.scatter(x[:2], y[:2], c=np.eye(4)[:2]),
    "a colour": lambda ax, x, y, z: ax.plot(x, y, color=(x[0], x[1], x[2])),
    "a row of a colour": lambda ax, x, y, z: ax.plot(x, y, color=np.asarray([0.1, 0.2, 0.3, 1.0])),
    "imshow": lambda ax, x, y, z: ax.imshow(z, vmin=z.min(), vmax=z.max(), extent=(0, x[-1], 0, 1)),
    "imshow of colours": lambda ax, x, y, z: ax.imshow(np.stack([z**2] * 3, axis=-1)),
    "pcolormesh": lambda ax, x, y, z: ax.figure.colorbar(ax.pcolormesh(x, x, z, shading="auto")),
    "contour": lambda ax, x, y, z: ax.contour(x, x, z, levels=np.linspace(-1, 1, 5)),
    "contourf": lambda ax, x, y, z: ax.contourf(*np.meshgrid(x, x), z),
    "quiver": lambda ax, x, y, z: ax.quiver(*np.meshgrid(x, x), z, z),
    "streamplot": lambda ax, x, y, z: ax.streamplot(x, x, z, z.T + 1),
    "fill_between": lambda ax, x, y, z: ax.fill_between(x, y, y + 1, where=y > 0, alpha=x[2]),
    "errorbar": lambda ax, x, y, z: ax.errorbar(x, y, yerr=abs(y)),
    "lines": lambda ax, x, y, z: (ax.axvline(x[3]), ax.vlines(x, 0, y), ax.text(x[0], y[0], "a")),
    "ticks": lambda ax, x, y, z: (ax.set_xticks(x[::3]), ax.step(x, y), ax.stem(x, y)),
    "new data": lambda ax, x, y, z: (ax.plot(x, y)[0].set_data(x, -y), ax.imshow(z).set_data(-z)),
    "boxplot": lambda ax, x, y, z: ax.boxplot(z[:, :2]),
}


def test_matplotlib_draws_arrays() -> None:
    """All in one picture: drawing takes most of the time."""
    figures = module("matplotlib.figure")
    figure = figures.Figure(dpi=20, figsize=(12, 8))
    x = np.linspace(0.0, 1.0, 10)
    y = np.sin(6 * x)
    for place, draw in enumerate(PLOTS.values()):
        draw(figure.add_subplot(4, 6, place + 1), x, y, np.outer(y, x))
    figure.savefig(io.BytesIO(), format="png")


def test_matplotlib_draws_what_numpy_would() -> None:
    pyplot = module("matplotlib.pyplot")
    z = np.outer(np.linspace(0, 1, 9), np.linspace(-1, 1, 7))
    pictures = [io.BytesIO(), io.BytesIO()]
    for picture, values in zip(pictures, (z, np.to_numpy(z)), strict=True):
        pyplot.imsave(picture, values)
    assert pictures[0].getvalue() == pictures[1].getvalue()
    colours = pyplot.get_cmap("viridis")(z)
    assert colours.shape == (9, 7, 4)


def test_matplotlib_draws_in_three_dimensions() -> None:
    figure = module("matplotlib.figure").Figure(dpi=20)
    module("mpl_toolkits.mplot3d")
    x = np.linspace(0.0, 1.0, 10)
    grids = np.meshgrid(x, x)
    axes = figure.add_subplot(projection="3d")
    axes.plot_surface(*grids, grids[0] * grids[1])
    axes.plot_wireframe(*grids, grids[0] * grids[1])
    axes.plot(x, x, x)
    axes.scatter(x, x, x)
    figure.savefig(io.BytesIO(), format="png")


@pytest.mark.parametrize("key", [(...,), (slice(None), slice(None, None, -1))], ids=str)
def test_pillow_takes_and_gives_arrays(key: Any) -> None:
    image = module("PIL.Image")
    pixels = np.asarray([[0, 128], [255, 3]], dtype="uint8")[key]
    picture = image.fromarray(pixels)
    assert numpy.asarray(picture).tolist() == pixels.tolist()
    assert np.asarray(picture).tolist() == pixels.tolist()


SCIPY = """
s.special.{erf(x)|jv(0, x)|logsumexp(x)}
s.optimize.{minimize(lambda p: ((p - 1) ** 2).sum(), x)|root(lambda p: p**2 - 2, x + 1)}.x
s.optimize.curve_fit(lambda t, a: a * t, x, 2 * x)[0]
s.integrate.solve_ivp(lambda t, v: -v, (0, 1), x, t_eval=x).y
s.integrate.{odeint(lambda v, t: -v, x, x)|simpson(x, x=x)}
s.interpolate.{interp1d(x, x**2)(x[:3])|CubicSpline(x, x**2)(x)}
s.interpolate.RegularGridInterpolator((x, x), z)(z[:, :2] * 0 + 0.5)
s.ndimage.{gaussian_filter(z, 1.0)|label(z > 0)[0]|zoom(z, 2)}
s.signal.{convolve2d(z, z, mode="same")|lfilter([1.0], [1.0, 0.5], x)|find_peaks(z[:, 3])[0]}
s.sparse.{csr_matrix(z) @ x|diags([x, x], [0, 1], shape=(9, 9)).toarray()}
s.stats.{norm.pdf(x)|pearsonr(x, x**2).statistic|linregress(x, x**2).slope|zscore(x)}
s.linalg.{expm(z)|solve(e + 1 + x * x[:, None] ** 2, x)|toeplitz(x)}
s.fft.dct(x)
s.spatial.distance.cdist(z, z)
"""


@each(SCIPY)
def test_scipy_computes_of_arrays_what_it_does_of_numpys(call: str) -> None:
    scipy = module("scipy")
    module("scipy." + ("spatial.distance" if "cdist" in call else call.split(".")[1]))
    z = numpy.sin(numpy.arange(81.0)).reshape(9, 9)
    given = {"x": numpy.linspace(0.0, 1.0, 9), "z": z, "e": numpy.eye(9)}
    ours = {name: np.asarray(value) for name, value in given.items()}
    got, wanted = (numpy.asarray(eval(call, {"s": scipy, **one})) for one in (ours, given))
    numpy.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-9)
