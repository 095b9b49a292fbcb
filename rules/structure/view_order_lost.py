"""A view without a copy that shows its base in another dimension order.

What it finds:
    Values that no step writes and that lie where another value of as many bytes was written
    (views whose copy the exporter left out), and the results of et_view, where the two number
    the same memory differently: one of them is channels-last or in another order than the default.

What the runtime does:
    It does not notice: whoever reads the view finds elements of other places. All versions.

Why it happens:
    The exporter replaces view_copy by sharing the memory and does not look at dimension orders
    (exir/passes/replace_view_copy_with_view_pass.py); pixel_shuffle, channel shuffle and flatten
    of a channels-last tensor are views of this kind.

How to fix it:
    Make the tensor contiguous in front of the view, or export in the default order:

        x = x.contiguous().view(n, groups, c // groups, h, w)

    or:

        model = model.to(memory_format=torch.contiguous_format)
        inputs = tuple(x.contiguous() for x in inputs)
        exported = torch.export.export(model, inputs)

    ExecutorchBackendConfig(remove_view_copy=False) does not help: view_copy refuses such tensors.

How it is confirmed:
    Not by running alone: the outputs differ from PyTorch's.

Seen in:
    Found here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import RUNTIME_VERSIONS, Forecast, wrong
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.constant_content import constant_content
from pte_lint.data.context import Context
from pte_lint.data.damage import require_readable
from pte_lint.data.uniform import UniformTensors
from pte_lint.questions.extent import dependent_outputs, is_dead
from pte_lint.questions.layout_effects import comes_out_right
from pte_lint.questions.layout_faults import layout_faults
from pte_lint.questions.layout_views import LostOrder, lost_orders
from pte_lint.questions.method import Method
from pte_lint.questions.smaller_twins import at_sizes, smaller_twins
from pte_lint.rulebook.rule import Yields, method_rule

_FIX: Final = """\
Make the tensor contiguous in front of the view, or export model and inputs in the default order:

    x = x.contiguous().view(sizes)

or

    model = model.to(memory_format=torch.contiguous_format)
    exported = torch.export.export(model, tuple(x.contiguous() for x in inputs))"""


def _that_show(method: Method, context: Context, is_uniform: UniformTensors) -> Iterator[LostOrder]:
    """The views of a method, unless its outputs come out right whatever they show."""
    found = list(lost_orders(method))
    if found:
        faults = list(layout_faults(method, is_uniform))
        content = constant_content(method, context)
        by_version = [
            {f.step.index: r for f in faults if (r := f.by_version[n]) is not None}
            for n in range(len(RUNTIME_VERSIONS))
        ]
        if all(comes_out_right(method, each, content, is_uniform) for each in by_version):
            return
    yield from found


@method_rule(
    "PTE152",
    "view-order-lost",
    Severity.ERROR,
    "views that show their base in another order",
    sign=Unseen("all succeeds: only a comparison with PyTorch would tell", Trial.COMPARE),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a view that anything depends on."""
    require_readable(method, context)
    is_told = False
    for finding in _findings(method, context):
        is_told = True
        yield finding
    for given, twin in () if is_told else smaller_twins(method):
        found = [at_sizes(method, finding, given) for finding in _findings(twin, context)]
        yield from found
        if found:
            return


def _findings(method: Method, context: Context) -> Iterator[Finding]:
    is_uniform = UniformTensors(method, context)
    for lost in _that_show(method, context, is_uniform):
        view, base = lost.view, lost.base
        step = method.steps[lost.step]
        if is_uniform(base.value) or not method.flow.reachable[step.index] or is_dead(method, step):
            continue
        outputs = dependent_outputs(method, step)
        yield Finding(
            message=f"{view.name} of sizes {list(view.sizes)} and dim order {list(view.order)} is "
            f"a view of {base.name} of sizes {list(base.sizes)} and dim order {list(base.order)} "
            "and shows its memory as it is: elements are found in other places than in PyTorch.",
            remediation=_FIX,
            location=method.location(step=step, value=view.value),
            forecast=Forecast.always(wrong()),
            order=(step.index, ExecuteStep.SILENT),
            evidence={
                "base": base.value,
                "base_dim_order": list(base.order),
                "dim_order": list(view.order),
                "outputs": list(outputs),
            },
            subject=f"value {view.value} view",
        )
