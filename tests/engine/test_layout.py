"""Which element an index names, against NumPy's strides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as extra
from numpy.exceptions import AxisError
from numpy.lib.stride_tricks import as_strided

from xarr import layout
from xarr.layout import Layout, Shape

Addresses = npt.NDArray[np.intp]
MANY = settings(max_examples=200)
BUFFER = 4096


def addresses(where: Layout) -> Addresses:
    """The address of each element, in an array of the layout's shape."""
    result = np.full(where.shape, where.offset, np.intp)
    for axis, (extent, stride) in enumerate(zip(where.shape, where.strides, strict=True)):
        along = np.arange(extent) * stride
        result += along.reshape(-1, *(1,) * (len(where.shape) - axis - 1))
    return result


def layout_of(view: npt.NDArray[Any], base: npt.NDArray[Any]) -> Layout:
    start = view.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    strides = tuple(stride // view.itemsize for stride in view.strides)
    return Layout(view.shape, strides, start // view.itemsize if view.size else 0)


shapes = st.lists(st.integers(0, 6), max_size=4).map(tuple)


@st.composite
def views(draw: st.DrawFn, shape: Shape | None = None) -> tuple[npt.NDArray[Any], Layout]:
    """A view by slices, integers, new axes and transposes of an array in C order; its layout."""
    if shape is None:
        shape = draw(shapes)
    base = np.arange(math.prod(shape), dtype=np.int32).reshape(shape)
    key = draw(extra.basic_indices(shape, max_dims=5, allow_newaxis=True))
    view = np.asarray(base[key] if isinstance(base[key], np.ndarray) else base)
    view = view.transpose(draw(st.permutations(range(view.ndim))))
    return view, layout_of(view, base)


@st.composite
def strided(draw: st.DrawFn) -> Layout:
    """Any layout within a buffer, most of them not of a view that indexing could make."""
    shape = tuple(draw(st.lists(st.integers(1, 5), max_size=3)))
    strides = tuple(draw(st.integers(-12, 12)) for _ in shape)
    low = sum(min(0, (extent - 1) * step) for extent, step in zip(shape, strides, strict=True))
    return Layout(shape, strides, draw(st.integers(0, 24)) - low)


@st.composite
def factorizations(draw: st.DrawFn, size: int) -> Shape:
    if size == 0:
        return (0, *draw(st.lists(st.integers(0, 3), max_size=2)))
    extents = []
    while size > 1:
        divisors = [extent for extent in range(size, 1, -1) if size % extent == 0]
        extents.append(draw(st.sampled_from(divisors)))
        size //= extents[-1]
    for place in draw(st.lists(st.integers(0, len(extents)), max_size=2)):
        extents.insert(place, 1)
    return tuple(extents)


@given(views())
def test_views_have_the_values_at_their_addresses(drawn: tuple[npt.NDArray[Any], Layout]) -> None:
    view, where = drawn
    if view.size:
        assert np.array_equal(addresses(where), view)
        assert where.bounds() == (view.min(), view.max())
    assert where.size == view.size


@given(views())
def test_linear_means_c_order_without_gaps(drawn: tuple[npt.NDArray[Any], Layout]) -> None:
    view, where = drawn
    if view.size:
        assert where.linear == view.flags.c_contiguous
    if where.linear:
        assert np.array_equal(addresses(where).ravel(), where.offset + np.arange(where.size))


@given(shapes)
def test_contiguous(shape: Shape) -> None:
    where = layout.contiguous(shape)
    assert where.linear
    assert where.offset == 0
    assert np.array_equal(addresses(where).ravel(), np.arange(math.prod(shape)))


@given(views(), st.data())
def test_permuted(drawn: tuple[npt.NDArray[Any], Layout], data: st.DataObject) -> None:
    view, where = drawn
    axes = data.draw(st.permutations(range(view.ndim)))
    assert np.array_equal(addresses(where.permuted(axes)), addresses(where).transpose(axes))


@MANY
@given(views(), st.data())
def test_reshape_is_a_view_just_where_numpys_is(
    drawn: tuple[npt.NDArray[Any], Layout], data: st.DataObject
) -> None:
    view, where = drawn
    shape = data.draw(factorizations(view.size))
    try:
        wanted: npt.NDArray[Any] | None = np.reshape(view, shape, copy=False)
    except ValueError:
        wanted = None
    result = where.reshaped(shape)
    assert (result is None) == (wanted is None)
    if result is not None and wanted is not None:
        assert result.shape == shape
        if result.size:
            assert np.array_equal(addresses(result), wanted)


@given(views(), st.data())
def test_broadcast_repeats(drawn: tuple[npt.NDArray[Any], Layout], data: st.DataObject) -> None:
    view, where = drawn
    grown = tuple(data.draw(st.sampled_from((1, 3))) if n == 1 else n for n in view.shape)
    shape = (*data.draw(st.lists(st.integers(0, 3), max_size=2)), *grown)
    result = where.broadcast(shape)
    assert result.shape == shape
    assert np.array_equal(addresses(result), np.broadcast_to(addresses(where), shape))


@given(views())
def test_views_by_indexing_do_not_overlap_themselves(
    drawn: tuple[npt.NDArray[Any], Layout],
) -> None:
    assert not layout.is_self_overlapping(drawn[1].shape, drawn[1].strides)


@MANY
@given(strided())
def test_self_overlap_is_never_overlooked(where: Layout) -> None:
    found = addresses(where)
    if len(np.unique(found)) < found.size:
        assert layout.is_self_overlapping(where.shape, where.strides)


def test_equality_ignores_the_strides_of_single_elements() -> None:
    assert Layout((1, 3), (7, 1), 2) == Layout((1, 3), (3, 1), 2)
    assert Layout((2, 3), (7, 1), 2) != Layout((2, 3), (3, 1), 2)
    assert Layout((3,), (1,), 2) != Layout((3,), (1,), 3)
    assert Layout((3,), (1,)) != Layout((1, 3), (3, 1))


def common(first: Layout, second: Layout) -> bool:
    """Whether two layouts have an element in common, by looking at all of them."""
    return bool(np.intersect1d(addresses(first), addresses(second)).size)


@MANY
@given(strided(), strided())
def test_overlap_is_never_overlooked(first: Layout, second: Layout) -> None:
    buffer = np.zeros(BUFFER, np.int8)
    one, other = (
        as_strided(buffer[where.offset :], where.shape, where.strides) for where in (first, second)
    )
    assert common(first, second) == np.shares_memory(one, other)
    if common(first, second):
        assert layout.overlap(first, second)
        assert layout.overlap(second, first)


@MANY
@given(st.data(), shapes)
def test_overlap_of_views_is_never_overlooked(data: st.DataObject, shape: Shape) -> None:
    (_, first), (_, second) = data.draw(views(shape)), data.draw(views(shape))
    if common(first, second):
        assert layout.overlap(first, second)
        assert layout.overlap(second, first)


DISJOINT = """
10: :5 & 5:; ::2 & 1::2
9: 1::2 & ::2; ::-2 & 1::2
12: ::3 & 2::3
6, 8: :3 & 3:; :, :4 & :, 4:; :, ::2 & :, 1::2; ::2 & 1::2; :, 0 & :, -1; 0 & 5
6, 8: 1:-1, 0 & 1:-1, 1; 1:-1, 0 & 1:-1, -2; 0, 1:-1 & -2, 1:-1; ::-1, :4 & :, 4:
4, 5, 6: :, :, 0 & :, :, 1:; :, 0 & :, 4; 0, :, 1:-1 & 2, :, 1:-1; :2, 3:, ::2 & :2, :3, ::2
"""


@pytest.mark.parametrize(
    ("shape", "keys"),
    [
        (eval(f"({shape},)"), keys)
        for shape, _, several in (line.partition(": ") for line in DISJOINT.strip().splitlines())
        for keys in several.split("; ")
    ],
)
def test_what_programs_assign_is_seen_to_be_disjoint(shape: Shape, keys: str) -> None:
    first, second = (eval(f"np.s_[{key}]") for key in keys.split(" & "))
    base = np.zeros(shape, np.int32)
    one, other = layout_of(base[first], base), layout_of(base[second], base)
    assert not common(one, other)
    assert not layout.overlap(one, other)
    assert not layout.overlap(other, one)


def test_nothing_overlaps_with_no_elements() -> None:
    assert not layout.overlap(layout.contiguous((0,)), layout.contiguous((3,)))
    assert not layout.overlap(layout.contiguous((3,)), Layout((2, 0), (1, 1)))


@given(st.data(), st.lists(st.integers(1, 4), min_size=1, max_size=5).map(tuple))
def test_collapse_keeps_the_order_of_addresses(data: st.DataObject, shape: Shape) -> None:
    walks: list[Shape] = []
    for _ in range(data.draw(st.integers(1, 3))):
        dense = layout.contiguous_strides(shape)
        change = st.sampled_from((lambda step: step, lambda step: -step, lambda step: 0))
        whole = data.draw(st.booleans())
        walks.append(tuple(step if whole else data.draw(change)(step) for step in dense))
    split = data.draw(st.integers(0, len(shape)))
    groups = [shape[:split], shape[split:]]
    extents, merged = layout.collapse(groups, [[walk[:split], walk[split:]] for walk in walks])
    for number, group in enumerate(groups):
        assert math.prod(extents[number]) == math.prod(group)
        assert len(extents[number]) <= len(group)
        assert 1 not in extents[number]
        for walk, steps in zip(walks, merged, strict=True):
            before = Layout(group, (walk[:split], walk[split:])[number])
            after = Layout(tuple(extents[number]), tuple(steps[number]))
            assert np.array_equal(addresses(before).ravel(), addresses(after).ravel())


def test_collapse_merges_all_that_it_can() -> None:
    shape = (2, 3, 4)
    dense = layout.contiguous_strides(shape)
    assert layout.collapse([shape], [[dense], [(0, 0, 0)]]) == ([[24]], [[[1]], [[0]]])
    assert layout.collapse([shape], [[dense], [(0, 4, 1)]]) == ([[2, 12]], [[[12, 1]], [[0, 1]]])
    assert layout.collapse([(1, 1)], [[(5, 7)]]) == ([[]], [[[]]])


@given(st.lists(st.lists(st.integers(0, 3), max_size=4).map(tuple), min_size=1, max_size=3))
def test_broadcast_shapes(given_shapes: list[Shape]) -> None:
    try:
        wanted = np.broadcast_shapes(*given_shapes)
    except ValueError:
        with pytest.raises(ValueError, match=r"^add\(x1, x2\): the shapes are \("):
            layout.broadcast_shapes(*given_shapes, where="add(x1, x2)")
    else:
        assert layout.broadcast_shapes(*given_shapes, where="add(x1, x2)") == wanted


@given(st.integers(-6, 6), st.integers(0, 4))
def test_normalize_axis(axis: int, ndim: int) -> None:
    if -ndim <= axis < ndim:
        assert layout.normalize_axis(axis, ndim, "f(x)") == axis % ndim
        assert layout.normalize_axes(axis, ndim, "f(x)") == (axis % ndim,)
    else:
        said = rf"^f\(x\): axis is {axis}, out of bounds; the array has"
        with pytest.raises(AxisError, match=said) as caught:
            layout.normalize_axis(axis, ndim, "f(x)")
        assert isinstance(caught.value, IndexError)
        assert isinstance(caught.value, ValueError)


def test_normalize_axes() -> None:
    assert layout.normalize_axes(None, 3, "f(x)") == (0, 1, 2)
    assert layout.normalize_axes((), 3, "f(x)") == ()
    assert layout.normalize_axes((-1, 0), 3, "f(x)") == (0, 2)
    assert layout.normalize_axes(np.int64(1), 3, "f(x)") == (1,)
    with pytest.raises(ValueError, match="each axis may be named once"):
        layout.normalize_axes((1, -2), 3, "f(x)")
    with pytest.raises(AxisError):
        layout.normalize_axes((0, 3), 3, "f(x)")
    for wrong in (1.0, "0", (0, 1.5), [None]):
        with pytest.raises(TypeError, match="an axis must be an integer"):
            layout.normalize_axes(wrong, 3, "f(x)")
