"""Memory that the runtime asks its allocators for, besides arenas: to load a method and to run it.

Follows `Method::load`, `Method::init`, `parse_values` and `resolve_operator`
(runtime/executor/method.cpp) and `parseTensor` (runtime/executor/tensor_parser_portable.cpp),
request by request, with the sizes that the 1.5.1 wheel's structures have on 64-bit machines.
Measured beside that wheel: `python -m tests.harness.memory_use`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pte_lint.data.delegate_blobs import Blob
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method
from pte_lint.schema.enums import ShapeDynamism
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import (
    BoolList,
    DoubleList,
    Int,
    IntList,
    OptionalTensorList,
    String,
    Tensor,
    TensorList,
)

_POINTER: Final = 8
_EVALUE: Final = 16
_SPAN: Final = 16
_TENSOR_IMPL: Final = 64
_BOXED_LIST: Final = 24
_OPTIONAL_TENSOR: Final = 16
_NAMED_DATA: Final = 48
_DELEGATE: Final = 56
_COMPILE_SPEC: Final = 24
_CHAIN: Final = 32
_MERGED_MAP: Final = 24
_SIZE: Final = 4
_TENSOR_META: Final = 24
_MOST_DIMS: Final = 16

_EXECUTORS: Final = {"XnnpackBackend": 272}
"""What a backend's init asks the method allocator for, by backend: XNNExecutor."""

_TOPK: Final = "aten::topk.values"
_PAIR: Final = 16
"""A value and its index (kernels/portable/cpu/op_topk.cpp: `perform_topk`)."""

_BY_THREADS: Final = ("llama::custom_sdpa.out", "llama::sdpa_with_kv_cache.out")
"""Kernels whose temporary memory follows from the number of threads
(extension/llm/custom_ops/op_sdpa_impl.h: `cpu_flash_attention`)."""


@dataclass(frozen=True, slots=True)
class TemporaryMemory:
    """What one call of a kernel or delegate asks the temporary allocator for."""

    step: int
    operator: str
    nbytes: int


@dataclass(frozen=True, slots=True)
class MethodMemory:
    """What loading and running one method takes of its allocators, in bytes.

    A bump allocator (`MemoryAllocator`) of exactly so many bytes, aligned to 16, suffices; one
    byte less does not.
    """

    allocator: int
    """Of the method allocator where the temporary allocator does not serve to look up kernels: it
    is absent, too small, or gives memory of the system, as with Module."""
    allocator_beside_temporary: int
    """Of the method allocator where the temporary one has `lookup` bytes at least."""
    lookup: int
    """Of the temporary allocator, to look up kernels while loading."""
    temporary: tuple[TemporaryMemory, ...]
    """Calls that ask for temporary memory; it is free again after each."""
    unknown: tuple[str, ...]
    """What asks for memory that cannot be told: backends, and kernels by their threads."""

    @property
    def most_temporary(self) -> int:
        """Bytes of the temporary allocator with which every call gets what it asks for."""
        return max((each.nbytes for each in self.temporary), default=0)


