"""Inputs and outputs that are others than a contract promises.

What it finds:
    Methods whose inputs or outputs differ from the contract in number, kind, element type, sizes
    (`"*"` is any size), whether sizes may change, dim order, device, where their memory comes
    from, or in the number that a metadata method returns.

What the runtime does:
    It knows of no contract. Method::set_input refuses another element type (InvalidArgument) and
    other sizes (NotSupported); another dim order, device or number it takes as it comes. All
    versions.

Why it happens:
    Example inputs, precision, dynamic shapes or settings for devices changed between two exports.

How to fix it:
    Export with the inputs that were promised:

        exported = torch.export.export(model, (torch.randn(1, 3, 224, 224),))

    Where the change is meant, write the contract anew:

        pte-lint contract model.pte -o contract.toml

How it is confirmed:
    Not by running: the promise stands in the contract alone.

Seen in:
    executorch#9594, executorch#18788
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pte_lint.claims.finding import Finding, Json, Severity
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.contract import GivenContract, broken, contracts_of
from pte_lint.rulebook.rule import Yields, artifact_rule

if TYPE_CHECKING:
    from pte_lint.rulebook.contract_model import Port

_REMEDIATION = "Export the method with the inputs, outputs and settings that it promises."


@artifact_rule(
    "PTE631",
    "contract-signature",
    Severity.ERROR,
    "inputs and outputs that are others than a contract promises",
    sign=Unseen("what was promised is not the runtime's matter"),
)
def check(context: Context) -> Yields:
    """No forecast: the file may well run, for others than those it was promised to."""
    for given, contract in contracts_of(context):
        from pte_lint.inspection.contract import facts_by_name, ports

        facts = facts_by_name(context)
        for name, promised in contract.methods.items():
            if name not in facts:
                continue
            method, each = facts[name]
            sides = (
                ("input", promised.inputs, ports(each.inputs)),
                ("output", promised.outputs, ports(each.outputs)),
            )
            for side, wanted, found in sides:
                if wanted is not None:
                    yield from _side(given, method, side, wanted, found)


def _side(
    given: GivenContract, method: Method, side: str, promised: Sequence[Port], found: Sequence[Port]
) -> Iterator[Finding]:
    key, values = f"methods.{method.name}.{side}s", getattr(method, f"{side}s")
    if len(promised) != len(found):
        yield broken(
            given,
            key,
            f"that the number of {side}s of {method.name} is",
            len(promised),
            len(found),
            remediation=_REMEDIATION,
            method=method,
        )
    for position, (wanted, has) in enumerate(zip(promised, found, strict=False)):
        called = f" ({wanted.name})" if wanted.name else ""
        for field, one, other in _differences(wanted, has):
            yield broken(
                given,
                f"{key}[{position}].{field}",
                f"that the {field} of {side} {position}{called} of {method.name} is",
                one,
                other,
                remediation=_REMEDIATION,
                location=method.location(value=values[position]),
                method=method,
            )


def _differences(wanted: Port, has: Port) -> Iterator[tuple[str, Json, Json]]:
    """The keys that are promised and kept otherwise, with both sides."""
    for name, field in type(wanted).model_fields.items():
        one, other = getattr(wanted, name), getattr(has, name)
        if name == "name" or one is None or _is_same(one, other):
            continue
        yield field.alias or name, one, other


def _is_same(promised: object, found: object) -> bool:
    if isinstance(promised, tuple) and isinstance(found, tuple):
        same_rank = len(promised) == len(found)
        return same_rank and all(a in ("*", b) for a, b in zip(promised, found, strict=True))
    # True is 1 to Python, and to no runner.
    return type(promised) is type(found) and promised == found
