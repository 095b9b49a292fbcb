"""Argument kinds of known operators, in the order in which a call must give them.

The table is generated from PyTorch's operator registry (scripts/generate_operator_schemas.py). A
generated kernel wrapper wants every schema argument, out arguments included, and one more for the
call's return (codegen/gen.py: `ComputeCodegenUnboxedKernels`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.frozen import dataclass

_INT, _BOOL, _DOUBLE = KernelTypes.INT, KernelTypes.BOOL, KernelTypes.DOUBLE

_ACCEPTED: Final[Mapping[str, tuple[str, frozenset[KernelTypes]]]] = {
    "T": ("Tensor", frozenset({KernelTypes.TENSOR})),
    "L": ("TensorList", frozenset({KernelTypes.TENSOR_LIST})),
    "O": ("OptionalTensorList", frozenset({KernelTypes.OPTIONAL_TENSOR_LIST})),
    "i": ("Int", frozenset({_INT})),
    "I": ("IntList", frozenset({KernelTypes.INT_LIST})),
    "f": ("Double", frozenset({_DOUBLE})),
    "F": ("DoubleList", frozenset({KernelTypes.DOUBLE_LIST})),
    "b": ("Bool", frozenset({_BOOL})),
    "B": ("BoolList", frozenset({KernelTypes.BOOL_LIST})),
    "s": ("number", frozenset({_INT, _BOOL, _DOUBLE})),
    "z": ("String", frozenset({KernelTypes.STRING})),
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of an operator: what the kernel's wrapper converts it to."""

    wanted: str
    """The kind in words (`Int`, `Tensor or None`)."""
    accepted: frozenset[KernelTypes]
    """Kinds of value that the conversion accepts; anything else aborts the process."""
    is_out: bool = False


@dataclass(frozen=True, slots=True)
class OperatorSchema:
    """The arguments of an operator, its outs last; the call's return not counted."""

    parameters: tuple[Parameter, ...]
    inputs: int
    """How many parameters come before the first out; all of them for an in-place operator."""

    @property
    def call_size(self) -> int:
        """How many arguments a call must have (arguments, outs, and the return)."""
        return len(self.parameters) + 1


@lru_cache(maxsize=1)
def _table() -> Mapping[str, str]:
    source = Path(__file__).parents[1] / "profiles" / "schemas.json"
    table: dict[str, str] = json.loads(source.read_text("utf-8"))["schemas"]
    return table


@lru_cache(maxsize=1024)
def operator_schema(operator: str) -> OperatorSchema | None:
    """The schema of an operator by full name; None for operators that the table lacks."""
    signature = _table().get(operator)
    if signature is None:
        return None
    parameters: list[Parameter] = []
    is_out = False
    for code in signature.split():
        if code == ":":
            is_out = True
        else:
            parameters.append(_parameter(code, is_out))
    return OperatorSchema(tuple(parameters), sum(not p.is_out for p in parameters))


def _parameter(code: str, is_out: bool) -> Parameter:
    name, accepted = _ACCEPTED[code[0]]
    if code.endswith("?"):
        return Parameter(f"{name} or None", accepted | {KernelTypes.NULL}, is_out)
    return Parameter(name, accepted, is_out)
