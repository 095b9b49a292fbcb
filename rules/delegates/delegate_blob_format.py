"""A blob that is not of its backend's format.

What it finds:
    Blobs that their backend's loader rejects or trips over, in the formats that can be read without
    the backend: XNNPACK (header, graph, constants), Vulkan, the key lines and weight tables of
    CUDA and Metal, and the magic numbers of others.

What the runtime does:
    The backend is initialised when the method is loaded and returns its own error: InvalidArgument
    and DelegateInvalidCompatibility from XNNPACK's header, identifier and verifier, Internal from
    AOTI backends without key lines, NotFound from Vulkan without a header. Older releases check
    less and read through the damage (backends/xnnpack/runtime/XNNHeader.cpp, XNNCompiler.cpp).

Why it happens:
    The blob is of another backend or another release, was cut, or the delegate's segment index is
    wrong. An error where the target has the backend; otherwise its runtime is not known, and it is
    a warning.

How to fix it:
    Export the program again, with the release that the runtime is from:

        pip install executorch==1.5.1

How it is confirmed:
    Loading the method gives the backend's error.

Seen in:
    executorch#21287
"""

from __future__ import annotations

from pte_lint.schema.delegates import BlobProblem

from pte_lint.claims.finding import Finding, Severity, Unchecked
from pte_lint.claims.forecast import RUNTIME_VERSIONS, Forecast, Stage, crash, error, undefined
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign
from pte_lint.data.blobs import Blob, blobs
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count


@method_rule(
    "PTE415",
    "delegate-blob-format",
    Severity.ERROR,
    "blobs that their backend cannot read",
    sign=Sign(r"(XNNCompiler|XNNHeader|XNNPACKBackend)\.cpp", "Init failed for backend {backend}:"),
)
def check(method: Method, ctx: Context) -> Yields:
    """The first problem of each blob; what a format keeps to itself is unchecked."""
    opaque: dict[str, list[int]] = {}
    for blob in blobs(method, ctx):
        if blob.facts.problems:
            yield _finding(method, ctx, blob, blob.facts.problems[0])
        elif blob.facts.opaque:
            opaque.setdefault(f"{blob.backend}: {blob.facts.opaque}", []).append(blob.index)
    for reason, which in opaque.items():
        yield Unchecked(f"the inside of {count(len(which), 'delegate')} of {method.name}", reason)


def _finding(method: Method, ctx: Context, blob: Blob, problem: BlobProblem) -> Finding:
    is_known = blob.backend in ctx.target.profile.backends
    forecast = _forecast(problem) if is_known else None
    return Finding(
        message=f"The blob of delegate {blob.index} ({blob.backend}, {blob.span.size} bytes): "
        f"{problem.message}.",
        remediation="Export the program again with the release that the runtime is from:\n\n"
        "    pip install executorch==1.5.1",
        location=blob.location(method, problem.at),
        forecast=forecast,
        order=(LoadMethodStep.DELEGATES, blob.index, 4, problem.step),
        evidence={
            "backend": blob.backend,
            "format": blob.facts.format,
            "problems": len(blob.facts.problems),
        },
        subject=f"delegates[{blob.index}] blob",
        severity=Severity.ERROR if forecast is not None else Severity.WARNING,
    )


def _forecast(problem: BlobProblem) -> Forecast | None:
    if problem.crashes:
        return Forecast.always(crash(Stage.LOAD_METHOD, "SIGSEGV"))
    if problem.misreads:
        return Forecast.always(undefined(Stage.LOAD_METHOD))
    if problem.error is None:
        return None
    forecast = Forecast.always(error(Stage.LOAD_METHOD, problem.error))
    if not problem.since:
        return forecast
    before = RUNTIME_VERSIONS[: RUNTIME_VERSIONS.index(problem.since)]
    return forecast.until(before[-1], undefined(Stage.LOAD_METHOD)) if before else forecast
