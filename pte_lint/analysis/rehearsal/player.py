"""Plays single steps of a rehearsal: checks what a step wants, and notes what it changes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pte_lint.analysis.calling import (
    CUDA_BACKEND,
    D2H_COPY,
    ET_COPY_INDEX,
    ET_VIEW,
    H2D_COPY,
    LOCAL_SCALAR,
)
from pte_lint.analysis.failing_call import reported
from pte_lint.analysis.kinds import kind_name
from pte_lint.analysis.rehearsal.changes import (
    changed_by,
    changing_steps,
    is_prim,
    returning_steps,
    returns_its_target,
)
from pte_lint.analysis.rehearsal.rows import copy_row, is_resized, takes
from pte_lint.analysis.rehearsal.state import UNKNOWN, Cell, State, Stop, first_cell, first_sizes
from pte_lint.analysis.rehearsal.views import refusal, view
from pte_lint.analysis.steps import Step, StepKind
from pte_lint.forecast import Stage, crash, error, undefined
from pte_lint.kernels.wants import ABORT, wants
from pte_lint.ops.prims import PRIM_OPS, divides_by, refused_for, result
from pte_lint.schema.enums import KernelTypes, ShapeDynamism, dtype_name
from pte_lint.schema.program import IntList, OptionalTensorList, TensorList

if TYPE_CHECKING:
    from pte_lint.analysis.method import Method

_DOUBLES = frozenset({6, 7})
_BOOL_CODE = 11


class Player:
    """Plays the steps of one method."""

    def __init__(self, method: Method, largest: bool = False) -> None:
        """Finds the steps that matter: those that change values or use changed ones.

        `largest`: callers give inputs of the largest sizes; else those sizes are not known.
        """
        self.method = method
        self.largest = largest
        self._changing = bytearray(len(method.values))
        busy = False
        for step in changing_steps(method):
            busy = True
            for v in changed_by(step):
                if 0 <= v < len(self._changing):
                    self._changing[v] = 1
        for step in returning_steps(method):
            busy = True
            self._changing[step.args[-1]] = 1
        self.has_something_to_do = busy
        self.rows_copied: dict[int, int] = {}
        """By et_copy_index that was met: rows up to the last one that it surely copies in a run."""
        self.sized_copies: dict[int, bool] = {}
        """By boundary copy that was met: whether its source's sizes were known each time."""

    @cached_property
    def next_of_interest(self) -> list[int]:
        """By step: the first step from there on that a rehearsal has to look at."""
        steps = self.method.steps
        following = [len(steps)] * (len(steps) + 1)
        for step in reversed(steps):
            here = following[step.index + 1]
            following[step.index] = step.index if self._matters(step) else here
        return following

    def _matters(self, step: Step) -> bool:
        if step.kind is not StepKind.KERNEL and step.kind is not StepKind.DELEGATE:
            return True
        if is_prim(step) or any(self._changing[v] for v in (*step.reads, *step.writes)):
            return True
        if step.kind is StepKind.KERNEL and not self._is_resolved(step):
            return True
        if any(self._changing[v] for v in step.args if 0 <= v < len(self._changing)):
            return True
        used = (*step.reads, *step.writes) if self.largest else step.writes
        return any(self._is_watched(v) for v in used)

    def _is_watched(self, v: int) -> bool:
        """A tensor whose size may change, or that a jump tests."""
        tensor = self.method.tensor(v)
        if tensor is None:
            return False
        return tensor.shape_dynamism != ShapeDynamism.STATIC or v in self._conditions

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
        known = state.cells.get(v)
        return known if known is not None else first_cell(self.method, v)

    def sizes(self, state: State, thing: int) -> tuple[int, ...] | None:
        """The sizes of a tensor; None when they are not known."""
        if thing in state.sizes:
            return state.sizes[thing]
        return first_sizes(self.method, thing, self.largest)

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

    # -- playing ----------------------------------------------------------------------------------

    def play(self, step: Step, state: State) -> Stop | None:
        """Plays one step; returns why the run ends there, if it does."""
        if step.kind is StepKind.MOVE:
            if all(0 <= v < len(self._changing) for v in step.args):
                state.cells[step.args[1]] = self.cell(state, step.args[0])
            return None
        if step.kind is StepKind.FREE:
            return self._free(step, state)
        if step.kind is StepKind.JUMP:
            return self._test(step, state)
        if step.kind is StepKind.KERNEL:
            if not self._is_resolved(step):
                return Stop("", step.index, None, "has no kernel", ABORT)
            stop = self._check_kinds(step, state)
            if stop is not None:
                return stop
            if is_prim(step):
                return self._prim(step, state)
            if step.operator in (H2D_COPY, D2H_COPY):
                return self._copy(step, state)
        elif step.operator == CUDA_BACKEND:
            stop = self._check_tensors(step, state)
            if stop is not None:
                return stop
        self._overwrite(step, state)
        if step.kind is StepKind.KERNEL:
            stop = self._call(step, state)
            if stop is None and returns_its_target(step):
                # The wrapper puts the tensor into the slot for the return (codegen/gen.py).
                state.cells[step.args[-1]] = self.cell(state, step.args[0])
            return stop
        return None

    def _check_tensors(self, step: Step, state: State) -> Stop | None:
        """The first argument of a delegate that is no tensor, of those that steps have changed."""
        for position, v in enumerate(step.args):
            kind = self.cell(state, v).kind
            if kind not in (KernelTypes.TENSOR, UNKNOWN, 0):
                return Stop("delegate", step.index, position, f"is a {kind_name(kind)} then", ABORT)
        return None

    def _call(self, step: Step, state: State) -> Stop | None:
        from pte_lint.analysis.rehearsal.kernels import play_kernel

        return play_kernel(self, step, state)

    @staticmethod
    def miscounted(step: Step) -> Stop:
        """The end of a run at a call with a wrong number of arguments: told by argument-count."""
        refused = error(Stage.EXECUTE, "InvalidProgram")
        return Stop("", step.index, None, "has another number of arguments", refused)

    def _free(self, step: Step, state: State) -> Stop | None:
        cell = self.cell(state, step.args[0])
        if cell.kind == KernelTypes.TENSOR:
            state.freed |= {cell.thing}
        elif cell.kind not in (0, UNKNOWN):
            message = f"frees value {step.args[0]}, a {kind_name(cell.kind)} then"
            return Stop("free", step.index, 0, message, error(Stage.EXECUTE, "InvalidType"))
        return None

    def _test(self, step: Step, state: State) -> Stop | None:
        cell = self.cell(state, step.args[0])
        if cell.kind in (KernelTypes.BOOL, UNKNOWN, 0):
            return None
        what = f"a {kind_name(cell.kind)} then, neither Bool nor a tensor of booleans"
        if cell.kind == KernelTypes.TENSOR:
            tensor = self.method.tensor(cell.thing)
            if tensor is None or tensor.scalar_type == _BOOL_CODE:
                return None
            what = f"a tensor of {dtype_name(tensor.scalar_type)} then, not of booleans"
        return Stop("condition", step.index, 0, what, error(Stage.EXECUTE, "InvalidProgram"))

    def _check_kinds(self, step: Step, state: State) -> Stop | None:
        """The first argument that is converted wrongly, of those that steps have changed."""
        for position, want in enumerate(wants(self.method, step)):
            v = step.args[position]
            cell = self.cell(state, v)
            if cell.kind in (0, UNKNOWN):
                continue
            if cell.kind not in want.accepted:
                message = f"is a {kind_name(cell.kind)} then, not a {want.wanted}"
                return Stop("argument", step.index, position, message, want.prediction)
            stop = self._check_items(step, position, cell, state)
            if stop is not None:
                return stop
        if is_prim(step) and len(step.args) == PRIM_OPS[step.operator].count:
            cells = [self.cell(state, v) for v in step.args[:-1]]
            wrong = refused_for(step.operator, cells)
            if wrong is not None:
                names = " and a ".join(kind_name(c.kind) for c in cells)
                refused = reported(self.method, step, "InvalidType")
                return Stop("argument", step.index, wrong, f"makes it a {names}", refused)
        return None

    def _check_items(self, step: Step, position: int, cell: Cell, state: State) -> Stop | None:
        listed = self.method.values[cell.thing].val if cell.thing >= 0 else None
        if not isinstance(listed, IntList | TensorList | OptionalTensorList):
            return None
        wanted = {KernelTypes.INT} if isinstance(listed, IntList) else {KernelTypes.TENSOR}
        if isinstance(listed, OptionalTensorList):
            wanted.add(KernelTypes.NULL)
        for item in listed.items or ():
            kind = self.cell(state, item).kind
            if kind in wanted or kind in (UNKNOWN, 0):
                continue
            name = kind_name(cell.kind)
            message = f"is a {name} whose item {item} is a {kind_name(kind)} then"
            return Stop("argument", step.index, position, message, ABORT)
        return None

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
            state.cells[step.args[-1]] = Cell(KernelTypes.INT, self._numel(state, cells[0]))
        elif step.operator == LOCAL_SCALAR:
            kind = self._scalar_kind(cells[0])
            state.cells[step.args[-1]] = Cell(kind, self._first_element(state, cells[0].thing))
        else:
            divisor = divides_by(step.operator, cells[:-1])
            if divisor is not None:
                trap = crash(Stage.EXECUTE, "SIGFPE")
                return Stop("number", step.index, 1, f"divides by {divisor}", trap)
            state.cells[step.args[-1]] = Cell(*result(step.operator, cells[:-1]))
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
            size = sizes[dim] if sizes is not None else None
        state.cells[step.args[-1]] = Cell(KernelTypes.INT, size)
        return None

    def _numel(self, state: State, cell: Cell) -> int | None:
        sizes = self.sizes(state, cell.thing)
        if sizes is None:
            return None
        count = 1
        for size in sizes:
            count *= size
        return count

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
        self._overwrite(step, state)
        items = self.method.values[listed.thing].val if listed.thing >= 0 else None
        tensor, sizes = self.method.tensor(target.thing), self.sizes(state, source.thing)
        if not isinstance(items, IntList) or tensor is None:
            return None
        said = view(sizes, [self.cell(state, item).number for item in items.items or ()], tensor)
        if said.error is not None:
            return Stop("view", step.index, 2, said.message, refusal(self.method, step, said))
        if tensor.shape_dynamism != ShapeDynamism.STATIC:
            state.sizes[target.thing] = said.sizes
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
            state.sizes[target.thing] = said.sizes
            return Stop("row copy", step.index, 0, said.message, undefined(Stage.EXECUTE))
        if said.error is not None:
            refused = reported(self.method, step, said.error)
            return Stop("row copy", step.index, 0, said.message, refused)
        state.sizes[target.thing] = said.sizes
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
            state.sizes[target.thing] = sizes
        return None

    def _overwrite(self, step: Step, state: State) -> None:
        """Notes that tensors get other content, and perhaps another size."""
        for v in step.writes:
            thing = self.cell(state, v).thing
            if thing < 0:
                continue
            state.assumed.pop(thing, None)
            tensor = self.method.tensor(thing)
            if tensor is not None and tensor.shape_dynamism != ShapeDynamism.STATIC:
                state.sizes[thing] = None
