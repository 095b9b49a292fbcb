"""A tensor whose data is at an unknown kind of place.

What it finds:
    A location code other than 0 (in the program's segments) and 1 (external, in a .ptd).

What the runtime does:
    Anything but 1 counts as 0: a tensor meant to be external then has no data, and its pointer is
    null unless it is planned or a constant (runtime/executor/tensor_parser_exec_aten.cpp:
    getTensorDataPtr). All versions.

Why it happens:
    The field was damaged, or the program is from a later exporter with more kinds of places.

How to fix it:
    Export the program again with the release of the runtime:

        pip install executorch==1.5.1

How it is confirmed:
    Not visible by running, unless the tensor has no data.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.schema.enums import TensorDataLocation

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_KNOWN = frozenset(TensorDataLocation)


@method_rule(
    "PTE507",
    "data-location",
    Severity.WARNING,
    "unknown places of tensor data",
    sign=Unseen("the runtime takes it for 0", Trial.IDLE),
)
def check(method: Method, ctx: Context) -> Yields:
    """A null pointer that is used is found by the rules about memory."""
    for v in method.table.extra:
        tensor = method.tensor(v)
        extra = tensor.extra_tensor_info if tensor is not None else None
        if extra is None or extra.location in _KNOWN:
            continue
        yield Finding(
            message=f"The data of {method.describe(v)} is at an unknown kind of place: location "
            f"{extra.location}; runtimes take it for 0.",
            remediation="Export the program again with the release of the runtime.",
            location=method.location(value=v, suffix=".val.extra_tensor_info.location"),
            evidence={"location": extra.location},
            subject=f"value {v}",
        )
