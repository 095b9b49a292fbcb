"""What is confirmed of each seeded defect, given how its runs ended: no runtime, only its report.

`test_confirm.py` asks the runtime; here each defect ends in each way, foretold or not, and a change
of any status, reason or piece of evidence shows as a change of the golden files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.claims.result import ArtifactReport, Verdict
from pte_lint.data.context import Context
from pte_lint.harness.confirm import ConfirmOptions, _Confirmer
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.outcome import (
    Fault,
    InstructionRef,
    MethodReport,
    MethodRun,
    ProbeRun,
    ProgramLoad,
    TensorFacts,
)
from pte_lint.harness.runs import Runs
from pte_lint.report.json_value import json_value
from tests.fuzz.judged import judged
from tests.fuzz.kill_matrix import FOLDER, Defect, stored
from tests.support.golden import check_golden

GOLDEN = Path(__file__).parent / "golden" / "confirmations"

_LOADED = ProgramLoad("load_program", "ok", num_methods=1, methods=("forward",))
_OUTPUT = TensorFacts("tensor", "Float", (1,), "cpu", "host", "d")
_FINE = MethodRun("execute", "ok", outputs=(_OUTPUT,), outputs_second_run=(_OUTPUT,))

Ending = Callable[[Verdict], tuple[ProgramLoad, MethodRun]]


def _as_foretold(verdict: Verdict) -> tuple[ProgramLoad, MethodRun]:
    ends = {"error": verdict.error, "signal": verdict.signal}
    if verdict.stage is Stage.LOAD_PROGRAM and verdict.outcome is not Outcome.OK:
        load = ProgramLoad("load_program", _outcome(verdict), **ends)
        return load, _FINE
    at = InstructionRef(0, 0) if verdict.stage is Stage.EXECUTE else None
    stage: Any = str(verdict.stage)
    return _LOADED, replace(_FINE, stage=stage, outcome=_outcome(verdict), instruction=at, **ends)


def _outcome(verdict: Verdict) -> Any:
    return "ok" if verdict.outcome not in (Outcome.ERROR, Outcome.CRASH) else str(verdict.outcome)


def _ended(**fields: Any) -> Ending:
    return lambda _: (_LOADED, replace(_FINE, **fields))


ENDINGS: dict[str, Ending] = {
    "as foretold": _as_foretold,
    "fine": lambda _: (_LOADED, _FINE),
    "not loaded": lambda _: (ProgramLoad("load_program", "error", error="InvalidProgram"), _FINE),
    "not loaded, a crash": lambda _: (
        ProgramLoad("load_program", "crash", signal="SIGSEGV"),
        _FINE,
    ),
    "method not loaded": _ended(stage="load_method", outcome="error", error="InvalidProgram"),
    "input refused": _ended(stage="set_input", outcome="error", error="InvalidArgument", input=0),
    "the last input refused": _ended(
        stage="set_input", outcome="error", error="NotSupported", input=1
    ),
    "call refused": _ended(
        outcome="error", error="InvalidArgument", instruction=InstructionRef(0, 1)
    ),
    "crash": _ended(
        outcome="crash",
        signal="SIGSEGV",
        instruction=InstructionRef(0, 1),
        fault=Fault(4096, "cuda:0", 16),
    ),
    "undefined": _ended(outcome="undefined", remarks=("a pointer is wrong",)),
    "damaged": _ended(outcome="crash", signal="SIGSEGV", damaged=True),
    "late": _ended(outcome="timeout"),
    "a stand-in": _ended(standins=("CudaBackend", "XnnpackBackend")),
}


def _methods(context: Context, run: MethodRun, variants: Sequence[str]) -> tuple[MethodReport, ...]:
    made = []
    for number, method in enumerate(context.methods):
        runs = [replace(run, variant=variant) for variant in variants]
        if run is not _FINE:
            # What memory held shows in one of the outputs.
            other = replace(_OUTPUT, digest="x")
            runs = [replace(r, outputs=(other,)) if "poisoned" in r.variant else r for r in runs]
        made.append(MethodReport(number, method.name, None, tuple(runs)))
    return tuple(made)


class _Runs(Runs):
    def has_own(self, runtime: str) -> bool:
        """Nothing is called as runners do: there is no runtime."""
        return False


def _confirmed(report: ArtifactReport, context: Context, ending: Ending) -> ArtifactReport:
    worst = min(report.verdict, key=lambda v: (v.outcome is Outcome.OK, v.stage.rank))
    load, run = ending(worst)

    def probe(path: Path, *, data: Sequence[Path], options: ProbeOptions) -> ProbeRun:
        found = _methods(context, run, options.variants) if load.outcome == "ok" else ()
        level: Any = options.verification
        return ProbeRun("m.pte", "1.5.1", "1.5", level, "emulated", load, None, found)

    runs = _Runs(Path("m.pte"), context, (), ProbeOptions(), run=probe)
    return _Confirmer(report, context, ConfirmOptions(replay=False), runs).confirmed()


@cache
def _judged(defect: Defect) -> tuple[ArtifactReport, Context]:
    data = [(FOLDER / name).read_bytes() for name in defect.data]
    said, context = judged((FOLDER / defect.file).read_bytes(), data)
    return said.artifacts[0], context


def _told(defects: Sequence[Defect], ending: Ending) -> Iterator[str]:
    for defect in defects:
        report, context = _judged(defect)
        if context.program is None or not report.verdict:
            continue
        yield defect.rule
        found = _confirmed(report, context, ending)
        told = [(f"{f.rule} {f.location.path}", f.confirmation) for f in found.findings]
        told += [(f"verdict {v.method}", v.confirmation) for v in found.verdict]
        for what, confirmation in told:
            if confirmation is not None and what.startswith(("verdict", defect.rule)):
                facts = {k: v for k, v in confirmation.runtime.items() if v is not None}
                shown = {"runtime": facts, "evidence": confirmation.evidence}
                text = json.dumps(json_value(shown), sort_keys=True)
                digest = sha256(text.encode()).hexdigest()[:12]
                yield f"    {what}: {confirmation.status} {digest}"
                yield f"        {confirmation.evidence['reason']}"


@pytest.mark.parametrize("family", sorted({defect.rule[:4] for defect in stored()}))
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_confirmed(ending: str, family: str) -> None:
    defects = [defect for defect in stored() if defect.rule.startswith(family)]
    lines = list(_told(defects, ENDINGS[ending]))
    check_golden(GOLDEN / ending / f"{family}.txt", "\n".join(lines) + "\n")
