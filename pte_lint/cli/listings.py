"""The instructions of programs with findings, for formats that show a finding in a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pte_lint.claims.result import ArtifactReport, Report
from pte_lint.cli.paths import Input
from pte_lint.files.fetched import ArtifactError
from pte_lint.inspection.listing import listing
from pte_lint.judging.engine import Settings
from pte_lint.judging.session import Session
from pte_lint.report.options import Listing
from pte_lint.text import sanitise

MOST_INSTRUCTIONS: Final = 2_000
"""Of a program with more the text is no help, and code scanning takes files of 10 MB."""
MOST_CHARACTERS: Final = 1 << 18


def listings_of(report: Report, inputs: Sequence[Input]) -> dict[str, Listing]:
    """The listings of the artifacts here in which some instruction has a finding, by path."""
    sources = {each.name: each for each in inputs if each.address is None}
    found: dict[str, Listing] = {}
    for artifact in report.artifacts:
        has_places = any(f.location.instruction is not None for f in artifact.findings)
        if not has_places or artifact.path not in sources:
            continue
        made = _listing(artifact, sources[artifact.path], report)
        if made is not None:
            found[artifact.path] = made
    return found


def _listing(artifact: ArtifactReport, given: Input, report: Report) -> Listing | None:
    lines: list[str] = []
    places: dict[tuple[int, int], int] = {}
    try:
        with Session(Settings(rules=(), target=report.target)) as session:
            context = session.context(given.source, given.name)
            if sum(len(method.steps) for method in context.methods) > MOST_INSTRUCTIONS:
                return None
            for method in context.methods:
                told = [sanitise.prose(line) for line in listing(method)]
                # The instructions come last, but for an end that something jumps to.
                end = any(line.startswith(" >") and line.endswith("  end") for line in told[-1:])
                first = len(lines) + len(told) - end - len(method.steps)
                for step in method.steps:
                    places[method.index, step.index] = first + step.index + 1
                lines += told
    except ArtifactError:
        return None  # It is gone: what was found in it stands.
    text = "".join(f"{line}\n" for line in lines)
    return Listing(text, places) if len(text) <= MOST_CHARACTERS else None
