"""Where in the model a finding comes from: the operator, and the line of source if it is told.

Programs exported with `emit_stacktrace=True` keep a stack trace per instruction: the chain's
`stacktrace` runs parallel to its `instructions` (exir/emit/_emitter.py: `_Emitter.run_node`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pte_lint.claims.finding import Finding, SourceLine
from pte_lint.text.printable import printable

if TYPE_CHECKING:
    from pte_lint.questions.method import Method

_MOST: Final = 8
"""Frames kept, the innermost ones: a trace in a hostile file may have any length."""


def with_sources(findings: Iterable[Finding], methods: Sequence[Method]) -> Iterator[Finding]:
    """Adds where in the model findings come from: what wrote their value, and source lines."""
    known = {m.path: m for m in methods}
    for finding in findings:
        method = known.get(finding.location.path.partition(".")[0])
        yield finding if method is None else _placed(finding, method)


def _placed(finding: Finding, method: Method) -> Finding:
    at = finding.location
    instruction, written_by = at.instruction, ""
    if instruction is None and at.value is not None and at.value not in method.input_of:
        # A value has a number only, which says nothing to those who wrote the model.
        step = next((method.steps[n] for n in method.writers(at.value)), None)
        if step is not None:
            instruction = step.index
            written_by = printable(f"instruction {step.index} {step.operator}")
    lines = source_lines(method, instruction)
    return replace(finding, source=lines, written_by=written_by) if lines or written_by else finding


def source_lines(method: Method, instruction: int | None) -> tuple[SourceLine, ...]:
    """The frames of one instruction, outermost first; empty where the program has none."""
    if instruction is None or not 0 <= instruction < len(method.steps):
        return ()
    step = method.steps[instruction]
    traces = (method.plan.chains or ())[step.chain].stacktrace or ()
    if step.position >= len(traces):
        return ()
    frames = (traces[step.position].items or ())[-_MOST:]
    return tuple(
        SourceLine(f.filename or "", f.lineno, f.name or "", f.context or "")
        for f in frames
        if f.filename
    )
