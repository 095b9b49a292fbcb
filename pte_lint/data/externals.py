"""The external tensors of a method: those whose bytes come from a data file."""

from __future__ import annotations

from collections.abc import Iterator

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
