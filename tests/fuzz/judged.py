"""The report on some bytes, by all rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from pte_lint._version import __version__
from pte_lint.claims.result import Report
from pte_lint.claims.target import Target
from pte_lint.data.context import Context
from pte_lint.data.reading import open_context, open_data
from pte_lint.files.artifact import Artifact
from pte_lint.judging.engine import Settings, judge
from pte_lint.rulebook.registry import load_rules


class RuleFailed(Exception):
    """A rule raised something: a bug that the engine turned into a report."""


def judged(content: bytes, data: Sequence[bytes]) -> tuple[Report, Context]:
    """The report on some bytes, and what the rules saw of them.

    Raises:
        RuleFailed: A rule raised something.
    """
    given = [open_data(Artifact(f"{n}.ptd", each)) for n, each in enumerate(data)]
    context = open_context(Artifact("input", content), Target(), given, {})
    said = judge(context, settings())
    if said.internal_errors:
        raise RuleFailed(said.internal_errors[0].traceback)
    return Report(Target(), (said,), __version__), context


@cache
def settings() -> Settings:
    """All rules, as they are."""
    return Settings(rules=load_rules(isolated=True))
