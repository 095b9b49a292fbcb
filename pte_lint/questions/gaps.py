"""What a verdict leaves to kernels: the shapes and types that they accept.

A kernel tests its arguments when it is called (kernels/portable/cpu, kernels/optimized/cpu), each
by rules of its own. The program does not tell them; where they are not known, a method that runs as
far as the file alone can tell may still be refused by one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pte_lint.claims.finding import Unchecked
from pte_lint.interpret.runs import interpretation_of
from pte_lint.ops.checks.table import KNOWN
from pte_lint.ops.prims import PRIM_OPS

if TYPE_CHECKING:
    from pte_lint.ir.method import Method

_SHOWN: Final = 4
_JUDGED: Final = ("executorch_prim::", "et_copy::")
"""Namespaces whose own checks are known and judged by rules, as those of other prim ops are."""


def gaps(method: Method) -> Iterator[Unchecked]:
    """What is not judged of a method because the file does not tell."""
    kernels = _unjudged_kernels(method)
    if kernels is not None:
        yield kernels
    if interpretation_of(method).forgets:
        yield Unchecked(
            f"numbers in loops of method {method.name or '(no name)'}",
            "how often an iteration takes a jump hangs on data, and the numbers hang on that",
        )


def _unjudged_kernels(method: Method) -> Unchecked | None:
    """The operators of a method whose own checks are not judged; None when there are none."""
    used = {alike.target for alike in method.calls.groups}
    names = sorted(
        name
        for target in used
        if 0 <= target < len(method.operators)
        and (name := method.operators[target])
        and not name.startswith(_JUDGED)
        and name not in KNOWN
        and name not in PRIM_OPS
    )
    if not names:
        return None
    shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    return Unchecked(
        f"kernels' own checks in method {method.name or '(no name)'}",
        f"which shapes and types a kernel accepts is not in the file ({shown})",
    )
