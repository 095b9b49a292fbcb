"""What a method asks of its runner beyond the target: the "if" in "runs if"."""

from __future__ import annotations

from collections.abc import Iterable

from pte_lint.schema.frozen import dataclass
from pte_lint.schema.str_enum import StrEnum


class NeedKind(StrEnum):
    """What it is that a runner must provide."""

    BACKEND = "backend"
    KERNELS = "kernels"
    DATA = "data"
    MEMORY = "memory"
    INPUT = "input"
    OUTPUT = "output"


_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that a method runs without on no runner."""

    kind: NeedKind
    what: str
    """Completes "runs if given ...": `the backend QnnBackend`, `input 0 on cuda:0`."""
    method: str
    how: str = ""
    """How a runner comes to have it: a sentence, and lines of code indented by four spaces."""


def words(needs: Iterable[Need], method: str | None = None) -> str:
    """`the backend QnnBackend and memory for output 0`; empty when nothing is needed.

    Args:
        needs: what methods need.
        method: the method that is meant; None: all of them together.
    """
    told = dict.fromkeys(n.what for n in needs if method is None or n.method == method)
    parts = list(told)
    if len(parts) > _SHOWN:
        parts[_SHOWN:] = [f"{len(parts) - _SHOWN} other things"]
    *before, last = parts or [""]
    return f"{', '.join(before)} and {last}" if before else last
