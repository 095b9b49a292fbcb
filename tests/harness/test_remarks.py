"""Warnings and infos: confirmed by a sign or by runs that stay the same, and never where false."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.result import ArtifactReport
from pte_lint.claims.target import Target
from pte_lint.cli.app import app
from pte_lint.data.context import Context
from pte_lint.data.reading import open_context
from pte_lint.data.segments import references
from pte_lint.files.artifact import open_artifact
from pte_lint.fix.counterfactual import confirm_by_repair
from pte_lint.fix.remedies import load_remedies
from pte_lint.harness.confirm import ConfirmOptions, confirm
from pte_lint.harness.options import ProbeOptions
from pte_lint.judging.engine import Settings, judge
from pte_lint.rulebook.registry import load_rules
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.fuzz.kill_matrix import FOLDER

pytestmark = [pytest.mark.runtime, pytest.mark.usefixtures("probe")]

Falsify = Callable[[Finding, Context], Finding]

SIGN, REPAIR = "confirmed", "confirmed_by_repair"


def confirmed(path: Path, falsify: Falsify | None, rule: str) -> tuple[Finding, Finding | None]:
    """The rule's finding on a file, confirmed, and a false one that was planted beside it."""
    rules = load_rules(isolated=True)
    settings = Settings(rules=rules, target=Target())
    signs = {rule.id: rule.sign for rule in rules}
    options = ConfirmOptions(ProbeOptions(device_memory="emulated"), replay=False, signs=signs)
    with ExitStack() as stack:
        artifact = stack.enter_context(open_artifact(path))
        context = open_context(artifact, settings.target, (), {})
        report: ArtifactReport = judge(context, settings)
        true = next(
            f for f in report.findings if f.rule == rule and f.severity is not Severity.ERROR
        )
        false = None
        if falsify is not None:
            false = replace(falsify(true, context), fingerprint="planted")
            report = replace(report, findings=(false, *report.findings))
        report = confirm(report, context, (), options)
        report = confirm_by_repair(
            report,
            context,
            ((), ()),
            settings=settings,
            options=options,
            remedies=load_remedies(isolated=True),
        )
    shown = {f.fingerprint: f for f in report.findings if f.rule == rule}
    return shown[true.fingerprint], shown.get("planted")


def evidence(**other: Any) -> Falsify:
    return lambda f, _: replace(f, evidence={**f.evidence, **other})


def path_to(end: str) -> Falsify:
    return lambda f, context: replace(
        f, location=replace(f.location, path=f"execution_plan[{f.plan or 0}]{end}")
    )


def used_arena(f: Finding, context: Context) -> Finding:
    method = next(m for m in context.methods if m.index == f.plan)
    number = next(iter(method.table.plots)).info.memory_id
    return path_to(f".non_const_buffer_sizes[{number}]")(f, context)


def other_value(f: Finding, context: Context) -> Finding:
    """About an input on the host in place of what the finding is about."""
    method = next(m for m in context.methods if m.index == f.plan)
    return replace(f, location=replace(f.location, value=method.inputs[0]))


def called_operator(f: Finding, context: Context) -> Finding:
    method = next(m for m in context.methods if m.index == f.plan)
    called = next(iter(method.kernel_calls())).target
    return evidence(table="operators", entries=[called])(f, context)


def used_segment(f: Finding, context: Context) -> Finding:
    assert context.program is not None
    return evidence(segments=[list(references(context.program))[-1].index])(f, context)


def needed_bytes(f: Finding, context: Context) -> Finding:
    """The program's own last bytes."""
    end = f.evidence["end"]
    return evidence(end=end - 16 * (end // 32), extra=16 * (end // 32))(f, context)


def program_bytes(f: Finding, context: Context) -> Finding:
    return evidence(gaps=[{"start": 64, "end": 256, "bytes": 192}])(f, context)


def earlier_step(f: Finding, context: Context) -> Finding:
    return replace(f, location=replace(f.location, instruction=0))


CASES: list[tuple[str, str, Falsify | None]] = [
    ("PTE302", SIGN, other_value),
    ("PTE321", SIGN, None),
    ("PTE511", SIGN, None),
    ("PTE615", SIGN, evidence(returned="(9, 9)", ends="9 logits a token")),
    ("PTE017", REPAIR, needed_bytes),
    ("PTE021", REPAIR, program_bytes),
    ("PTE111", REPAIR, path_to(".values[0].val.scalar_type")),
    ("PTE126", REPAIR, earlier_step),
    ("PTE128", REPAIR, evidence(first=0, last=0)),
    ("PTE207", REPAIR, used_arena),
    ("PTE319", REPAIR, evidence(bytes_per_call=1)),
    ("PTE507", REPAIR, path_to(".values[0].val.scalar_type")),
    ("PTE701", REPAIR, used_segment),
    ("PTE702", REPAIR, called_operator),
]


@pytest.mark.parametrize(("rule", "status", "falsify"), CASES, ids=[case[0] for case in CASES])
def test_a_true_one_and_a_false_one(rule: str, status: str, falsify: Falsify | None) -> None:
    true, false = confirmed(FOLDER / f"{rule}.pte", falsify, rule)
    assert true.confirmation is not None
    assert true.confirmation.status == status
    if false is not None:
        assert false.confirmation is not None
        # What a call would show is refuted by what the call shows.
        is_call = "call" in false.evidence
        assert false.confirmation.status == ("refuted" if is_call else "unsupported")


def test_a_backend_that_is_missing(tmp_path: Path) -> None:
    b = MethodBuilder()
    b.output(*b.delegate("XnnpakBackend", [b.input((2,))], [(2,)]))
    path = tmp_path / "misspelt.pte"
    path.write_bytes(build_program(b).bytes())
    true, false = confirmed(path, evidence(backend="QnnBackend"), "PTE411")
    assert true.confirmation is not None
    assert false is not None
    assert false.confirmation is not None
    shown = "stand-in for 'XnnpakBackend'"
    assert (true.confirmation.status, true.confirmation.evidence["sign"]) == (SIGN, shown)
    assert false.confirmation.status == "unsupported"


def test_to_name_nothing_shows_nothing() -> None:
    for rule, nothing in (
        ("PTE128", evidence(first=1, last=0)),
        ("PTE701", evidence(segments=[])),
        ("PTE702", evidence(entries=[])),
    ):
        _, false = confirmed(FOLDER / f"{rule}.pte", nothing, rule)
        assert false is not None
        assert false.confirmation is not None
        assert false.confirmation.status == "unsupported"


def test_what_is_shown_is_told_and_counted(tmp_path: Path) -> None:
    path = FOLDER / "PTE319.pte"
    result = CliRunner().invoke(
        app, ["confirm", "--isolated", "--device-memory", "emulated", str(path)]
    )
    text = " ".join(result.stdout.split())
    assert "(repeated-copy)" in text
    assert "without it, in a copy of the file, no run changes but for" in text
    assert "0 errors: nothing to confirm; 1 info: 1 confirmed by repair" in text
    assert result.exit_code == 0
