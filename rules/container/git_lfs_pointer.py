"""A Git LFS pointer in place of the file it stands for.

What it finds:
    The few lines of text that Git keeps when Git LFS did not fetch the real file.

What the runtime does:
    The text is refused like any file that is no program: InvalidProgram, in every version.

Why it happens:
    The repository was cloned without Git LFS, with GIT_LFS_SKIP_SMUDGE, or downloaded as an
    archive, which holds pointers only.

How to fix it:
    Fetch the content:

        git lfs install
        git lfs pull

How it is confirmed:
    Loading the file gives InvalidProgram.

Seen in:
    executorch#18824
"""

from __future__ import annotations

import re

from pte_lint.schema.container import Kind

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.refusal import refused
from pte_lint.rulebook.rule import Yields, artifact_rule

_POINTER_BYTES = 1024
"""Pointers are required to be shorter than this (Git LFS specification)."""

_SIZE = re.compile(rb"^size (\d{1,20})$", re.MULTILINE)


@artifact_rule(
    "PTE002",
    "git-lfs-pointer",
    Severity.ERROR,
    "Git LFS pointers left in place",
    sign=Sign(r"Program identifier 'ion ' != expected"),
)
def check(ctx: Context) -> Yields:
    """Reads the pointer's size line for the message."""
    if ctx.container.kind is not Kind.GIT_LFS_POINTER:
        return
    match = _SIZE.search(bytes(ctx.artifact.buffer[:_POINTER_BYTES]))
    real = int(match[1]) if match else None
    forecast, order = refused(ctx)
    yield Finding(
        message="The file is a Git LFS pointer, not the file itself"
        + (f", which has {real} bytes." if real is not None else "."),
        remediation="Fetch the content:\n\n    git lfs install\n    git lfs pull",
        forecast=forecast,
        order=order,
        evidence={"size": ctx.artifact.size, "real_size": real},
        subject="file",
    )
