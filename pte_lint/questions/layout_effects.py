"""Whether calls that take tensors for something else than they are spoil any output.

A small method without jumps is played twice on terms for elements (`pte_lint.ops.layouts.terms`):
as PyTorch's operators make them, and as the kernels find them in memory, at the largest sizes.
Where outputs have the same terms in both, nothing that went wrong on the way shows: a later call
forgets it (the softmax of a single element), leaves it out (a slice), or turns it back (the same
permutation again), or the elements that were exchanged are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from pte_lint.interpret.choices import has_dynamic_sizes
from pte_lint.ir.steps import Step, StepKind
from pte_lint.ops.layouts.between import between
from pte_lint.ops.layouts.bounds import are_close
from pte_lint.ops.layouts.call import Misread, PlacedCall, Unknown
from pte_lint.ops.layouts.flat import BROADCAST, BY_POSITION, ROW_MAJOR
from pte_lint.ops.layouts.meanings import meaning_of, reads_by_strides
from pte_lint.ops.layouts.placed import Placed
from pte_lint.ops.layouts.rows import from_memory, to_memory
from pte_lint.ops.layouts.terms import Row, Terms
from pte_lint.ops.operators import base_name
from pte_lint.ops.schemas import operator_schema
from pte_lint.questions.liveness import liveness_of
from pte_lint.questions.method import Method
from pte_lint.questions.placed_call import FilePlacedCall
from pte_lint.schema.enums import element_size

_MOST_ELEMENTS: Final = 1 << 15
"""Of all tensors that are written together."""

_OF_ANY_SIZE: Final = frozenset({"aten::masked_select", "aten::repeat_interleave", "aten::arange"})

Faults = Mapping[int, Misread]
"""What is wrong, by step."""
Content = Callable[[int], bytes | None]
"""The bytes of a constant by value; None where they are not at hand."""


def comes_out_right(
    method: Method, faults: Faults, content: Content, is_uniform: Callable[[int], bool]
) -> bool:
    """True when every output surely is what it is in PyTorch, in spite of faults.

    Args:
        method: the method; only small ones are looked at.
        faults: calls that kernels make wrong, for one version of the runtime.
        content: bytes of constants.
        is_uniform: whether all elements of a value are surely equal.
    """
    if has_dynamic_sizes(method) and any(_depends_on_data(method, s) for s in method.steps):
        return False
    if any(fault.outside for fault in faults.values()):
        return False
    written = {v for step in method.steps for v in step.writes}
    total = sum((method.nbytes(v) or 0) // _width(method, v) for v in written)
    if total > _MOST_ELEMENTS or any(method.liveness.storage.is_state(v) for v in written):
        return False
    try:
        return _Play(method, faults, content, is_uniform).is_right()
    except Unknown:
        return False


def _depends_on_data(method: Method, step: Step) -> bool:
    """Whether how large a result is depends on what is read, and steps go on with it."""
    name = base_name(step.operator)
    if name == "aten::nonzero":
        return any(v in other.reads for v in step.writes for other in method.steps)
    return name in _OF_ANY_SIZE


def _width(method: Method, v: int) -> int:
    tensor = method.tensor(v)
    return (element_size(tensor.scalar_type) or 1) if tensor is not None else 1


class _Play:
    """One method, played both ways at once."""

    def __init__(
        self, method: Method, faults: Faults, content: Content, is_uniform: Callable[[int], bool]
    ) -> None:
        self._method, self._faults = method, faults
        self._content, self._is_uniform = content, is_uniform
        self._terms = Terms()
        self._true: dict[int, Row] = {}
        self._memory: dict[int, Row] = {}
        self._resized: dict[int, Placed] = {}

    def is_right(self) -> bool:
        """Whether outputs are the same both ways.

        Raises:
            Unknown: it cannot be told.
        """
        for step in self._method.steps:
            if step.kind is not StepKind.KERNEL or base_name(step.operator).endswith("_"):
                raise Unknown
            self._play(step)
        for v in self._method.outputs:
            placed = self._resized.get(v) or self._placed(v)
            true, memory = self._rows(placed)
            for one, other in zip(from_memory(memory, placed), true, strict=True):
                if one != other and not are_close(
                    self._terms.bounds(one), self._terms.bounds(other)
                ):
                    return False
        return True

    def _play(self, step: Step) -> None:
        schema = operator_schema(step.operator)
        if schema is None or len(step.args) != schema.call_size:
            raise Unknown
        call = FilePlacedCall(self._method, step, schema, self._is_uniform)
        inputs, outs = call.inputs(), call.outs()
        rows = [self._rows(each) for each in inputs]
        true = [row for row, _ in rows]
        found = [from_memory(memory, each) for (_, memory), each in zip(rows, inputs, strict=True)]
        wanted = self._meant(step, call, true, outs)
        if base_name(step.operator) == "aten::nonzero":
            outs = [self._fitted(out, row) for out, row in zip(outs, wanted, strict=True)]
        if step.index not in self._faults:
            made = [to_memory(row, out) for row, out in zip(
                self._meant(step, call, found, outs), outs, strict=True)]  # fmt: skip
        elif meaning_of(step.operator) is None or not self._is_flat(step):
            made = [self._garbage(step, out) for out in outs]
        else:
            # Row-major whatever it is: memory goes in, and memory comes out.
            given = found if reads_by_strides(call) else [memory for _, memory in rows]
            made = self._meant(step, call, given, outs)
        for out, row, memory in zip(outs, wanted, made, strict=True):
            if len(row) != out.numel or len(memory) != out.numel:
                raise Unknown
            self._true[out.value], self._memory[out.value] = row, memory

    def _fitted(self, out: Placed, row: Row) -> Placed:
        """The output of `nonzero` as large as its result."""
        if out.rank != 2 or not out.sizes[1] or len(row) % out.sizes[1]:
            raise Unknown
        made = replace(out, sizes=(len(row) // out.sizes[1], out.sizes[1]))
        self._resized[out.value] = made
        return made

    def _is_flat(self, step: Step) -> bool:
        """Whether what goes wrong in a call is that memory is taken as row-major."""
        return self._faults[step.index].how in (BROADCAST, BY_POSITION, ROW_MAJOR)

    def _meant(
        self, step: Step, call: PlacedCall, rows: list[Row], outs: list[Placed]
    ) -> list[Row]:
        """What the operator makes of rows, element by element where that is known."""
        meaning = meaning_of(step.operator)
        made = meaning(call, rows, self._terms) if meaning is not None else []
        if made and all(len(set(row)) == 1 for row in made):
            return made
        if all(self._is_uniform(out.value) for out in outs):
            return [[self._terms.of("one", out.value)] * out.numel for out in outs]
        if made:
            return made
        whole = self._terms.of(step.index, tuple(map(tuple, rows)))
        known = between(call, rows, self._terms)

        def term(n: int, i: int) -> int:
            return self._terms.bounded(self._terms.of("of", whole, n, i), outs[n].dtype, known)

        return [[term(n, i) for i in range(out.numel)] for n, out in enumerate(outs)]

    def _garbage(self, step: Step, out: Placed) -> Row:
        return [self._terms.of("garbage", step.index, out.value, i) for i in range(out.numel)]

    def _rows(self, tensor: Placed) -> tuple[Row, Row]:
        """Terms of a tensor that is read: as it should be, and as its memory has them."""
        v = tensor.value
        if v in self._resized and tensor.sizes != self._resized[v].sizes:
            raise Unknown  # what reads it is as large as it
        if v not in self._true:
            base = liveness_of(self._method).storage.base(v)
            if base is not None and not self._method.writers(v):
                true, memory = self._rows(self._placed(base))
                if len(true) != tensor.numel:
                    raise Unknown
                self._true[v], self._memory[v] = true, memory
            else:
                memory = self._first(tensor)
                self._true[v], self._memory[v] = from_memory(memory, tensor), memory
        return self._true[v], self._memory[v]

    def _first(self, tensor: Placed) -> Row:
        """What nobody writes: inputs and constants, which are what they should be."""
        v = tensor.value
        if self._method.writers(v):
            raise Unknown  # read before it is written
        data = self._content(v) if self._method.is_constant(v) else None
        width = _width(self._method, v)
        if data is not None and len(data) == width * tensor.numel:
            return [
                self._terms.constant(tensor.dtype, data[at : at + width])
                for at in range(0, len(data), width)
            ]
        return [self._terms.of("given", v, i) for i in range(tensor.numel)]

    def _placed(self, v: int) -> Placed:
        tensor = self._method.tensor(v)
        order = tensor.dim_order if tensor is not None else None
        if tensor is None or tensor.sizes is None or order is None:
            raise Unknown
        if sorted(order) != list(range(len(tensor.sizes))):
            raise Unknown
        return Placed("", v, tensor.sizes, order, tensor.scalar_type)
