"""An identifier of another version of the format.

What it finds:
    A program, .ptd or bundled program whose 4-byte identifier is of the right family but not the
    one that runtimes know: ET13 where ET12 is known.

What the runtime does:
    The identifier must match exactly; a program is refused with InvalidProgram, a .ptd with
    InvalidExternalData, in every version (runtime/executor/program.cpp: Program::load,
    Program::check_header calls this an incompatible version).

Why it happens:
    The file is from before the format became stable, from a later format, or damaged in these
    four bytes. Every release of ExecuTorch since 1.0 writes ET12, FT01 and BP08.

How to fix it:
    Export the model again with the ExecuTorch release that the runtime is from:

        pip install executorch==1.5.1

How it is confirmed:
    Loading the file gives the error named.

Seen in:
    executorch#12294
"""

from __future__ import annotations

from pte_lint.schema.container import Kind

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.refusal import refused
from pte_lint.rulebook.rule import Yields, artifact_rule

_KNOWN = {
    Kind.OTHER_PROGRAM_VERSION: ("program", "ET12"),
    Kind.OTHER_FLAT_TENSOR_VERSION: ("data file", "FT01"),
    Kind.OTHER_BUNDLED_VERSION: ("bundled program", "BP08"),
}


@artifact_rule(
    "PTE004",
    "other-version",
    Severity.ERROR,
    "identifiers of another format version",
    sign=Sign(r"Program identifier '{identifier}' != expected"),
)
def check(ctx: Context) -> Yields:
    """Asks the sniffer alone."""
    known = _KNOWN.get(ctx.container.kind)
    if known is None:
        return
    what, wanted = known
    found = ctx.container.identifier.decode("latin-1")
    forecast, order = refused(ctx)
    yield Finding(
        message=f"The {what}'s identifier is {found}; every known runtime takes {wanted} only.",
        remediation="Export again with the ExecuTorch release that the runtime is from.",
        location=Location(byte_offset=4),
        forecast=forecast,
        order=order,
        evidence={"identifier": found, "wanted": wanted},
        subject="identifier",
    )
