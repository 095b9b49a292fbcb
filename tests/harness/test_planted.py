"""Findings that are false, planted among the true ones: none of them is ever confirmed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.result import ArtifactReport
from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context, open_data
from pte_lint.files.artifact import open_artifact
from pte_lint.fix.counterfactual import confirm_by_repair
from pte_lint.fix.remedies import load_remedies
from pte_lint.harness.confirm import ConfirmOptions, confirm
from pte_lint.harness.options import ProbeOptions
from pte_lint.judging.engine import Settings, judge
from pte_lint.rulebook.registry import load_rules
from tests.fuzz.kill_matrix import FOLDER, ODD_DEFECTS, stored

pytestmark = [pytest.mark.runtime, pytest.mark.usefixtures("probe")]

SHOWN = ("confirmed", "confirmed_by_repair")
KIN = (
    {"PTE203", "PTE204"},
    {"PTE129", "PTE130", "PTE317"},
    {"PTE137", "PTE139", "PTE141", "PTE307"},
    {"PTE308", "PTE304"},
)
"""Rules that say the same of the same place, each of its own kind of instruction."""
STEP = 5
"""One file in so many has its turn; the whole takes minutes."""


@cache
def _settings() -> Settings:
    return Settings(rules=load_rules(isolated=True), target=Target())


def _files() -> Iterator[tuple[Path, tuple[Path, ...]]]:
    for defect in stored():
        odd = ODD_DEFECTS.get(defect.rule)
        if defect.file.endswith(".pte") and (odd is None or not odd().options):
            yield FOLDER / defect.file, tuple(FOLDER / name for name in defect.data)


def _confirmed(
    path: Path, data: tuple[Path, ...], planted: tuple[Finding, ...] = ()
) -> tuple[ArtifactReport, ArtifactReport]:
    """The report on a file, and the same with findings planted and confirmed."""
    settings = _settings()
    signs = {rule.id: rule.sign for rule in settings.rules}
    options = ConfirmOptions(ProbeOptions(device_memory="emulated"), replay=False, signs=signs)
    with ExitStack() as stack:
        given = tuple(open_data(stack.enter_context(open_artifact(each))) for each in data)
        artifact = stack.enter_context(open_artifact(path))
        context = open_context(artifact, settings.target, given, {})
        report = judge(context, settings)
        if not planted:
            return report, report
        full = replace(report, findings=(*report.findings, *planted))
        full = confirm(full, context, data, options)
        full = confirm_by_repair(
            full,
            context,
            (data, given),
            settings=settings,
            options=options,
            remedies=load_remedies(isolated=True),
        )
        return report, full


def _errors(report: ArtifactReport) -> list[Finding]:
    return [
        f
        for f in report.findings
        if f.severity is Severity.ERROR and f.runtime is not None and not f.is_unjudged
    ]


@cache
def _all_errors() -> tuple[Finding, ...]:
    return tuple(f for path, data in _files() for f in _errors(_confirmed(path, data)[0]))


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
    yield replace(lead, location=Location(), evidence={}, fingerprint="no place")
    if where.argument is not None:
        # An output stands twice, as the return too: the argument before is another one for sure.
        argument = replace(where, argument=where.argument - 1 if where.argument else 1)
        yield replace(lead, location=argument, fingerprint="other argument")
    if where.value is not None:
        path = where.path.replace(f"values[{where.value}]", f"values[{where.value + 1}]")
        value = replace(where, value=where.value + 1, path=path)
        yield replace(lead, location=value, fingerprint="other value")


def _cases() -> list[Any]:
    files = list(_files())
    return [pytest.param(*each, id=each[0].stem) for each in files[::STEP]]


@pytest.mark.parametrize(("path", "data"), _cases())
def test_no_planted_finding_is_confirmed(path: Path, data: tuple[Path, ...]) -> None:
    true = _errors(_confirmed(path, data)[0])
    if not true:
        return
    planted = tuple(_planted(true))
    _, report = _confirmed(path, data, planted)
    names = {f.fingerprint for f in planted}
    assert [
        (f.rule, f.fingerprint, f.confirmation.evidence["reason"])
        for f in report.findings
        if f.fingerprint in names and f.confirmation is not None and f.confirmation.status in SHOWN
    ] == []


def test_there_are_dozens_of_all_kinds() -> None:
    everything = [_errors(_confirmed(path, data)[0]) for path, data in list(_files())[::STEP]]
    planted = [f.fingerprint.split()[0] for true in everything if true for f in _planted(true)]
    assert len(planted) >= 36
    assert set(planted) == {"elsewhere", "there", "no", "other"}
