"""Random programs of numbers, whose types and loops are those that kernels by threads take."""

from __future__ import annotations

import linecache
import random
from typing import Any

import numpy
import pytest

import xarr
from xarr.user_kernels.threads import arguments

INTEGERS = ("i", "j", "k", "m")
PLACES = ("g", "h")
"""Python's integers, as indices are; those of `INTEGERS` take the types of arrays."""
ENDS = (0, 1, 2, 7, 255, 65536, 2**30 - 1, 2**30, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**33 + 1)
FLOATS = ("a", "b", "c")
TRUTHS = ("p", "q")
DTYPES = [
    ("int32", "float32", "float32"), ("int64", "float64", "float64"),
    ("uint8", "float32", "float64"), ("int16", "float64", "float32"),
    ("uint32", "float32", "float32"), ("uint64", "float32", "float32"),
]  # fmt: skip
"""The data types of the arrays n, x and y, by turns."""


class Drawn:
    """Draws the statements of a program; a seed draws the same program always."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)
        self._loops = 0
        self._known = [*PLACES]

    def program(self, length: int = 0) -> str:
        """Return the text of a kernel of arrays and two integers, of so many lines at least."""
        within = [line for _ in range(3) for line in self.of_places(2)]
        within += [f"return {self.place(2)}"]
        function = "".join(f"    {line}\n" for line in within)
        self._known += ["t", "n.size", "x.shape[0]", "out.shape[1]", "s"]
        self._known += self._random.choice([[], ["u"]])  # places that meet it are int64, as it is
        lines = ["t = xarr.kernel.grid(1)", "g = t", "h = s"]
        lines += ["i = 0", "j = n[t]", "k = n[t] * 3", "m = n[-1 - t]", "a = x[t]"]
        lines += ["b = 0.5", "c = y[t]", "p = a < b", "q = True"]
        for _ in range(self._random.randint(3, 8)):
            lines += self.statement(2)
        while len(lines) < length:
            lines += self.statement(2)
        stores = [*(f"y[t, {k}] = {name}" for k, name in enumerate(FLOATS))]
        stores += [f"z[t, {k}] = {name}" for k, name in enumerate((*INTEGERS, *TRUTHS, *PLACES))]
        stores = [line.replace("y[t", "out[t") for line in stores]
        body = "\n".join(f"    {line}" for line in (*lines, *stores))
        return (
            f"@xarr.kernel\ndef placed(g, h):\n{function}\n\n"
            f"@xarr.kernel\ndef program(x, n, y, out, z, s, u):\n{body}\n"
        )

    def statement(self, depth: int) -> list[str]:
        way = self._random.random()
        if depth and way < 0.2:
            lines = [f"if {self.truth(2)}:", *self.block(depth)]
            return lines if way < 0.1 else [*lines, "else:", *self.block(depth)]
        if depth and way < 0.35:
            self._loops += 1
            name = f"r{self._loops}"
            head = (
                f"for {name} in range({self._random.randint(-2, 2)}, {self._random.randint(2, 5)}):"
            )
            end = [
                f"    if {self.truth(1)}:",
                f"        {self._random.choice(['break', 'continue'])}",
            ]
            grown = [f"    {self._random.choice('ijkm')} += {name}"]
            return [head, *grown, *(end if way < 0.27 else []), *self.block(depth)]
        if depth and way < 0.42:
            self._loops += 1
            name = f"w{self._loops}"
            return [
                f"{name} = 0",
                f"while {name} < 3 and {self.truth(1)}:",
                f"    {name} += 1",
                *self.block(depth),
            ]
        if way < 0.6:
            return self.of_places(depth)
        if way < 0.65:
            first, second = self._random.sample(FLOATS, 2)
            return [f"{first}, {second} = {second}, {self.real(2)}"]
        if way < 0.77:
            op = self._random.choice(["", "+", "-", "*", "//", "%", "&", "|", "^"])
            return [f"{self._random.choice(INTEGERS)} {op}= {self.integer(2)}"]
        if way < 0.83:
            return [f"{self._random.choice(TRUTHS)} = {self.truth(2)}"]
        op = self._random.choice(["", "", "+", "-", "*"])
        return [f"{self._random.choice(FLOATS)} {op}= {self.real(3)}"]

    def of_places(self, depth: int) -> list[str]:
        """Return a statement of indices: of numbers near the ends of 32 bits, and their bounds."""
        way = self._random.random()
        first, second = self._random.sample(PLACES, 2)
        if depth and way < 0.4:
            before = [*self._known]
            if way < 0.15:
                head = [f"if {self.comparison()}:"]
            elif way < 0.25:
                self._loops += 1
                name = f"w{self._loops}"
                count = self._random.choice(["", f"    {first} += {name}"])
                head = [f"{name} = 0", f"while {name} < 4 and {self.comparison()}:"]
                head += [f"    {name} += 1", *filter(None, [count])]
            else:
                self._loops += 1
                name = f"r{self._loops}"
                begin, step = self.place(1), self._random.choice([1, 1, 2, 3, -1, -2])
                ends = [f"{name}e", f"{name}e + {self._random.randint(-1, 4) * step}"]
                head = [f"{name}e = {begin}", f"for {name} in range({ends[0]}, {ends[1]}, {step}):"]
                self._known.append(name)
            body = [line for _ in range(2) for line in self.of_places(depth - 1)]
            self._known = before
            return [*head, *(f"    {line}" for line in body)]
        if way < 0.5:
            return [f"{first}, {second} = {second}, {self.place(2)}"]
        op = self._random.choice(["", "", "+", "+", "-", "*", "//", "%", "&", "|", "^"])
        return [f"{first} {op}= {self.place(2)}"]

    def comparison(self) -> str:
        """Return a comparison of indices."""
        sign = self._random.choice(["<", "<=", ">", ">=", "==", "!="])
        text = f"{self._random.choice(self._known)} {sign} {self.place(1)}"
        more = self._random.choice(["", "", f" and {self._random.choice(PLACES)} < {self.end()}"])
        return text + more

    def end(self) -> str:
        """Return a number at the end of a type, or near it."""
        return str(self._random.choice(ENDS) * self._random.choice([1, 1, 1, -1]))

    def place(self, depth: int) -> str:
        """Return an index, or what one is computed from."""
        way = self._random.random()
        one = self.place(depth - 1) if depth else self._random.choice(self._known)
        if depth == 0 or way < 0.15:
            return one
        other = self._random.choice([self.place(depth - 1), self.end()])
        if way < 0.75:
            op = self._random.choice(["+", "+", "-", "-", "*", "//", "%", "%", "&", "|", "^"])
            return f"({one} {op} {other})"
        ways = [
            f"({one} << {self._random.choice([1, 3, 16, 31])})",
            f"({one} >> {self._random.choice([1, 3, 16, 31])})",
            f"(-{one} % {other})",
            f"(~{one})",
            f"abs({one})",
            f"min({one}, {other})",
            f"max({one}, {other})",
            f"({one} if {self.comparison()} else {other})",
        ]
        if "t" in self._known:
            ways += [
                f"placed({one}, {other})",
                f"int(n[{one} % n.size])",
                f"int(n[-1 - {one} % 4])",
            ]
        return self._random.choice(ways)

    def block(self, depth: int) -> list[str]:
        lines = [
            line for _ in range(self._random.randint(1, 3)) for line in self.statement(depth - 1)
        ]
        return [f"    {line}" for line in lines]

    def integer(self, depth: int) -> str:
        way = self._random.random()
        if depth == 0 or way < 0.25:
            return self._random.choice([*INTEGERS, "t", "n[t]", str(self._random.randint(0, 9))])
        one, other = self.integer(depth - 1), self.integer(depth - 1)
        if way < 0.75:
            op = self._random.choice(["+", "-", "*", "//", "%", "&", "|", "^"])
            return f"({one} {op} {other})"
        return self._random.choice(
            [
                f"({one} << {self._random.randint(0, 5)})",
                f"({one} >> {self._random.randint(0, 5)})",
                f"-({one} + i)",
                f"~({one} + j)",
                f"abs({one})",
                f"min({one}, {other})",
                f"max({one}, {other})",
                f"({one} if {self.truth(1)} else {other})",
                f"int({self.real(1)})",
                f"{one} ** 2",
            ]
        )

    def real(self, depth: int) -> str:
        way = self._random.random()
        if depth == 0 or way < 0.25:
            number = repr(round(self._random.uniform(0, 4), 2))
            return self._random.choice([*FLOATS, "x[t]", "y[t]", number])
        one, other = self.real(depth - 1), self.real(depth - 1)
        if way < 0.7:
            op = self._random.choice(["+", "-", "*", "/", "//", "%"])
            return f"({one} {op} {other})"
        return self._random.choice(
            [
                f"-{one}",
                f"abs({one})",
                f"math.sqrt(abs({one}))",
                f"numpy.floor({one})",
                f"numpy.float32({one})",
                f"min({one}, {other})",
                f"max({one}, {other})",
                f"({one} if {self.truth(1)} else {other})",
                f"({one} * {self.integer(1)})",
                f"float({self.integer(1)})",
                f"({one}) ** 2",
                f"({self.integer(1)} / {self.integer(1)})",
            ]
        )

    def truth(self, depth: int) -> str:
        way = self._random.random()
        if depth == 0 or way < 0.2:
            return self._random.choice(TRUTHS)
        if way < 0.8:
            op = self._random.choice(["<", "<=", ">", ">=", "==", "!="])
            of = self._random.choice([self.integer, self.real])
            return f"({of(depth - 1)} {op} {of(depth - 1)})"
        one, other = self.truth(depth - 1), self.truth(depth - 1)
        return self._random.choice(
            [f"({one} and {other})", f"({one} or {other})", f"(not {one})", f"({one} ^ {other})"]
        )


def lines_alike(seed: int | str, number: int, length: int = 0) -> int:
    """Run a program on the default device and in Python; return how many lines it has.

    seed, length : int, str -- The program, and how many lines it has at least.
    number : int -- The data types of its arrays, and their values; whether a device computes
        indices with 32 bits, as GPUs do.
    """
    text = f"import math\nimport numpy\nimport xarr\n\n{Drawn(seed).program(length)}"
    lines = text.splitlines(keepends=True)
    file = f"<program {seed}>"
    linecache.cache[file] = (len(text), None, lines, file)
    space = dict[str, Any]()
    exec(compile(text, file, "exec"), space)
    integers, first, second = DTYPES[number % len(DTYPES)]
    rng = numpy.random.default_rng(number)
    x = xarr.asarray((rng.normal(size=4) * 4).astype(first))
    n = xarr.asarray(rng.integers(0, 100, 4).astype(integers))
    y = xarr.asarray((rng.normal(size=4) * 4).astype(second))
    found = []
    numbers = int(rng.choice(ENDS)), numpy.int64(rng.choice(ENDS) * rng.choice((1, -1)))
    kernel = space["program"]
    for launch in (kernel, kernel.interpret):
        out, z = xarr.zeros((4, 3)), xarr.zeros((4, 8), dtype="int64")
        xarr.synchronize()
        try:
            with pytest.MonkeyPatch.context() as patch:
                if number // len(DTYPES) % 2:
                    patch.setattr(arguments, "NARROW_ON", ("cpu", "gpu"))
                if launch is kernel:  # whose form and launch are not those of other numbers
                    launch[2, 2](x, n, y, out, z, 3, numpy.int64(1 << 40))
                launch[2, 2](x, n, y, out, z, *numbers)
                xarr.synchronize()
        except SyntaxError as error:
            if "does not fit" not in str(error):
                raise
            continue  # NumPy refuses the number as well
        found.append((numpy.asarray(out), numpy.asarray(z)))
    del linecache.cache[file]
    if found:
        (out, z), (wanted, places) = found
        is_same = (out.view("int64") == wanted.view("int64")) | ((out != out) & (wanted != wanted))
        is_same &= (z == places).all()
        assert is_same.all(), f"other values\n{text}"
    return len(lines)
