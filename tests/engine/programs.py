"""Random programs over arrays, run by xarr and by NumPy side by side.

A program is a list of Python lines that mean the same in both libraries. Each is run twice, with
`np` standing for xarr and for NumPy, and values are compared in between. What differs is reported
as a text that can be pasted and run.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import random
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy
import numpy.typing as npt

import xarr
from xarr.engine import engine
from xarr.engine.expression import trace

Values = npt.NDArray[Any]
Pick = Callable[[int], int]

NAMES: Final = tuple("abcdefg")


@dataclass(frozen=True)
class Breadth:
    """What programs are made of. Each combination compiles a kernel, so breadth costs time.

    Parameters
    ----------
    dtypes : tuple of pairs of str
        The types of a program's arrays, the second one seldom.
    sides : tuple of int
        The extents of a program's axes.
    shapes : tuple of str
        The shapes of new arrays, in the letters of the program's extent: "n", "nn", "1n".
    keys : tuple of str
        Keys of views of an array with axes.
    keys2 : tuple of str
        Further ones where there are two axes or more.
    rare : int
        One expression in so many is another one than a sum; 0 for none.
    steps : dict of str to int
        The steps of random programs and how often each is taken.
    """

    dtypes: tuple[tuple[str, str], ...]
    sides: tuple[int, ...]
    shapes: tuple[str, ...]
    keys: tuple[str, ...]
    keys2: tuple[str, ...]
    rare: int
    steps: dict[str, int]


STEPS: Final = {
    "make": 8,
    "view": 16,
    "pend": 16,
    "compare_values": 2,
    "convert": 2,
    "copy": 4,
    "in_place": 14,
    "assign": 16,
    "assign_named": 6,
    "masked": 4,
    "gathered": 4,
    "reduced": 6,
    "rearranged": 3,
    "delete": 5,
    "collect": 1,
    "toggle": 2,
    "look": 2,
    "refuse": 2,
}
NARROW: Final = Breadth(
    dtypes=(("int64", "int64"),),
    sides=(6, 70),
    shapes=("n", "nn"),
    keys=("1:", ":-1", "::-1"),
    keys2=(),
    rare=0,
    steps=STEPS
    | {"pend": 30, "compare_values": 0, "masked": 1, "gathered": 1, "reduced": 1, "rearranged": 0},
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
)
_RANK: Final = "buif"


def data(shape: tuple[int, ...], dtype: str, seed: int) -> Values:
    """Small whole numbers, so that most results are whole too and seldom NaN."""
    return numpy.random.default_rng(seed).integers(0, 9, shape).astype(dtype)


PRELUDE: Final = """\
import contextlib, gc
import numpy, xarr

def data(shape, dtype, seed):
    return numpy.random.default_rng(seed).integers(0, 9, shape).astype(dtype)

ours = dict(np=xarr, data=data, eager=xarr.eager, explain=xarr.explain, read=numpy.asarray,
            apart=lambda x: x)
theirs = dict(np=numpy, data=data, eager=contextlib.nullcontext, explain=id, read=id,
              apart=numpy.copy)  # NumPy copies for all but masks
numpy.seterr(all="ignore")

def run(line):
    for names in theirs, ours:
        try:
            exec(line, names)
        except Exception as error:
            print(line, "->", type(error).__name__, error)
    for name, value in theirs.items():  # NumPy makes scalars of results without axes
        if isinstance(value, numpy.generic):
            theirs[name] = numpy.asarray(value)
"""

EPILOGUE: Final = """\
for name in [name for name in ours if name in "abcdefg"]:
    got, wanted = numpy.asarray(ours[name]), numpy.asarray(theirs[name])
    same = got.dtype == wanted.dtype and numpy.array_equal(got, wanted, equal_nan=got.dtype != bool)
    print(name, "is right" if same else f"is\\n{got}\\nand has to be\\n{wanted}")
