"""A method input of a kind that cannot be set.

What it finds:
    Method inputs that are lists. Tensors, numbers, booleans, strings and None can be set.

What the runtime does:
    set_input returns InvalidArgument whatever is given, and execute wants every input set. Asking
    for the input's tag returns Internal. All versions (Method::set_input in
    runtime/executor/method.cpp).

Why it happens:
    The exporter flattens lists into one input for each element; only an edited file has a list
    among its inputs.

How to fix it:
    Export the program again; a model that takes a list gets one input for each element:

        exported = torch.export.export(model, ([a, b],))

How it is confirmed:
    Setting the inputs.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.schema.enums import KernelTypes

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT
from pte_lint.interpret.kinds import kind_name
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import article

_LISTS = frozenset(
    {
        KernelTypes.INT_LIST,
        KernelTypes.DOUBLE_LIST,
        KernelTypes.BOOL_LIST,
        KernelTypes.TENSOR_LIST,
        KernelTypes.OPTIONAL_TENSOR_LIST,
    }
)


@method_rule(
    "PTE114",
    "input-kind",
    Severity.ERROR,
    "inputs of a kind that cannot be set",
    sign=Sign(r"Input {input} was expected to be a Tensor or primitive but was"),
)
def check(method: Method, context: Context) -> Yields:
    """One finding an input."""
    for k, v in enumerate(method.inputs):
        value = method.value(v)
        if value is None or value.val_type not in _LISTS:
            continue
        kind = kind_name(value.val_type)
        yield Finding(
            message=f"Input {k} is {article(kind)}, which no caller can set.",
            remediation=REEXPORT,
            location=method.location(value=v),
            forecast=Forecast.always(error(Stage.SET_INPUT, "InvalidArgument")),
            order=(k,),
            evidence={"kind": kind},
            subject=f"input {k}",
        )
