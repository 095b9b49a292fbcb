"""Looks into test files: what tests of `inspect` and `diff` share."""

from __future__ import annotations

import os
from pathlib import Path

from pte_lint.difference.build import diff
from pte_lint.difference.compare import Difference
from pte_lint.files.artifact import Source, open_artifact
from pte_lint.inspection.build import inspect_context, open_for_look
from pte_lint.inspection.listing import listing
from pte_lint.inspection.model import Inspection
from pte_lint.judging.engine import Settings

DATA = Path(__file__).parents[1] / "data"
NO_RULES = Settings(rules=())
"""Judges nothing, so that what these tests see does not depend on the catalogue."""


def look(source: Source, *, code: bool = False, content: bool = False) -> Inspection:
    """Inspects without judging."""
    with open_artifact(source) as artifact:
        return inspect_context(open_for_look(artifact), None, code=code, content=content)


def listings(source: Source) -> list[list[str]]:
    """The instruction lines of each method."""
    with open_artifact(source) as artifact:
        return [list(listing(method)) for method in open_for_look(artifact).methods]


def compared(old: Source, new: Source, *, content: bool = False) -> Difference:
    """Compares without judging."""
    return diff(old, new, settings=NO_RULES, content=content)


def every_file() -> list[Path]:
    """All artifacts of the test data, and of the corpus where there is one."""
    folders = [DATA]
    corpus = os.environ.get("PTE_LINT_CORPUS")
    if corpus:
        folders.append(Path(corpus))
    return [
        path
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".pte", ".ptd", ".bpte")
    ]
