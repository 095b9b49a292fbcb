"""Computes an XNNPACK graph, node after node, as XNNPACK runs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from pte_lint.harness.reference.xnnpack.constants import Constants, NotComputed
from pte_lint.harness.reference.xnnpack.known import Known
from pte_lint.harness.reference.xnnpack.table import RULES
from pte_lint.harness.reference.xnnpack.values import PLAIN, WHOLE, Place, Rounding
from pte_lint.schema.xnnpack_flow import live_nodes, places, unwritten, writes_over_itself
from pte_lint.schema.xnnpack_graph import (
    EXTERNAL_INPUT,
    EXTERNAL_OUTPUT,
    Node,
    PerTensorQuant,
    operator_names,
    tensor_of,
)
from pte_lint.schema.xnnpack_values import NO_ID, Dtype, dtype_of


@dataclass(frozen=True, slots=True)
class Computed:
    """What a graph gives.

    Attributes:
        outputs: By argument position, what it writes there: the elements as they are stored, but
            whole numbers as float64.
        has_nan: Whether a NaN came up on the way.
    """

    outputs: Mapping[int, torch.Tensor]
    has_nan: bool


class Evaluator:
    """One graph, ready to be computed for any inputs.

    Raises:
        NotComputed: It has a node that is not known, or leaves something open.
    """

    def __init__(self, constants: Constants) -> None:
        graph = constants.graph
        self._numbers, tensors = places(graph)
        self._places: dict[int, Place] = {}
        for index, value in enumerate(graph.xvalues or ()):
            tensor = tensor_of(value)
            if tensor is None:
                continue
            at = tensor.external_id if tensor.external_id != NO_ID else NO_ID + 1 + index
            self._places[at] = Place(value, tensor, constants)
        names, alive = operator_names(), live_nodes(graph)
        self._nodes = [
            (names.get(node.xnode_union_type, ""), node)
            for index, node in enumerate(graph.xnodes or ())
            if index in alive
        ]
        for name, _ in self._nodes:
            if name not in RULES:
                raise NotComputed(f"node type {name or 'unknown'}")
        if next(unwritten(graph), None) is not None or writes_over_itself(graph):
            raise NotComputed("its graph reads what nothing wrote, or writes over what it reads")
        if any(dtype_of(tensor.dq_datatype) for tensor in tensors.values()):
            raise NotComputed("an input that is quantised without a node")
        self.rounds = any(
            place.dtype in (Dtype.QINT8, Dtype.QUINT8, Dtype.QDINT8)
            and not place.tensor.constant_buffer_idx
            for place in self._places.values()
        )
        """Whether a value is rounded to steps on the way."""

    def externals(self, flag: int) -> dict[int, Place]:
        """Inputs or outputs by argument position."""
        return {
            at: place
            for at, place in sorted(self._places.items())
            if place.tensor.flags & flag and at < NO_ID
        }

    @property
    def precision(self) -> Dtype:
        """The least precise of the plain types that its values have."""
        dtypes = {place.dtype for place in self._places.values()}
        order = (Dtype.BF16, Dtype.FP16)
        return next((dtype for dtype in order if dtype in dtypes), Dtype.FP32)

    def __call__(self, given: Mapping[int, torch.Tensor], nudge: int = 0) -> Computed:
        """Computes the outputs.

        Args:
            given: Stored elements of the inputs in memory order, by argument position.
            nudge: As in `Rounding`.

        Raises:
            NotComputed: Something on the way is not known.
        """
        known = Known(self._numbers, self._places, Rounding(nudge))
        for at, place in self.externals(EXTERNAL_INPUT).items():
            known.give(at, _numbers(place, given[at]))
        for name, node in self._nodes:
            rule, content = RULES[name], _content(node)
            made = rule.compute(content, known)
            limits = node.output_min_max
            if rule.has_limits and limits is not None:
                made = made.clamp(limits.output_min, limits.output_max)
            known.put(content.output_id, made, rule.off)
        outputs = {
            at: _stored(place, known.at(at))
            for at, place in self.externals(EXTERNAL_OUTPUT).items()
        }
        return Computed(outputs, known.has_nan)


def _content(node: Node) -> Any:
    if node.xnode_union is None:
        raise NotComputed("a node has no content")
    return node.xnode_union


def _numbers(place: Place, stored: torch.Tensor) -> torch.Tensor:
    """The numbers that an input's elements stand for."""
    want = PLAIN.get(place.dtype) or WHOLE.get(place.dtype)
    if stored.dtype != want:
        raise NotComputed(f"an input of {stored.dtype} where the graph takes {want}")
    if isinstance(place.params, PerTensorQuant):
        return (stored.double() - place.params.zero_point) * place.params.scale
    return stored.double() if place.dtype is Dtype.INT32 else stored.float()


def _stored(place: Place, numbers: torch.Tensor) -> torch.Tensor:
    """The elements that stand for an output's numbers."""
    if isinstance(place.params, PerTensorQuant):
        return torch.round(numbers / place.params.scale) + place.params.zero_point
    return numbers
