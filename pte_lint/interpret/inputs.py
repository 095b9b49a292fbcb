"""Plays setting the inputs of a later run: `Method::set_input` compares with what is there.

Source: runtime/executor/method.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, isnan
from typing import TYPE_CHECKING

from pte_lint.claims.forecast import Stage, error
from pte_lint.interpret.kinds import kind_name
from pte_lint.interpret.player import Player
from pte_lint.interpret.rows import takes
from pte_lint.interpret.state import (
    UNKNOWN,
    Cell,
    Number,
    State,
    Stop,
    first_cell,
    first_sizes,
)
from pte_lint.schema.enums import KernelTypes, ShapeDynamism
from pte_lint.text.words import article

if TYPE_CHECKING:
    from pte_lint.ir.method import Method


def set_inputs(player: Player, state: State) -> Stop | None:
    """Plays setting the inputs of a later run, given as for the first one."""
    refused = error(Stage.SET_INPUT, "InvalidArgument")
    for position, v in enumerate(player.method.inputs):
        before, now = first_cell(player.method, v), player.cell(state, v)
        if before.kind == 0 or UNKNOWN in (before.kind, now.kind):
            continue
        if before.kind != now.kind:
            message = f"holds {article(kind_name(now.kind))} after the first run"
            return Stop("input", -1, position, message, refused)
        if before.kind == KernelTypes.TENSOR:
            stop = _set_tensor(player.method, position, now, state, player.given)
            if stop is not None:
                return stop
        elif now.number is not None and not is_taken_for(before.number, now.number):
            message = f"holds {now.number} after the first run"
            return Stop("input", -1, position, message, refused)
    return None


def is_taken_for(given: Number | None, held: Number) -> bool:
    """Whether set_input finds a number that is given equal to the one that is there."""
    if not isinstance(given, float) or not isinstance(held, float):
        return given == held
    if isnan(given) and isnan(held):
        return True
    if not isfinite(given) and not isfinite(held) and (given > 0) == (held > 0):
        return True
    difference = abs(given - held)
    return isfinite(difference) and difference <= 1e-4 + abs(1e-5 * held)


def _set_tensor(
    method: Method,
    position: int,
    now: Cell,
    state: State,
    given: Mapping[int, tuple[int, ...]] | None,
) -> Stop | None:
    v = method.inputs[position]
    old, new = method.tensor(v), method.tensor(now.thing)
    if old is None or new is None:
        return None
    refused = error(Stage.SET_INPUT, "InvalidArgument")
    if old.scalar_type != new.scalar_type:
        message = "holds a tensor of another element type after the first run"
        return Stop("input", -1, position, message, refused)
    if len(old.sizes or ()) != len(new.sizes or ()):
        message = "holds a tensor of another rank after the first run"
        other = error(Stage.SET_INPUT, "NotSupported")
        return Stop("input", -1, position, message, other)
    sizes = first_sizes(method, v, given)
    if sizes is not None and not takes(new, sizes):
        message = f"holds a tensor that cannot take sizes {list(sizes)} after the first run"
        return Stop("input", -1, position, message, error(Stage.SET_INPUT, "NotSupported"))
    is_copied = method.is_planned(v) or old.data_buffer_idx > 0
    if is_copied and now.thing in state.freed and method.nbytes(v) > 0:
        message = "has no memory after the first run"
        return Stop("input", -1, position, message, refused)
    if not is_copied:
        state.freed -= {now.thing}
    if new.shape_dynamism != ShapeDynamism.STATIC:
        state.sizes[now.thing] = sizes
    return None
