"""A delegate's shared library that no machine can load, or that two machines would have to.

What it finds:
    Data under a library key (CUDA, Metal) that is no shared library, and libraries of one program
    that are for different machines.

What the runtime does:
    The backend writes the bytes to a temporary file and calls dlopen: anything but a shared library
    for this machine fails, with the backend's own error at load_method
    (backends/cuda/runtime/cuda_backend.cpp: CudaBackend::init).

Why it happens:
    The program was exported on another kind of machine than it is to run on (x86-64 and a Jetson,
    say), or the key names the wrong data.

How to fix it:
    Export on, or for, the machine that runs the program:

        uname -m

How it is confirmed:
    Only on a machine with the backend.

Seen in:
    executorch#21287
"""

from __future__ import annotations

from pte_lint.schema.delegates import ElfFacts, read_library

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.blobs import Blob, blobs
from pte_lint.data.context import Context
from pte_lint.data.named_data import NamedData
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, artifact_rule

_ROLE = "shared library"
_MACH_O = (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")


@artifact_rule(
    "PTE418", "delegate-library", Severity.WARNING, "libraries of delegates that cannot load"
)
def check(ctx: Context) -> Yields:
    """Looks at the head of what each library key names in the program."""
    wanted = [
        (method, blob, want.key)
        for method in ctx.methods
        for blob in blobs(method, ctx)
        for want in blob.facts.wants
        if want.role == _ROLE
    ]
    if not wanted:
        return
    data = NamedData(ctx)
    first: tuple[ElfFacts, str] | None = None
    for method, blob, key in wanted:
        span = data.look_up(key).span
        if span is None:
            continue
        elf = read_library(ctx.artifact.buffer, span)
        head = bytes(ctx.artifact.buffer[span.start : span.start + 4])
        if elf is None and not head.startswith(_MACH_O):
            what = f"is no shared library: it starts with {head.hex(' ')}"
        elif elf is not None and elf.type != "shared library":
            what = f"is an ELF {elf.type}, no shared library"
        elif elf is not None and first is not None and elf.machine != first[0].machine:
            what = f"is for {elf.machine}, while {first[1]} is for {first[0].machine}"
        else:
            if elf is not None and first is None:
                first = elf, key
            continue
        yield _finding(method, blob, key, what, span.start)


def _finding(method: Method, blob: Blob, key: str, what: str, at: int) -> Finding:
    return Finding(
        message=f"The library {key} of delegate {blob.index} ({blob.backend}) {what}.",
        remediation="Export on, or for, the machine that runs the program.",
        location=blob.location(method, at),
        evidence={"key": key},
        subject=f"delegates[{blob.index}] library",
        method=method.name,
        plan=method.index,
    )
