"""External data of another element type or shape than the program's tensor.

What it finds:
    External tensors whose key is in a given data file with another element type, rank, size or dim
    order than the tensor has in the program. Where none of the keys that both have agrees, that is
    one finding a method: the files were written for another export.

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

from collections.abc import Sequence

from pte_lint.schema.enums import dtype_name

from pte_lint.claims.finding import Finding, Json, Severity
from pte_lint.claims.forecast import Forecast, Stage, error, undefined
from pte_lint.claims.order import ValueStep
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.data_files import entries, is_order_short
from pte_lint.data.external_layouts import Unlike, compared
from pte_lint.data.externals import load_order
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
    found_by = [(method, list(compared(method, known))) for method in ctx.methods]
    is_foreign = not any(isinstance(each, str) for _, found in found_by for each in found)
    for method, found in found_by:
        unlike = [each for each in found if isinstance(each, Unlike)]
        if is_foreign and len({each.external.key for each in unlike}) > 1:
            yield _foreign(method, unlike)
        else:
            yield from (_one(method, each) for each in unlike)


def _one(method: Method, unlike: Unlike) -> Finding:
    key = unlike.external.key
    return _finding(method, unlike, f"{_difference(unlike)}.", {}, f"key {key}")


def _foreign(method: Method, unlike: Sequence[Unlike]) -> Finding:
    """Told at the one that the runtime compares first."""
    first = min(unlike, key=lambda each: load_order(each.external))
    files = ", ".join(dict.fromkeys(each.entry.file.name for each in unlike))
    return _finding(
        method,
        first,
        f"All {len(unlike)} keys that {method.name or '(no name)'} and {files} share are other "
        f"tensors there, so it was written for another export: {_difference(first)}.",
        {"tensors": len(unlike), "values": [each.external.value for each in unlike]},
        "external data",
    )


def _difference(unlike: Unlike) -> str:
    wanted, stored = _wanted(unlike), _stored(unlike)
    return (
        f"{unlike.external.key} differs in its {unlike.what}: the program has {_text(wanted)}, "
        f"{unlike.entry.file.name} has {_text(stored)}"
    )


def _finding(
    method: Method, unlike: Unlike, message: str, evidence: dict[str, Json], subject: str
) -> Finding:
    return Finding(
        message=message,
        remediation="Give the .ptd of the same export, or export both again:\n\n"
        '    program.save("model.pte")\n'
        '    program.write_tensor_data_to_file(".")',
        location=method.location(value=unlike.external.value),
        # Where dim_order is too short, what lies behind it may be refused before.
        forecast=_DOUBTFUL if is_order_short(unlike.entry) else _REFUSED,
        order=(*load_order(unlike.external), ValueStep.EXTERNAL_LAYOUT),
        evidence={
            "key": unlike.external.key,
            "differs": unlike.what,
            "program": _json(_wanted(unlike)),
            "data": _json(_stored(unlike)),
            **evidence,
        },
        subject=subject,
        method=method.name,
        plan=method.index,
    )


_Layout = tuple[int, tuple[int, ...] | None, tuple[int, ...] | None]


def _wanted(unlike: Unlike) -> _Layout:
    tensor = unlike.external.tensor
    return tensor.scalar_type, tensor.sizes, tensor.dim_order


def _stored(unlike: Unlike) -> _Layout:
    layout = unlike.layout
    return layout.scalar_type, layout.sizes, layout.dim_order


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
