"""Machine code inside the program.

What it finds:
    Segments that start like an executable or a shared library (ELF, Mach-O, Windows), with the
    machine that the code is for.

What the runtime does:
    AOT Inductor backends (CUDA, Metal) write the library to a temporary file and load it with
    dlopen: code from the file runs with the rights of the process
    (backends/cuda/runtime/cuda_backend.cpp). Other backends hand it to their driver.

Why it happens:
    It is how these backends ship their kernels. Worth knowing before a program from elsewhere is
    loaded, and before it is signed.

How to fix it:
    Nothing is wrong. Load such programs only from where you would load a library from, and check a
    signature over the whole file first.

How it is confirmed:
    Not visible by running.

Seen in:
    executorch#12960
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.data.context import Context
from pte_lint.data.segments import extent, references
from pte_lint.rulebook.rule import Yields, artifact_rule

_HEAD = 20
_MOST = 4096
"""Segments looked at."""
_MAGIC = (
    (b"\x7fELF", "ELF"),
    (b"\xcf\xfa\xed\xfe", "Mach-O"),
    (b"MZ", "Windows"),
)
_MACHINES = {
    3: "x86",
    40: "Arm",
    62: "x86-64",
    164: "Hexagon",
    183: "AArch64",
    190: "CUDA",
    243: "RISC-V",
}


@artifact_rule("PTE704", "embedded-executable", Severity.INFO, "machine code in segments")
def check(ctx: Context) -> Yields:
    """Reads the first bytes of segments that delegates and named data refer to."""
    if ctx.program is None:
        return
    seen: set[int] = set()
    for reference in references(ctx.program):
        if reference.index in seen or len(seen) >= _MOST:
            continue
        seen.add(reference.index)
        span = extent(ctx, reference.index)
        if span is None or span.size < _HEAD:
            continue
        head = bytes(ctx.artifact.buffer[span.start : span.start + _HEAD])
        kind = next((name for magic, name in _MAGIC if head.startswith(magic)), None)
        if kind is None:
            continue
        machine = ""
        if kind == "ELF":
            code = int.from_bytes(head[18:20], "little" if head[5] == 1 else "big")
            machine = _MACHINES.get(code, f"machine {code}")
        yield Finding(
            message=f"Segment {reference.index} ({reference.use}) is {kind} machine code"
            + (f" for {machine}" if machine else "")
            + f", {span.size} bytes.",
            remediation="Load such programs only from where you would load a library from.",
            location=Location(path=reference.path, byte_offset=span.start),
            evidence={"segment": reference.index, "format": kind, "machine": machine},
            subject=reference.path,
        )
