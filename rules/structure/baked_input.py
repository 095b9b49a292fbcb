"""A method input whose only legal value is in the program.

What it finds:
    Method inputs that are numbers, booleans or strings. Programs that have some are right, and
    `pte-lint inspect` lists them, so this rule runs only when it is asked for.

What the runtime does:
    The value given must be the one that the model was exported with (a Double may differ in its
    fifth digit): anything else makes set_input return InvalidArgument. All versions
    (Method::set_input in runtime/executor/method.cpp).

Why it happens:
    torch.export specialises a program on inputs that are no tensors.

How to fix it:
    Nothing is wrong if callers know. To vary the value at run time, make it a tensor:

        exported = torch.export.export(model, (x, torch.tensor(3)))

How it is confirmed:
    Setting the input to the stored value and to another one.

Seen in:
    executorch#8923
"""

from __future__ import annotations

from pte_lint.schema.program import Bool, Double, EValue, Int, String

from pte_lint.claims.finding import Finding, Json, Severity
from pte_lint.data.context import Context
from pte_lint.interpret.kinds import kind_name
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import article


@method_rule(
    "PTE115",
    "baked-input",
    Severity.INFO,
    "inputs whose value is fixed by the program",
    is_optional=True,
)
def check(method: Method, context: Context) -> Yields:
    """One finding an input."""
    for k, v in enumerate(method.inputs):
        value = method.value(v)
        if value is None or not isinstance(value.val, Int | Bool | Double | String):
            continue
        stored = _stored(value)
        yield Finding(
            message=f"Input {k} is {article(kind_name(value.val_type))} that must be given as "
            f"{stored!r}, the value that the model was exported with.",
            remediation="To vary it at run time, export it as a tensor:\n\n"
            "    exported = torch.export.export(model, (x, torch.tensor(3)))",
            location=method.location(value=v),
            evidence={"value": stored},
            subject=f"input {k}",
        )


def _stored(value: EValue) -> Json:
    match value.val:
        case Int(int_val=number):
            return number
        case Bool(bool_val=flag):
            return flag
        case Double(double_val=number):
            return number
        case String(string_val=text):
            return (text or "")[:80]
    return None
