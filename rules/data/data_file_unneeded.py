"""A data file that the program has no use for.

What it finds:
    Given .ptd files none of whose keys any external tensor wants, in a program without delegates,
    which may ask for any key. Where no file has any key that the program wants, that is an error of
    its own (PTE513).

What the runtime does:
    The file is loaded and its keys are merged; nothing else happens (all versions).

Why it happens:
    The wrong file was given, or the program was exported again without external data.

How to fix it:
    Leave the file away, or give the one that belongs to the program:

        Module module("model.pte");

How it is confirmed:
    Not visible by running.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.data.context import Context
from pte_lint.data.data_files import entries, is_usable
from pte_lint.data.externals import wanted_keys
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.words import count


@artifact_rule("PTE525", "data-file-unneeded", Severity.INFO, "data files without a use")
def check(ctx: Context) -> Yields:
    """Delegates may ask for any key, so a program with delegates is not judged."""
    if not ctx.data or not ctx.methods:
        return
    if any(method.plan.delegates for method in ctx.methods):
        return
    wanted, known = wanted_keys(ctx), entries(ctx.data)
    if wanted and wanted.isdisjoint(known) and all(map(is_usable, ctx.data)):
        return
    for file in ctx.data:
        table = file.flat_tensor
        keys = {n.key for n in table.named_data or ()} if table is not None else set()
        if keys and not keys & wanted:
            yield Finding(
                message=f"Nothing in the program uses {file.name} ({count(len(keys), 'key')}).",
                remediation="Leave the file away, or give the one that belongs to the program.",
                location=Location(path=file.name),
                evidence={"file": file.name, "keys": len(keys)},
                subject=f"data file {file.name}",
            )
