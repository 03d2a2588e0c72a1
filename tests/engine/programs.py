"""Random programs over arrays, run by xarr and by NumPy side by side.

A program is a list of Python lines that mean the same in both libraries. Each is run twice, with
`np` standing for xarr and for NumPy, and values are compared in between. What differs is reported
as a text that can be pasted and run.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy

import xarr
from tests.engine import own
from tests.engine.pairs import (
    TIERS,
    BeyondError,
    Difference as Difference,
    Pair,
    Tally,
    Values,
    collected_often,
    faults,
    inline_up_to,
    tier,
    uncollected,
)
from xarr.ops import vendor

Pick = Callable[[int], int]

NAMES: Final = tuple("abcdefg")
LENT: Final = ("m0", "m1", "m2")


@dataclass(frozen=True)
class Breadth:
    """What programs are made of. Each combination compiles a kernel, so breadth costs time.

    dtypes : tuple of pairs of str -- The types of a program's arrays, the second one seldom.
    sides : tuple of int -- The extents of a program's axes.
    shapes : tuple of str
        The shapes of new arrays, in the letters of the program's extent: "n", "nn", "1n".
    keys : tuple of str -- Keys of views of an array with axes.
    keys2 : tuple of str -- Further ones where there are two axes or more.
    rare : int -- One expression in so many is another one than a sum; 0 for none.
    steps : dict of str to int -- The steps of random programs and how often each is taken.
    hazards : tuple of str -- Further steps, each of which is taken in some programs; see `HAZARDS`.
    """

    dtypes: tuple[tuple[str, str], ...]
    sides: tuple[int, ...]
    shapes: tuple[str, ...]
    keys: tuple[str, ...]
    keys2: tuple[str, ...]
    rare: int
    steps: dict[str, int]
    hazards: tuple[str, ...] = ()


def steps(text: str) -> dict[str, int]:
    """The steps that a text names, and how often each is taken."""
    return {name: int(often) for name, often in (pair.split() for pair in text.split(","))}


STEPS: Final = steps("""
make 8, view 16, pend 16, compare_values 2, convert 2, copy 4, in_place 14, assign 16,
assign_named 6, masked 4, gathered 4, reduced 6, rearranged 3, repeated 3, assembled 3, delete 5,
collect 1, toggle 2, look 2, refuse 2, keep 3, retype 8, use_reduced 4, own 5, own_into 8,
own_indexed 3, own_reduced 3, own_launched 5
""")
HAZARDS: Final[dict[str, dict[str, int]]] = {
    "threads": {"at_once": 8},
    "streams": {},
    "lent": {"lend": 14, "borrow": 8, "write_lent": 16, "give_back": 8},
    "faults": {"fail": 25},
    "finalizers": {"tie": 12, "mourn": 16, "collect": 5},
}
"""What some programs have besides, and the steps that come with it."""
NARROW: Final = Breadth(
    dtypes=(("int64", "int64"),),
    sides=(6, 70),
    shapes=("n", "nn"),
    keys=("1:", ":-1", "::-1"),
    keys2=(),
    rare=0,
    hazards=tuple(HAZARDS),
    steps=STEPS
    | {"pend": 30, "compare_values": 0, "masked": 1, "gathered": 1, "reduced": 1, "rearranged": 0},
)
MIDDLE: Final = replace(
    NARROW,
    dtypes=(("int64", "int64"), ("int64", "int32"), ("float32", "float32")),
    sides=(4, 6, 70),
    shapes=("n", "nn", ""),
    keys=("1:", ":-1", "::-1", "::2", "1::2"),
    steps=STEPS,
)
WIDE: Final = Breadth(
    dtypes=(
        ("int64", "int64"),
        ("float32", "float32"),
        ("float64", "float32"),
        ("int32", "int64"),
        ("uint8", "uint8"),
        ("float16", "float32"),
        ("bool", "bool"),
    ),
    sides=(4, 6, 70),
    shapes=("n", "nn", "", "1n", "n1", "2nn", "N"),
    keys=("1:", ":-1", "::-1", "::2", "1::2", "2:5", "4:1:-1", "..., 1:", "..., ::-1", ":"),
    keys2=(":, 1:", "1:, :-1", "::-1, ::2"),
    rare=4,
    steps=STEPS,
    hazards=tuple(HAZARDS),
)
_RANK: Final = "buif"
_WITHOUT_HOST: Final = 8
"""One expression in so many is what NumPy has no function for that kernels agree with."""


class NothingError(Exception):
    """A step needs an array that there is not."""


class Program:
    """A random program while it is written and run.

    pick : function of an int n to an int in [0, n)
        Where choices come from, as a random generator.
    """

    SEEN_AS: ClassVar[dict[str, tuple[str, ...]]] = {
        "int64": ("int32", "uint8", "int64"),
        "int32": ("int64", "uint8"),
        "uint8": ("int32", "int64"),
    }
    """Which data types an array's memory may be taken as, so that no NaN arises."""

    def __init__(self, pick: Pick, breadth: Breadth = WIDE) -> None:
        self.pick = pick
        self.breadth = breadth
        self.pair = Pair()
        self.theirs = self.pair.theirs
        self.live: list[str] = []
        self.lent: list[str] = []
        self.kept = 0
        self.eager = False
        self.seed = 0
        self.dtype, self.other = self.one_of(breadth.dtypes)
        self.hazards = {hazard for hazard in breadth.hazards if not pick(3)}
        if not vendor.runs_on_numpy(xarr.default_device()):
            self.hazards.discard("lent")  # no other library sees the memory
        self.is_restless = "finalizers" in self.hazards and not pick(3)
        """Whether garbage is collected at any time, and not where a line says so."""
        self.reads = 2 + pick(2) if "faults" in self.hazards else pick(4)
        """How often values are compared: always, sometimes, seldom, at the end."""
        side = self.one_of(breadth.sides)
        extents = {"n": side, "N": side * side, "1": 1, "2": 2}
        self.shapes = [tuple(extents[letter] for letter in form) for form in breadth.shapes]

    # -- choosing -----------------------------------------------------------------------------

    def one_of(self, items: Sequence[Any]) -> Any:
        return items[self.pick(len(items))]

    def any_name(self, accept: Callable[[Values], bool] = lambda value: True) -> str | None:
        """A live name whose value is accepted, if there is one."""
        names = [name for name in self.live if accept(self.theirs[name])]
        return self.one_of(names) if names else None

    def a_name(self, accept: Callable[[Values], bool] = lambda value: True) -> str:
        """As `any_name`; where there is none, an array is made in the step's place."""
        name = self.any_name(accept)
        if name is None:
            raise NothingError
        return name

    def new_name(self) -> str:
        return str(self.one_of(NAMES))

    def operand(self, shape: tuple[int, ...], beside: str) -> str:
        """An array that broadcasts to `shape` and may be added in place, or a scalar."""
        dtype = self.theirs[beside].dtype

        def fits(value: Values) -> bool:
            both = numpy.result_type(value.dtype, dtype)
            return broadcasts(value.shape, shape) and numpy.can_cast(both, dtype, "same_kind")

        names = [name for name in self.live if fits(self.theirs[name])]
        choice = self.pick(len(names) + 1)
        return names[choice] if choice < len(names) else self.scalar(dtype)

    def scalar(self, dtype: numpy.dtype[Any]) -> str:
        if dtype.kind == "b":
            return str(bool(self.pick(2)))
        return str(self.pick(4)) if dtype.kind != "f" else ("0.5", "2.0", "-1.0", "3")[self.pick(4)]

    # -- running ------------------------------------------------------------------------------

    def run(self, line: str, *, refused: bool = False) -> None:
        """Run a line in both libraries; `refused` lines have to raise the same in both."""
        if self.eager:
            line = f"with eager(): {line}"
        elif not self.pick(12):
            line = f"with tier({TIERS[self.pick(3)]!r}): {line}"
        elif "streams" in self.hazards and not self.pick(4):
            line = f"with stream({self.pick(2)}): {line}"
        self.pair.run(line, self.thread(), refused=refused)

    def thread(self) -> int:
        """In which thread xarr does something."""
        return self.pick(3) if "threads" in self.hazards else 0

    def bind(self, name: str, expression: str) -> None:
        self.run(f"{name} = {expression}")
        if name not in self.live:
            self.live.append(name)

    def check(self, *, everything: bool = False) -> None:
        """Compare shapes and types of all arrays, and the values of some."""
        for name in self.live:
            self.pair.check_type(name)
        names = [*self.live, *self.lent]
        if everything or self.reads == 0:
            first = self.pick(len(names) + 1)
            for name in names[first:] + names[:first]:
                self.pair.check(name, self.thread())
        elif names and self.reads < 3 and not self.pick((0, 3, 12)[self.reads]):
            self.pair.check(str(self.one_of(names)), self.thread())

    # -- steps --------------------------------------------------------------------------------

    def take(self, step: str) -> None:
        try:
            getattr(self, step)()
        except NothingError:
            self.make()

    def make(self) -> None:
        shape = self.one_of(self.shapes)
        dtype = self.dtype if self.pick(6) else self.other
        choice = self.pick(5)
        if choice < 2:
            self.seed += 1
            expression = f"np.asarray(data({shape}, {dtype!r}, {self.seed}))"
        elif choice == 2:
            expression = f"np.zeros({shape}, dtype={dtype!r})"
        elif choice == 3:
            expression = f"np.full({shape}, {self.scalar(numpy.dtype(dtype))}, dtype={dtype!r})"
        else:
            size = int(numpy.prod(shape))
            count = "" if dtype == "bool" else f", dtype={dtype!r}"
            if dtype == "bool":
                expression = f"np.ones({shape}, dtype='bool')"
            elif dtype == "uint8":
                expression = f"np.full({shape}, 3{count})"
            else:
                expression = f"np.reshape(np.arange({size % 2000}{count}), (-1,))"
        self.bind(self.new_name(), expression)

    def view(self) -> None:
        name = self.a_name()
        value = self.theirs[name]
        views = [f"{name}[{key}]" for key in self.keys(value)]
        views += [f"{name}[...]", f"{name}.T" if value.ndim == 2 else f"{name}[None]"]
        if not value.ndim:
            views += [f"np.reshape({name}, (1,))", f"np.atleast_1d({name})", f"{name}.copy()"]
            views += [f"np.expand_dims({name}, 0)", f"{name}.reshape(())", f"{name}[()]"]
        if self.breadth.rare:
            views += self._rare_views(name, value)
        return self.bind(self.new_name(), str(self.one_of(views)))

    def _rare_views(self, name: str, value: Values) -> list[str]:
        views = [
            f"np.broadcast_to({name}, {shape})"
            for shape in self.shapes[1:6:4]
            if broadcasts(value.shape, shape)
        ]
        if value.ndim:
            views.append(f"np.permute_dims({name}, {tuple(reversed(range(value.ndim)))})")
            views.append(f"np.reshape({name}, (-1,))")
            views.append(f"{name}[..., None]")
            if value.shape[0] % 2 == 0 and value.size:
                views.append(f"np.reshape({name}, (2, -1))")
        return views

    def keys(self, value: Values) -> list[str]:
        """Keys of views of an array; all of them are in range."""
        if not value.ndim:
            return []
        keys = list(self.breadth.keys)
        wide = bool(self.breadth.keys2)
        if wide and value.shape[0]:
            keys += ["0, ...", "-1, ...", "0", "-1"]
        if wide and value.ndim > 1:
            keys += self.breadth.keys2
            if value.shape[1]:
                keys += [":, 0", ":, -1"]
        return keys

    def pend(self) -> None:
        """An expression of up to three operands, kept under a name."""
        name = self.a_name()
        value = self.theirs[name]
        first = self.operand(value.shape, name)
        sign = "^" if value.dtype.kind == "b" else "+"
        forms = [f"{name} {sign} {first}"]
        if value.dtype.kind in "iu" and not self.pick(_WITHOUT_HOST):
            forms = [f"np.gcd({name}, {first})"]
        if self.rarely():
            second = self.operand(value.shape, name)
            if value.dtype.kind == "b":
                forms = [f"np.logical_not({name})", f"{name} & {first} | {second}"]
            else:
                forms = [
                    f"{name} * {first} - {second}",
                    f"np.where({name} > {first}, {name}, {first})",
                    f"np.where({name}, {first}, {second})",
                    f"np.clip({name}, {first}, {second})",
                    f"np.sqrt({name}) / 2" if value.dtype.kind == "f" else f"-{name}",
                ]
        return self.bind(self.new_name(), str(self.one_of(forms)))

    def rarely(self) -> bool:
        return self.breadth.rare > 0 and not self.pick(self.breadth.rare)

    def sign(self, value: Values) -> str:
        if value.dtype.kind == "b":
            return "^"
        return str(self.one_of("-*")) if self.rarely() else "+"

    def compare_values(self) -> None:
        name = self.a_name(lambda value: value.dtype.kind != "b")
        return self.bind(self.new_name(), f"{name} > {self.operand(self.theirs[name].shape, name)}")

    def convert(self) -> None:
        """A pending conversion that keeps the value."""
        name = self.a_name()
        value = self.theirs[name]
        targets = [
            dtype
            for dtype in (self.dtype, self.other, value.dtype.name)
            if _RANK.index(value.dtype.kind) <= _RANK.index(numpy.dtype(dtype).kind)
        ]
        return self.bind(self.new_name(), f"{name}.astype({self.one_of(targets)!r})")

    def copy(self) -> None:
        name = self.a_name()
        form = self.one_of(("np.asarray({}, copy=True)", "{}"))
        return self.bind(self.new_name(), form.format(name))

    def in_place(self) -> None:
        """An in-place operator on an array or on a view of it; of a number it makes a new one."""
        name = self.a_name(lambda value: value.flags.writeable or is_number(value))
        value = self.theirs[name]
        targets = [(name, value)]
        if value.ndim:
            key = self.one_of(self.keys(value))
            targets.append((f"{name}[{key}]", eval(f"value[{key}]", {"value": value})))
        target, part = self.one_of(targets)
        sources = [self.operand(part.shape, name), *self.shifted(name, value, part.shape)]
        if value.ndim == 2 and value.shape[0] == value.shape[1] and target == name:
            sources.append(f"{name}.T")
        return self.run(f"{target} {self.sign(value)}= {self.one_of(sources)}")

    def shifted(self, name: str, value: Values, shape: tuple[int, ...]) -> list[str]:
        """Other views of an array that broadcast to `shape`."""
        return [
            f"{name}[{key}]"
            for key in self.keys(value)
            if broadcasts(eval(f"value[{key}]", {"value": value}).shape, shape)
        ]

    def assign(self) -> None:
        """Assign to a view: a scalar, an array, or an expression that may read what it writes."""
        name = self.a_name(lambda value: value.flags.writeable)
        value = self.theirs[name]
        key = self.one_of(["...", *self.keys(value)])
        part = eval(f"value[{key}]", {"value": value})
        operand = self.operand(part.shape, name)
        forms = [operand]
        sources = self.shifted(name, value, part.shape)
        if sources:
            own, other = self.one_of(sources), self.one_of(sources)
            sign = "^" if value.dtype.kind == "b" else "+"
            forms += [own, f"{own} {sign} {operand}"]
            if self.rarely() and value.dtype.kind != "b":
                forms = [f"{own} * {operand} - {other}", f"{operand} - {other}"]
        return self.run(f"{name}[{key}] = {self.one_of(forms)}")

    def assign_named(self) -> None:
        """Assign an expression that has a name, and so outlives what it is written to."""
        name = self.any_name(lambda value: value.flags.writeable)
        new = self.new_name()
        if name is None or new == name:
            return self.make()
        value = self.theirs[name]
        key = self.one_of(["...", *self.keys(value)])
        part = eval(f"value[{key}]", {"value": value})
        alike = [
            other
            for other in self.live
            if other != name
            and self.theirs[other].shape == part.shape
            and self.theirs[other].dtype == part.dtype
        ]
        own = self.one_of(alike) if alike else f"{name}[{key}]"
        sign = "^" if part.dtype.kind == "b" else "+"
        operand = self.one_of((self.scalar(part.dtype), self.operand(part.shape, name)))
        self.bind(new, f"{own} {sign} {operand}")
        return self.run(f"{name}[{key}] = {new}")

    def masked(self) -> None:
        """Read or write what a mask selects."""
        name = self.a_name(lambda value: value.ndim > 0)
        value = self.theirs[name]
        masks = [mask for mask in self.live if self.theirs[mask].dtype.kind == "b"]
        masks = [mask for mask in masks if self.theirs[mask].shape == value.shape]
        mask = str(self.one_of([name if value.dtype.kind == "b" else f"{name} > 2", *masks]))
        if not value.flags.writeable or not self.pick(3):
            return self.bind(self.new_name(), f"{name}[{mask}]")
        with numpy.errstate(all="ignore"):
            chosen = eval(f"{name}[{mask}]", self.theirs)
        # NumPy does not see to it that masks and values lie apart from what a mask writes to.
        line = f"{name}[apart({mask})] = apart({self.operand(chosen.shape, name)})"
        if value.dtype.kind != "b" and not self.pick(3):
            line = f"{name}[{mask}] += {self.scalar(value.dtype)}"
        return self.run(line)

    def gathered(self) -> None:
        """Read or write at places that integers name, some of them more than once."""
        name = self.a_name(lambda value: value.ndim > 0 and value.shape[0] > 2)
        value = self.theirs[name]
        places = self.one_of(("[2, 0, 1]", "[0, 0, -1, 1]", "[[1, 2], [0, 1]]"))
        key = f"np.asarray({places})"
        if value.ndim > 1 and not self.pick(3):
            key = f":, {key}" if value.shape[1] > 2 else key
        if not value.flags.writeable or not self.pick(2):
            return self.bind(self.new_name(), f"{name}[{key}]")
        part = eval(f"value[{key}]", {"value": value, "np": numpy})
        sign = self.one_of(("", "" if value.dtype.kind == "b" else "+"))
        return self.run(f"{name}[{key}] {sign}= {self.operand(part.shape, name)}")

    def reduced(self) -> None:
        """A reduction or a scan whose result is exact."""
        name = self.a_name(lambda value: value.size > 0)
        value = self.theirs[name]
        kind = value.dtype.kind
        axis = self.one_of(("", *(f", axis={axis}" for axis in range(value.ndim))))
        forms = [f"np.any({name}{axis})", f"np.asarray(np.count_nonzero({name}{axis}))"]
        if kind != "b":
            # The sum is +0.0, whichever zero the largest of -0.0 and 0.0 was.
            forms += [f"np.max({name}{axis}) + 0", f"np.any({name} > 3{axis})"]
            forms.append(f"np.argmax({name}{axis})")
        if kind in "iu":
            forms.append(f"np.sum({name}{axis}).astype({value.dtype.name!r})")
            forms.append(f"np.sum({name} * {name}{axis})")
            if value.ndim:
                scan = f"np.cumulative_sum({name}{axis or ', axis=0'})"
                forms.append(f"{scan}.astype({value.dtype.name!r})")
                if value.flags.writeable and not self.pick(4):
                    how = f"dtype={value.dtype.name!r}, out={name}"
                    return self.run(f"np.add.accumulate({name}{axis or ', axis=0'}, {how})")
        return self.bind(self.new_name(), str(self.one_of(forms)))

    def rearranged(self) -> None:
        """The same elements in another order or several times; some of these are views."""
        name = self.a_name(lambda value: value.ndim > 0 and 1 < value.size < 20_000)
        value = self.theirs[name]
        shift = self.one_of(("1", "-2", "5, axis=0", "-1, axis=-1"))
        forms = [
            f"np.flip({name})",
            f"np.roll({name}, {shift})",
            f"np.roll(np.roll({name}, 1, axis=0), {shift})",
            f"np.concat(({name}, {name}))",
            f"np.stack(({name}, {name}))",
            f"np.repeat({name}, 2)",
            f"np.expand_dims({name}, axis=0)",
        ]
        if value.shape[0] > 1:
            forms.append(f"np.take({name}, np.asarray([1, 0, 1]), axis=0)")
        return self.bind(self.new_name(), str(self.one_of(forms)))

    def repeated(self) -> None:
        """A part of what repeats an expression a few times, along an axis of its own."""
        name = self.a_name(lambda value: 0 < value.size < 10_000)
        value = self.theirs[name]
        sign = "^" if value.dtype.kind == "b" else "+"
        one = f"({name} {sign} {self.operand(value.shape, name)})"
        axes = ", ".join(["None"] * value.ndim)
        row = f"np.asarray([1, 0, 1], dtype={value.dtype.name!r})"
        forms = [
            f"({one}[..., None] {sign} {row})[..., {self.pick(3)}]",
            f"({one}[None] {sign} {row}[:{', ' + axes if axes else ''}])[{self.pick(3)}]",
        ]
        if value.dtype.kind != "b" and value.ndim:
            forms.append(f"np.max({one}[..., None] + {row}, axis=0) + 0")
        if value.dtype.kind in "iu" and value.ndim:
            total = f"np.sum({one}[..., None] * {row}, axis=0)"
            forms.append(f"{total}.astype({value.dtype.name!r})")
        return self.bind(self.new_name(), str(self.one_of(forms)))

    def assembled(self) -> None:
        """A new array, of which parts are written one by one, so long that each is computed alone.

        They are all of it or not, and some are of what is there already.
        """
        name = self.a_name(lambda value: 0 < value.size < 2_000)
        value = self.theirs[name]
        sign = "^" if value.dtype.kind == "b" else "+"
        new = self.new_name()
        other = self.operand(value.shape, name)
        one = f" {sign} ".join([f"({other} {sign} {name})"] * 8)
        halves = value.ndim > 0 and value.shape[-1] % 2 == 0 and self.pick(2)
        keys = ["..., ::2", "..., 1::2"] if halves else ["0", "1"]
        shape = value.shape if halves else (2, *value.shape)
        lines = []
        for key in keys:
            part = f"({one})[{key}]" if halves else f"({one})"
            more = ["", "", f" {sign} {new}[{keys[0]}]", f" {sign} {new}[{keys[1]}]"]
            line = f"{new}[{key}] = ({part}{self.one_of(more)}).astype({value.dtype.name!r})"
            lines += [line] * (1 + (not self.pick(6)))
        if new not in (name, other):
            self.bind(new, f"np.zeros({shape}, dtype={value.dtype.name!r})")
            for line in lines[self.pick(8) == 0 :]:
                self.run(line)

    def delete(self) -> None:
        name = self.any_name()
        if name is not None:
            self.live.remove(name)
            self.run(f"del {name}")

    def collect(self) -> None:
        self.run("collect()")

    def toggle(self) -> None:
        self.eager = not self.eager

    def look(self) -> None:
        """Explain or read an array; must not change anything."""
        name = self.any_name()
        if name is not None:
            self.run(f"{self.one_of(('explain', 'np.copy'))}({name})")

    def refuse(self) -> None:
        """What both libraries refuse, and what then has to be as it was."""
        name = self.a_name(lambda value: value.ndim > 0 and value.shape[-1] > 1)
        value = self.theirs[name]
        forms = [f"{name}[{value.shape[0]}, ...]", f"{name}[np.asarray([0, {value.shape[0]}])]"]
        one = "True" if value.dtype.kind == "b" else "1"
        if value.flags.writeable:
            forms.append(f"{name}[..., :1] = {name}")
            forms.append(f"{name}[:] = np.zeros({(3, *value.shape)}, dtype={value.dtype.name!r})")
        forms.append(f"np.broadcast_to({name}, {(2, *value.shape)})[0, ...] = {one}")
        return self.run(str(self.one_of(forms)), refused=True)

    def keep(self) -> None:
        name = self.any_name()
        if name is None or (self.kept and not self.pick(2)):
            if not self.kept:
                return self.make()
            self.kept -= 1
            return self.bind(self.new_name(), f"keep.pop({self.pick(self.kept + 1)})")
        if self.kept > 3:
            self.kept = 0
            return self.run("keep.clear()")
        self.kept += 1
        return self.run(f"keep.append({name})")

    def retype(self) -> None:
        """The same memory as another data type."""
        name = self.any_name(self.is_alike)
        if name is None or not self.theirs[name].ndim:
            return self.view()
        value = self.theirs[name]
        kinds = self.SEEN_AS.get(value.dtype.name)
        if kinds is None:
            return self.view()
        wanted = self.one_of(kinds)
        try:
            value.view(wanted)
        except ValueError:
            return self.run(f"{name}.view({wanted!r})", refused=True)
        nbytes = numpy.dtype(wanted).itemsize
        if not _fits(value, nbytes) or self._is_lent_within(name, nbytes):
            return self.view()  # NumPy reads what is not aligned
        return self.bind(self.new_name(), f"{name}.view({wanted!r})")

    def _is_lent_within(self, name: str, nbytes: int) -> bool:
        """Whether an array's memory was borrowed from the midst of a word of so many bytes."""
        storage = self.pair.ours[name]._view.storage
        if storage is None or storage.lender is None:
            return False
        return bool(storage.device.driver.address(storage.buffer) % nbytes)

    def is_alike(self, value: Values) -> bool:
        """Whether a value lies in memory as NumPy's does, whose results keep an order."""
        return value.size > 0 and self._lies_alike(value)

    def _lies_alike(self, value: Values) -> bool:
        name = next(name for name in self.live if self.theirs[name] is value)
        pairs = zip(value.shape, value.strides, self.pair.ours[name].strides, strict=True)
        return all(extent == 1 or one == other for extent, one, other in pairs)

    def use_reduced(self) -> None:
        """A reduction or scan between expressions, of which one is its operand or uses it."""
        name = self.a_name(lambda value: value.size > 0 and value.dtype.kind != "b")
        value = self.theirs[name]
        operand = self.operand(value.shape, name)
        forms = [
            f"{name} + np.max({name} + {operand})",
            f"np.max({name} + {operand}) + {self.scalar(value.dtype)}",
            f"{name} - np.min({name})",
        ]
        if value.ndim:
            axis = self.pick(value.ndim)
            forms += [
                f"{name} - np.max({name}, axis={axis}, keepdims=True)",
                f"np.min({name} + {operand}, axis={axis}) + {self.scalar(value.dtype)}",
            ]
            if value.dtype == numpy.int64:
                forms += [
                    f"np.sum({name} + {operand}, axis={axis}, keepdims=True) + {name}",
                    f"np.cumulative_sum({name} + {operand}, axis={axis}) + {name}",
                ]
        expression = str(self.one_of(forms))
        if value.flags.writeable and value.ndim and not self.pick(3):
            change = self.one_of((f"np.max({name})", f"np.min({name}, axis=0)"))
            return self.run(f"{name} {self.one_of('-+')}= {change}")
        return self.bind(self.new_name(), expression)

    def an_own(
        self,
        accept: Callable[[Values], bool] = lambda value: True,
        types: Sequence[str] = own.DTYPES,
    ) -> str:
        return self.a_name(lambda value: value.dtype.name in types and accept(value))

    def same(self, value: Values, shape: tuple[int, ...]) -> str:
        """A scalar, or an array of the same data type or a view of one that broadcasts."""
        alike = [
            name
            for name in self.live
            if self.theirs[name].dtype == value.dtype and broadcasts(self.theirs[name].shape, shape)
        ]
        names = alike + [view for name in alike for view in self._reversed(name)]
        choice = self.pick(len(names) + 1)
        return names[choice] if choice < len(names) else str(self.pick(4))

    def _reversed(self, name: str) -> list[str]:
        return [f"{name}[::-1]"] if self.theirs[name].ndim else []

    def own(self) -> None:
        name = self.an_own()
        value = self.theirs[name]
        one, other = self.same(value, value.shape), self.same(value, value.shape)
        if not self.pick(3):
            first, second = self.one_of(("ab", "cd", "fe"))
            self.run(f"{first}, {second} = parts({name}, {one})")
            self.live += [bound for bound in (first, second) if bound not in self.live]
            return None
        forms = [f"mixed({name}, {one})", f"mixed({name} + 1, {one})"]
        forms += [f"mixed(mixed({name}, {one}), {other}) + {name}", f"mirrored({name}, {name})"]
        return self.bind(self.new_name(), str(self.one_of(forms)))

    def own_into(self) -> None:
        """An own kernel that writes to views, of what it reads as well."""
        name = self.an_own(lambda value: value.flags.writeable and value.ndim > 0)
        value = self.theirs[name]
        key = self.one_of(["...", *self.keys(value)])
        part = numpy.asarray(eval(f"value[{key}]", {"value": value}))
        into = f"{name}[{key if part.ndim else '...'}]"
        part = part if part.ndim else value
        sources = [*self.shifted(name, value, part.shape), self.same(value, part.shape)]
        sources = [source for source in sources if self._is_whole(source, part.shape)] or [into]
        one, other = self.one_of(sources), self.same(value, part.shape)
        forms = [f"mixed({one}, {other}, {into})", f"raised({one}, {other}, {into})"]
        alike = [
            into,
            *(s for s in self.shifted(name, value, part.shape) if self._is_whole(s, part.shape)),
        ]
        forms.append(f"parts({one}, {other}, {into}, {self.one_of(alike)})")
        return self.run(str(self.one_of(forms)))

    def _is_whole(self, expression: str, shape: tuple[int, ...]) -> bool:
        return bool(numpy.shape(eval(expression, self.theirs)) == shape)

    def own_indexed(self) -> None:
        """An own kernel that indexes an operand, perhaps the memory that it writes to."""
        name = self.an_own(lambda value: value.size > 0)
        value = self.theirs[name]
        others = [other for other in self.live if self.theirs[other].dtype == value.dtype]
        other = str(self.one_of([other for other in others if self.theirs[other].size]))
        if not value.flags.writeable or not value.ndim or not self.pick(3):
            return self.bind(self.new_name(), f"mirrored({name}, {other})")
        return self.run(f"mirrored({self.one_of([name, f'{name}[::-1]'])}, {other}, {name})")

    def own_reduced(self) -> None:
        name = self.an_own()
        value = self.theirs[name]
        axis = self.one_of(("", *(f", axis={axis}" for axis in range(value.ndim))))
        kept = self.one_of(("", ", keepdims=True"))
        forms = [f"many({name}, {self.pick(3)}{axis}{kept})"]
        if value.dtype.kind in "iu":
            forms += [f"total({name}{axis}{kept})", f"total({name} + 1{axis}{kept})"]
        return self.bind(self.new_name(), str(self.one_of(forms)))

    def own_launched(self) -> None:
        """An own launch that writes in place, to a view in one piece."""
        name = self.an_own(
            lambda value: value.flags.writeable and value.ndim > 0 and value.size > 0,
            tuple(own.RAW_TYPES),
        )
        if not self._lies_alike(self.theirs[name]):
            return self.make()
        value = self.theirs[name]
        keys = ["...", "1:", ":-1"] if len(value) > 2 else ["..."]
        keys = [key for key in keys if self._in_one_piece(f"{name}[{key}]")]
        if not keys:
            return self.make()
        into = f"{name}[{self.one_of(keys)}]"
        part = eval(into, self.theirs)
        apart = [
            other
            for other in self.live
            if self.theirs[other].dtype == value.dtype
            and self.theirs[other].size >= part.size
            and self._lies_alike(self.theirs[other])
            and self._in_one_piece(other)
            and not numpy.may_share_memory(self.theirs[other], value)
        ]
        other = self.one_of(
            [into, *(f"np.reshape({o}, (-1,))[:{part.size}].reshape({part.shape})" for o in apart)]
        )
        return self.run(f"changed({into}, {other}, {self.pick(4)})")

    def _in_one_piece(self, expression: str) -> bool:
        return bool(eval(expression, self.theirs).flags.c_contiguous)

    def at_once(self) -> None:
        """Several threads that compute at the same time, one of which may write."""
        name = self.a_name(lambda value: value.ndim > 0)
        value = self.theirs[name]
        apart = [
            other
            for other in self.live
            if not numpy.may_share_memory(self.theirs[other], value)
            and self.theirs[other].dtype.kind != "b"
        ]
        lines = []
        if value.flags.writeable and value.dtype.kind != "b" and apart:
            key = self.one_of(self.keys(value))
            lines.append((f"{name}[{key}] += {self.scalar(value.dtype)}", 1))
        else:
            apart = [other for other in self.live if self.theirs[other].dtype.kind != "b"]
        used = {name}
        for thread in range(2, 4):
            if apart:
                other = str(self.one_of(apart))
                bound = self.new_name()
                if bound not in used and bound not in apart:
                    used.add(bound)
                    lines.append((f"{bound} = {other} + {self.pick(5)}", thread))
        self.pair.run_together(lines)
        self.live += [bound for bound in sorted(used) if bound not in self.live]
        return

    def lend(self) -> None:
        """Memory that is seen as NumPy's array as well."""
        name = self.a_name(
            lambda value: value.ndim > 0 and value.size > 0 and value.flags.writeable
        )
        return self._lent(f"lend({name})")

    def _lent(self, expression: str) -> None:
        name = str(self.one_of(LENT))
        self.run(f"{name} = {expression}")
        if name not in self.lent:
            self.lent.append(name)

    def borrow(self) -> None:
        """An array in the memory of NumPy's, perhaps of one that another array is in."""
        if not self.lent or not self.pick(3):
            self.seed += 1
            self._lent(f"data({self.one_of(self.shapes)}, {self.dtype!r}, {self.seed})")
        name = str(self.one_of(self.lent))
        if not self.theirs[name].ndim or not self.theirs[name].size:
            return None
        key = self.one_of(["...", "1:", "::-1"] if len(self.theirs[name]) > 1 else ["..."])
        return self.bind(self.new_name(), f"borrow({name}[{key}])")

    def write_lent(self) -> None:
        """Write to memory as NumPy's."""
        names = [name for name in self.lent if self.theirs[name].ndim]
        if not names:
            return self.lend()
        name = str(self.one_of(names))
        value = self.theirs[name]
        key = self.one_of(["...", *self.keys(value)])
        source = self.one_of([*names, str(self.pick(5))])
        part = eval(f"value[{key}]", {"value": value})
        if not source.isdigit() and (
            self.theirs[source].dtype != value.dtype
            or not broadcasts(self.theirs[source].shape, part.shape)
        ):
            source = "1"
        if value.dtype.kind == "b":
            source = "True"
        return self.run(f"{name}[{key}] = {source}")

    def give_back(self) -> None:
        """Nobody else sees the memory any more."""
        if not self.lent:
            return self.delete()
        name = str(self.one_of(self.lent))
        self.lent.remove(name)
        return self.run(f"del {name}")

    def fail(self) -> None:
        """Ask for values while the driver fails, in the middle of what is pending."""
        name = self.a_name(lambda value: value.ndim > 0)
        kind = self.one_of(("launch", "launch", "interrupt", "allocate", "allocate", "load"))
        times = self.one_of((1, 1, 2, 9))
        self.run(f"failing({kind!r}, {self.pick(4)}, {times}, {name})")
        return self.check(everything=True) if self.pick(2) else None

    def tie(self) -> None:
        """Garbage that holds one array, and adds to another one when it is collected."""
        name = self.any_name(lambda value: value.flags.writeable and value.dtype.kind != "b")
        held = self.any_name()
        if self.is_restless or name is None:
            return self.make()
        self.run(f"tie({held}, {name})")
        return self.collect() if not self.pick(2) else None

    def mourn(self) -> None:
        """An operand that adds to another array when it dies, which is soon."""
        name = self.any_name(lambda value: value.ndim > 0)
        written = self.any_name(lambda value: value.flags.writeable and value.dtype.kind != "b")
        if name is None or written is None:
            return self.make()
        value = self.theirs[name]
        sign = "^" if value.dtype.kind == "b" else "+"
        # A view of it, as NumPy writes the result of an operator to an operand that would die.
        operand = f"mourned({name} {sign} {self.operand(value.shape, name)}, {written})[...]"
        forms = [f"{operand} {sign} {self.operand(value.shape, name)}", f"np.any({operand})"]
        if value.dtype == numpy.int64:
            forms += [f"np.cumulative_sum({operand}, axis=0)", f"np.sum({operand}, axis=0)"]
        if len(value):
            forms.append(f"np.take({operand}, np.asarray([0]), axis=0)")
        return self.bind(self.new_name(), str(self.one_of(forms)))


