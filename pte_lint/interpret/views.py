"""What et_view makes of sizes.

Source: kernels/prim_ops/et_view.cpp. It multiplies in 64 bits and keeps sizes in 32, and both wrap
around.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Final

from pte_lint.claims.forecast import Prediction, Stage, crash
from pte_lint.interpret.failing_call import reported
from pte_lint.interpret.rows import takes
from pte_lint.interpret.state import Number, Sizes
from pte_lint.ops.numbers import quotient, wrapped
from pte_lint.schema.enums import ShapeDynamism
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Tensor

if TYPE_CHECKING:
    from pte_lint.ir.method import Method
    from pte_lint.ir.steps import Step

TRAP: Final = "SIGFPE"
"""In place of an error's name: the process is stopped."""
_SIZE_BITS: Final = 32
"""Of the runtime's `SizesType`."""


@dataclass(frozen=True, slots=True)
class Viewed:
    """The view's sizes, or the error that the kernel returns."""

    sizes: Sizes = None
    error: str | None = None
    message: str = ""


def view(source: Sizes, wanted: Sequence[Number | None], target: Tensor) -> Viewed:
    """Views a tensor as another one.

    Args:
        source: The sizes of what is viewed; None when not known.
        wanted: The sizes asked for; None for one that is not known.
        target: The view.
    """
    own = list(target.sizes or ())
    if len(wanted) != len(own):
        return _refused(f"has {len(wanted)} sizes for an output of {len(own)} dimensions")
    known = [size for size in wanted if isinstance(size, int)]
    if any(size < -1 for size in known) or known.count(-1) > 1 or (-1 in known and 0 in known):
        return _refused(f"has the sizes {known}")
    kept = [wrapped(size, _SIZE_BITS) for size in known]
    if -1 in known and len(known) == len(wanted):
        rest = wrapped(prod(size for size in known if size != -1))
        if rest == 0:
            message = f"divides by the product of {known}, which wraps around to 0"
            return Viewed(error=TRAP, message=message)
        if source is None:
            return Viewed()
        at = known.index(-1)
        kept[at] = wrapped(quotient(prod(source), rest), _SIZE_BITS)
    elif -1 in known:
        kept.remove(-1)
    if len(kept) != len(wanted) and min(kept, default=0) >= 0:
        return Viewed()
    sizes = tuple(kept)
    if min(kept, default=0) < 0 or not takes(target, sizes):
        static = "a static" if target.shape_dynamism == ShapeDynamism.STATIC else "an"
        return Viewed(error="Internal", message=f"resizes {static} output of {own} to {kept}")
    if source is not None and prod(source) != prod(sizes):
        return _refused(f"shows {prod(source)} elements as {prod(sizes)}")
    return Viewed(sizes)


def refusal(method: Method, step: Step, said: Viewed) -> Prediction:
    """What happens at a view that cannot be made."""
    if said.error is None or said.error == TRAP:
        return crash(Stage.EXECUTE, TRAP)
    return reported(method, step, said.error)


def _refused(message: str) -> Viewed:
    return Viewed(error="InvalidArgument", message=message)
