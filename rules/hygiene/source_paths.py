"""File names of the machine that exported the program.

What it finds:
    Stack traces kept in the program, and absolute paths among its strings: they tell user names,
    folder names and source lines to whoever gets the file.

What the runtime does:
    Nothing: stack traces are for debugging tools and are never read at run time (all versions).

Why it happens:
    The program was exported with `emit_stacktrace=True`, or a backend put the name of a file of
    the build machine into a compile spec or a key.

How to fix it:
    Export without stack traces for shipping:

        from executorch.exir import ExecutorchBackendConfig

        ExecutorchBackendConfig(emit_stacktrace=False)

How it is confirmed:
    Not visible by running.

Seen in:
    executorch#12960
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pte_lint.schema.program import Program

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.data.context import Context
from pte_lint.data.segments import program_container
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.words import count

_ABSOLUTE = re.compile(r"(?:^|[\s'\"=:])(/(?:home|Users|root|tmp|data|mnt|opt|var|usr)/[^\s'\"]+)")
_WINDOWS = re.compile(r"(?:^|[\s'\"=])([A-Za-z]:\\[^\s'\"]+)")
_SHOWN = 3
_LOOK = 4096
"""Characters of one string searched."""


@artifact_rule("PTE703", "source-paths", Severity.INFO, "file names of the exporting machine")
def check(ctx: Context) -> Yields:
    """One finding for the stack traces, one for the other strings."""
    container, program = program_container(ctx), ctx.program
    if container is None or program is None:
        return
    files: dict[str, int] = {}
    frames = 0
    for name in _frames(ctx.methods):
        frames += 1
        files[name] = files.get(name, 0) + 1
    if frames:
        shown = ", ".join(list(files)[:_SHOWN]) + (", ..." if len(files) > _SHOWN else "")
        yield Finding(
            message=f"The program carries stack traces: {count(frames, 'frame')} in "
            f"{count(len(files), 'file')} ({shown}).",
            remediation="Export without them for shipping:\n\n"
            "    from executorch.exir import ExecutorchBackendConfig\n\n"
            "    edge.to_executorch(ExecutorchBackendConfig(emit_stacktrace=False))",
            location=Location(path="execution_plan[0].chains[0].stacktrace"),
            evidence={"frames": frames, "files": sorted(files)[:100]},
            subject="stack traces",
        )
    found = sorted({path for text in _strings(program) for path in _paths(text)})
    if found:
        shown = ", ".join(found[:_SHOWN]) + (", ..." if len(found) > _SHOWN else "")
        yield Finding(
            message=f"The program names files of the exporting machine: {shown}.",
            remediation="Give backends relative names when exporting.",
            evidence={"paths": found[:100]},
            subject="paths",
        )


def _frames(methods: tuple[Method, ...]) -> Iterator[str]:
    for method in methods:
        for chain in method.plan.chains or ():
            for trace in chain.stacktrace or ():
                for frame in trace.items or ():
                    yield frame.filename or "?"


def _strings(program: Program) -> Iterator[str]:
    for entry in program.named_data or ():
        if entry.key:
            yield entry.key
    for plan in program.execution_plan or ():
        for delegate in plan.delegates or ():
            for spec in delegate.compile_specs or ():
                if spec.value:
                    yield spec.value[:_LOOK].decode("latin-1")


def _paths(text: str) -> Iterator[str]:
    for pattern in (_ABSOLUTE, _WINDOWS):
        for match in pattern.finditer(text[:_LOOK]):
            yield re.split(r"[\x00-\x1f\x7f-\xff]", match[1])[0]
