"""A program damaged on its way: base64 text, bytes put before it, or taken for text.

What it finds:
    A program that is still there but encoded as base64, that starts further on in the file, whose
    line feed bytes were all turned into carriage return and line feed (or the other way round), or
    whose bytes were read as text and written as UTF-8; .ptd and .bpte files too. An error where it
    is proven: with the conversion undone the file reads without a fault and has the size that its
    header names, or so much was lost as the signs say. A warning where only signs are there.

What the runtime does:
    The first two are refused like any file that is no program: InvalidProgram in every version.
    A conversion moves everything behind what it changes: the sizes in the header or the tables do
    not fit, and other findings tell what happens.

Why it happens:
    The file went through a channel for text: a mail body, a JSON field, FTP in text mode, Git
    with autocrlf and without a `*.pte -text` attribute, a script that opened it without `"b"`, or
    something wrote a banner before it.

How to fix it:
    Undo the encoding, and transfer files as binary:

        base64 -d model.txt > model.pte
        tail -c +17 model.bin > model.pte      # 16 bytes too many in front
        echo "*.pte -text -diff" >> .gitattributes

How it is confirmed:
    Loading the file gives the error named. A program that was converted fails of what moved; with
    the conversion taken back in a copy every method runs.

Seen in:
    executorch#18824
"""

from __future__ import annotations

from pte_lint.schema.container import Kind

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.sign import Sign, Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.refusal import read_identifier, refused
from pte_lint.data.text_damage import text_damage
from pte_lint.rulebook.rule import Yields, artifact_rule

_BINARIES = (Kind.PROGRAM, Kind.FLAT_TENSOR, Kind.BUNDLED_PROGRAM)
_AS_BINARY = """\
Exporting again does not help: copy the original once more, as binary (`binary` in an FTP client, no
conversion in scripts). In a Git repository say so before the file is added again:

    echo "*.pte -text -diff" >> .gitattributes
    git rm --cached model.pte
    git add .gitattributes model.pte"""


@artifact_rule(
    "PTE005",
    "damaged-transfer",
    Severity.ERROR,
    "programs damaged by a transfer",
    sign=(
        Sign("Program identifier '{identifier}' != expected"),
        Unseen("it fails of what the conversion moved: taken back, it runs", Trial.RESTORE),
    ),
)
def check(ctx: Context) -> Yields:
    """Signs of a conversion are looked for only in files that are wrong anyway."""
    kind, sniffed = ctx.container.kind, ctx.container.sniffed
    if kind in (Kind.BASE64_PROGRAM, Kind.SHIFTED_PROGRAM):
        forecast, order = refused(ctx)
        start = sniffed.program_at
        if start is None:
            message = "The file is base64 text of a program, not the program."
            advice = "Decode it:\n\n    base64 -d FILE > model.pte"
        else:
            message = f"There are {start} bytes in front of the program: {sniffed.evidence}."
            advice = f"Cut them off:\n\n    tail -c +{start + 1} FILE > model.pte"
        yield Finding(
            message=message,
            remediation=advice,
            location=Location(byte_offset=start or 0),
            forecast=forecast,
            order=order,
            evidence={
                "kind": str(kind),
                "program_at": start,
                "identifier": read_identifier(ctx),
            },
            subject="file",
        )
    elif kind in _BINARIES and _is_broken(ctx):
        damage = text_damage(ctx.artifact, ctx.container)
        if damage is None:
            return
        certain = "was damaged by a transfer as text" if damage.is_proven else "may be damaged"
        yield Finding(
            message=f"The file {certain}: {damage.what} ({damage.evidence}).",
            remediation=_AS_BINARY,
            location=Location(byte_offset=0),
            evidence={"damage": damage.what, "signs": damage.evidence},
            subject="file",
            severity=Severity.ERROR if damage.is_proven else Severity.WARNING,
        )


def _violations(ctx: Context) -> bool:
    read = (ctx.loaded, ctx.flat_tensor, ctx.bundle)
    return any(each is not None and each.violations for each in read)


def _is_broken(ctx: Context) -> bool:
    container = ctx.container
    expected = container.expected_size
    return (expected is not None and expected != container.size) or _violations(ctx)
