"""What the graph formats say of a node: its name, its lane, its findings."""

from __future__ import annotations

from pte_lint.ir.steps import StepKind
from pte_lint.picture.lanes import Lane
from pte_lint.picture.marks import Mark
from pte_lint.picture.scene import MethodScene
from pte_lint.questions.graph import Node
from pte_lint.questions.placement.copies import COPY_ARGUMENTS, TARGET, is_copy


class GraphView:
    """Answers questions about the nodes of one method's graph; see `pte_lint.questions.graph`."""

    def __init__(self, scene: MethodScene) -> None:
        """Takes a method that is drawn up."""
        self._scene, self._method, self._lanes = scene, scene.method, scene.lanes

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes, the host first."""
        return self._lanes.all

    def lane(self, node: Node) -> int | None:
        """Where a node is: an instruction's work, a tensor's memory; None for what has no place.

        A boundary copy is in the lane that it copies to.
        """
        kind, key = node
        if not isinstance(key, int):
            return None
        match kind:
            case "instruction":
                return self._work(key)
            case "value":
                return self._memory(key)
            case "input":
                return self._memory(self._method.inputs[key])
            case "output":
                return self._memory(self._method.outputs[key])
            case "arena":
                return self._lanes.of(self._method.arenas[key].device)
        return None

    def marks(self, node: Node) -> list[Mark]:
        """The findings about a node, the worst first."""
        kind, key = node
        marks = self._scene.marks
        tables = {
            "instruction": marks.steps,
            "value": marks.values,
            "input": marks.inputs,
            "output": marks.outputs,
        }
        return tables[kind].get(key, []) if kind in tables and isinstance(key, int) else []

    def _work(self, index: int) -> int:
        method = self._method
        step = method.steps[index]
        if is_copy(step.operator) and len(step.args) == COPY_ARGUMENTS:
            return self._memory(step.args[TARGET]) or 0
        target = method.placement.target(step) if step.kind is StepKind.DELEGATE else None
        return self._lanes.of(target.device) if target is not None and target.device else 0

    def _memory(self, v: int) -> int | None:
        if self._method.tensor(v) is None:
            return None
        home = self._method.home(v)
        return self._lanes.of(self._method.tag(v) if home.is_null else home.device)


def node_id(node: Node) -> str:
    """`instruction 3`, `value 7`, ..."""
    return f"{node[0]} {node[1]}"
