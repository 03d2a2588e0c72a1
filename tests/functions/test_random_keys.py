"""Random programs that read and write arrays and views of them by random keys, against NumPy."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import xarr
from tests.reference import Values, assert_same

SHAPES = [(), (1,), (5,), (0,), (3, 4), (4, 1), (2, 0), (2, 3, 4), (3, 1, 2), (2, 2, 3, 2)]
DTYPES = ["int32", "float32", "int64", "bool"]


class Programs:
    """Statements on a few arrays, made at random and run with NumPy's and with xarr's."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.pairs: list[tuple[Values, xarr.Array]] = []
        self.log: list[str] = []

    def make(self) -> None:
        shape = self.random.choice(SHAPES)
        dtype = self.random.choice(DTYPES)
        values = np.arange(1, np.prod(shape, dtype=int) + 1).reshape(shape).astype(dtype)
        array = xarr.asarray(values.copy())
        if shape and dtype != "bool" and self.random.random() < 0.5:  # else it is a number
            values, array = np.asarray(values + 1), array + 1
        self.pairs.append((values, array))
        self.log.append(f"{len(self.pairs) - 1} = {dtype}{shape}")

    def slice(self, extent: int) -> slice:
        bounds = [None, *range(-extent - 1, extent + 2)]
        steps = [None, None, 1, 2, -1, -2, 3]
        return slice(
            self.random.choice(bounds), self.random.choice(bounds), self.random.choice(steps)
        )

    def indices(self, extent: int, shape: tuple[int, ...]) -> Values:
        wild = self.random.random() < 0.04
        low, high = (-extent - 1, extent) if wild else (-extent, max(extent - 1, -extent))
        size = int(np.prod(shape))
        values = [self.random.randint(low, high) for _ in range(size)]
        dtype = self.random.choice(["int64", "int64", "int32", "int8"])
        return np.array(values, dtype).reshape(shape)

    def key(self, shape: tuple[int, ...]) -> Any:
        """A key for an array of a shape; now and then one that NumPy refuses."""
        common = self.random.choice([(), (2,), (3,), (1,), (2, 2), (3, 1), (0,)])
        kinds = ["end", "slice", "slice", "int", "none"]
        if self.random.random() < 0.6:
            kinds += ["array", "array", "list", "mask", "bool"]
        key: list[Any] = []
        axis = 0
        while axis < len(shape) + (self.random.random() < 0.02):
            extent = shape[axis] if axis < len(shape) else 1
            kind = self.random.choice(kinds)
            if kind == "end":
                break
            if kind == "slice":
                key.append(self.slice(extent))
            elif kind == "int":
                key.append(self.random.randint(-extent, max(extent - 1, -extent)))
            elif kind == "array":
                part = self.random.choice([common, common, common[-1:], (1,)])
                key.append(self.indices(extent, part))
            elif kind == "list":
                key.append(self.indices(extent, common).tolist())
            elif kind == "mask":
                count = self.random.randint(1, max(len(shape) - axis, 1))
                extents = list(shape[axis : axis + count])
                if self.random.random() < 0.04 and extents:
                    extents[0] += 1
                mask = np.array(
                    [self.random.random() < 0.5 for _ in range(int(np.prod(extents)))], bool
                ).reshape(extents)
                key.append(mask if self.random.random() < 0.8 else mask.tolist())
                axis += count - 1
            elif kind == "bool":
                if self.random.random() < 0.3:
                    key.append(self.random.choice([True, False, np.True_, np.array(True)]))
                axis -= 1
            else:
                key.append(None)
                axis -= 1
            axis += 1
        for chance in (0.25, 0.02):
            if self.random.random() < chance:
                key.insert(self.random.randint(0, len(key)), ...)
        return key[0] if len(key) == 1 and self.random.random() < 0.7 else tuple(key)

    def on_device(self, key: Any) -> Any:
        """A key in which some of NumPy's arrays are Arrays, some of them pending."""
        if isinstance(key, tuple):
            return tuple(map(self.on_device, key))
        if not isinstance(key, np.ndarray) or not key.ndim or self.random.random() < 0.3:
            return key
        array = xarr.asarray(key)
        if self.random.random() < 0.5:
            return array
        return array | (array & False) if key.dtype == bool else array + 0

    def step(self) -> None:
        number = self.random.randrange(len(self.pairs))
        values, array = self.pairs[number]
        key = self.key(values.shape)
        what = self.random.choice(["read", "view", "write", "write", "number", "add", "look"])
        self.log.append(f"{what} {number}[{key!r}]")
        mine = self.on_device(key)
        try:
            part = values[key]
        except (IndexError, ValueError) as error:
            with pytest.raises(type(error)):
                np.asarray(array[mine])
            with pytest.raises(IndexError):
                array[mine] = 0
            return
        if what == "look":
            self.compare(values, array)
        elif what == "read":
            self.compare(np.asarray(part), array[mine])
        elif what == "view":
            if len(self.pairs) < 12 and isinstance(
                part, np.ndarray
            ):  # NumPy's scalars are no views
                self.pairs.append((part, array[mine]))
        elif what == "number":
            value = self.random.randint(0, 100)
            self.both(values, array, key, mine, value, value)
        elif what == "add" and values.dtype != bool:
            values[key] += 1
            array[mine] += 1
        elif what == "write":
            source = self.random.choice(self.pairs)
            try:
                wanted, other = source[0][: part.shape[0]] if part.ndim else source[0], source[1]
                other = other[: part.shape[0]] if part.ndim else other
            except IndexError:
                wanted, other = source
            if self.random.random() < 0.5:
                wanted = np.full(part.shape, self.random.randint(0, 9), self.random.choice(DTYPES))
                wanted += np.arange(wanted.size).reshape(wanted.shape).astype(wanted.dtype)
                other = xarr.asarray(wanted)
                if self.random.random() < 0.3 and wanted.size:
                    other = wanted.tolist()
            elif self.random.random() < 0.3:
                wanted, other = wanted[None], other[None]
            self.both(values, array, key, mine, wanted, other)

    def both(
        self, values: Values, array: xarr.Array, key: Any, mine: Any, value: Any, other: Any
    ) -> None:
        if not values.flags.writeable:
            return
        self.log.append(f"   = {value!r}")
        part = np.asarray(values[key])
        if isinstance(value, np.ndarray) and value.ndim > part.ndim and part.size <= 1:
            return  # NumPy takes no array for a number, and any empty one for some others
        try:
            values[key] = value
        except ValueError:
            with pytest.raises(ValueError, match="must broadcast"):
                array[mine] = other
            return
        except TypeError:  # a value of two axes beside a mask, which xarr takes if it broadcasts
            return
        array[mine] = other

    def compare(self, values: Values, array: xarr.Array) -> None:
        assert_same(np.asarray(array), values, "\n".join(self.log))

    def run(self, steps: int) -> None:
        for _ in range(2):
            self.make()
        for _ in range(steps):
            if self.random.random() < 0.1 and len(self.pairs) < 8:
                self.make()
            try:
                self.step()
            except BaseException as error:
                error.add_note("\n".join(self.log))
                raise
        for values, array in self.pairs:
            self.compare(values, array)


@pytest.mark.usefixtures("each_tier")
@pytest.mark.parametrize("seed", range(20))
def test_random_keys(seed: int, scattering: xarr.Device) -> None:
    Programs(seed).run(60)
