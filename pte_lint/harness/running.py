"""What is handed to the probe, and how its runs are found again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from pte_lint.claims.forecast import Stage
from pte_lint.claims.result import Verdict
from pte_lint.data.context import Context
from pte_lint.data.refusal import Role, role
from pte_lint.files.artifact import open_artifact
from pte_lint.harness.decide import Claim
from pte_lint.harness.outcome import MethodRun, ProbeRun
from pte_lint.harness.process import scratch_folder
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method
from pte_lint.schema.container import Kind
from pte_lint.schema.loaded import read_bundled_program
from pte_lint.text.printable import printable


def stood_in(claim: Claim, run: MethodRun, method: Method) -> str | None:
    """Says why a stand-in's run cannot refute: the claim is about what the real backend does."""
    if not run.standins or not claim.finding.rule.startswith("PTE4"):
        return None
    about_load = claim.expected.spot.stage is Stage.LOAD_METHOD
    step = claim.expected.spot.within
    called = step is not None and method.steps[step].kind is StepKind.DELEGATE
    if about_load or called:
        names = ", ".join(sorted(run.standins))
        return f"the runtime lacks the backend ({names}); a stand-in ran in its place"
    return None


def stood_in_for_verdict(verdict: Verdict, run: MethodRun) -> str | None:
    """Says why a stand-in's run cannot refute a verdict; None where it can."""
    if run.standins and verdict.rule is not None and verdict.rule.startswith("PTE4"):
        names = ", ".join(sorted(run.standins))
        return f"the runtime lacks the backend ({names}); a stand-in ran in its place"
    return None


def by_variant(probe: ProbeRun, name: str | None) -> Mapping[str, MethodRun]:
    """The runs of the method that the runtime finds by this name, by variant."""
    for method in probe.methods:
        if method.name is not None and printable(method.name) == name:
            return {run.variant: run for run in method.runs}
    return {}


def delegate_outputs(methods: Sequence[Method]) -> dict[tuple[int, int, int], int]:
    """Number of outputs of every delegate call, by method, chain and position."""
    return {
        (method.index, step.chain, step.position): len(step.args) - step.first_output
        for method in methods
        for step in method.delegate_calls()
        if step.args
    }


def cannot_run(context: Context) -> str | None:
    """Says why the artifact cannot be run at all; None where it can, or fails to load."""
    if role(context) is Role.DATA:
        return "it is given as a data file by its name, which runs only together with a program"
    if context.container.kind is Kind.BUNDLED_PROGRAM and (
        context.loaded is None or context.bundle is None
    ):
        return "the bundle holds no program"
    return None


def program_of(path: Path, copy: Path) -> Path:
    """The program inside of a bundle, written to `copy`; the path itself of anything else."""
    with open_artifact(path) as artifact:
        bundle = read_bundled_program(artifact.buffer).bundle
        if bundle is None or bundle.program is None:
            return path
        start = bundle.program.start
        copy.write_bytes(artifact.buffer[start : start + bundle.program.size])
    return copy


@contextmanager
def runnable(context: Context) -> Iterator[Path]:
    """A path with the program's bytes: the artifact's own where it is a plain file."""
    artifact = context.artifact
    path = Path(artifact.path)
    bundle = context.bundle.bundle if context.bundle is not None else None
    if bundle is None and path.is_file():
        yield path
        return
    with scratch_folder() as folder:
        copy = folder / "program.pte"
        span = bundle.program if bundle is not None else None
        start, size = (span.start, span.size) if span is not None else (0, artifact.size)
        copy.write_bytes(artifact.buffer[start : start + size])
        yield copy
