"""External data of another element type or shape than the program's tensor.

What it finds:
    External tensors whose key is in a given data file with another element type, rank, size or dim
    order than the tensor has in the program.

What the runtime does:
    InvalidExternalData at load_method, all versions (runtime/executor/
    tensor_parser_exec_aten.cpp: validateTensorLayout). Of several tensors with one key only the
    first constant is compared: see PTE517.

Why it happens:
    Program and data are from different exports: another quantisation, another checkpoint, another
    memory format.

How to fix it:
    Give the .ptd of the same export, or export both again:

        program.save("model.pte")
        program.write_tensor_data_to_file(".")

How it is confirmed:
    Loading the method with this file gives InvalidExternalData.

Seen in:
    executorch#22311
"""

from __future__ import annotations

from pte_lint.schema.enums import dtype_name

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, error, undefined
from pte_lint.claims.order import LoadMethodStep, ValueStep
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.data_files import (
    Entry,
    entries,
    is_order_short,
    layout_fault,
    mismatch,
    segment_fault,
)
from pte_lint.data.externals import externals
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, artifact_rule

_DOUBTFUL = Forecast.always(undefined(Stage.LOAD_METHOD))
_REFUSED = Forecast.always(error(Stage.LOAD_METHOD, "InvalidExternalData"))


@artifact_rule(
    "PTE514",
    "external-layout-mismatch",
    Severity.ERROR,
    "external data of another shape or type",
    sign=Unseen("which tensor is not named: undone, the failure is gone", Trial.UNDO),
)
def check(ctx: Context) -> Yields:
    """Entries that cannot be used at all are PTE515."""
    if not ctx.data:
        return
    known = entries(ctx.data)
    for method in ctx.methods:
        yield from _check_method(method, known)


def _check_method(method: Method, known: dict[str, Entry]) -> Yields:
    resolved: set[str] = set()
    for external in externals(method):
        key, v = external.key, external.value
        entry = known.get(key) if key is not None else None
        if entry is None or key is None or segment_fault(entry) is not None:
            continue
        if not external.is_mutable:
            if key in resolved:
                continue
            resolved.add(key)
        layout = entry.named.tensor_layout
        if layout is None or layout_fault(entry) is not None:
            continue
        what = mismatch(external.tensor, layout)
        if what is None:
            continue
        wanted = (external.tensor.scalar_type, external.tensor.sizes, external.tensor.dim_order)
        stored = (layout.scalar_type, layout.sizes, layout.dim_order)
        step = LoadMethodStep.VALUES if external.is_mutable else LoadMethodStep.EXTERNAL_CONSTANTS
        yield Finding(
            message=f"{key} differs in its {what}: the program has {_text(wanted)}, "
            f"{entry.file.name} has {_text(stored)}.",
            remediation="Give the .ptd of the same export, or export both again:\n\n"
            '    program.save("model.pte")\n'
            '    program.write_tensor_data_to_file(".")',
            location=method.location(value=v),
            # Where dim_order is too short, what lies behind it may be refused before.
            forecast=_DOUBTFUL if is_order_short(entry) else _REFUSED,
            order=(step, v, ValueStep.EXTERNAL_LAYOUT),
            evidence={"key": key, "differs": what, "program": _json(wanted), "data": _json(stored)},
            subject=f"key {key}",
            method=method.name,
            plan=method.index,
        )


_Layout = tuple[int, tuple[int, ...] | None, tuple[int, ...] | None]


def _text(layout: _Layout) -> str:
    text = f"{dtype_name(layout[0])}{list(layout[1] or ())}"
    order = layout[2] or ()
    return text if list(order) == sorted(order) else f"{text} in dim order {list(order)}"


def _json(layout: _Layout) -> dict[str, object]:
    return {
        "dtype": dtype_name(layout[0]),
        "sizes": list(layout[1] or ()),
        "dim_order": list(layout[2] or ()),
    }
