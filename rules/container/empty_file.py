"""A file with no content: no bytes at all, or only zeros.

What it finds:
    A file of 0 bytes, or one whose beginning is nothing but zero bytes.

What the runtime does:
    Every version asks the loader for the first 64 bytes; a file without them is refused with
    InvalidArgument. Zeros have no identifier and are refused with InvalidProgram
    (runtime/executor/program.cpp: Program::load; extension/data_loader/file_data_loader.cpp).

Why it happens:
    The export was interrupted, the disk was full, or a download or a copy made the file before it
    had the content. `write_to_file` that fails half-way leaves such files behind.

How to fix it:
    Write the file again, and let the write fail loudly:

        with open("model.pte", "wb") as file:
            program.write_to_file(file)

How it is confirmed:
    Loading the file gives the error named.

Seen in:
    executorch#2533
"""

from __future__ import annotations

from pte_lint.schema.container import Kind

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.refusal import refused
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE001",
    "empty-file",
    Severity.ERROR,
    "files without content",
    sign=Sign(r"offset 0 \+ size \d+ > file_size_ 0\b"),
)
def check(ctx: Context) -> Yields:
    """Asks the sniffer alone."""
    if ctx.container.kind not in (Kind.EMPTY, Kind.ZEROS):
        return
    size = ctx.artifact.size
    zeros = f"The file is {size} bytes long and begins with zeros only"
    what = "The file is empty" if size == 0 else zeros
    forecast, order = refused(ctx)
    yield Finding(
        message=f"{what}: there is no program in it.",
        remediation="Export or copy the file again; whatever wrote it did not finish.",
        forecast=forecast,
        order=order,
        evidence={"size": size},
        subject="file",
    )
