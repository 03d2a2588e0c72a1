"""Reverse mode: derivatives from the instructions that a program records.

A storage that depends on an argument is active, and has an adjoint of as many elements. The adjoint
of a view is the view of the same structure and offset, so views need no rule. `Gradient` notes the
instructions that write active storages, and holds the values that their derivatives want: the
storage itself until it is overwritten, then a copy. `backward` walks them from the last to the
first. What it does are instructions too, which outer recorders note: so derivatives nest.

Of complex numbers the adjoint is that of real and imaginary part by themselves, du/dx + i du/dy, as
views of parts need it. JAX's is its conjugate: `calls` conjugates what goes in and comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from xarr import dtypes, errors, layout
from xarr.array.array import Array
from xarr.dtypes import FLOATING, DType
from xarr.ir.instructions import Opcode
from xarr.ir.storage import Storage
from xarr.ir.views import Structure, View
from xarr.lowering.operations import RoutineOp
from xarr.tape import record, recorders
from xarr.tape.recorders import Recorder, paused
from xarr.tape.recording import operands_of
from xarr.transforms import derivatives
from xarr.transforms.adjoints import Adjoints, Place, place_of
from xarr.transforms.steps import Call, Rule, Saved, Step, missing


class Gradient(Recorder):
    """Notes what depends on some arrays, for a backward walk.

    active : dict of int to DType -- The serial numbers of active storages, and what they hold.
    steps : list of Step or Call -- What writes them, in order.
    """

    def __init__(self, arrays: Iterable[Array]) -> None:
        self.active: dict[int, DType] = {}
        self.steps: list[Step | Call] = []
        self.written: set[int] = set()
        self._watched: dict[int, list[Saved]] = {}
        self._warned = False
        self.is_aside = False
        self._where = ""
        for array in arrays:
            assert array._view.storage is not None
            self.active[array._view.storage.serial] = array._view.dtype

    # -- what a recorder is told --------------------------------------------------------------

    def note(
        self, opcode: Opcode, views: tuple[View, ...], fresh: Storage | None, scalar: Any
    ) -> None:
        """Note an instruction if it reads or writes an active storage."""
        if self.is_aside:
            if fresh is None:
                self._overwritten(views[0] if opcode.target is None else views[-1], opcode)
            return
        target: View | None = None
        reads = views
        if fresh is None:
            target = views[0] if opcode.target is None else views[-1]
            reads = views[1:] if opcode.target is None else views[:-1]
        how: Structure = views[0].structure if opcode.target is None else opcode.target
        is_active = how.dtype.kind in FLOATING and self._reads(opcode, reads)
        if type(opcode.operation) is RoutineOp and how.dtype is dtypes.uint8:
            self.computing(opcode.operation.name, reads)  # several results, as bytes
        if target is None:
            if is_active:
                self._add(opcode, views, View(fresh, how, 0), scalar, is_fresh=True)
            return
        assert target.storage is not None
        serial = target.storage.serial
        step: Step | None = None
        if is_active or serial in self.active:
            step = self._step(opcode, views, target, scalar, is_active)
        if serial in self._watched:
            self._keep(target, everywhere=opcode.target is None)
        if step is not None:
            self.written.add(serial)
            self.steps.append(step)
            if step.rule is not None:
                self.active.setdefault(serial, how.dtype)
                self._save_result(step, target)

    def reading(self, where: str, views: tuple[View, ...]) -> None:
        """Warn, once, of an active value that the host reads: it counts as a constant."""
        if not self.is_aside and any(map(self.depends, views)):
            self.warn(where)

    def warn(self, where: str) -> None:
        """Warn, once, of a value that the host reads and that counts as a constant."""
        if not self._warned:
            self._warned = True
            fault = "it reads a value that a derivative depends on"
            accepted = "what Python or NumPy computes from it counts as a constant"
            where = errors.reading_call(where)
            text = errors.message(where, fault, accepted, "compute with xarr's functions")
            errors.warn(text, errors.DerivativeWarning)

    def computing(self, where: str, views: tuple[View, ...]) -> None:
        """Refuse a function of active values whose results no instruction makes."""
        if not self.is_aside and any(map(self.depends, views)):
            raise missing(where)

    def whole(
        self,
        name: str,
        options: Mapping[str, Any],
        operands: tuple[View, ...],
        compute: Callable[..., Sequence[View]],
    ) -> Sequence[View] | None:
        """Note a function of active values that has a derivative as a whole."""
        whole = derivatives.whole_of(name)
        if self.is_aside or whole is None or not any(map(self.depends, operands)):
            return None
        with self.aside(name):
            results = recorders.whole(name, options, operands, compute)
        given = [self.save(view) for view in operands if whole.wants_operands]
        made = [self.save(view) for view in results if whole.wants_results]

        def function(adjoints: list[Array | None]) -> Sequence[Array | None]:
            values = [saved.array() for saved in given]
            found = [saved.array() for saved in made]
            return whole.function(adjoints, values, found, **options)

        self.call(operands, results, function)
        return results

    @contextmanager
    def aside(self, where: str) -> Iterator[None]:
        """Note nothing within a ``with`` block but what is overwritten; `where` must not write."""
        self.is_aside, self._where = True, where
        try:
            yield
        finally:
            self.is_aside = False

    def call(
        self,
        operands: Sequence[View],
        results: Sequence[View],
        function: Callable[[list[Array | None]], Sequence[Array | None]],
    ) -> None:
        """Note a function as a whole, with what maps its results' adjoints to the operands'."""
        given = [place_of(view) if self.depends(view) else None for view in operands]
        for view in results:
            assert view.storage is not None
            self.active.setdefault(view.storage.serial, view.dtype)
        self.steps.append(Call(given, [place_of(view) for view in results], function))

    def depends(self, view: View) -> bool:
        """Return whether a view holds real or complex numbers that depend on the arrays."""
        storage = view.storage
        return storage is not None and storage.serial in self.active and view.dtype.kind in FLOATING

    def _overwritten(self, target: View, opcode: Opcode) -> None:
        """Keep what a function overwrites that is noted as a whole; refuse an active storage."""
        assert target.storage is not None
        serial = target.storage.serial
        if serial in self.active:
            fault = "it writes to an array that a derivative depends on"
            remedy = "write to a copy, and return it"
            raise errors.type_error(
                self._where, fault, "it must write to arrays of its own", remedy
            )
        if serial in self._watched:
            self._keep(target, everywhere=opcode.target is None)

    # -- noting -------------------------------------------------------------------------------

    def _reads(self, opcode: Opcode, views: tuple[View, ...]) -> bool:
        """Return whether one of the operands is active; refuse one that is read as other bits."""
        found = False
        for view in views:
            if view.storage is None:
                continue
            held = self.active.get(view.storage.serial)
            if held is None:
                continue
            # Complex numbers and pairs of real ones: their adjoints lie in memory as they do.
            if dtypes.PART.get(view.dtype, view.dtype) is not dtypes.PART.get(held, held):
                where = f"{opcode.operation.name} of a view"
                fault = f"it reads the bits of {held} as {view.dtype}"
                raise errors.type_error(where, fault, "values must be read in their own dtype")
            found = True
        return found

    def _add(
        self, opcode: Opcode, views: tuple[View, ...], target: View, scalar: Any, is_fresh: bool
    ) -> None:
        step = self._step(opcode, views, target, scalar, True, is_fresh)
        if step.rule is not None:
            assert target.storage is not None
            self.active[target.storage.serial] = target.dtype
            self.steps.append(step)
            self._save_result(step, target)

    def _step(
        self,
        opcode: Opcode,
        views: tuple[View, ...],
        target: View,
        scalar: Any,
        is_active: bool,
        is_fresh: bool = False,
    ) -> Step:
        """Make the step of an instruction, with the values of operands that its rule wants."""
        # A scatter knows by its rule alone what it overwrites.
        has_rule = is_active or opcode.target is None
        operands = operands_of(opcode, views, scalar)
        places: list[Place | None] = [
            place_of(view) if self.depends(view) else None for view in operands
        ]
        rule = rule_by(opcode, places) if has_rule else None
        step = Step(opcode, places, place_of(target), rule, is_fresh)
        if rule is not None:
            for number in rule.wanted(places):
                if number >= 0:
                    step.saved[number] = self.save(operands[number])
        return step

    def _save_result(self, step: Step, target: View) -> None:
        assert step.rule is not None
        if -1 in step.rule.wanted(step.operands):
            step.saved[-1] = self.save(target)

    def save(self, view: View) -> Saved:
        """Hold the value of a view, and watch for what overwrites it."""
        saved = Saved(view)
        if view.storage is not None:
            self._watched.setdefault(view.storage.serial, []).append(saved)
        return saved

    def _keep(self, target: View, *, everywhere: bool) -> None:
        """Copy the watched values that a write to a view is about to overwrite."""
        assert target.storage is not None
        serial = target.storage.serial
        written = target.layout
        rest = []
        for saved in self._watched[serial]:
            read = saved.view.layout
            assert read is not None
            assert written is not None
            is_other = saved.view.dtype is not target.dtype
            if everywhere or is_other or layout.overlap(read, written):
                with paused(self):
                    saved.view = record.copied(saved.view)
                saved.is_copy = True
            else:
                rest.append(saved)
        self._watched[serial] = rest

    def end(self) -> None:
        """Note how often each watched storage was written to, as recording has ended."""
        for values in self._watched.values():
            for saved in values:
                if not saved.is_copy and saved.view.storage is not None:
                    saved.writes = saved.view.storage.writes
        self._watched.clear()


def rule_by(opcode: Opcode, active: Sequence[object]) -> Rule | None:
    """Return the rule of an instruction; None without a derivative by its active operands.

    Such operands do not make a result active. `active` has None for other operands.
    """
    rule = derivatives.rule_of(opcode.operation)
    if rule is not None and rule.whole is None and not rule.has_part(active):
        return None
    return rule


def backward(
    recorder: Gradient, seeds: Sequence[tuple[View, Array]], wanted: Sequence[View]
) -> list[Array | None]:
    """Return the adjoints of views, for those of others; None where they are zero."""
    if not wanted:
        return []
    adjoints = Adjoints(recorder.active, wanted[0].device)
    for view, g in seeds:
        adjoints.add(place_of(view), g)
    for step in reversed(recorder.steps):
        step.pull(adjoints)
    return [adjoints.of(place_of(view)) for view in wanted]
