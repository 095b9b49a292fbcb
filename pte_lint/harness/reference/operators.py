"""What operators of PyTorch make of recorded arguments. Imported by the worker only.

The kernel of `aten::add.out` is compared with the overload of the same name, which writes into a
tensor that is new, contiguous and of the recorded sizes; where there is no such overload, with the
one that returns its result. Definitions of what PyTorch does not define stand here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from pte_lint.ops.operators import base_name

DTYPES: dict[int, torch.dtype] = {
    0: torch.uint8, 1: torch.int8, 2: torch.int16, 3: torch.int32, 4: torch.int64,
    5: torch.float16, 6: torch.float32, 7: torch.float64, 9: torch.complex64,
    10: torch.complex128, 11: torch.bool, 15: torch.bfloat16, 27: torch.uint16,
    28: torch.uint32, 29: torch.uint64,
}  # fmt: skip

_FORMATS = {0: torch.contiguous_format, 1: torch.preserve_format, 2: torch.channels_last}

_UNDEFINED = frozenset(
    {
        "aten::bernoulli",
        "aten::empty",
        "aten::empty_like",
        "aten::multinomial",
        "aten::native_dropout",
        "aten::normal",
        "aten::rand",
        "aten::rand_like",
        "aten::randint",
        "aten::randint_like",
        "aten::randn",
        "aten::randn_like",
        "aten::randperm",
    }
)


class NoDefinition(Exception):  # noqa: N818 - an answer
    """There is nothing to compare a call with; the text says why."""


def expected(operator: str, args: Sequence[Any], outs: Sequence[torch.Tensor]) -> list[Any]:
    """What the operator gives.

    Args:
        operator: The kernel's full name.
        args: What the kernel was given before its outs; tensors as it saw them.
        outs: What it wrote: sizes and types of results.

    Raises:
        NoDefinition: There is no operator of that name, or it leaves its result open.
        RuntimeError: PyTorch refuses the arguments.
    """
    name = base_name(operator)
    own = _OWN.get(name)
    if own is not None:
        return own(args, outs)
    if name.startswith("executorch_prim::"):
        raise NoDefinition("prim operators compute with numbers and shapes")
    if name in _UNDEFINED or name.startswith("dim_order_ops::_empty"):
        raise NoDefinition("its result is not defined")
    space, _, rest = operator.partition("::")
    plain, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, space), plain, None)
    if packet is None and plain.endswith("_"):
        packet = getattr(getattr(torch.ops, space), plain[:-1], None)
    if packet is None:
        raise NoDefinition("PyTorch has no operator of this name")
    overloads = packet.overloads()
    if plain.endswith("_"):
        # In place: the operator that returns a new tensor, of the same arguments.
        packet = getattr(getattr(torch.ops, space), plain[:-1])
        return [_call(getattr(packet, overload or "default"), args, ())]
    if overload in overloads and space == "aten":
        return _call_out(getattr(packet, overload), args, outs)
    base = overload.removesuffix("out").removesuffix("_") or "default"
    for candidate in (base, base.lower(), "default"):
        if candidate in overloads:
            return _listed(_call(getattr(packet, candidate), args, outs))
    raise NoDefinition("PyTorch has no overload of this name")


def _call_out(function: Any, args: Sequence[Any], outs: Sequence[torch.Tensor]) -> list[Any]:
    """Calls an overload that writes into tensors that it is given."""
    new = [torch.zeros(out.shape, dtype=out.dtype) for out in outs]
    named: dict[str, Any] = {}
    left = list(new)
    for argument in function._schema.arguments:
        if argument.is_out:
            is_list = "List" in str(argument.type)
            named[argument.name] = left if is_list else left.pop(0)
    _call(function, args, outs, named)
    return new


def _call(
    function: Any, args: Sequence[Any], outs: Sequence[torch.Tensor], named: Any = None
) -> Any:
    positional: list[Any] = []
    named = dict(named or {})
    inputs = [a for a in function._schema.arguments if not a.is_out]
    for argument, value in zip(inputs, args, strict=False):
        converted = _converted(str(argument.type), argument.name, value)
        if argument.kwarg_only:
            named[argument.name] = converted
        else:
            positional.append(converted)
    return function(*positional, **named)


def _converted(kind: str, name: str, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    if name in ("dtype", "out_dtype", "output_dtype"):
        if value not in DTYPES:
            raise NoDefinition("its element type is none of PyTorch's")
        return DTYPES[value]
    if name == "memory_format":
        return _FORMATS.get(value)
    return None if name in ("layout", "device") else value


def _listed(result: Any) -> list[Any]:
    return list(result) if isinstance(result, list | tuple) else [result]


def _copy(args: Sequence[Any], outs: Sequence[torch.Tensor]) -> list[Any]:
    return [args[0].to(outs[0].dtype)]


def _quantized_add(args: Sequence[Any], _: Sequence[torch.Tensor]) -> list[Any]:
    a, scale_a, zero_a, _la, _ha, b, scale_b, zero_b, _lb, _hb, scale, zero, low, high = args
    total = (a.float() - zero_a) * scale_a + (b.float() - zero_b) * scale_b
    return [torch.clamp(torch.round(total / scale) + zero, low, high).to(a.dtype)]


def _embedding(bits: int) -> Callable[[Sequence[Any], Sequence[torch.Tensor]], list[Any]]:
    """Rows of a quantised table (kernels/quantized/cpu/op_embedding.cpp, embeddingxb.cpp)."""

    def embedding(args: Sequence[Any], outs: Sequence[torch.Tensor]) -> list[Any]:
        table, scales, zeros, _low, _high, indices = args[:6]
        rows = table[indices.long()]
        if bits < 8:
            rows = rows.to(torch.int32)
            parts = [(rows >> (bits * i)) & ((1 << bits) - 1) for i in range(8 // bits)]
            if bits == 4:
                parts.reverse()  # the first of two is in the upper half
            rows = torch.stack(parts, -1).flatten(-2) - (1 << (bits - 1))
        groups = scales.shape[1] if scales.dim() > 1 else 1
        shape = (*rows.shape[:-1], groups, rows.shape[-1] // groups)
        scale = scales[indices.long()].reshape(*indices.shape, groups, 1)
        grouped = rows.reshape(shape).to(torch.float32)
        if zeros is not None:
            grouped = grouped - zeros[indices.long()].reshape(*indices.shape, groups, 1).float()
        return [(grouped * scale.float()).reshape(rows.shape).to(outs[0].dtype)]

    return embedding


def _view(args: Sequence[Any], outs: Sequence[torch.Tensor]) -> list[Any]:
    return [args[0].reshape(outs[0].shape)]


_OWN: dict[str, Callable[[Sequence[Any], Sequence[torch.Tensor]], list[Any]]] = {
    "executorch_prim::et_view": _view,
    "dim_order_ops::_clone_dim_order": _copy,
    "dim_order_ops::_to_dim_order_copy": _copy,
    "aten::_to_copy": _copy,
    "et_copy::_d2h_copy": _copy,
    "et_copy::_h2d_copy": _copy,
    "quantized_decomposed::add": _quantized_add,
    "quantized_decomposed::embedding_byte": _embedding(8),
    "quantized_decomposed::embedding_4bit": _embedding(4),
    "quantized_decomposed::embedding_2bit": _embedding(2),
}
