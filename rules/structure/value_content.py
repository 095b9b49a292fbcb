"""A value without content, or of a kind that does not exist.

What it finds:
    Values whose content is absent though their kind needs one, lists and strings whose content is
    absent inside (an empty one is fine), and values of an unknown kind.

What the runtime does:
    load_method returns InvalidProgram. A tensor without content and a tensor list without items
    already make full verification refuse the whole program. All versions (Method::parse_values
    and Method::get_num_external_constants in runtime/executor/method.cpp; validate_program in
    program_validation.cpp).

Why it happens:
    The file is damaged, or was written with a schema that knows more kinds of value than the
    runtime does.

How to fix it:
    Export the program again with the version of ExecuTorch that is to run it:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Loading the method.

Seen in:
    executorch#8923, executorch#18679
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.peek import stores_field
from pte_lint.schema.program import (
    BoolList,
    DoubleList,
    EValue,
    IntList,
    OptionalTensorList,
    String,
    TensorList,
)

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign, Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, refused_at_load, refused_by_validation, unreadable
from pte_lint.interpret.kinds import kind_name
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import article

_LISTS = (BoolList, DoubleList, IntList, OptionalTensorList, TensorList)
_VAL_SLOT = 1
_KNOWN = frozenset(KernelTypes) - {KernelTypes.NONE}
_WITH_CONTENT = (
    KernelTypes.STRING,
    KernelTypes.INT_LIST,
    KernelTypes.DOUBLE_LIST,
    KernelTypes.BOOL_LIST,
    KernelTypes.TENSOR_LIST,
    KernelTypes.OPTIONAL_TENSOR_LIST,
)


@method_rule(
    "PTE104",
    "value-content",
    Severity.ERROR,
    "values without content or of no known kind",
    sign=(
        Sign(r"(Null value|Missing list|Missing string) at index {value}\b"),
        Sign(r"Unknown KernelTypes value \d+ at index {value}\b"),
        Sign("Tensor is null", r"validation failed for value {value} in execution plan {plan}\b"),
        Sign(r"TensorList is null for value {value} in execution plan {plan}\b"),
        Unseen("a list that lacks its items is not named: undone, the failure is gone", Trial.UNDO),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """At most one finding a value."""
    damaged = unreadable(context)
    for v in _suspects(method):
        value = method.values[v]
        for message, step, forecast in _faults(value, context):
            if damaged and _is_damaged(damaged, f"{method.path}.values[{v}]"):
                continue
            yield Finding(
                message=f"Value {v} {message}.",
                remediation=REEXPORT,
                location=method.location(value=v),
                forecast=forecast,
                order=(step, v, 0),
                evidence={"kind": value.val_type},
                subject=f"value {v}",
            )


def _suspects(method: Method) -> list[int]:
    """Values without content, of unknown kinds, and those whose content can lack something."""
    strange = {kind for kind in set(method.val_types) if kind not in _KNOWN}
    suspects = {v for v, value in enumerate(method.values) if value.val is None}
    suspects.update(method.values_of(*strange, *_WITH_CONTENT))
    return sorted(suspects)


def _is_damaged(damaged: frozenset[str], path: str) -> bool:
    return any(path + suffix in damaged for suffix in ("", ".val", ".val.items", ".val.string_val"))


def _faults(value: EValue, context: Context) -> Iterator[tuple[str, LoadMethodStep, Forecast]]:
    kind, content = value.val_type, value.val
    if kind not in _KNOWN:
        # What is in a union of unknown kind is not decoded; only its absence is met early.
        start = context.loaded.container.program_start if context.loaded is not None else 0
        is_there = stores_field(context.artifact.buffer, start + value.at, _VAL_SLOT)
        step = LoadMethodStep.VALUES if is_there else LoadMethodStep.VALUES_NOT_NULL
        yield f"is of unknown kind {kind}", step, refused_at_load()
    elif content is None:
        if kind == KernelTypes.NULL:
            return
        forecast = refused_at_load()
        if kind in (KernelTypes.TENSOR, KernelTypes.TENSOR_LIST):
            forecast = refused_by_validation()
        yield (
            f"is {article(kind_name(kind))} without content",
            LoadMethodStep.VALUES_NOT_NULL,
            forecast,
        )
    elif isinstance(content, _LISTS) and content.items is None:
        forecast = refused_at_load()
        if isinstance(content, TensorList):
            forecast = refused_by_validation()
        yield (
            f"is {article(kind_name(kind))} without a list of items",
            LoadMethodStep.VALUES,
            forecast,
        )
    elif isinstance(content, String) and content.string_val is None:
        yield "is a String without text", LoadMethodStep.VALUES, refused_at_load()
