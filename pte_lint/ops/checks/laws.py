"""Which element types an elementwise kernel takes, told by a few sets.

Sources: kernels/portable/cpu/util/dtype_util.cpp and elementwise_util.h, kernels/portable/cpu/
pattern/*.
"""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.ops.checks.call import Call, Cause, End, Operand, Refused
from pte_lint.ops.checks.conditions import broadcast, need_type, of_types, one_order, resize
from pte_lint.ops.promotion import REAL_OR_BOOL, can_cast, promote, promote_scalar
from pte_lint.schema.enums import dtype_name
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Law:
    """What an operator's kernel lets through."""

    tensors: tuple[int, ...] = (0,)
    """Argument positions of the tensors that the result's type follows."""
    scalars: tuple[int, ...] = ()
    """Argument positions of numbers that it follows too."""
    types: frozenset[int] = REAL_OR_BOOL
    """Types that the tensors may have."""
    common: frozenset[int] = REAL_OR_BOOL
    """Types that it may compute in."""
    outs: frozenset[int] = REAL_OR_BOOL
    """Types that the result may have."""
    exact: bool = False
    """The result has the type that is computed in; otherwise that type may be cast to it."""
    free: bool = False
    """The result may have any of its types, whatever the tensors have."""
    promotes: bool = True
    """Whether it looks for a type that tensors and numbers are computed in, and first of all."""
    ordered: bool = True
    """Whether it compares dimension orders."""

    def check(self, call: Call) -> None:
        """Follows the kernel's checks of element types and dimension order."""
        sources = [call.tensor(n) for n in self.tensors if not call.is_none(n)]
        out = call.out()
        kind = common_type(call, sources, self.scalars) if self.promotes else None
        if self.ordered:
            one_order(*sources, out)
        of_types(self.types, *sources)
        of_types(self.outs, out)
        if kind is None:
            return
        need_type(kind in self.common, f"it does not compute in {dtype_name(kind)}")
        if out is None or self.free:
            return
        message = f"a result of {dtype_name(kind)} does not go into {dtype_name(out.dtype)}"
        need_type(kind == out.dtype if self.exact else can_cast(kind, out.dtype), message)


def has_room(call: Call) -> None:
    """The output can take what its inputs broadcast to, where sizes may change.

    Sizes that cannot are judged for all operators that broadcast, not only for known kernels.
    """
    out, inputs = call.out(), call.inputs()
    known = [operand.sizes for operand in inputs if operand is not None]
    if out is None or len(known) < len(inputs):
        return
    if out.capacity is not None or any(None in sizes for sizes in known):
        resize(out, broadcast(known))


def common_type(
    call: Call, sources: Sequence[Operand | None], scalars: Sequence[int] = ()
) -> int | None:
    """The type that tensors and numbers are computed in; None when it is not known.

    Raises:
        Refused: There is none; the kernel aborts, before it compares sizes.
    """
    kind: int | None = None
    for source in sources:
        if source is None:
            return None
        kind = source.dtype if kind is None else _promoted(kind, source.dtype)
    for position in scalars:
        if call.is_none(position) or kind is None:
            continue
        scalar = call.scalar_type(position)
        if scalar is None:
            return None
        wider = promote_scalar(kind, scalar)
        if wider is None:
            raise _abort(f"{dtype_name(kind)} does not go together with numbers")
        kind = wider
    return kind


def _promoted(left: int, right: int) -> int:
    kind = promote(left, right)
    if kind is None:
        raise _abort(f"{dtype_name(left)} and {dtype_name(right)} do not go together")
    return kind


def _abort(message: str) -> Refused:
    return Refused(message, End.ABORT, Cause.TYPES, first=True)
