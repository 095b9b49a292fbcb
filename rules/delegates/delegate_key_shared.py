"""Two delegates that name one library.

What it finds:
    Delegates of AOTI backends (CUDA, Metal), of one method or of several, with the same library
    key.

What the runtime does:
    Each delegate writes the library to its own temporary file and loads it; state inside the
    library is shared or not as the system's loader decides (backends/cuda/runtime/
    cuda_backend.cpp: CudaBackend::init).

Why it happens:
    Keys are hashes of the library: equal subgraphs give equal keys. It saves space, and is only
    worth knowing when the two must not share state.

How to fix it:
    Nothing is wrong. Where the delegates must be independent, make their graphs differ, or load the
    program twice.

How it is confirmed:
    Not visible by running.

Seen in:
    executorch#20424
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.blobs import Blob, blobs
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, artifact_rule

_ROLE = "shared library"


@artifact_rule("PTE420", "delegate-key-shared", Severity.INFO, "delegates that share one library")
def check(ctx: Context) -> Yields:
    """One finding a key."""
    users: dict[str, list[tuple[Method, Blob]]] = {}
    for method in ctx.methods:
        for blob in blobs(method, ctx):
            for want in blob.facts.wants:
                if want.role == _ROLE:
                    users.setdefault(want.key, []).append((method, blob))
    for key, found in users.items():
        if len(found) < 2:
            continue
        names = ", ".join(f"{m.name} delegate {b.index}" for m, b in found[:4])
        yield Finding(
            message=f"{len(found)} delegates share the library {key}: {names}.",
            remediation="Nothing is wrong; make the graphs differ where they must not share state.",
            location=found[1][1].location(found[1][0]),
            evidence={"key": key, "delegates": len(found)},
            subject=f"library {key}",
        )
