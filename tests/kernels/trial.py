"""Asks pte-lint and the runtime about calls."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.fuzz.comparison import Comparison, Kind, compare
from tests.fuzz.explain import KERNEL
from tests.fuzz.oracle import observe
from tests.fuzz.verdicts import judgement
from tests.support.kernel_calls import KernelCall

CONTENTS: Final = "what tensors hold"
LANES: Final = "whole numbers divided in vectors"
EMPTY: Final = "a tensor that is to stay unwritten"
RANDOM: Final = "random numbers"

REASONS: Final = {
    CONTENTS: "a kernel objects to an index or a divisor among the elements, or to how many it "
    "is to pick out",
    LANES: "aten::div.out divides whole numbers in vectors; spare places hold zeros, which ends "
    "the process on some processors and does nothing on others",
    EMPTY: "aten::empty.out promises nothing about what its result holds",
    RANDOM: "the result is another one in each run",
}
"""Why a file alone does not tell what a kernel does."""

#: Words of the runtime when an element is what it objects to.
_OF_CONTENTS = ("division by zero", "out of bounds", "out of range for tensor", "index values",
                "is out of range [",
                "enough elements", "quantization scale should be",
                "repeats_sum", "cannot be negative", "zero_point must be")  # fmt: skip
_EMPTY = ("aten::empty.out", "dim_order_ops::_empty_dim_order.out")
_RANDOM = ("aten::native_dropout.out", "aten::rand.out", "aten::randn.out")
#: Those whose result has as many elements as the input's say.
_COUNTING = (
    "aten::masked_select.out", "aten::nonzero.out", "aten::repeat_interleave.Tensor_out",
)  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """One call and what was said and seen of it."""

    label: str
    call: KernelCall
    comparison: Comparison

    @property
    def is_missed(self) -> bool:
        """Whether a kernel refused what its checks were said to let through."""
        return self.comparison.kind is Kind.MISSED or self.comparison.category == KERNEL

    @property
    def is_difference(self) -> bool:
        """Whether the two disagree, and a file tells enough to agree."""
        comparison = self.comparison
        return (comparison.kind.is_difference or self.is_missed) and self.excuse is None

    @property
    def excuse(self) -> str | None:
        """Why the file alone cannot tell what was seen; None where it can."""
        if not self.is_missed:
            return None
        seen, logs = self.comparison.seen, self.comparison.logs
        if self.call.operator in _EMPTY and "unwritten" in seen:
            return EMPTY
        if self.call.operator in _RANDOM and "unwritten" in seen:
            return RANDOM
        if "SIGFPE" in seen and self.call.operator.startswith("aten::div"):
            return LANES
        if self.call.operator in _COUNTING and any("resize" in line for line in logs):
            return CONTENTS
        told = any(words in line for line in logs for words in _OF_CONTENTS)
        return CONTENTS if told else None


def trials(cases: Iterable[tuple[str, KernelCall]]) -> Iterator[Trial]:
    """Tries calls, in order.

    Raises:
        HarnessUnavailable: The runtime or the compiler is missing.
    """
    waiting: list[tuple[str, KernelCall, bytes]] = []

    def programs() -> Iterator[tuple[bytes, tuple[bytes, ...]]]:
        for label, call in cases:
            data = call.program(returned=True).bytes()
            waiting.append((label, call, data))
            yield data, ()

    with tempfile.TemporaryDirectory(prefix="pte-lint-kernels-") as folder:
        for seen in observe(programs(), Path(folder)):
            label, call, data = waiting.pop(0)
            yield Trial(label, call, compare(seen, judgement(data, ())))