"""


class Difference(AssertionError):
    """xarr did something else than NumPy."""


@functools.lru_cache(maxsize=4096)
def _compiled(line: str) -> types.CodeType:
    return compile(line, "<program>", "exec")


class Program:
    """A random program while it is written and run.

    Parameters
    ----------
    pick : function of an int n to an int in [0, n)
        Where choices come from: hypothesis, or a random generator.
    """

    def __init__(self, pick: Pick, breadth: Breadth = WIDE) -> None:
        self.pick = pick
        self.breadth = breadth
        self.lines: list[str] = []
        self.ours: dict[str, Any] = {
            "np": xarr, "data": data, "eager": xarr.eager, "explain": xarr.explain,
            "read": numpy.asarray, "apart": lambda x: x,
        }  # fmt: skip
        self.theirs: dict[str, Any] = {
            "np": numpy, "data": data, "eager": contextlib.nullcontext, "explain": id, "read": id,
            "apart": numpy.copy,
        }  # fmt: skip
        self.live: list[str] = []
        self.eager = False
        self.seed = 0
        self.dtype, self.other = self.one_of(breadth.dtypes)
        self.compares_all = not pick(3)
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

    def new_name(self) -> str:
        """A name for a result: a new one, or one that is bound to something else."""
        return str(self.one_of(NAMES))

    def operand(self, shape: tuple[int, ...], beside: str) -> str:
        """An array that broadcasts to `shape`, or a scalar."""
        rank = _RANK.index(self.theirs[beside].dtype.kind)

        def fits(value: Values) -> bool:
            return broadcasts(value.shape, shape) and _RANK.index(value.dtype.kind) <= rank

        names = [name for name in self.live if fits(self.theirs[name])]
        choice = self.pick(len(names) + 1)
        return names[choice] if choice < len(names) else self.scalar(self.theirs[beside].dtype)

    def scalar(self, dtype: numpy.dtype[Any]) -> str:
        if dtype.kind == "b":
            return str(bool(self.pick(2)))
        return str(self.pick(4)) if dtype.kind != "f" else ("0.5", "2.0", "-1.0", "3")[self.pick(4)]

    # -- running ------------------------------------------------------------------------------

    def run(self, line: str, *, refused: bool = False) -> None:
        """Run a line in both libraries; `refused` lines have to raise the same in both."""
        if self.eager:
            line = f"with eager(): {line}"
        self.lines.append(line)
        code = _compiled(line)
        wanted = error = None
        with numpy.errstate(all="ignore"):
            try:
                exec(code, self.theirs)
            except (ValueError, IndexError, TypeError, AttributeError) as raised:
                if not refused:
                    raise
                wanted = raised
            try:
                exec(code, self.ours)
            except Exception as raised:  # noqa: BLE001 - whatever it is, it is reported
                error = raised
        if wanted is not None:
            if not isinstance(error, type(wanted)):
                given = f"{type(error).__name__}: {error}" if error else "nothing"
                raise self.difference(f"NumPy raised {wanted!r}, xarr raised {given}") from error
        elif error is not None:
            raise self.difference(f"xarr raised {type(error).__name__}: {error}") from error

    def bind(self, name: str, expression: str) -> None:
        """Run `name = expression`."""
        self.run(f"{name} = {expression}")
        value = self.theirs[name]
        if type(value) is not numpy.ndarray:
            self.theirs[name] = numpy.asarray(value)
        if not self.theirs[name].shape:
            self.ours[name] = xarr.asarray(self.ours[name])  # an array in both, and no number
        if name not in self.live:
            self.live.append(name)

    def check(self, *, everything: bool = False) -> None:
        """Compare shapes and types of all arrays, and the values of some."""
        for name in self.live:
            self._check_type(name)
        self._check_reads()
        if everything or self.compares_all:
            for name in self.live:
                self._check_values(name)
        elif self.live and not self.pick(3):
            self._check_values(str(self.one_of(self.live)))

    def _check_type(self, name: str) -> None:
        got, wanted = self.ours[name], self.theirs[name]
        if got.shape != wanted.shape or got.dtype != wanted.dtype:
            raise self.difference(
                f"{name} is of {got.dtype} {got.shape}, NumPy's of {wanted.dtype} {wanted.shape}"
            )

    def _check_reads(self) -> None:
        """What the engine thinks that pending expressions read has to be what they read.

        And each array has to be its value's, or what it reads is not protected.
        """
        for name in self.live:
            array = self.ours[name]
            if array._node.owner() is not array:
                raise self.difference(f"the value of {name} is not that of its array any more")
        for node in engine.pending_nodes(xarr.default_device()):
            leaves = [part.storage for part in trace((node,))[0] if part.storage is not None]
            if engine.reads_of(node) != {storage.serial for storage in leaves}:
                name = next((name for name in self.live if self.ours[name]._node is node), "?")
                raise self.difference(f"{name} reads other storages than the engine thinks")

    def _check_values(self, name: str) -> None:
        self.lines.append(f"read({name})")
        wanted = self.theirs[name]
        try:
            got = numpy.asarray(self.ours[name])
        except Exception as error:
            raise self.difference(f"reading {name} raised {error!r}") from error
        if got.tobytes() == wanted.tobytes():
            return
        wrong = got != wanted
        if wanted.dtype.kind == "f":
            wrong &= ~(numpy.isnan(got) & numpy.isnan(wanted))
        if wrong.any():
            place = tuple(int(axis) for axis in numpy.argwhere(wrong)[0])
            raise self.difference(
                f"{int(wrong.sum())} of {wrong.size} elements of {name} differ; "
                f"{name}[{place}] is {got[place]!r}, NumPy's {wanted[place]!r}"
            )

    def difference(self, what: str) -> Difference:
        """The error that says what differs and how to see it."""
        lines = "".join(f"run({line!r})\n" for line in self.lines)
        return Difference(f"{what}\n\n{PRELUDE}\n{lines}{EPILOGUE}")

    # -- steps --------------------------------------------------------------------------------

    def make(self) -> None:
        """A new array: with memory of its own, or a formula that is pending."""
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
        """A view of an array, perhaps of a view."""
        name = self.any_name()
        if name is None:
            return self.make()
        value = self.theirs[name]
        views = [f"{name}[{key}]" for key in self.keys(value)]
        views += [f"{name}[...]", f"{name}.T" if value.ndim == 2 else f"{name}[None]"]
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
        name = self.any_name()
        if name is None:
            return self.make()
        value = self.theirs[name]
        first = self.operand(value.shape, name)
        sign = "^" if value.dtype.kind == "b" else "+"
        forms = [f"{name} {sign} {first}"]
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
        """A pending mask."""
        name = self.any_name(lambda value: value.dtype.kind != "b")
        if name is None:
            return self.make()
        return self.bind(self.new_name(), f"{name} > {self.operand(self.theirs[name].shape, name)}")

    def convert(self) -> None:
        """A pending conversion that keeps the value."""
        name = self.any_name()
        if name is None:
            return self.make()
        value = self.theirs[name]
        targets = [
            dtype
            for dtype in (self.dtype, self.other, value.dtype.name)
            if _RANK.index(value.dtype.kind) <= _RANK.index(numpy.dtype(dtype).kind)
        ]
        return self.bind(self.new_name(), f"np.astype({name}, {self.one_of(targets)!r})")

    def copy(self) -> None:
        """A copy, or a second name for the same array."""
        name = self.any_name()
        if name is None:
            return self.make()
        form = self.one_of(("np.asarray({}, copy=True)", "{}"))
        return self.bind(self.new_name(), form.format(name))

    def in_place(self) -> None:
        """An in-place operator on an array or on a view of it."""
        name = self.any_name(lambda value: value.flags.writeable)
        if name is None:
            return self.make()
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
        name = self.any_name(lambda value: value.flags.writeable)
        if name is None:
            return self.make()
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
        name = self.any_name(lambda value: value.ndim > 0)
        if name is None:
            return self.make()
        value = self.theirs[name]
        masks = [mask for mask in self.live if self.theirs[mask].dtype.kind == "b"]
        masks = [mask for mask in masks if self.theirs[mask].shape == value.shape]
        mask = str(self.one_of([name if value.dtype.kind == "b" else f"{name} > 2", *masks]))
        if not value.flags.writeable or not self.pick(3):
            return self.bind(self.new_name(), f"{name}[{mask}]")
        with numpy.errstate(all="ignore"):
            chosen = eval(f"{name}[{mask}]", self.theirs)
        # NumPy does not see to it that values lie apart from what a mask writes to.
        line = f"{name}[{mask}] = apart({self.operand(chosen.shape, name)})"
        if value.dtype.kind != "b" and not self.pick(3):
            line = f"{name}[{mask}] += {self.scalar(value.dtype)}"
        return self.run(line)

    def gathered(self) -> None:
        """Read or write at places that integers name, some of them more than once."""
        name = self.any_name(lambda value: value.ndim > 0 and value.shape[0] > 2)
        if name is None:
            return self.make()
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
        name = self.any_name(lambda value: value.size > 0)
        if name is None:
            return self.make()
        value = self.theirs[name]
        kind = value.dtype.kind
        axis = self.one_of(("", *(f", axis={axis}" for axis in range(value.ndim))))
        forms = [f"np.any({name}{axis})", f"np.count_nonzero({name}{axis})"]
        if kind != "b":
            # The sum is +0.0, whichever zero the largest of -0.0 and 0.0 was.
            forms += [f"np.max({name}{axis}) + 0", f"np.any({name} > 3{axis})"]
            forms.append(f"np.argmax({name}{axis})")
        if kind in "iu":
            forms.append(f"np.astype(np.sum({name}{axis}), {value.dtype.name!r})")
            forms.append(f"np.sum({name} * {name}{axis})")
            if value.ndim:
                scan = f"np.cumulative_sum({name}{axis or ', axis=0'})"
                forms.append(f"np.astype({scan}, {value.dtype.name!r})")
        return self.bind(self.new_name(), str(self.one_of(forms)))

    def rearranged(self) -> None:
        """The same elements in another order or several times; some of these are views."""
        name = self.any_name(lambda value: value.ndim > 0 and 1 < value.size < 20_000)
        if name is None:
            return self.make()
        value = self.theirs[name]
        forms = [
            f"np.flip({name})",
            f"np.roll({name}, 1)",
            f"np.concat(({name}, {name}))",
            f"np.stack(({name}, {name}))",
            f"np.repeat({name}, 2)",
            f"np.expand_dims({name}, axis=0)",
        ]
        if value.shape[0] > 1:
            forms.append(f"np.take({name}, np.asarray([1, 0, 1]), axis=0)")
        return self.bind(self.new_name(), str(self.one_of(forms)))

    def delete(self) -> None:
        """Drop a name, and perhaps the last reference to an array."""
        name = self.any_name()
        if name is not None:
            self.live.remove(name)
            self.run(f"del {name}")

    def collect(self) -> None:
        """Collect garbage; must not change anything."""
        gc.collect()

    def toggle(self) -> None:
        """Enter or leave a run of eager blocks."""
        self.eager = not self.eager

    def look(self) -> None:
        """Explain or read an array; must not change anything."""
        name = self.any_name()
        if name is not None:
            self.run(f"{self.one_of(('explain', 'read'))}({name})")

    def refuse(self) -> None:
        """What both libraries refuse, and what then has to be as it was."""
        name = self.any_name(lambda value: value.ndim > 0 and value.shape[-1] > 1)
        if name is None:
            return self.make()
        value = self.theirs[name]
        forms = [f"{name}[{value.shape[0]}, ...]", f"{name}[np.asarray([0, {value.shape[0]}])]"]
        one = "True" if value.dtype.kind == "b" else "1"
        if value.flags.writeable:
            forms.append(f"{name}[..., :1] = {name}")
            forms.append(f"{name}[:] = np.zeros({(3, *value.shape)}, dtype={value.dtype.name!r})")
        forms.append(f"np.broadcast_to({name}, {(2, *value.shape)})[0, ...] = {one}")
        return self.run(str(self.one_of(forms)), refused=True)


def broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether an array of a shape can be repeated over another."""
    return len(shape) <= len(target) and all(
        mine in (1, wanted) for mine, wanted in zip(reversed(shape), reversed(target), strict=False)
    )


def run_random(seed: int, steps: int, breadth: Breadth = WIDE, length: int = 25) -> Iterator[int]:
    """Run random programs of `length` steps each; yields after each how many steps are done."""
    generator = random.Random(seed)
    names, weights = list(breadth.steps), list(breadth.steps.values())

    def pick(count: int) -> int:
        return int(generator.random() * count)

    for done in range(0, steps, length):
        program = Program(pick, breadth)
        for step in generator.choices(names, weights, k=length):
            getattr(program, step)()
            program.check()
        program.check(everything=True)
        yield done + length
