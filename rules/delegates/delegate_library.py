"""A delegate's shared library that no machine can load, or that two machines would have to.

What it finds:
    Data under a library key (CUDA, Metal) that is no shared library or a damaged one, and libraries
    of one program that are for different machines.

What the runtime does:
    The backend writes the bytes to a temporary file and calls dlopen: anything but a shared library
    for this machine fails, with the backend's own error at load_method
    (backends/cuda/runtime/cuda_backend.cpp: CudaBackend::init).

Why it happens:
    The program was exported on another kind of machine than it is to run on (x86-64 and a Jetson,
    say), or the key names the wrong data.

How to fix it:
    Export all methods on, or for, the machine that runs the program:

        uname -m

    What is no library at all was replaced or damaged: export again.

        program.save("model.pte")

How it is confirmed:
    Only on a machine with the backend.

Seen in:
    executorch#21287
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity, Unchecked
from pte_lint.data.context import Context
from pte_lint.data.libraries import DelegateLibrary, libraries
from pte_lint.rulebook.rule import Yields, artifact_rule

_ANEW = (
    "No setting makes this: the library was replaced or damaged after it was compiled. Export "
    'again:\n\n    program.save("model.pte")'
)
_THERE = "Export all methods on, or for, the machine that runs the program:\n\n    uname -m"


@artifact_rule(
    "PTE418", "delegate-library", Severity.WARNING, "libraries of delegates that cannot load"
)
def check(ctx: Context) -> Yields:
    """Looks at what each library key names in the program."""
    first: DelegateLibrary | None = None
    for library in libraries(ctx):
        facts = library.facts
        if facts.unread:
            yield Unchecked(f"the library {library.subject}", facts.unread)
        elif not facts.format:
            head = bytes(ctx.artifact.buffer[library.span.start : library.span.start + 4])
            yield _finding(library, f"is no shared library: it starts with {head.hex(' ')}", _ANEW)
        elif facts.type not in ("shared library", ""):
            yield _finding(library, f"is an {facts.format} {facts.type}, no shared library", _ANEW)
        elif facts.problem:
            yield _finding(library, f"is damaged: {facts.problem}", _ANEW)
        elif first is not None and facts.machine != first.facts.machine:
            other = f"{first.key} is for {first.facts.machine}"
            yield _finding(library, f"is for {facts.machine}, while {other}", _THERE)
        elif first is None and facts.machine:
            first = library


def _finding(library: DelegateLibrary, what: str, advice: str) -> Finding:
    blob, method = library.blob, library.method
    return Finding(
        message=f"The library {library.subject} {what}.",
        remediation=advice,
        location=blob.location(method, library.span.start),
        evidence={"key": library.key},
        subject=f"delegates[{blob.index}] library",
        method=method.name,
        plan=method.index,
    )
