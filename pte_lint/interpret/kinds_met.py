"""What arguments are by the time of a call, against what it converts them to."""

from __future__ import annotations

from pte_lint.interpret.board import Board
from pte_lint.interpret.changes import is_prim
from pte_lint.interpret.failing_call import reported
from pte_lint.interpret.kinds import kind_name
from pte_lint.interpret.state import UNKNOWN, Cell, State, Stop
from pte_lint.interpret.wants import ABORT, wants
from pte_lint.ir.steps import Step
from pte_lint.ops.prims import PRIM_OPS, refused_for
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import IntList, OptionalTensorList, TensorList
from pte_lint.text.words import article


def tensors_met(player: Board, step: Step, state: State) -> Stop | None:
    """The first argument of a delegate that is no tensor, of those that steps have changed."""
    for position, v in enumerate(step.args):
        kind = player.cell(state, v).kind
        if kind not in (KernelTypes.TENSOR, UNKNOWN, 0):
            return Stop(
                "delegate", step.index, position, f"is {article(kind_name(kind))} then", ABORT
            )
    return None


def kinds_met(player: Board, step: Step, state: State) -> Stop | None:
    """The first argument that is converted wrongly, of those that steps have changed."""
    for position, want in enumerate(wants(player.method, step)):
        v = step.args[position]
        cell = player.cell(state, v)
        if cell.kind in (0, UNKNOWN):
            continue
        if cell.kind not in want.accepted:
            message = f"is {article(kind_name(cell.kind))} then, not {article(want.wanted)}"
            return Stop("argument", step.index, position, message, want.prediction)
        stop = _items_met(player, step, position, cell, state)
        if stop is not None:
            return stop
    if is_prim(step) and len(step.args) == PRIM_OPS[step.operator].count:
        cells = [player.cell(state, v) for v in step.args[:-1]]
        wrong = refused_for(step.operator, cells)
        if wrong is not None:
            names = " and ".join(article(kind_name(c.kind)) for c in cells)
            refused = reported(player.method, step, "InvalidType")
            return Stop("argument", step.index, wrong, f"makes it {names}", refused)
    return None


def _items_met(player: Board, step: Step, position: int, cell: Cell, state: State) -> Stop | None:
    listed = player.method.values[cell.thing].val if cell.thing >= 0 else None
    if not isinstance(listed, IntList | TensorList | OptionalTensorList):
        return None
    wanted = {KernelTypes.INT} if isinstance(listed, IntList) else {KernelTypes.TENSOR}
    if isinstance(listed, OptionalTensorList):
        wanted.add(KernelTypes.NULL)
    for item in listed.items or ():
        kind = player.cell(state, item).kind
        if kind in wanted or kind in (UNKNOWN, 0):
            continue
        name = kind_name(cell.kind)
        message = f"is {article(name)} whose item {item} is {article(kind_name(kind))} then"
        return Stop("argument", step.index, position, message, ABORT)
    return None
