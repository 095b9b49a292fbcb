"""What the contiguous twin of a program shows: whether results hang on how tensors lie in memory.

A method is run on the real runtime, and so is its twin, with the same logical inputs. Where both
go through and give other results, a kernel takes a tensor for something else than it is; PyTorch is
not needed to see that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Final

from pte_lint.claims.finding import Confirmation
from pte_lint.claims.forecast import Outcome
from pte_lint.claims.result import ArtifactReport, Verdict
from pte_lint.data.context import Context
from pte_lint.edits.contiguous import contiguous_twin
from pte_lint.edits.draft import Draft
from pte_lint.edits.plan_draft import EditError
from pte_lint.fix.pieced import PiecedBytes
from pte_lint.harness.decide import CONFIRMED, REFUTED, UNSUPPORTED
from pte_lint.harness.elements import in_logical_order, width_of
from pte_lint.harness.expected.cases import Case, GivenTensor
from pte_lint.harness.expected.running import DIFFERS, FAILED, CaseResult, run_case
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.process import scratch_folder
from pte_lint.harness.recorded_runs import Recorder, went_through
from pte_lint.harness.recording import Damaged, RecordedTensor, RecordedValue, Recording
from pte_lint.harness.reference.inputs import content
from pte_lint.harness.running import cannot_run, runnable
from pte_lint.ops.operators import base_name
from pte_lint.questions.method import Method
from pte_lint.schema.enums import dtype_name
from pte_lint.schema.writer.program_file import Source
from pte_lint.text.printable import printable

KEY: Final = "contiguous_twin"
"""Where the comparison stands in the evidence of a verdict's confirmation."""

_CONTENTS: Final = ("normal values", "ramps")
_TYING: Final = frozenset(
    f"aten::{name}"
    for name in ("argmax", "argmin", "max", "max_pool2d_with_indices", "min", "sort", "topk")
)
"""Which of equal elements these name may hang on the order that they look at them in."""


def with_contiguous_twin(
    report: ArtifactReport, context: Context, data: Sequence[Path], options: ProbeOptions
) -> ArtifactReport:
    """The report with what the twins of its methods show about verdicts of running.

    Args:
        report: confirmed already.
        context: the same artifact, opened.
        data: .ptd files that the program is loaded with.
        options: how it is run.

    Raises:
        HarnessUnavailable: the runtime or the compiler is missing.
    """
    asked = {v.method for v in report.verdict if v.outcome in (Outcome.OK, Outcome.WRONG)}
    methods = [m for m in context.methods if printable(m.name) in asked]
    if cannot_run(context) is not None or context.bundle is not None:
        return report
    found: dict[str, CaseResult] = {}
    for method in methods:
        result = _of_method(method, context, data, options)
        if result is not None:
            found.setdefault(printable(method.name), result)
    if not found:
        return report
    return replace(
        report,
        verdict=tuple(_marked(each, found.get(each.method or "")) for each in report.verdict),
    )


def _of_method(
    method: Method, context: Context, data: Sequence[Path], options: ProbeOptions
) -> CaseResult | None:
    """How results differ from the twin's; None where there is no twin, or either does not run."""
    if context.loaded is None:
        return None
    draft = Draft(Source(context.loaded, context.artifact.buffer, may_lose=True))
    try:
        draft.apply(contiguous_twin(method))
        written = PiecedBytes(draft.pieces(), context.artifact.buffer)[:]
    except EditError:
        return None
    result = None
    with scratch_folder() as folder, runnable(context) as path, Recording() as recording:
        twin = folder / "twin.pte"
        twin.write_bytes(written)
        for kind in _CONTENTS:
            case = _case(method, kind, Recorder(twin, data, options, recording))
            if case is None:
                return None
            result = run_case(case, method, Recorder(path, data, options, recording))
            if result.status != DIFFERS:
                continue
            return result
    return None if result is None or result.status == FAILED else result


def _case(method: Method, kind: str, recorder: Recorder) -> Case | None:
    """What the twin gives for inputs of some contents; None where it does not run."""
    inputs: dict[int, GivenTensor] = {}
    for position, v in enumerate(method.inputs):
        tensor = method.tensor(v)
        if tensor is None:
            continue
        sizes, dtype = tuple(tensor.sizes or ()), dtype_name(tensor.scalar_type)
        made = content(kind, dtype, prod(sizes), position)
        if made:
            inputs[position] = GivenTensor(dtype, sizes, made)
    given = {position: each.data for position, each in inputs.items()}
    run = recorder.run(method, given, {position: each.sizes for position, each in inputs.items()})
    if not went_through(run):
        return None
    ties = any(base_name(step.operator) in _TYING for step in method.kernel_calls())
    outputs: dict[int, GivenTensor] = {}
    try:
        for record in recorder.recording.records():
            if not isinstance(record, RecordedValue) or record.kind != "output":
                continue
            value = record.value
            if not isinstance(value, RecordedTensor):
                continue
            dtype, held = dtype_name(value.dtype), recorder.recording.content(value)
            if held is None or (ties and "float" not in dtype):
                continue
            logical = in_logical_order(held, width_of(value.dtype), value.sizes, value.order)
            outputs[record.index] = GivenTensor(dtype, tuple(value.sizes), logical)
    except Damaged:
        return None
    return Case(f"{kind} given to the contiguous twin", printable(method.name), inputs, outputs)


def _marked(verdict: Verdict, result: CaseResult | None) -> Verdict:
    if result is None:
        return verdict
    before = verdict.confirmation or Confirmation(UNSUPPORTED)
    evidence = {**before.evidence, KEY: {"status": result.status, "reason": result.reason}}
    status = before.status
    if result.status == DIFFERS:
        status = REFUTED if verdict.outcome is Outcome.OK else CONFIRMED
        evidence["reason"] = (
            f"{result.reason}, which the same program gives with all tensors contiguous"
        )
    return replace(verdict, confirmation=replace(before, status=status, evidence=evidence))
