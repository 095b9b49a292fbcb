"""A payload of CUDA or Metal that only certain runtime versions read.

What it finds:
    The three forms that the AOTI backends' blobs had: empty, with keys made from the method's name
    (1.2, 1.3); two lines of keys (1.4); and the weight table with the magic ETCUDAFQN3 (1.5).

What the runtime does:
    1.4 wants two lines and gives Internal for anything else. 1.2 and 1.3 ignore the blob and ask
    for the keys by method name: Internal when they are not there. Whether 1.5 reads older forms is
    not known (backends/aoti/aoti_delegate_handle.h, backends/cuda/runtime/cuda_backend.cpp).

Why it happens:
    Exporter and runtime are from different releases. The finding is shown where the target is a
    runtime that refuses the form; otherwise it only narrows the range of runtimes.

How to fix it:
    Export with the release of the runtime:

        pip install executorch==1.5.1

How it is confirmed:
    Only with the backend of that release.

Seen in:
    executorch#21287
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Unseen
from pte_lint.data.blobs import blobs
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_REFUSED = error(Stage.LOAD_METHOD, "Internal")
_FORMS = {
    "AOTI keys by method name": ("1.2 and 1.3", Forecast.always(None).since("1.4", _REFUSED)),
    "AOTI key lines": ("1.4", Forecast.always(None).until("1.3", _REFUSED)),
    "CUDA weight table 3": ("1.5", Forecast.always(None).until("1.4", _REFUSED)),
}


@method_rule(
    "PTE419",
    "delegate-payload-version",
    Severity.ERROR,
    "payloads of other runtime versions",
    sign=Unseen("real blobs of that backend need its library and its device"),
)
def check(method: Method, ctx: Context) -> Yields:
    """What 1.5 makes of older forms is not public, so nothing is said about it."""
    for blob in blobs(method, ctx):
        form = _FORMS.get(blob.facts.format)
        if form is None:
            continue
        release, forecast = form
        yield Finding(
            message=f"The blob of delegate {blob.index} ({blob.backend}) has the form that "
            f"exporters of {release} write; other runtimes refuse it.",
            remediation="Export with the release of the runtime:\n\n"
            "    pip install executorch==1.5.1",
            location=blob.location(method),
            forecast=forecast.since("1.5", None),
            order=(LoadMethodStep.DELEGATES, blob.index, 4),
            evidence={"format": blob.facts.format},
            subject=f"delegates[{blob.index}] payload",
        )
