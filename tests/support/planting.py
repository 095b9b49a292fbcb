"""False findings planted among the true ones of a file, and what `confirm` makes of them.

Each ends as a true finding of the file does, and says something else: another rule's finding with
its own place or with the true one's, the true one without its place, or with another argument,
value, instruction or method; and findings of broken programs on programs that run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.result import ArtifactReport
from pte_lint.claims.target import Target
from pte_lint.cli.comparing_values import Comparisons
from pte_lint.data.reading import open_context, open_data
from pte_lint.files.artifact import open_artifact
from pte_lint.fix.counterfactual import confirm_by_repair
from pte_lint.fix.remedies import load_remedies
from pte_lint.harness.confirm import ConfirmOptions, confirm
from pte_lint.harness.options import ProbeOptions
from pte_lint.judging.engine import Settings, judge
from pte_lint.rulebook.registry import load_rules
from tests.fuzz.kill_matrix import FOLDER, ODD_DEFECTS, stored

SHOWN = ("confirmed", "confirmed_by_repair")
KINDS = {
    "elsewhere": "another rule's finding of another file, with its own place",
    "there": "another rule's finding of another file, with the place of the true one",
    "nowhere": "the true finding without its place",
    "argument": "the true finding about another argument",
    "value": "the true finding about another value",
    "instruction": "the true finding about another instruction",
    "healthy": "a finding of a broken program, on one that runs",
}
"""What is planted, by kind."""
KIN = (
    {"PTE203", "PTE204"},
    {"PTE129", "PTE130", "PTE317"},
    {"PTE137", "PTE139", "PTE141", "PTE307"},
    {"PTE308", "PTE304"},
)
"""Rules that say the same of the same place, each of its own kind of instruction."""
CLEAN = Path(__file__).parents[1] / "data" / "clean"
RUNNING = ("convnet.pte", "bundled_linear.bpte")


@dataclass(frozen=True)
class Bed:
    """A file that findings are planted in."""

    path: Path
    data: tuple[Path, ...] = ()

    @property
    def name(self) -> str:
        """What to call it."""
        return self.path.stem


def beds() -> list[Bed]:
    """The files of the kill matrix that need no options to be judged, and two that run."""
    found = [
        Bed(FOLDER / defect.file, tuple(FOLDER / name for name in defect.data))
        for defect in stored()
        if defect.file.endswith((".pte", ".bpte"))
        and ((odd := ODD_DEFECTS.get(defect.rule)) is None or not odd().options)
    ]
    return [*found, *(Bed(CLEAN / name) for name in RUNNING)]


def planted_in(bed: Bed) -> tuple[Finding, ...]:
    """The false findings for a file; none where it has no error to be like."""
    true = _errors(judged(bed))
    if not true:
        return tuple(_on_healthy(bed)) if bed.path.parent == CLEAN else ()
    return tuple(_planted(true))


def wrongly_confirmed(bed: Bed, planted: Sequence[Finding]) -> list[tuple[str, str, str]]:
    """Rule, kind and reason of planted findings that were confirmed: there must be none."""
    names = {f.fingerprint for f in planted}
    return [
        (f.rule, f.fingerprint, str(f.confirmation.evidence["reason"]))
        for f in _confirmed(bed, planted).findings
        if f.fingerprint in names and f.confirmation is not None and f.confirmation.status in SHOWN
    ]


def kind_of(planted: Finding) -> str:
    """Which of `KINDS` a planted finding is."""
    return planted.fingerprint.split()[0]


def judged(bed: Bed) -> ArtifactReport:
    """The report on a file."""
    settings = _settings()
    with ExitStack() as stack:
        given = tuple(open_data(stack.enter_context(open_artifact(each))) for each in bed.data)
        artifact = stack.enter_context(open_artifact(bed.path))
        return judge(open_context(artifact, settings.target, given, {}), settings)


@cache
def _settings() -> Settings:
    return Settings(rules=load_rules(isolated=True), target=Target())


def _confirmed(bed: Bed, planted: Sequence[Finding]) -> ArtifactReport:
    settings = _settings()
    signs = {rule.id: rule.sign for rule in settings.rules}
    options = ConfirmOptions(ProbeOptions(device_memory="emulated"), replay=False, signs=signs)
    with ExitStack() as stack:
        given = tuple(open_data(stack.enter_context(open_artifact(each))) for each in bed.data)
        artifact = stack.enter_context(open_artifact(bed.path))
        context = open_context(artifact, settings.target, given, {})
        report = judge(context, settings)
        report = replace(report, findings=(*report.findings, *planted))
        report = confirm(report, context, bed.data, options)
        report = confirm_by_repair(
            report,
            context,
            (bed.data, given),
            settings=settings,
            options=options,
            remedies=load_remedies(isolated=True),
        )
        comparisons = stack.enter_context(Comparisons())
        return comparisons.made(report, context, bed.data, options.probe)


def _errors(report: ArtifactReport) -> list[Finding]:
    return [f for f in report.findings if f.severity is Severity.ERROR and not f.is_unjudged]


@cache
def _all_errors() -> tuple[Finding, ...]:
    return tuple(f for bed in beds() for f in _errors(judged(bed)))


def _planted(true: list[Finding]) -> Iterator[Finding]:
    """False findings that end as the first true one does."""
    lead = true[0]
    here = {f.rule for f in true}
    kin = {rule for group in KIN if group & here for rule in group}
    seen: set[str] = set()
    for other in _all_errors():
        if other.rule in here | kin | seen or other.runtime != lead.runtime:
            continue
        seen.add(other.rule)
        moved = replace(other, method=lead.method, plan=lead.plan, order=lead.order)
        yield replace(moved, fingerprint=f"elsewhere {other.rule}")
        yield replace(moved, location=lead.location, fingerprint=f"there {other.rule}")
    where = lead.location
    if where.value is None and where.argument is None and where.instruction is None:
        return
    yield replace(lead, location=Location(), evidence={}, fingerprint="nowhere")
    if where.argument is not None:
        # An output stands twice, as the return too: the argument before is another one for sure.
        argument = replace(where, argument=where.argument - 1 if where.argument else 1)
        yield replace(lead, location=argument, fingerprint="argument")
    if where.value is not None:
        path = where.path.replace(f"values[{where.value}]", f"values[{where.value + 1}]")
        value = replace(where, value=where.value + 1, path=path)
        yield replace(lead, location=value, fingerprint="value")
    if where.instruction is not None:
        told = {f.location.instruction for f in true}
        at = next(n for n in range(len(told) + 1) if n not in told)
        path = where.path.replace(f"instructions[{where.instruction}]", f"instructions[{at}]")
        instruction = replace(where, instruction=at, path=path)
        yield replace(lead, location=instruction, fingerprint="instruction")


def _on_healthy(bed: Bed) -> Iterator[Finding]:
    """One finding of each rule, with its own place, about the first method."""
    verdict = judged(bed).verdict[0]
    for other in {f.rule: f for f in reversed(_all_errors())}.values():
        method = verdict.method if other.method is not None else None
        yield replace(other, method=method, fingerprint=f"healthy {other.rule}")
