"""A list value that names values which are not there or not what it needs.

What it finds:
    Items of int, tensor and optional tensor lists outside the value table, and items of tensor
    lists that are no tensors or come after the list in the value table (values are made in order,
    so such an item does not exist yet).

What the runtime does:
    An index outside the table: load_method returns InvalidProgram. An item of the wrong kind, or
    one that comes later: InvalidType; 1.2 aborts (SIGABRT). Full verification checks tensor lists
    (not optional ones) and refuses the whole program for an index outside the table or an item
    that is no tensor (parseTensorList and parseListOptionalType in
    runtime/executor/tensor_parser*.cpp; Method::parse_values; validate_program).

Why it happens:
    Values were removed, added or reordered without renumbering the lists.

How to fix it:
    Export the program again; a tool that renumbers values must renumber lists too:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Loading the method.

Seen in:
    executorch#18679
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import IntList, OptionalTensorList, TensorList

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, crash
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign, Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, refused_at_load, refused_by_validation
from pte_lint.interpret.kinds import kind_name
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import article

_NO_ITEM = -1
_LISTS = (KernelTypes.INT_LIST, KernelTypes.TENSOR_LIST, KernelTypes.OPTIONAL_TENSOR_LIST)


@method_rule(
    "PTE105",
    "list-item",
    Severity.ERROR,
    "list items that are no values of the right kind",
    sign=(
        Sign(r"Invalid value index {index} for IntList {value} index {item}\b"),
        Sign(r"value index {index} for (ListOptional|TensorList)", r"list at index {value}\b"),
        Sign(r"Failed parsing tensor list at index {value}: 0x13"),
        Unseen("verification does not name the list: undone, the failure is gone", Trial.UNDO),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a list: the first item that is wrong."""
    for v in method.values_of(*_LISTS):
        value = method.values[v]
        content = value.val
        if not isinstance(content, IntList | TensorList | OptionalTensorList):
            continue
        fault = _first_met(_faults(method, v, content))
        if fault is not None:
            message, position, forecast = fault
            yield Finding(
                message=f"{kind_name(value.val_type)} {v}: {message}.",
                remediation=REEXPORT,
                location=method.location(value=v, suffix=f".val.items[{position}]"),
                forecast=forecast,
                order=(LoadMethodStep.VALUES, v, 1),
                evidence={"item": position, "index": (content.items or ())[position]},
                subject=f"value {v} items",
            )


_Fault = tuple[str, int, Forecast]


def _first_met(faults: Iterator[_Fault]) -> _Fault | None:
    """The first that validation refuses, as it comes before loading; else the first."""
    first = next(faults, None)
    if first is None:
        return None
    for fault in chain((first,), faults):
        met = fault[2].full[-1]
        if met is not None and met.stage is Stage.LOAD_PROGRAM:
            return (*fault[:2], fault[2].with_minimal(first[2]))
    return first


def _faults(
    method: Method, v: int, content: IntList | TensorList | OptionalTensorList
) -> Iterator[_Fault]:
    count = len(method.values)
    is_plain = isinstance(content, TensorList)
    for position, index in enumerate(content.items or ()):
        if isinstance(content, OptionalTensorList) and index == _NO_ITEM:
            continue
        if not 0 <= index < count:
            forecast = refused_by_validation() if is_plain else refused_at_load()
            yield f"item {position} is value {index} of {count}", position, forecast
            continue
        if isinstance(content, IntList):
            continue
        kind = method.values[index].val_type
        if kind == KernelTypes.TENSOR and index < v:
            continue
        if kind == KernelTypes.NULL and index < v and not is_plain:
            continue
        late = refused_at_load("InvalidType").until("1.2", crash(Stage.LOAD_METHOD, "SIGABRT"))
        if index >= v:
            message = f"item {position} is value {index}, which is made after the list itself"
        else:
            message = f"item {position} is value {index}, {article(kind_name(kind))} and no tensor"
        refused = is_plain and kind != KernelTypes.TENSOR
        yield message, position, refused_by_validation().with_minimal(late) if refused else late
