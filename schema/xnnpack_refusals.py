"""How nodes of an XNNPACK graph are refused, and the checks that several kinds of them share.

Facts: XNNPACK's src/subgraph/validation.c and the xnn_define_* functions of src/subgraph/*.c.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any, Final

from pte_lint.schema.xnnpack_graph import Node
from pte_lint.schema.xnnpack_values import NO_ID, Defined, Dtype

SAME_PADDING: Final = 4

TRANSIENT: Final = 0x80000

F32, F16, BF16 = Dtype.FP32, Dtype.FP16, Dtype.BF16

Q8, QU8, QD8 = Dtype.QINT8, Dtype.QUINT8, Dtype.QDINT8

QC8, QC4, QB4, Q32, QC32 = (
    Dtype.QCINT8, Dtype.QCINT4, Dtype.QBINT4, Dtype.QINT32, Dtype.QCINT32,
)  # fmt: skip

REAL: Final = {F32, F16, BF16, Q8, QU8}

ANY: Final = REAL | {Dtype.INT32}


class RefusedNodeError(Exception):
    """A node is refused; the text says why.

    `error` is the runtime's, or `CRASHES` or `MISREADS`, and `since` its first release. `is_late`:
    not when the node is defined, but when all are and operators are made.
    """

    def __init__(
        self, message: str, error: str = "Internal", since: str = "", *, is_late: bool = False
    ) -> None:
        super().__init__(message)
        self.error = error
        self.since = since
        self.is_late = is_late


class UnknownNodeError(Exception):
    """Whether a node is refused depends on what is not followed here."""


class Values:
    """Values by the ids of the graph, as the backend maps them to XNNPACK's."""

    def __init__(self, known: Mapping[int, Defined]) -> None:
        """Takes the values that are defined."""
        self._known = known

    def get(self, number: int, role: str) -> Defined:
        """The value of an id; there is none of `NO_ID`."""
        if number == NO_ID:
            raise RefusedNodeError(f"has no {role}")
        found = self._known.get(number)
        if found is None:
            raise RefusedNodeError(f"names value {number} as its {role}: there is none")
        return found

    def maybe(self, number: int, role: str) -> Defined | None:
        """The value of an id; None for `NO_ID`."""
        return None if number == NO_ID else self.get(number, role)

    def mapped(self, *numbers: int) -> None:
        """Looks ids up before anything else is looked at, as the backend does."""
        for number in numbers:
            if number != NO_ID and number not in self._known:
                raise RefusedNodeError(f"names value {number}: there is none", since="1.3")


def need(condition: bool, message: str, *, is_late: bool = False) -> None:
    """Raises `RefusedNodeError` unless the condition holds."""
    if not condition:
        raise RefusedNodeError(message, is_late=is_late)


def types(*values: Defined | None) -> str:
    """The types of values in words."""
    names = [value.dtype.name.lower() if value is not None else "none" for value in values]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def check_limits(node: Node) -> None:
    """Raises `RefusedNodeError` for limits of the results that are none."""
    limits = node.output_min_max
    if limits is not None:
        low, high = limits.output_min, limits.output_max
        ordered = not isnan(low) and not isnan(high) and low <= high
        need(ordered, f"cuts its results to {low:g} to {high:g}")


def check_flags(flags: int, known: int) -> None:
    """Raises `RefusedNodeError` for a flag that is not known."""
    need(not flags & ~known, f"has unknown flags {flags & ~known:#x}")


def check_padding(content: Any) -> None:
    """Padding is either worked out or given, not both."""
    sides = (
        content.padding_top, content.padding_right, content.padding_bottom, content.padding_left,
    )  # fmt: skip
    if content.flags & SAME_PADDING:
        need(not any(sides), "has paddings and a flag that works them out")
