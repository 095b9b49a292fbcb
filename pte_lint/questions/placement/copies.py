"""Boundary copies: the instructions that move data between host and device.

`et_copy::_h2d_copy.out` and `et_copy::_d2h_copy.out` take `(self, out)` and the return, which is
`out` again (kernels/portable/cpu/op__device_copy.cpp). They exist since runtime 1.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pte_lint.ir.calling import D2H_COPY, H2D_COPY
from pte_lint.ir.device import Device
from pte_lint.schema.frozen import dataclass

if TYPE_CHECKING:
    from pte_lint.ir.method import Method
    from pte_lint.ir.steps import Step

COPY_ARGUMENTS: Final = 3
SOURCE: Final = 0
TARGET: Final = 1


def is_copy(operator: str) -> bool:
    """True for the two boundary copies."""
    return operator in (H2D_COPY, D2H_COPY)


@dataclass(frozen=True, slots=True)
class BoundaryCopy:
    """One boundary copy with both of its sides.

    `nbytes` is what a call copies at the serialised (largest) sizes: the bytes of the source.
    """

    step: Step
    to_device: bool
    source: int
    target: int
    nbytes: int

    @property
    def direction(self) -> str:
        """`h2d` or `d2h`."""
        return "h2d" if self.to_device else "d2h"

    def device(self, method: Method) -> Device:
        """The device that the copy is done with: the kernel takes it from the device side's tag."""
        return method.tag(self.target if self.to_device else self.source)


def boundary_copies(method: Method) -> Iterator[BoundaryCopy]:
    """All well-formed boundary copies of a method, in order, reachable or not.

    A copy with a wrong number of arguments, or with an argument that is no tensor, is left out:
    it fails before it copies anything.
    """
    for step in method.calls.of(H2D_COPY, D2H_COPY):
        if len(step.args) != COPY_ARGUMENTS:
            continue
        source, target = step.args[SOURCE], step.args[TARGET]
        if method.tensor(source) is not None and method.tensor(target) is not None:
            yield BoundaryCopy(
                step, step.operator == H2D_COPY, source, target, method.nbytes(source)
            )
