"""Hand-made reports: everything a format must be able to say, without a file behind it."""

from __future__ import annotations

from dataclasses import replace

from pte_lint.claims.finding import Confirmation, Finding, Location, Severity, SourceLine, Unchecked
from pte_lint.claims.forecast import Forecast, Outcome, Stage, Verification, crash, error
from pte_lint.claims.need import Need, NeedKind
from pte_lint.claims.profile import Profile
from pte_lint.claims.result import (
    ArtifactReport,
    InternalError,
    Report,
    RuleResult,
    Suppressed,
    Verdict,
)
from pte_lint.claims.target import Target

FIX = """Let the caller own the inputs that stay on the device:

    config = ExecutorchBackendConfig(
        memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False),
    )
"""

PLANNED = Forecast.always(error(Stage.SET_INPUT, "NotSupported")).until(
    "1.4", crash(Stage.SET_INPUT, "SIGSEGV")
)


TARGET = Target(profile=Profile(name="a profile"))
"""Goldens must not change with the profile that the package ships."""


def finding(index: int = 0, **changes: object) -> Finding:
    """A finding of PTE301 about input `index`, complete as the engine leaves it."""
    made = Finding(
        rule="PTE301",
        name="device-input-planned",
        severity=Severity.ERROR,
        message=f"Input {index} is tagged cuda:0, and the file also plans 256 bytes for it in "
        "arena 2. The caller's tensor cannot be bound to a planned device input.",
        remediation=FIX,
        method="forward",
        subject=f"input {index}",
        location=Location(
            path=f"execution_plan[0].values[{index}].allocation_info",
            value=index,
            byte_offset=400 + index,
        ),
        forecast=PLANNED,
        runtime=PLANNED.at("1.5", Verification.BOTH),
        evidence={"bytes_duplicated": 256, "planned_bytes": 768, "planned_bytes_with_fix": 256},
        fingerprint=f"{index:016x}",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def artifact(*findings: Finding, **changes: object) -> ArtifactReport:
    """A report of `model.pte` with these findings; its verdict is that of a planned input."""
    bad = bool(findings)
    stop = Verdict("forward", Stage.SET_INPUT, Outcome.ERROR, "NotSupported", "PTE301")
    fall = Verdict("forward", Stage.SET_INPUT, Outcome.CRASH, None, "PTE301", signal="SIGSEGV")
    runs = Verdict("forward", Stage.EXECUTE, Outcome.OK)
    made = ArtifactReport(
        path="model.pte",
        kind="program",
        size=5_000,
        sha256="0" * 64,
        verdict=(stop if bad else runs,),
        findings=findings,
        rules=(RuleResult("PTE301", "findings" if bad else "passed"),),
        runs_on={
            v: ((stop if v == "1.5" else fall) if bad else runs,)
            for v in ("1.2", "1.3", "1.4", "1.5")
        },
        numbers={
            "methods": [{"method": "forward", "planned_bytes": {"cuda:0": 768}}],
            "planned_bytes": {"cuda:0": 768},
        },
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def report(*artifacts: ArtifactReport, **changes: object) -> Report:
    """A report over these artifacts."""
    return replace(Report(TARGET, artifacts, "0.1.0"), **changes)  # type: ignore[arg-type]


def rich_report() -> Report:
    """One report that uses every feature: all severities, folding, gaps, failures, notes."""
    copied = Forecast.always(None).when_minimal(crash(Stage.EXECUTE, "SIGSEGV"))
    at = Location(
        path="execution_plan[0].chains[0].instructions[3]",
        instruction=3,
        argument=2,
        value=7,
        byte_offset=1234,
        operator="aten::add.out",
    )
    jump = finding(
        7,
        rule="PTE111",
        name="jump-outside",
        message="The jump goes to instruction 90 of 12.",
        remediation="Export the program again; something has damaged it.",
        location=at,
        subject="",
        forecast=copied,
        runtime=copied.at("1.5", Verification.BOTH),
        evidence={},
        source=(
            SourceLine("/home/user/train.py", 70, "main", "program = export(model)"),
            SourceLine("model.py", 12, "forward", "return x + y"),
        ),
        confirmation=Confirmation("confirmed", {"version": "1.5.1"}, {"signal": "SIGSEGV"}),
    )
    older = Forecast.always(None).until("1.3", error(Stage.LOAD_METHOD, "OperatorMissing"))
    warned = finding(
        8,
        rule="PTE601",
        name="older-runtimes",
        severity=Severity.WARNING,
        message="Boundary copies need kernels that runtimes before 1.4 do not have.",
        remediation="",
        location=Location(),
        subject="",
        method=None,
        forecast=older,
        runtime=None,
    )
    noted = finding(
        9,
        rule="PTE801",
        name="bytes-copied",
        severity=Severity.INFO,
        message="512 bytes are copied to the device on every call.",
        remediation="",
        location=Location(path="execution_plan[0]"),
        subject="",
        forecast=None,
        runtime=None,
        evidence={"bytes": 512, "share": 0.5},
    )
    broken = artifact(
        jump,
        path="broken.pte",
        internal_errors=(InternalError("PTE999", "KeyError('x')", "Traceback ...\nKeyError: 'x'"),),
        unchecked=(
            Unchecked("delegate 0 (QnnBackend)", "its blob is opaque"),
            Unchecked("kernel aten::add.out", "what a kernel checks itself is not in the file"),
        ),
        rules=(
            RuleResult("PTE111", "findings"),
            RuleResult("PTE402", "not_evaluated", "no .ptd was given"),
        ),
    )
    clean = artifact(
        path="clean.pte",
        suppressed=(Suppressed(finding(2), "the runner copies by itself"),),
        needs=(Need(NeedKind.BACKEND, "the backend QnnBackend", "forward", "Link it."),),
    )
    many = artifact(warned, *(finding(i) for i in range(9)), noted)
    return report(
        many,
        broken,
        clean,
        notes=("pyproject.toml: ignore[1] (PTE302) matches nothing; remove it",),
    )