class _Bump:
    """Requests one behind the other, as `MemoryAllocator::allocate` places them."""

    def __init__(self) -> None:
        self.used = 0

    def ask(self, count: int, size: int, alignment: int) -> None:
        self.used = -(-self.used // alignment) * alignment + count * size


def method_memory(
    method: Method, described: Sequence[Blob], *, has_data: bool = False, has_keys: bool = False
) -> MethodMemory:
    """Works out what a method asks for.

    Args:
        method: a method that loads.
        described: its delegates' blobs.
        has_data: whether data files are given with the program.
        has_keys: whether the program has named data of its own.
    """
    both, alone = _Bump(), _Bump()
    for bump in (both, alone):
        _values(bump, method)
        _delegates(bump, method, is_merged=has_data and has_keys)
        _chains(bump, method, with_lookup=bump is both)
    calls = [step for step in method.steps if step.kind is StepKind.KERNEL]
    most = max((len(step.args) for step in calls), default=0)
    backends = sorted(
        {method.delegate_id(i) or "" for i in range(len(method.plan.delegates or ()))}
    )
    unknown = [f"backend {name}" for name in backends if name not in _EXECUTORS]
    unknown += sorted({step.operator for step in calls if step.operator in _BY_THREADS})
    return MethodMemory(
        both.used,
        alone.used,
        most * (_TENSOR_META + _MOST_DIMS),
        tuple(_temporary(method, {blob.index: blob.facts.scratch for blob in described})),
        tuple(unknown),
    )


def _values(bump: _Bump, method: Method) -> None:
    bump.ask(len(method.values), _EVALUE, _POINTER)
    if method.inputs:
        bump.ask(len(method.inputs), 1, 1)
    external = sum(not method.is_planned(v) for v in method.externals)
    if external:
        bump.ask(external, _NAMED_DATA, _POINTER)
    for value in method.values:
        match value.val:
            case Tensor():
                _tensor(bump, value.val)
            case IntList() | TensorList():
                count = len(value.val.items or ())
                bump.ask(2 * count, _POINTER, _POINTER)
                bump.ask(1, _BOXED_LIST, _POINTER)
            case OptionalTensorList():
                count = len(value.val.items or ())
                bump.ask(count, _POINTER + _OPTIONAL_TENSOR, _POINTER)
                bump.ask(1, _BOXED_LIST, _POINTER)
            case BoolList() | DoubleList() | String():
                bump.ask(1, _SPAN, _POINTER)


def _tensor(bump: _Bump, tensor: Tensor) -> None:
    rank = len(tensor.sizes or ())
    if tensor.shape_dynamism != ShapeDynamism.STATIC:
        bump.ask(rank, _SIZE, _SIZE)
        bump.ask(rank, 1, 1)
    bump.ask(rank, _SIZE, _SIZE)
    bump.ask(1, _TENSOR_IMPL, _POINTER)


def _delegates(bump: _Bump, method: Method, *, is_merged: bool) -> None:
    delegates = method.plan.delegates or ()
    bump.ask(len(delegates), _DELEGATE, _POINTER)
    if is_merged:
        bump.ask(1, _MERGED_MAP, _POINTER)
    for index, delegate in enumerate(delegates):
        if delegate.compile_specs is not None:
            bump.ask(len(delegate.compile_specs), _COMPILE_SPEC, _POINTER)
        bump.ask(1, _EXECUTORS.get(method.delegate_id(index) or "", 0), _POINTER)


def _chains(bump: _Bump, method: Method, *, with_lookup: bool) -> None:
    bump.ask(len(method.plan.chains or ()), _CHAIN, _POINTER)
    chain = -1
    counts = [len(each.instructions or ()) for each in method.plan.chains or ()]
    for step in method.steps:
        while chain < step.chain:
            chain += 1
            bump.ask(counts[chain], _POINTER + _SPAN, _POINTER)
        if step.kind in (StepKind.KERNEL, StepKind.DELEGATE):
            bump.ask(len(step.args), _POINTER, _POINTER)
        if with_lookup and step.kind is StepKind.KERNEL:
            bump.ask(len(step.args), _TENSOR_META, _POINTER)
            for v in step.args:
                tensor = method.tensor(v)
                if tensor is not None:
                    bump.ask(len(tensor.sizes or ()), 1, 1)


def _temporary(method: Method, scratch: Mapping[int, int | None]) -> Iterator[TemporaryMemory]:
    for step in method.steps:
        if step.kind is StepKind.DELEGATE:
            nbytes = scratch.get(step.target)
            if nbytes:
                yield TemporaryMemory(step.index, step.operator, nbytes)
        if step.kind is not StepKind.KERNEL or step.operator != _TOPK:
            continue
        source, dim = method.tensor(step.args[0]), method.value(step.args[2])
        if source is None or dim is None or not isinstance(dim.val, Int):
            continue
        sizes = source.sizes or ()
        length = sizes[dim.val.int_val] if sizes else 1
        if all(sizes):
            yield TemporaryMemory(step.index, step.operator, length * _PAIR)
