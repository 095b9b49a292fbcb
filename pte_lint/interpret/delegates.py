"""Plays calls of XNNPACK delegates: whether the graph takes the sizes, and what comes out.

Source: prepare_args and resize_outputs in backends/xnnpack/runtime/XNNExecutor.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from pte_lint.claims.forecast import Prediction, Stage, crash, error
from pte_lint.interpret.board import Board
from pte_lint.interpret.rows import takes
from pte_lint.interpret.state import Sizes, State, Stop
from pte_lint.ops.xnnpack import externals, reshaped
from pte_lint.ops.xnnpack_sizes import Refused
from pte_lint.schema.enums import ShapeDynamism
from pte_lint.schema.frozen import dataclass, field
from pte_lint.schema.program import Tensor
from pte_lint.schema.xnnpack_graph import EXTERNAL_INPUT, Graph

if TYPE_CHECKING:
    from pte_lint.ir.steps import Step

_MOST_DIMENSIONS: Final = 6
"""XNN_MAX_TENSOR_DIMS."""
RANKS_SINCE: Final = "1.5"
"""First release that compares the innermost sizes of layers; before, memory was misread."""


@dataclass(frozen=True, slots=True)
class Met:
    """What a graph makes of its arguments.

    Attributes:
        results: Sizes of the outputs by argument position; None for what cannot be told.
        prediction: How the call fails; None where it does not.
        message: Why it does.
        argument: The argument in question, if it is one.
        since: First release that returns the error, where older ones misuse memory instead.
    """

    results: Mapping[int, Sizes] = field(default_factory=dict)
    prediction: Prediction | None = None
    message: str = ""
    argument: int | None = None
    since: str = ""


def stored(sizes: tuple[int, ...], tensor: Tensor) -> tuple[int, ...]:
    """Sizes in memory order, as XNNPACK is given them."""
    return tuple([sizes[d] for d in tensor.dim_order or () if d < len(sizes)])


def meet(
    graph: Graph,
    tensor_at: Callable[[int], Tensor | None],
    sizes_at: Callable[[int], Sizes],
) -> Met:
    """What a graph makes of the tensors at argument positions, given sizes that they have."""
    given = {}
    for external in externals(graph, EXTERNAL_INPUT):
        tensor, sizes = tensor_at(external.argument), sizes_at(external.argument)
        if sizes is not None and len(sizes) > _MOST_DIMENSIONS:
            message = f"argument {external.argument} has {len(sizes)} dimensions"
            return Met(
                prediction=_fails("InvalidArgument"), message=message, argument=external.argument
            )
        if tensor is not None and sizes is not None:
            given[external.argument] = stored(sizes, tensor)
    try:
        outputs = reshaped(graph, given)
    except Refused as reason:
        said = crash(Stage.EXECUTE, reason.signal) if reason.signal else _fails("Internal")
        return Met(prediction=said, message=str(reason), since=RANKS_SINCE * reason.is_new)
    results: dict[int, Sizes] = {}
    for argument, made in outputs.items():
        tensor = tensor_at(argument)
        results[argument] = None
        if tensor is None or tensor.sizes is None or made is None:
            continue
        if len(made) != len(tensor.sizes):
            dimensions = f"{len(made)} dimensions, and argument {argument} {len(tensor.sizes)}"
            message = f"the result has {dimensions}"
            return Met(prediction=_fails("Internal"), message=message, argument=argument)
        order = tensor.dim_order or range(len(made))
        sizes = tuple([size for _, size in sorted(zip(order, made, strict=False))])
        if not takes(tensor, sizes):
            message = f"the result has the sizes {list(sizes)}, and argument {argument} takes "
            message += f"{'' if _is_static(tensor) else 'up to '}{list(tensor.sizes)}"
            return Met(prediction=_fails("NotSupported"), message=message, argument=argument)
        results[argument] = sizes
    return Met(results)


def _fails(name: str) -> Prediction:
    return error(Stage.EXECUTE, name)


def _is_static(tensor: Tensor) -> bool:
    return tensor.shape_dynamism == ShapeDynamism.STATIC


def play_graph(player: Board, graph: Graph, step: Step, state: State) -> Stop | None:
    """Plays a call; notes the sizes of what comes out, or says why the run ends."""
    method = player.method

    def thing(position: int) -> int:
        return player.cell(state, step.args[position]).thing if position < len(step.args) else -1

    met = meet(
        graph,
        lambda position: method.tensor(thing(position)),
        lambda position: player.sizes(state, thing(position)),
    )
    if met.prediction is not None:
        said = met.prediction
        return Stop("graph", step.index, met.argument, met.message, said, met.since)
    player.overwrite(step, state)
    for position, sizes in met.results.items():
        tensor = method.tensor(thing(position))
        if tensor is not None and not _is_static(tensor):
            player.resized(state, thing(position), sizes)
    return None
