"""A program damaged on its way: base64 text, bytes put before it, line endings converted.

What it finds:
    A program that is still there but encoded as base64, that starts further on in the file, or
    whose line feed bytes were all turned into carriage return and line feed.

What the runtime does:
    The first two are refused like any file that is no program: InvalidProgram in every version.
    Converted line endings move everything behind them: the sizes in the header or the tables do
    not fit, and what happens is told by the other findings of this file.

Why it happens:
    The file went through a channel for text: a mail body, a JSON field, FTP in text mode, Git
    with autocrlf and without a `*.pte binary` attribute, or something wrote a banner before it.

How to fix it:
    Undo the encoding, and transfer files as binary:

        base64 -d model.txt > model.pte
        tail -c +17 model.bin > model.pte      # 16 bytes too many in front
        echo "*.pte binary" >> .gitattributes

How it is confirmed:
    Loading the file gives the error named.

Seen in:
    executorch#18824
"""

from __future__ import annotations

from pte_lint.schema.container import Kind
from pte_lint.schema.sniff import line_ending_damage

from pte_lint.context import Context
from pte_lint.data.refusal import refused
from pte_lint.finding import Finding, Location, Severity
from pte_lint.rule import Yields, artifact_rule

_LOOK = 1 << 20
"""Bytes searched for converted line endings at most."""


@artifact_rule("PTE005", "damaged-transfer", Severity.ERROR, "programs damaged by a transfer")
def check(ctx: Context) -> Yields:
    """Line endings are counted only in files that are wrong anyway."""
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
            evidence={"kind": str(kind), "program_at": start},
            subject="file",
        )
    elif kind is Kind.PROGRAM and _looks_broken(ctx):
        evidence = line_ending_damage(bytes(ctx.artifact.buffer[:_LOOK]))
        if evidence is None:
            return
        yield Finding(
            message=f"The file's line endings were converted: {evidence}.",
            remediation="Transfer the file as binary. For Git:\n\n"
            '    echo "*.pte binary" >> .gitattributes',
            evidence={"line_endings": evidence},
            subject="line endings",
            severity=Severity.WARNING,
        )


def _looks_broken(ctx: Context) -> bool:
    container = ctx.container
    expected = container.expected_size
    wrong_size = expected is not None and expected != container.size
    return wrong_size or (ctx.loaded is not None and bool(ctx.loaded.violations))
