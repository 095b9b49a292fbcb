"""Whether a call is given what was written for it: memory that was overwritten, views that err.

Each value is followed from the call that writes it to the calls that read it. Between them the
contents may only stay. A value that no call writes stands for a view of what was last written to
its place; it has to have the same elements in logical order (`view_copy`, which the exporter leaves
out).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pte_lint.harness.elements import Apart, compare, in_logical_order, width_of
from pte_lint.harness.recording import (
    Recorded,
    RecordedCall,
    RecordedTensor,
    Recording,
    written_arguments,
)
from pte_lint.ir.calling import list_items
from pte_lint.ir.steps import StepKind
from pte_lint.ops.schemas import operator_schema
from pte_lint.questions.method import Method
from pte_lint.schema.enums import dtype_name


@dataclass(frozen=True, slots=True)
class Lost:
    """A value that is not what was written.

    Attributes:
        value: Its index.
        writer: Number of the instruction that wrote it, counted over all chains.
        is_view: Whether it is a view that has other elements than its base, or was overwritten.
        apart: How far it is off, where elements can be compared.
    """

    value: int
    writer: int
    is_view: bool
    apart: Apart | None


_Written = tuple[RecordedTensor, int]
"""What was written, and by which instruction."""


class Follower:
    """Follows the values of one run."""

    def __init__(self, method: Method, recording: Recording) -> None:
        self._method, self._recording = method, recording
        self._written: dict[int, _Written] = {}
        self._at_place: dict[str, _Written] = {}
        self._before: tuple[int, int] = (-1, -1)
        self.unknown = False
        """Whether a value of the last call is a view of which the base is not known."""

    def read(self, call: RecordedCall, at: int) -> Lost | None:
        """Looks at what a call is given, then at what it writes; `at` is its instruction."""
        self._pass_over(call)
        self.unknown = False
        step = self._method.steps[at]
        found: Lost | None = None
        for v, tensor in self._leaves(step.args, call.args):
            found = found or self._checked(v, tensor)
        schema = operator_schema(step.operator)
        if call.outs is None or schema is None or step.operator.startswith("executorch_prim::"):
            # What is not known, and prim operators, make views and write in place as they like.
            for v in self._flat(step.args):
                self._written.pop(v, None)
            return found
        first, _ = written_arguments(step.operator, schema)
        for v, tensor in self._leaves(step.args[first:], call.outs):
            self._written[v] = self._at_place[tensor.place] = tensor, at
        return found

    def _pass_over(self, call: RecordedCall) -> None:
        """Instructions between two calls that are not recorded: moves, delegates, jumps."""
        starts = self._method.flow.chain_starts
        chain, last = self._before
        first = last + 1 if chain == call.chain and last < call.instruction else 0
        self._before = (call.chain, call.instruction)
        for step in self._method.steps[
            starts[call.chain] + first : starts[call.chain] + call.instruction
        ]:
            if step.kind is StepKind.DELEGATE:
                for v in self._flat(step.args):
                    self._written.pop(v, None)
                self._at_place.clear()
            elif step.kind is not StepKind.KERNEL:
                for v in step.args:
                    self._written.pop(v, None)

    def _checked(self, v: int, tensor: RecordedTensor) -> Lost | None:
        known = self._written.get(v)
        if known is not None:
            before = known[0]
            if before.sizes != tensor.sizes or self._is_same(before, tensor):
                return None
            return self._lost(v, known, tensor, is_view=False)
        if self._method.writers(v) or self._method.is_input[v] or self._method.is_constant(v):
            return None
        base = self._at_place.get(tensor.place)
        if base is None or not self._is_same(base[0], tensor):
            self.unknown = True
            return None
        lost = self._lost(v, base, tensor, is_view=True)
        return lost if lost.apart is not None else None

    def _is_same(self, one: RecordedTensor, other: RecordedTensor) -> bool:
        """Whether two tensors have the same bytes, as they lie in memory."""
        if one.dtype != other.dtype or one.nbytes != other.nbytes:
            return False
        return one.at == other.at or self._content(one) == self._content(other)

    def _content(self, tensor: RecordedTensor) -> bytes:
        return self._recording.content(tensor) or b""

    def _lost(self, v: int, known: _Written, tensor: RecordedTensor, *, is_view: bool) -> Lost:
        before, writer = known
        want, got = (
            in_logical_order(self._content(each), width_of(each.dtype), each.sizes, each.order)
            for each in (before, tensor)
        )
        apart = compare(got, want, dtype_name(tensor.dtype), tensor.sizes)
        return Lost(v, writer, is_view, apart)

    def _leaves(
        self, args: Sequence[int], values: Sequence[Recorded]
    ) -> Iterator[tuple[int, RecordedTensor]]:
        """Value indices of tensors, those in lists too, with what was recorded of them."""
        for v, value in zip(args, values, strict=False):
            if isinstance(value, RecordedTensor):
                yield v, value
            elif isinstance(value, tuple):
                present = [each for each in value if isinstance(each, RecordedTensor)]
                yield from zip(list_items(self._method.value(v)), present, strict=False)

    def _flat(self, args: Sequence[int]) -> Iterator[int]:
        for v in args:
            yield v
            yield from list_items(self._method.value(v))
