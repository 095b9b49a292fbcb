"""A boundary copy that moves nothing new.

What it finds:
    The same unchanged source copied to the same device again, a copy whose result nobody reads,
    and a constant that is copied to the device on every call. What the exporter itself writes, a
    copy for each use and for constants that the delegate does not own, is an info.

What the runtime does:
    It runs. Each copy synchronises host and device, and moves the bytes given in the evidence on
    every call.

Why it happens:
    The exporter inserts one copy for each use of a tensor by a delegate, so an input that feeds
    two delegates is copied twice. A delegate that does not own its weights has them copied at
    every call. Dead copies are left by tools that removed their readers.

How to fix it:
    Partition so that one delegate covers both uses: the exporter copies once for each. The file
    that is there can do without:

        pte-lint fix model.pte -o smaller.pte --select PTE319

    Let delegates own their constants; in the partitioner, before it returns:

        from executorch.exir.backend.utils import tag_constant_data

        tag_constant_data(exported_program)

How it is confirmed:
    Left out of a copy of the file, results stay the same, and so many bytes fewer are copied.

Seen in:
    TensorRT#4667
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.placement.device_findings import capital
from pte_lint.questions.placement.wasted_copies import Waste, WastedCopy
from pte_lint.rulebook.rule import Yields, method_rule

_FIXES = {
    Waste.REPEATED: (
        "Partition so that one delegate covers both uses: the exporter copies once for each use. "
        "The file that is there can do without:\n\n"
        "    pte-lint fix model.pte -o smaller.pte --select PTE319"
    ),
    Waste.DEAD: (
        "Remove the copy, or export again: the exporter leaves no dead copies:\n\n"
        "    program = edge.to_executorch()"
    ),
    Waste.CONSTANT: (
        "Let the delegate own the constant: in partition(), before it returns,\n\n"
        "    from executorch.exir.backend.utils import tag_constant_data\n\n"
        "    tag_constant_data(exported_program)"
    ),
}


@method_rule(
    "PTE319",
    "repeated-copy",
    Severity.WARNING,
    "boundary copies that move nothing new",
    sign=Unseen("the run makes the copy", Trial.IDLE),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a copy."""
    for wasted in method.placement.wasted:
        if wasted.waste is Waste.ROUND_TRIP:
            continue
        copy = wasted.copy
        yield Finding(
            message=f"{_says(method, wasted)}: {wasted.nbytes} bytes per call.",
            remediation=_FIXES[wasted.waste],
            location=method.location(step=copy.step, value=copy.source, argument=0),
            evidence={
                "waste": str(wasted.waste),
                "direction": copy.direction,
                "bytes_per_call": wasted.nbytes,
                "earlier_instruction": wasted.other,
                "device": str(copy.device(method)),
            },
            subject=f"{copy.direction} of {method.describe(copy.source)}",
            severity=Severity.INFO if _is_exported(method, wasted) else None,
        )


def _is_exported(method: Method, wasted: WastedCopy) -> bool:
    """Whether an exporter writes such a copy: one for each use, and constants that stay outside."""
    if wasted.waste is not Waste.REPEATED:
        return wasted.waste is Waste.CONSTANT
    earlier = method.steps[wasted.other or 0]
    return wasted.copy.target not in earlier.args


def _says(method: Method, wasted: WastedCopy) -> str:
    copy = wasted.copy
    source = capital(method.describe(copy.source))
    where = str(copy.device(method)) if copy.to_device else "the host"
    match wasted.waste:
        case Waste.DEAD:
            return f"{source} is copied to {where}, and nobody reads the copy"
        case Waste.CONSTANT:
            return f"{source} is copied to {where} on every call although it never changes"
        case _:
            return (
                f"{source} is copied to {where} again, unchanged since instruction {wasted.other}"
            )
