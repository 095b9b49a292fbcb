"""What callers choose: the sizes of inputs whose sizes may change.

`Method::set_input` (runtime/executor/method.cpp) resizes such an input to whatever it is given, as
long as the rank stays and the elements are no more than at the sizes in the file
(`TensorImpl::internal_resize_contiguous`). Which dimensions the exporter means to be chosen, and
within which limits, is not in the file: only that the largest sizes are among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pte_lint.ops.checks.chosen import Chosen, Symbol
from pte_lint.schema.enums import ShapeDynamism

if TYPE_CHECKING:
    from pte_lint.ir.method import Method

Given = Mapping[int, tuple[int, ...]]
"""By input of sizes that may change, the sizes that a caller gives it."""


def has_dynamic_sizes(method: Method) -> bool:
    """Whether a tensor's sizes may change."""
    return any(f.tensor.shape_dynamism != ShapeDynamism.STATIC for f in method.table.forms)


def largest_sizes(method: Method) -> dict[int, tuple[int, ...]]:
    """The largest sizes of each input whose sizes may change, each with a symbol of its own.

    A size of 0 or 1 has none: there is nothing to choose, but an empty tensor.
    """
    found = {}
    for v in method.inputs:
        tensor = method.tensor(v)
        if tensor is None or tensor.sizes is None:
            continue
        if tensor.shape_dynamism != ShapeDynamism.STATIC:
            found[v] = tuple(
                [Chosen.of(size, Symbol()) if size > 1 else size for size in tensor.sizes]
            )
    return found


def fixed_inputs(largest: Given) -> Iterator[tuple[int, dict[int, tuple[int, ...]]]]:
    """Inputs of which no size is left open once a method was played with the largest sizes.

    Yields the input, and sizes by input of which one of its dimensions is smaller, and what is the
    same choice everywhere.
    """
    for v, sizes in largest.items():
        chosen = [size for size in sizes if isinstance(size, Chosen)]
        if chosen and all(size.symbol.is_fixed for size in chosen):
            root = chosen[0].symbol.root
            yield v, {w: tuple([_less(size, root) for size in s]) for w, s in largest.items()}


_MOST_ALONE = 4


def smaller_inputs(largest: Given) -> Iterator[dict[int, tuple[int, ...]]]:
    """Smaller sizes that callers may give, once a method was played with the largest.

    All that is left open is 1, 2, half of the largest or one less at once; then each choice is 1
    alone. What is the same choice everywhere stays the same.
    """
    sizes = {
        size.symbol.root: int(size) for each in largest.values() for size in each
        if isinstance(size, Chosen) and not size.symbol.is_fixed
    }  # fmt: skip
    known: list[dict[Symbol, int]] = []
    for kind in range(4):
        choice = {root: (1, 2, size // 2, size - 1)[kind] for root, size in sizes.items()}
        known.append({root: min(size, sizes[root]) for root, size in choice.items()})
    if len(sizes) > 1:
        known += [{root: 1} for root in list(sizes)[:_MOST_ALONE]]
    found: list[dict[int, tuple[int, ...]]] = []
    for choice in known:
        given = {v: tuple([_chosen(size, choice) for size in s]) for v, s in largest.items()}
        if given not in found and given != largest:
            found.append(given)
            yield given


def _chosen(size: int, choice: Mapping[Symbol, int]) -> int:
    return choice.get(size.symbol.root, int(size)) if isinstance(size, Chosen) else size


def _less(size: int, root: Symbol) -> int:
    return int(size) - (isinstance(size, Chosen) and size.symbol.root is root)
