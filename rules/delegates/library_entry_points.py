"""A delegate's library without the functions that its backend looks up.

What it finds:
    ELF libraries of CUDA and Metal delegates that do not export one of the five functions of a
    compiled model which the backend cannot do without (AOTInductorModelContainerCreateWithDevice,
    ...Delete, ...GetNumInputs, ...GetNumOutputs, ...Run).

What the runtime does:
    It loads the library and asks for each of them by name: Internal from the CUDA backend,
    AccessFailed from Metal's, at load_method (backends/cuda/runtime/cuda_backend.cpp and
    backends/apple/metal/runtime/metal_backend.cpp: load_function_pointers_into_handle). All
    versions.

Why it happens:
    The key names another library, or one that was stripped of its dynamic symbols or built with
    hidden ones.

How to fix it:
    Export the program again, and leave the library as the exporter made it:

        nm -D --defined-only library.so | grep AOTInductorModel

How it is confirmed:
    Only on a machine with the backend.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.data.libraries import libraries
from pte_lint.ir.calling import CUDA_BACKEND
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE432",
    "library-entry-points",
    Severity.ERROR,
    "libraries without a model's functions",
    sign=Unseen("the library is loaded by the backend, on the target's own system"),
)
def check(ctx: Context) -> Yields:
    """One finding a library. A library that is damaged is PTE418."""
    for library in libraries(ctx):
        missing, method, blob = library.facts.missing, library.method, library.blob
        if not missing or library.facts.problem or library.facts.type != "shared library":
            continue
        is_proven = blob.backend in ctx.target.profile.backends
        name = "Internal" if blob.backend == CUDA_BACKEND else "AccessFailed"
        forecast = Forecast.always(error(Stage.LOAD_METHOD, name)) if is_proven else None
        yield Finding(
            message=f"The library {library.subject} does not export {', '.join(missing)}.",
            remediation="Export the program again, and leave the library as the exporter made "
            "it:\n\n    nm -D --defined-only library.so | grep AOTInductorModel",
            location=blob.location(method, library.span.start),
            forecast=forecast,
            order=(LoadMethodStep.DELEGATES, blob.index, 4, 1),
            evidence={"missing": list(missing)},
            subject=f"delegates[{blob.index}] entry points",
            severity=Severity.ERROR if is_proven else Severity.WARNING,
            method=method.name,
            plan=method.index,
        )
