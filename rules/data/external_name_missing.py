"""An external tensor without a name.

What it finds:
    Tensors whose data is external but that have no fully qualified name to look it up by.

What the runtime does:
    InvalidExternalData at load_method when a data file is given; without one, a constant fails
    before that with InvalidState. All versions (runtime/executor/method.cpp:
    Method::parse_external_constants, runtime/executor/tensor_parser_exec_aten.cpp:
    getTensorDataPtr).

Why it happens:
    The program was edited: the exporter names every external tensor.

How to fix it:
    Export the program again:

        from executorch.exir import ExecutorchBackendConfig

        ExecutorchBackendConfig(external_constants=True)

How it is confirmed:
    Loading the method with a data file gives InvalidExternalData.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadMethodStep, ValueStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.externals import externals
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_UNNAMED = Forecast.always(error(Stage.LOAD_METHOD, "InvalidExternalData"))
_NO_MAP = Forecast.always(error(Stage.LOAD_METHOD, "InvalidState"))


@method_rule(
    "PTE512",
    "external-name-missing",
    Severity.ERROR,
    "external tensors without a name",
    sign=Sign(r"name of external tensor is null at index {value}\b"),
)
def check(method: Method, ctx: Context) -> Yields:
    """Fails with and without data files; only the error differs."""
    for external in externals(method):
        if external.key is not None:
            continue
        v = external.value
        early = not external.is_mutable
        step = LoadMethodStep.EXTERNAL_CONSTANTS if early else LoadMethodStep.VALUES
        yield Finding(
            message=f"The data of {method.describe(v)} is external, but it has no name to find "
            "it by.",
            remediation="Export the program again:\n\n"
            "    from executorch.exir import ExecutorchBackendConfig\n\n"
            "    edge.to_executorch(ExecutorchBackendConfig(external_constants=True))",
            location=method.location(value=v, suffix=".val.extra_tensor_info.fully_qualified_name"),
            forecast=_NO_MAP if early and not ctx.data else _UNNAMED,
            order=(step, v, ValueStep.EXTERNAL_LAYOUT),
            subject=f"value {v}",
        )
