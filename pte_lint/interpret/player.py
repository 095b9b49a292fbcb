"""Plays single steps of an interpretation: checks what a step wants, and notes what it changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

from pte_lint.claims.forecast import Stage, crash, error, undefined
from pte_lint.interpret.changes import (
    changed_by,
    changing_steps,
    is_prim,
    returning_steps,
    returns_its_target,
    updates_in_place,
)
from pte_lint.interpret.delegates import play_graph
from pte_lint.interpret.failing_call import reported
from pte_lint.interpret.kernels import Kernels
from pte_lint.interpret.kinds import kind_name
from pte_lint.interpret.kinds_met import kinds_met, tensors_met
from pte_lint.interpret.rows import copy_row, is_resized, takes
from pte_lint.interpret.state import (
    UNKNOWN,
    Cell,
    Sizes,
    State,
    Stop,
    first_cell,
    first_sizes,
)
from pte_lint.interpret.views import refusal, view
from pte_lint.interpret.wants import ABORT
from pte_lint.ir.calling import (
    CUDA_BACKEND,
    D2H_COPY,
    ET_COPY_INDEX,
    ET_VIEW,
    H2D_COPY,
    LOCAL_SCALAR,
)
from pte_lint.ir.steps import Step, StepKind
from pte_lint.ops.checks.chosen import following, terms
from pte_lint.ops.prims import PRIM_OPS, divides_by, result
from pte_lint.schema.enums import KernelTypes, ShapeDynamism, dtype_name
from pte_lint.schema.program import IntList
from pte_lint.text.words import article

if TYPE_CHECKING:
    from pte_lint.ir.method import Method
    from pte_lint.ops.checks.call import Size

_DOUBLES = frozenset({6, 7})
_BOOL_CODE = 11


class Player:
    """Plays the steps of one method."""

    def __init__(self, method: Method, given: Mapping[int, tuple[int, ...]] | None = None) -> None:
        """Finds the steps that matter: those that change values or use changed ones.

        `given`: by input of sizes that may change, those that callers give it; None when they are
        not known.
        """
        self.method = method
        self.given = given
        self.changing = bytearray(len(method.values))
        """One flag a value: some step puts something else there."""
        self._first: dict[int, Cell] = {}
        self._shapes: dict[tuple[object, ...], tuple[int, ...]] = {}
        busy = False
        for step in changing_steps(method):
            busy = True
            for v in changed_by(step):
                if 0 <= v < len(self.changing):
                    self.changing[v] = 1
        for step in returning_steps(method):
            busy = True
            self.changing[step.args[-1]] = 1
        self.changes_values = busy
        """Whether steps change what values are, or where control goes."""
        self.rows_copied: dict[int, int] = {}
        """By et_copy_index that was met: rows up to the last one that it surely copies in a run."""
        self.sized_copies: dict[int, bool] = {}
        """By boundary copy that was met: whether its source's sizes were known each time."""

    @cached_property
    def next_of_interest(self) -> list[int]:
        """By step: the first step from there on that an interpretation has to look at."""
        steps = self.method.steps
        following = [len(steps)] * (len(steps) + 1)
        for step in reversed(steps):
            here = following[step.index + 1]
            following[step.index] = step.index if self._matters(step) else here
        return following

    def _matters(self, step: Step) -> bool:
        if step.kind is not StepKind.KERNEL and step.kind is not StepKind.DELEGATE:
            return True
        if is_prim(step) or (step.kind is StepKind.KERNEL and not self._is_resolved(step)):
            return True
        changing, watched = self.changing, self._watched
        for v in step.writes:
            if watched[v]:
                return True
        among_reads = watched if self.given is not None else changing
        for v in step.reads:
            if among_reads[v]:
                return True
        return any(changing[v] for v in step.args if 0 <= v < len(changing))

    @cached_property
    def _watched(self) -> bytearray:
        """One flag a value: what changes, tensors whose sizes do, and what jumps test."""
        flags = bytearray(self.changing)
        for form in self.method.table.forms:
            if form.tensor.shape_dynamism != ShapeDynamism.STATIC:
                for v in form.values:
                    flags[v] = 1
        for v in self._conditions:
            if self.method.tensor(v) is not None:
                flags[v] = 1
        return flags

    @cached_property
    def _conditions(self) -> frozenset[int]:
        return frozenset(v for s in self.method.steps if s.kind is StepKind.JUMP for v in s.args)

    def _is_resolved(self, step: Step) -> bool:
        """False for a call of no operator at all, at which a run ends: operator-unresolvable."""
        operators = self.method.plan.operators or ()
        return 0 <= step.target < len(operators) and operators[step.target].name is not None

    # -- looking ----------------------------------------------------------------------------------

    def cell(self, state: State, v: int) -> Cell:
        """What value `v` holds."""
        known = state.cells.get(v) or self._first.get(v)
        if known is None:
            known = self._first[v] = first_cell(self.method, v)
        return known

    def sizes(self, state: State, thing: int) -> tuple[int, ...] | None:
        """The sizes of a tensor; None when they are not known."""
        if thing in state.sizes:
            return state.sizes[thing]
        return first_sizes(self.method, thing, self.given)

    def resized(self, state: State, thing: int, sizes: Sequence[Size] | None) -> None:
        """Notes the sizes that a tensor has from now on."""
        state.sizes[thing] = self.kept(sizes)

    def kept(self, sizes: Sequence[Size] | None) -> Sizes:
        """The sizes, one object for all that are equal; None where one is not known."""
        if sizes is None or None in sizes:
            return None
        known = tuple([size for size in sizes if size is not None])
        return self._shapes.setdefault((known, *map(terms, known)), known)

    def outcome(self, step: Step, state: State) -> bool | None:
        """The outcome of a jump's condition; None when only the run knows."""
        cell = self.cell(state, step.args[0])
        if cell.kind == KernelTypes.TENSOR:
            assumed = state.assumed.get(cell.thing)
            return assumed if assumed is not None else self._all_true(state, cell.thing)
        if cell.number is None:
            return None
        # The caller cannot change it: a Bool input must have the value in the file.
        return bool(cell.number)

    def depends_on_data(self, step: Step, state: State) -> bool:
        """Whether a jump tests what some run has computed or been given in a tensor."""
        cell = self.cell(state, step.args[0])
        return cell.kind == KernelTypes.TENSOR and self._all_true(state, cell.thing) is None

    def _all_true(self, state: State, thing: int) -> bool | None:
        """Whether all elements of a tensor are true: of a constant, and where there are none."""
        content = self.method.tested_constants.get(thing)
        if content is not None:
            return all(content)
        sizes = self.sizes(state, thing)
        return True if sizes is not None and 0 in sizes else None

    def assume(self, step: Step, state: State, outcome: bool) -> None:
        """Notes the outcome of a condition that only the run knows."""
        v = step.args[0]
        cell = self.cell(state, v)
        if cell.kind == KernelTypes.TENSOR:
            state.assumed[cell.thing] = outcome
        else:
            state.cells[v] = cell._replace(number=outcome)
            state.guessed = True

    def play(self, step: Step, state: State) -> Stop | None:
        """Plays one step; returns why the run ends there, if it does."""
        if step.kind is StepKind.KERNEL:
            return self.kernels.play(step, state)
        if step.kind is StepKind.MOVE:
            if all(0 <= v < len(self.changing) for v in step.args):
                state.cells[step.args[1]] = self.cell(state, step.args[0])
            return None
        if step.kind is StepKind.FREE:
            return self._free(step, state)
        if step.kind is StepKind.JUMP:
            return self._test(step, state)
        if step.operator == CUDA_BACKEND:
            stop = tensors_met(self, step, state)
            if stop is not None:
                return stop
        graph = self.method.graphs.get(step.target) if step.kind is StepKind.DELEGATE else None
        if graph is not None:
            return play_graph(self, graph, step, state)
        self.overwrite(step, state)
        return None

    @cached_property
    def kernels(self) -> Kernels:
        """What plays kernel calls."""
        return Kernels(self)

    def play_call(self, step: Step, state: State, key: tuple[object, ...]) -> Stop | None:
        """Plays a call that is not known to be like one that went well."""
        if not self._is_resolved(step):
            return Stop("", step.index, None, "has no kernel", ABORT)
        stop = kinds_met(self, step, state)
        if stop is not None:
            return stop
        if is_prim(step):
            return self._prim(step, state)
        if step.operator in (H2D_COPY, D2H_COPY):
            return self._copy(step, state)
        stop = self.kernels.compute(step, state, key)
        if stop is None and returns_its_target(step):
            # The wrapper puts the tensor into the slot for the return (codegen/gen.py).
            state.cells[step.args[-1]] = self.cell(state, step.args[0])
        return stop

    def miscounted(self, step: Step) -> Stop:
        """The end of a run at a call with a wrong number of arguments: told by argument-count."""
        refused = error(Stage.EXECUTE, "InvalidProgram")
        return Stop("", step.index, None, "has another number of arguments", refused)

    def _free(self, step: Step, state: State) -> Stop | None:
        cell = self.cell(state, step.args[0])
        if cell.kind == KernelTypes.TENSOR:
            state.freed |= {cell.thing}
        elif cell.kind not in (0, UNKNOWN):
            message = f"frees value {step.args[0]}, {article(kind_name(cell.kind))} then"
            return Stop("free", step.index, 0, message, error(Stage.EXECUTE, "InvalidType"))
        return None

    def _test(self, step: Step, state: State) -> Stop | None:
        cell = self.cell(state, step.args[0])
        if cell.kind in (KernelTypes.BOOL, UNKNOWN, 0):
            return None
        what = f"{article(kind_name(cell.kind))} then, neither Bool nor a tensor of booleans"
        if cell.kind == KernelTypes.TENSOR:
            tensor = self.method.tensor(cell.thing)
            if tensor is None or tensor.scalar_type == _BOOL_CODE:
                return None
            what = f"a tensor of {dtype_name(tensor.scalar_type)} then, not of booleans"
        return Stop("condition", step.index, 0, what, error(Stage.EXECUTE, "InvalidProgram"))

    def _prim(self, step: Step, state: State) -> Stop | None:
        if len(step.args) != PRIM_OPS[step.operator].count:
            return self.miscounted(step)
        cells = [self.cell(state, v) for v in step.args]
        if step.operator == ET_COPY_INDEX:
            return self._copy_row(step, state, cells)
        if step.operator == ET_VIEW:
            return self._view(step, state, cells)
        if step.operator == "aten::sym_size.int":
            return self._size(step, state, cells)
        if step.operator == "aten::sym_numel":
            sizes = self.sizes(state, cells[0].thing)
            number = None if sizes is None else prod(sizes)
            state.cells[step.args[-1]] = Cell(KernelTypes.INT, number)
        elif step.operator == LOCAL_SCALAR:
            kind = self._scalar_kind(cells[0])
            state.cells[step.args[-1]] = Cell(kind, self._first_element(state, cells[0].thing))
        else:
            divisor = divides_by(step.operator, cells[:-1])
            if divisor is not None:
                trap = crash(Stage.EXECUTE, "SIGFPE")
                return Stop("number", step.index, 1, f"divides by {divisor}", trap)
            cell = Cell(*result(step.operator, cells[:-1]))
            if isinstance(cell.number, int) and not isinstance(cell.number, bool):
                number = following(cell.number, *(each.number for each in cells[:-1]))
                cell = cell._replace(number=number)
            state.cells[step.args[-1]] = cell
        return None

    def _size(self, step: Step, state: State, cells: list[Cell]) -> Stop | None:
        sizes, dim = self.sizes(state, cells[0].thing), cells[1].number
        tensor = self.method.tensor(cells[0].thing)
        dimensions = len(tensor.sizes or ()) if tensor is not None else None
        size = None
        if isinstance(dim, int) and dimensions is not None:
            if not 0 <= dim < dimensions:
                message = f"asks for dimension {dim} of a tensor of rank {dimensions}"
                return Stop("number", step.index, 1, message, ABORT)
            largest = tensor.sizes[dim] if tensor is not None and tensor.sizes else None
            # PyTorch exports no size as one that may be 0 or 1: what is 1 at most is 1.
            size = sizes[dim] if sizes is not None else 1 if largest == 1 else None
        state.cells[step.args[-1]] = Cell(KernelTypes.INT, size)
        return None

    def _first_element(self, state: State, thing: int) -> bool | None:
        """The first element of a tensor that jumps test, if it is known."""
        content = self.method.tested_constants.get(thing)
        if content:
            return bool(content[0])
        assumed = state.assumed.get(thing)
        # One of several elements is false, and nobody knows which.
        return assumed if assumed or self.sizes(state, thing) == () else None

    def _scalar_kind(self, cell: Cell) -> int:
        tensor = self.method.tensor(cell.thing)
        if tensor is None:
            return UNKNOWN
        if tensor.scalar_type == _BOOL_CODE:
            return KernelTypes.BOOL
        return KernelTypes.DOUBLE if tensor.scalar_type in _DOUBLES else KernelTypes.INT

    def _view(self, step: Step, state: State, cells: list[Cell]) -> Stop | None:
        source, listed, target = cells
        self.overwrite(step, state)
        items = self.method.values[listed.thing].val if listed.thing >= 0 else None
        tensor, sizes = self.method.tensor(target.thing), self.sizes(state, source.thing)
        if not isinstance(items, IntList) or tensor is None:
            return None
        said = view(sizes, [self.cell(state, item).number for item in items.items or ()], tensor)
        if said.error is not None:
            return Stop("view", step.index, 2, said.message, refusal(self.method, step, said))
        if tensor.shape_dynamism != ShapeDynamism.STATIC:
            self.resized(state, target.thing, said.sizes)
        return None

    def _copy_row(self, step: Step, state: State, cells: list[Cell]) -> Stop | None:
        target, row, index = cells
        said = copy_row(
            self.method.tensor(target.thing),
            self.sizes(state, target.thing),
            self.sizes(state, row.thing),
            index.number,
            has_begun=target.thing in state.sizes and index.number != 0,
        )
        if said.leaves_a_gap:
            self.resized(state, target.thing, said.sizes)
            return Stop("row copy", step.index, 0, said.message, undefined(Stage.EXECUTE))
        if said.error is not None:
            refused = reported(self.method, step, said.error)
            return Stop("row copy", step.index, 0, said.message, refused)
        self.resized(state, target.thing, said.sizes)
        if isinstance(index.number, int) and not state.guessed:
            rows = self.rows_copied.get(step.index, 0)
            self.rows_copied[step.index] = max(rows, index.number + 1)
        return None

    def _copy(self, step: Step, state: State) -> Stop | None:
        """A boundary copy gives its target the sizes of its source."""
        if len(step.args) != 3:
            return self.miscounted(step)
        source, target = self.cell(state, step.args[0]), self.cell(state, step.args[1])
        tensor, sizes = self.method.tensor(target.thing), self.sizes(state, source.thing)
        if tensor is None or tensor.sizes is None:
            return None
        is_known = sizes is not None and self.sized_copies.get(step.index, True)
        self.sized_copies[step.index] = is_known
        if sizes is not None and not takes(tensor, sizes):
            refused = reported(self.method, step, "InvalidArgument")
            message = f"makes {list(sizes)} of a tensor for {list(tensor.sizes)}"
            return Stop("sizes", step.index, 1, message, refused)
        state.assumed.pop(target.thing, None)
        if tensor.shape_dynamism != ShapeDynamism.STATIC and is_resized(tensor):
            self.resized(state, target.thing, sizes)
        return None

    def overwrite(self, step: Step, state: State) -> None:
        """Notes that tensors get other content, and perhaps another size."""
        keeps_sizes = updates_in_place(step.operator) and step.kind is StepKind.KERNEL
        for v in step.writes:
            thing = self.cell(state, v).thing
            if thing < 0:
                continue
            state.assumed.pop(thing, None)
            tensor = self.method.tensor(thing)
            is_fixed = tensor is None or tensor.shape_dynamism == ShapeDynamism.STATIC
            if not is_fixed and not keeps_sizes:
                state.sizes[thing] = None
