"""Random programs with views of another kind: parts of complex arrays, other data types, `flat`.

As those of `programs`, which has the steps that are not about memory seen in another way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Final

import numpy

from tests.engine.programs import WIDE, Breadth, Pick, Program, broadcasts, steps

SEEN_OTHERWISE: Final = replace(
    WIDE,
    dtypes=(
        ("complex128", "float64"),
        ("complex64", "float32"),
        ("int64", "int32"),
        ("int32", "uint8"),
        ("int16", "int64"),
    ),
    sides=(4, 6),
    shapes=("n", "nn", "2n", "n1"),
    keys=("1:", "::-1", "::2"),
    keys2=(":, 1:",),
    rare=0,
    steps=steps("""
        make 8, pend 16, copy 4, in_place 14, assign 16, assign_named 6, delete 5, collect 1,
        toggle 2, look 2, keep 3, view 14, part 14, retype 14, write_flat 8, read_flat 5, fill 5,
        reshape 6, in_order 6, write_part 10, lock 2, resize 2
    """),
)

_INTEGERS: Final = ("int64", "int32", "uint8", "int16", "uint32")


class Seen(Program):
    SEEN_AS: ClassVar[dict[str, tuple[str, ...]]] = {
        "complex128": ("float64",),
        "complex64": ("float32",),
        "float64": ("complex128",),
        "float32": ("complex64",),
    } | dict.fromkeys(_INTEGERS, _INTEGERS)

    def __init__(self, pick: Pick, breadth: Breadth = SEEN_OTHERWISE) -> None:
        super().__init__(pick, breadth)

    def operand(self, shape: tuple[int, ...], beside: str) -> str:
        dtype = self.theirs[beside].dtype
        names = [
            name
            for name in self.live
            if broadcasts(self.theirs[name].shape, shape) and self.theirs[name].dtype == dtype
        ]
        choice = self.pick(len(names) + 1)
        return names[choice] if choice < len(names) else self.scalar(dtype)

    def scalar(self, dtype: numpy.dtype[Any]) -> str:
        return str(bool(self.pick(2))) if dtype.kind == "b" else str(self.pick(4))

    def make(self) -> None:
        shape = self.one_of(self.shapes)
        dtype = self.dtype if self.pick(4) else self.other
        self.seed += 1
        forms = [
            f"np.asarray(data({shape}, {dtype!r}, {self.seed}))",
            f"np.zeros({shape}, dtype={dtype!r})",
            f"np.asarray(data({shape}, {dtype!r}, {self.seed})) + 1",
        ]
        self.bind(self.new_name(), str(self.one_of(forms)))

    def part(self) -> None:
        name = self.a_name(lambda value: value.dtype.kind == "c")
        return self.bind(self.new_name(), f"{name}.{self.one_of(('real', 'imag'))}")

    def write_part(self) -> None:
        name = self.any_name(
            lambda value: value.dtype.kind == "c" and value.flags.writeable and value.ndim > 0
        )
        if name is None:
            return self.retype()
        part, other = self.one_of((("real", "imag"), ("imag", "real")))
        forms = (
            f"{name}.{part} = {name}.{other}",
            f"{name}.{part} += {name}.{other}",
            f"{name}.{part} = {self.pick(4)}",
            f"{name}.{part}[...] = {name}.{part}[::-1]",
            f"{name}.{part}[...] = np.imag({name}) - {name}.{part}",
            f"{name}[...] = {name}.{part}",
            f"{name}[...] = {name} + {name}.{part}",
        )
        return self.run(str(self.one_of(forms)))

    def write_flat(self) -> None:
        name = self.a_name(lambda value: value.flags.writeable and value.size > 2)
        forms = (
            f"{name}.flat[1] = {self.pick(5)}",
            f"{name}.flat[-1] = {self.pick(5)}",
            f"{name}.flat[1:] = [1, 2]",
            f"{name}.flat = [4, 5, 6]",
            f"{name}.flat[::2] = {name}.flat[1]",
            f"{name}.flat[np.asarray([0, 2])] = [7, 8]",
        )
        return self.run(str(self.one_of(forms)))

    def read_flat(self) -> None:
        name = self.a_name(lambda value: value.size > 1)
        forms = ("flat[1:]", "flat[0]", "flat[::-1]", "flat.copy()", "flat[np.asarray([1, 0])]")
        return self.bind(self.new_name(), f"{name}.{self.one_of(forms)}")

    def fill(self) -> None:
        name = self.a_name(lambda value: value.flags.writeable)
        value = self.theirs[name]
        keys = [f"{name}.fill({self.pick(4)})"]
        keys += [f"{name}[{key}].fill({self.pick(4)})" for key in self.breadth.keys if value.ndim]
        return self.run(str(self.one_of(keys)))

    def reshape(self) -> None:
        """Give an array another shape in place; views of it keep theirs."""
        name = self.a_name(self.is_alike)
        if not self.theirs[name].ndim:
            return self.make()
        value = self.theirs[name]
        shape = self.one_of(("-1", "(1, -1)", "(-1, 1)", "(2, -1)"))
        if shape == "(2, -1)" and value.size % 2:
            shape = "-1"
        try:
            copy = value.view()
            copy.shape = eval(shape)
        except AttributeError:
            return self.run(f"{name}.shape = {shape}", refused=True)
        return self.run(f"{name}.shape = {shape}")

    def in_order(self) -> None:
        """A copy in Fortran's order, a transpose, or a flat array."""
        name = self.a_name(self.is_alike)
        forms = (
            "np.asarray({}, order='F')",
            "np.array({}, order='F')",
            "{}.copy(order='F')",
            "{}.ravel(order='F')",
            "{}.T",
            "{}.reshape(-1, order='F')",
            "np.ascontiguousarray({})",
            "{}.view()",
        )
        return self.bind(self.new_name(), str(self.one_of(forms)).format(name))

    def lock(self) -> None:
        """A view that cannot be written, and what becomes of writing to it."""
        name = self.any_name(lambda value: value.ndim > 0)
        new = self.new_name()
        if name is None or new == name:
            return self.make()
        self.bind(new, f"{name}.view()")
        self.run(f"{new}.flags.writeable = False")
        self.run(f"{new}[...] = 1", refused=True)
        self.run(f"{new} += 1", refused=True)
        return self.run(f"{new}[::-1].fill(1)", refused=True)

    def resize(self) -> None:
        name = self.new_name()
        self.seed += 1
        self.bind(
            name, f"np.asarray(data({self.one_of(self.shapes)}, {self.dtype!r}, {self.seed}))"
        )
        return self.run(f"{name}.resize(({1 + self.pick(3)}, 5), refcheck=False)")
