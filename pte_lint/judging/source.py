"""Where an instruction comes from in the model's Python source, if the program tells.

Programs exported with `emit_stacktrace=True` keep a stack trace per instruction: the chain's
`stacktrace` runs parallel to its `instructions` (exir/emit/_emitter.py: `_Emitter.run_node`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pte_lint.claims.finding import Finding, SourceLine

if TYPE_CHECKING:
    from pte_lint.questions.method import Method

_MOST: Final = 8
"""Frames kept, the innermost ones: a trace in a hostile file may have any length."""


def with_sources(findings: Iterable[Finding], methods: Sequence[Method]) -> Iterator[Finding]:
    """Adds source lines to the findings about instructions that have them."""
    traced = {m.path: m for m in methods if any(c.stacktrace for c in m.plan.chains or ())}
    for finding in findings:
        at = finding.location
        method = traced.get(at.path.partition(".")[0]) if traced else None
        lines = source_lines(method, at.instruction) if method is not None else ()
        yield replace(finding, source=lines) if lines else finding


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
