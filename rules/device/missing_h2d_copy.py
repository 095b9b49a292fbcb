"""Host memory that reaches a device delegate without a copy.

What it finds:
    A tensor on the host (a method input, a constant, a host result, or a result that the delegate
    is to write) given to a delegate that runs on a device, with no _h2d_copy between.

What the runtime does:
    It passes pointers on and checks nothing. From 1.3 the CUDA backend tests the tag of each
    argument at execute and returns InvalidArgument, and from 1.4 where its pointer lies. Any
    other backend uses a host pointer as if it were on the device: wrong results or a fault of
    the device.

Why it happens:
    The exporter puts copies around delegates of the top-level graph only: a delegate inside a
    branch of torch.cond, map or scan gets neither tags nor copies. A program exported by 1.2 has
    none at all. Otherwise a tool dropped the copy, or added target_device to a delegate that takes
    host memory.

How to fix it:
    Export with 1.4 or later and the defaults, which put a copy before every argument of every
    delegate of the top-level graph. Take a delegate out of a branch: compute both results and
    select one, in place of torch.cond(p, true_fn, false_fn, (x,)); or leave branches to a host
    backend:

        y = torch.where(p, true_fn(x), false_fn(x))

How it is confirmed:
    Running it with a stand-in for the delegate that reports where each pointer lies.

Seen in:
    executorch#19961
"""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.placement.device_findings import fault_finding
from pte_lint.questions.placement.export_settings import DEFAULT_COPIES
from pte_lint.questions.placement.faults import Fault, FaultCause
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE304",
    "missing-h2d-copy",
    Severity.ERROR,
    "host tensors given to device delegates",
    sign=Sign(r"argument {argument} at {at}: host pointer given to a delegate .*tag cpu is not"),
)
def check(method: Method, context: Context) -> Yields:
    """One finding an argument of a delegate call."""
    for _, faults in method.placement.by_argument(FaultCause.MISSING_H2D):
        fault = faults[0]
        assert fault.step is not None
        target = method.placement.target(fault.step)
        role = "must write" if fault.is_output else "reads"
        yield fault_finding(
            method,
            faults,
            f"The delegate {fault.step.operator} runs on {target} and {role} "
            f"{method.describe(fault.value)}, which is tagged {fault.place.tag} and lies in "
            f"{fault.place.home}: no _h2d_copy stands between.",
            _remediation(method, fault),
            {"target_device": str(target), "argument_is_output": fault.is_output},
        )


def _remediation(method: Method, fault: Fault) -> str:
    assert fault.step is not None
    if method.flow.is_conditional(fault.step.index):
        return (
            "The delegate is inside a branch or loop, where the exporter inserts no copies (the "
            "pass that does it sees the top-level graph only). Take the delegated part out of "
            "the branch, or give branches to a host backend:\n\n"
            "    # instead of torch.cond(p, true_fn, false_fn, (x,))\n"
            "    y = torch.where(p, true_fn(x), false_fn(x))"
        )
    if not method.placement.copies and not method.has_device_arena:
        return (
            "The program has no copies and no device memory for this delegate: it was exported "
            "by 1.2 or 1.3, or target_device was added to a host delegate. Export it again with "
            f"1.4 or later and the defaults:\n\n{DEFAULT_COPIES}"
        )
    return (
        "The copy was lost after export, or a pass of your own removed it. Export again without "
        f"that pass and with the defaults, which copy every argument of a device delegate:\n\n"
        f"{DEFAULT_COPIES}\n\n"
        "If the caller is to give this tensor on the device, set "
        "skip_h2d_for_method_inputs=True together with MemoryPlanningPass(alloc_graph_input=False)."
    )
