"""The external tensors of a method: those whose bytes come from a data file."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.claims.order import LoadMethodStep
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Tensor


@dataclass(frozen=True, slots=True)
class External:
    """An external tensor of a method: value index, key (None when it has no name), its tensor."""

    value: int
    key: str | None
    tensor: Tensor
    is_mutable: bool
    nbytes: int


def externals(method: Method) -> Iterator[External]:
    """The external tensors of a method, constants and mutable ones, in order."""
    for v in method.externals:
        tensor = method.tensor(v)
        assert tensor is not None
        assert tensor.extra_tensor_info is not None
        name = tensor.extra_tensor_info.fully_qualified_name
        # Keys are C strings in the runtime.
        key = name.split("\0", 1)[0] if name is not None else None
        yield External(v, key, tensor, method.is_planned(v), method.nbytes(v))


def load_order(external: External) -> tuple[int, int]:
    """When the runtime looks an external tensor up: constants before all values are parsed."""
    is_late = external.is_mutable
    step = LoadMethodStep.VALUES if is_late else LoadMethodStep.EXTERNAL_CONSTANTS
    return step, external.value


def wanted_keys(ctx: Context) -> set[str]:
    """The keys that the tensors of any method are looked up by."""
    return {e.key for method in ctx.methods for e in externals(method) if e.key is not None}