def _fits(value: Values, itemsize: int) -> bool:
    """Whether elements of another size begin at multiples of it, counted from their memory's."""
    base = value
    while isinstance(base.base, numpy.ndarray):
        base = base.base
    begin = value.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    steps = [
        stride for extent, stride in zip(value.shape, value.strides, strict=True) if extent > 1
    ]
    return not begin % itemsize and all(stride % itemsize == 0 for stride in steps[:-1])


def is_number(value: Values | numpy.generic) -> bool:
    """Whether NumPy has a number, which views do not share and operators do not write to."""
    return isinstance(value, numpy.generic)


def broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether an array of a shape can be repeated over another."""
    return len(shape) <= len(target) and all(
        mine in (1, wanted) for mine, wanted in zip(reversed(shape), reversed(target), strict=False)
    )


def run_random(
    seed: int, steps: int, breadth: Breadth = WIDE, length: int = 25, kind: type[Program] = Program
) -> Iterator[int]:
    """Run random programs of `length` steps each; yields after each how many steps are done."""
    try:
        for number, done in enumerate(range(0, steps, length)):
            run_one(f"{seed}-{number}", breadth, length, kind)
            yield done + length
    finally:
        # What `run_one` put aside may be garbage by now, and hold memory that others see.
        gc.unfreeze()
        gc.collect()
        gc.freeze()


def run_one(
    seed: str, breadth: Breadth = WIDE, length: int = 25, kind: type[Program] = Program
) -> None:
    """Run one random program, which follows from its seed."""
    # A collection takes 80 ms where it looks at what all programs before have left behind.
    gc.collect()
    gc.freeze()
    generator = random.Random(seed)

    def pick(count: int) -> int:
        return int(generator.random() * count)

    program = kind(pick, breadth)
    steps = dict(breadth.steps)
    for hazard in sorted(program.hazards):
        steps |= HAZARDS[hazard]
    tally = Tally()
    with (
        faults.installed(),
        numpy.errstate(all="ignore"),
        collected_often(20 + pick(300)) if program.is_restless else uncollected(),
        inline_up_to((None, 1000, 0)[pick(3)]),
        tier(TIERS[pick(3)]),
    ):
        for step in generator.choices(list(steps), list(steps.values()), k=length):
            if program.is_restless:
                tally.litter()
            try:
                program.take(step)
            except BeyondError:
                break  # NumPy refuses a number that it has, and would not as an array's element
            program.check()
        program.check(everything=True)
        tally.check()
    if tally.problem:
        raise program.pair.difference(f"what finalizers write is {tally.problem}")
