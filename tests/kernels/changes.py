"""What can be changed about a call: one argument, or all tensors that go together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Final

from pte_lint.schema.enums import SCALAR_TYPES, KernelTypes

from pte_lint.ops.schemas import Parameter, operator_schema
from tests.support.kernel_calls import Argument, Item, KernelCall, T

TYPES: Final = tuple(name for name, _ in SCALAR_TYPES.values())
"""Every element type that the runtime loads."""

_USUAL: Final = (*TYPES[:12], "bfloat16", "qint8", "bits8", "float8_e5m2", "uint16")
"""Those that kernels know, and one of each kind that they do not."""

SHAPES: Final[tuple[tuple[int, ...], ...]] = (
    *((), (1,), (3,), (0,), (1, 1), (2, 3), (3, 1), (2, 0)),
    *((2, 3, 4), (1, 3, 1), (1, 2, 3, 4), (2, 1, 3, 3), (1, 2, 2, 3, 2), (1, 1, 2, 1, 2, 2)),
)
"""Sizes of ranks 0 to 6, with dimensions of one element and of none."""

_EDGES: Final = (2**31, -(2**63), 2**63 - 1)
_NUMBERS: Final = (-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, *_EDGES)
_DOUBLES: Final = (0.0, -1.5, 2.0, 1e300, float("inf"), float("nan"))

Change = tuple[str, KernelCall]


def changes(call: KernelCall) -> Iterator[Change]:
    """Calls with one thing changed, and what that is."""
    schema = operator_schema(call.operator)
    assert schema is not None
    for position, (argument, parameter) in enumerate(
        zip(call.args, schema.parameters, strict=True)
    ):
        for label, other in _changed(argument, parameter):
            yield f"argument {position} {label}", call.with_argument(position, other)
    yield from joint_changes(call)


def joint_changes(call: KernelCall) -> Iterator[Change]:
    """Calls with the same change to all tensors that it goes for."""
    tensors = [argument for argument in call.args if isinstance(argument, T)]
    if not tensors:
        return
    main = tensors[0].dtype
    for dtype in TYPES:
        yield f"{main} becomes {dtype}", mapped(call, partial(_typed, old=main, new=dtype))
    for size in sorted({size for tensor in tensors for size in tensor.sizes}):
        for other in (0, 1, size + 1):
            yield f"{size} becomes {other}", mapped(call, partial(_resized, old=size, new=other))
    yield "all channels-last", mapped(call, _channels_last)
    yield "all reversed", mapped(call, _reversed)
    yield "all bounded", mapped(call, lambda t: replace(t, bounded=not t.zeros))
    for rank in range(5):
        sizes = (2, 3, 1, 2, 2)[:rank]
        yield f"all of sizes {sizes}", mapped(call, partial(_shaped, sizes=sizes))


def edges(call: KernelCall) -> Iterator[Change]:
    """Calls with several things at an edge: short types, no elements or no dimensions, sizes that
    may change, and numbers that count from the end or are too large."""
    tensors = [argument for argument in call.args if isinstance(argument, T)]
    sizes = sorted({size for tensor in tensors for size in tensor.sizes})
    shapes: list[tuple[str, Callable[[T], T]]] = [("", lambda t: t)]
    shapes += [(f", {s} becomes 0", partial(_resized, old=s, new=0)) for s in sizes]
    shapes += [(", no dimensions", partial(_shaped, sizes=()))]
    for dtype in ("float32", "float16", "bfloat16"):
        for (label, change), bounded in product(shapes, (False, True)):
            changed = mapped(mapped(call, change), partial(_typed, old="float32", new=dtype))
            if bounded:
                changed = mapped(changed, lambda t: replace(t, bounded=not t.zeros))
            name = f"{dtype}{label}{', bounded' * bounded}"
            yield name, changed
            for position, argument in enumerate(call.args):
                for number in _ends(argument):
                    yield (
                        f"{name}, argument {position} = {number}",
                        changed.with_argument(
                            position, [number] if isinstance(argument, list) else number
                        ),
                    )


def _ends(argument: Argument) -> tuple[int, ...]:
    """Numbers in place of a dimension, or of a list of them."""
    if isinstance(argument, list):
        return (-1, 7) if argument and type(argument[0]) is int else ()
    return (-1, 7) if type(argument) is int else ()


def mapped(call: KernelCall, change: Callable[[T], T]) -> KernelCall:
    """A copy with every tensor changed, those in lists too."""

    def one(item: Item) -> Item:
        return change(item) if isinstance(item, T) else item

    args: list[Argument] = []
    for argument in call.args:
        if isinstance(argument, list):
            args.append([one(item) for item in argument])
        else:
            args.append(change(argument) if isinstance(argument, T) else argument)
    return replace(call, args=tuple(args))


def _typed(tensor: T, old: str, new: str) -> T:
    return replace(tensor, dtype=new) if tensor.dtype == old else tensor


def _resized(tensor: T, old: int, new: int) -> T:
    return replace(tensor, sizes=tuple(new if size == old else size for size in tensor.sizes))


def _shaped(tensor: T, sizes: tuple[int, ...]) -> T:
    return replace(tensor, sizes=sizes, order=None)


def _channels_last(tensor: T) -> T:
    rank = len(tensor.sizes)
    return replace(tensor, order=(0, *range(2, rank), 1)) if rank > 2 else tensor


def _reversed(tensor: T) -> T:
    return replace(tensor, order=tuple(reversed(range(len(tensor.sizes)))))


def _changed(argument: Argument, parameter: Parameter) -> Iterator[tuple[str, Argument]]:
    accepted = parameter.accepted
    if isinstance(argument, T):
        yield from _changed_tensor(argument)
    elif isinstance(argument, list):
        yield from _changed_list(argument, parameter)
    else:
        yield from _changed_number(argument, accepted)
    if argument is None:
        yield from _given(accepted)
    elif KernelTypes.NULL in accepted:
        yield "is None", None


def _given(accepted: frozenset[KernelTypes]) -> Iterator[tuple[str, Argument]]:
    """Something in place of None."""
    if KernelTypes.TENSOR in accepted:
        for sizes in ((4,), (2, 3), ()):
            yield f"is a tensor of sizes {sizes}", T(sizes)
    if KernelTypes.INT_LIST in accepted:
        for numbers in ([], [0], [1], [0, 1], [-1, -1], [2, 2]):
            yield f"is {numbers}", [*numbers]
    if KernelTypes.DOUBLE_LIST in accepted:
        yield "is [1.5, 2.0]", [1.5, 2.0]


def _changed_number(
    argument: Argument, accepted: frozenset[KernelTypes]
) -> Iterator[tuple[str, Argument]]:
    given: list[Argument] = []
    if KernelTypes.INT in accepted:
        given += _NUMBERS
        if KernelTypes.NULL in accepted:
            given += range(8, 30)  # element types
    if KernelTypes.DOUBLE in accepted:
        given += _DOUBLES
    if KernelTypes.BOOL in accepted:
        given += (False, True)
    if KernelTypes.STRING in accepted:
        given += ("none", "tanh", "floor", "trunc", "other")
    for other in given:
        if (type(other), other) != (type(argument), argument):
            yield f"= {other!r}", other


def _changed_list(items: list[Item], parameter: Parameter) -> Iterator[tuple[str, list[Item]]]:
    for n, item in enumerate(items):
        others: Iterator[tuple[str, Argument]]
        if isinstance(item, T):
            others = _changed_tensor(item)
        elif item is None:
            others = _given(frozenset({KernelTypes.TENSOR}))
        elif isinstance(item, float):
            others = iter([(f"= {x}", x) for x in _DOUBLES])
        else:
            others = iter([(f"= {x}", x) for x in _NUMBERS if x != item])
        for label, other in others:
            assert not isinstance(other, str | list)
            yield f"item {n} {label}", [*items[:n], other, *items[n + 1 :]]
        if KernelTypes.OPTIONAL_TENSOR_LIST in parameter.accepted and item is not None:
            yield f"item {n} is None", [*items[:n], None, *items[n + 1 :]]
    yield "emptied", []
    if items:
        yield "shortened", items[:-1]
        yield "lengthened", [*items, items[-1]]
        yield "turned round", items[::-1]


def _changed_tensor(tensor: T) -> Iterator[tuple[str, T]]:
    sizes = tensor.sizes
    shapes = [*SHAPES, (*sizes, 1), (1, *sizes), sizes[1:], sizes[:-1], sizes[::-1]]
    for d, size in enumerate(sizes):
        shapes += [(*sizes[:d], other, *sizes[d + 1 :]) for other in (size + 1, 1, 0)]
    for shape in dict.fromkeys(shapes):
        if shape != sizes:
            order = tensor.order if len(tensor.order or ()) == len(shape) else None
            yield f"sizes {shape}", replace(tensor, sizes=shape, order=order)
    for dtype in _USUAL:
        if dtype != tensor.dtype:
            yield f"dtype {dtype}", replace(tensor, dtype=dtype)
    for other in (_channels_last(tensor), _reversed(tensor)):
        if other.order not in (tensor.order, tuple(range(len(sizes)))):
            yield f"order {other.order}", other
    yield "bounded", replace(tensor, bounded=True)
    larger = tuple(size + 1 for size in sizes)
    yield "bounded, larger", replace(tensor, bounded=True, sizes=larger)
