"""A boundary copy that its kernel refuses.

What it finds:
    An `et_copy::_h2d_copy.out` whose source is not on the host or whose destination is not on a
    device, an `et_copy::_d2h_copy.out` with the reverse, swapped arguments, and a wrong number of
    arguments.

What the runtime does:
    The kernels test the tags of both sides and return InvalidArgument at execute. A wrong number
    of arguments is InvalidProgram at execute. Where the tags are right and the memory is not, the
    device allocator's copy fails: Internal. 1.2 and 1.3 have no such kernels and do not load the
    program (OperatorMissing).

Why it happens:
    A compile spec target_device that says cpu makes the exporter insert copies with both sides on
    the host, which always fail. Else a tool rewired, swapped or edited the copies.

How to fix it:
    A delegate for the host needs no target_device; take the compile spec out of the partitioner.
    A delegate for a device names it:

        from executorch.exir.backend.compile_spec_schema import CompileSpec
        from executorch.exir.passes.propagate_device_pass import TARGET_DEVICE_COMPILE_SPEC_KEY

        CompileSpec(TARGET_DEVICE_COMPILE_SPEC_KEY, b"cuda:0")

How it is confirmed:
    Running it: execute returns the error, and the log names the copy and the side.

Seen in:
    found here
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import IN_CALL, Sign
from pte_lint.data.context import Context
from pte_lint.ir.calling import D2H_COPY, H2D_COPY
from pte_lint.questions.method import Method
from pte_lint.questions.placement.copies import COPY_ARGUMENTS
from pte_lint.questions.placement.device_findings import fault_finding
from pte_lint.questions.placement.export_settings import DEFAULT_COPIES, TARGET_SPEC
from pte_lint.questions.placement.fault_outcomes import COPY_ARGUMENT_COUNT
from pte_lint.questions.placement.faults import Fault, FaultCause
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE306",
    "copy-contract",
    Severity.ERROR,
    "boundary copies that the kernel refuses",
    sign=(
        Sign(
            "_(h2d|d2h)_copy: {side} tensor must be on",
            IN_CALL,
        ),
        Sign("copy at {at}: the {copy_side} side is"),
        Sign(r"Expected {wanted} ?args,? (received|got) {arguments}\b"),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a side of a copy, and one for a wrong number of arguments."""
    yield from _argument_counts(method)
    for _, faults in method.placement.by_argument(FaultCause.COPY):
        fault = faults[0]
        assert fault.step is not None
        side = "destination" if fault.is_output else "source"
        yield fault_finding(
            method,
            faults,
            f"{fault.step.operator} has {method.describe(fault.value)} as its {side}, tagged "
            f"{fault.place.tag} in {fault.place.home}: {fault.reason}.",
            _remediation(method, fault),
            {"side": side, "wanted": fault.reason},
        )


def _argument_counts(method: Method) -> Iterator[Finding]:
    if not method.placement.has_copy_operators:
        return
    for step in method.calls.of(H2D_COPY, D2H_COPY):
        if len(step.args) == COPY_ARGUMENTS:
            continue
        if not method.flow.reachable[step.index]:
            continue
        yield Finding(
            message=f"{step.operator} has {len(step.args)} arguments; its kernel takes "
            f"{COPY_ARGUMENTS}: source, destination, and the destination again.",
            remediation="The instruction was edited after export. Export again with the "
            f"defaults:\n\n{DEFAULT_COPIES}",
            location=method.location(step=step),
            forecast=COPY_ARGUMENT_COUNT,
            order=(step.index, ExecuteStep.ARGUMENT_COUNT),
            evidence={"arguments": len(step.args), "wanted": COPY_ARGUMENTS},
            subject=f"{step.operator} arguments",
        )


def _remediation(method: Method, fault: Fault) -> str:
    assert fault.step is not None
    if _is_beside_cpu_spec(method, fault):
        return (
            "The delegate's compile spec target_device says cpu, so the exporter inserted copies "
            "with both sides on the host, which always fail. A host delegate needs no "
            "target_device: take the spec out. A device delegate names its "
            f"device:\n\n{TARGET_SPEC}"
        )
    return (
        "The copies were changed after export, or a pass of your own inserted this one. Leave "
        f"them to the exporter:\n\n{DEFAULT_COPIES}"
    )


def _is_beside_cpu_spec(method: Method, fault: Fault) -> bool:
    """True for the device side of a copy whose delegate has a spec that names the host."""
    assert fault.step is not None
    if fault.is_output != (fault.step.operator == H2D_COPY):
        return False
    others = method.readers(fault.value) if fault.is_output else method.writers(fault.value)
    for index in others:
        target = method.placement.target(method.steps[index])
        if target is not None and target.spec is not None and target.is_host:
            return True
    return False
