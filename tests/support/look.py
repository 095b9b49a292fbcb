"""Looks into test files: what tests of `inspect` and `diff` share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pte_lint.data.context import Context
from pte_lint.difference.build import diff
from pte_lint.difference.compare import Difference
from pte_lint.files.artifact import Artifact, Source
from pte_lint.inspection.build import inspect_context, readable
from pte_lint.inspection.listing import listing
from pte_lint.inspection.model import Inspection
from pte_lint.judging.engine import Settings
from pte_lint.judging.session import Session

DATA = Path(__file__).parents[1] / "data"
NO_RULES = Settings(rules=())
"""Judges nothing, so that what these tests see does not depend on the catalogue."""


@contextmanager
def opened(source: Source | Artifact, data: Iterable[Source | Artifact] = ()) -> Iterator[Context]:
    """What rules see of an artifact that can be looked into."""
    with Session(NO_RULES) as session:
        yield readable(session.context(source, data=session.data(data)))


def look(source: Source, *, code: bool = False, content: bool = False) -> Inspection:
    """Inspects without judging."""
    with opened(source) as context:
        return inspect_context(context, None, code=code, content=content)


def listings(source: Source) -> list[list[str]]:
    """The instruction lines of each method."""
    with opened(source) as context:
        return [list(listing(method)) for method in context.methods]


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
