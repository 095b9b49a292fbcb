"""Confirmation on the real runtime, over the files in `tests/data` and an optional corpus."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pte_lint.schema.program import NonConstBufferDevice

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.claims.need import NeedKind
from pte_lint.claims.result import ArtifactReport
from pte_lint.claims.target import Target
from pte_lint.cli.app import app
from pte_lint.data.reading import open_context, open_data
from pte_lint.files.artifact import open_artifact
from pte_lint.fix.counterfactual import confirm_by_repair
from pte_lint.fix.remedies import load_remedies
from pte_lint.harness.confirm import ConfirmOptions, confirm
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.wheel import find_wheel
from pte_lint.judging.engine import Settings, judge
from pte_lint.rulebook.registry import load_rules
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.data_builder import build_data
from pte_lint.testing.program_builder import build_program
from tests.rules.delegates.test_delegate_freed_constant import program as freed_constant
from tests.support.agreement import records
from tests.support.device_programs import add_method
from tests.support.runtime import need_runtime

DATA = Path(__file__).parents[1] / "data"
SHOWN = ("confirmed", "confirmed_by_repair")
EMULATED = ConfirmOptions(ProbeOptions(device_memory="emulated"))

pytestmark = [pytest.mark.runtime, pytest.mark.usefixtures("probe")]


def confirmed(
    path: Path, data: tuple[Path, ...] = (), options: ConfirmOptions = EMULATED
) -> ArtifactReport:
    settings = Settings(rules=load_rules(isolated=True), target=Target())
    from contextlib import ExitStack

    with ExitStack() as stack:
        given = tuple(open_data(stack.enter_context(open_artifact(d))) for d in data)
        artifact = stack.enter_context(open_artifact(path))
        context = open_context(artifact, settings.target, given, {})
        report = confirm(judge(context, settings), context, data, options)
        return confirm_by_repair(
            report,
            context,
            (data, given),
            settings=settings,
            options=options,
            remedies=load_remedies(isolated=True),
        )


def _cases() -> Iterator[Any]:
    roots = [DATA]
    if named := os.environ.get("PTE_LINT_CORPUS"):
        roots.append(Path(named))
    for root in roots:
        for truth in sorted(root.glob("*/truth.json")):
            for record in records(truth.parent):
                yield pytest.param(truth.parent, record, id=f"{truth.parent.name}/{record['file']}")


@pytest.mark.parametrize(("folder", "record"), list(_cases()))
def test_nothing_is_refuted(folder: Path, record: dict[str, Any]) -> None:
    """Every error is confirmed, hidden by another one, or cannot be shown for a stated reason."""
    given = tuple(
        folder / d["file"] for d in record.get("data_files") or () if d.get("given", True)
    )
    report = confirmed(folder / record["file"], given)
    wrong = [
        f"{f.rule} {f.location.path}: {f.confirmation.evidence['reason']}"
        for f in report.findings
        if f.confirmation is not None and f.confirmation.status == "refuted"
    ]
    wrong += [
        f"verdict of {v.method}: {v.confirmation.evidence['reason']}"
        for v in report.verdict
        if v.confirmation is not None and v.confirmation.status == "refuted"
    ]
    assert wrong == []
    for finding in report.findings:
        assert finding.confirmation is not None
        assert finding.confirmation.evidence["reason"]
    assert list(_contradictions(report)) == []


def _contradictions(report: ArtifactReport) -> Iterator[str]:
    """What one part of a report shows and another denies.

    A verdict is what its first finding foretells, `runs on` has the same for the target, and a
    verdict that the runtime bore out cannot stand beside an earlier finding that it confirmed.
    """
    here = {(v.method, v.stage, v.outcome, v.error) for v in report.verdict}
    there = {(v.method, v.stage, v.outcome, v.error) for v in report.runs_on.get("1.5", ())}
    if here != there:
        yield f"verdict {here ^ there} is not the one of runs on"
    for verdict in report.verdict:
        said = verdict.confirmation
        assert said is not None
        for finding in report.findings:
            shown = finding.confirmation
            assert shown is not None
            if finding.severity is not Severity.ERROR or finding.method != verdict.method:
                continue
            if shown.status not in SHOWN or "after_undoing" in shown.evidence:
                continue
            foretold = finding.runtime  # none where taking it back is what shows it
            if verdict.outcome is Outcome.OK:
                yield f"{verdict.method} runs by its verdict, and {finding.rule} is {shown.status}"
            elif said.status == "refuted":
                yield f"{finding.rule} is {shown.status}, and the verdict refuted"
            elif said.status == "confirmed" and foretold and foretold.rank < verdict.stage.rank:
                yield f"{finding.rule} comes before what the verdict names"


def test_a_delegates_data_file_that_is_not_given_refutes_no_verdict(tmp_path: Path) -> None:
    path, data = tmp_path / "prelu.pte", tmp_path / "slopes.ptd"
    path.write_bytes(freed_constant(key="slopes"))
    data.write_bytes(build_data({"slopes": bytes(36)}).bytes())
    report = confirmed(path)
    assert [(need.kind, need.what) for need in report.needs] == [
        (NeedKind.DATA, "a data file with 1 key")
    ]
    (shown,) = (v.confirmation for v in report.verdict)
    assert shown is not None
    assert (shown.status, shown.evidence["reason"]) == (
        "unsupported",
        "PTE417 warns of it: crash SIGSEGV in load_method",
    )
    report = confirmed(path, (data,))
    assert report.needs == ()
    assert [v.confirmation and v.confirmation.status for v in report.verdict] == ["confirmed"]


def test_the_skipped_and_planned_export() -> None:
    """Both inputs are confirmed, each by its own run, and the crash of 1.4 is shown."""
    report = confirmed(DATA / "device" / "add_skip_both_planned.pte")
    errors = [f for f in report.findings if f.severity is Severity.ERROR]
    assert [(f.rule, f.subject) for f in errors] == [("PTE301", "input 0"), ("PTE301", "input 1")]
    for number, finding in enumerate(errors):
        c = finding.confirmation
        assert c is not None
        assert c.status == "confirmed"
        assert c.runtime["error"] == "NotSupported"
        assert c.runtime["input"] == number
        assert any("alloc_graph_input=False" in line for line in c.evidence["logs"])
        older = c.evidence["older_runtimes"]["1.4"]
        assert older["status"] == "confirmed"
        assert older["seen"]["signal"] == "SIGSEGV"
        assert older["seen"]["address_in"] == "cuda:0"


def test_the_fixed_export_runs_without_a_copy() -> None:
    report = confirmed(DATA / "device" / "add_skip_both_paired.pte")
    (verdict,) = report.verdict
    assert verdict.confirmation is not None
    assert verdict.confirmation.status == "confirmed"
    assert verdict.confirmation.evidence["bytes_copied"] == {
        "host_to_device": 0,
        "device_to_host": 0,
    }


def test_a_missed_failure_refutes_the_verdict() -> None:
    """With the rule switched off nothing is found, and the run shows that this is wrong."""
    path = DATA / "device" / "add_skip_both_planned.pte"
    without = Settings(rules=[r for r in load_rules(True) if r.id != "PTE301"], target=Target())
    with open_artifact(path) as artifact:
        context = open_context(artifact, without.target, (), {})
        report = confirm(judge(context, without), context, (), EMULATED)
    (verdict,) = report.verdict
    assert verdict.confirmation is not None
    assert verdict.confirmation.status == "refuted"
    assert "NotSupported" in verdict.confirmation.evidence["reason"]


def test_bytes_are_run_from_a_copy() -> None:
    content = (DATA / "device" / "add_default.pte").read_bytes()
    settings = Settings(rules=load_rules(isolated=True), target=Target())
    with open_artifact(content) as artifact:
        context = open_context(artifact, settings.target, (), {})
        report = confirm(judge(context, settings), context, (), EMULATED)
    assert [v.confirmation.status for v in report.verdict if v.confirmation] == ["confirmed"]


def test_a_data_file_cannot_be_run() -> None:
    report = confirmed(DATA / "clean" / "external_constants.ptd")
    assert [v.confirmation.status for v in report.verdict if v.confirmation] == ["unsupported"]


def test_command_line_shows_one_screen() -> None:
    folder = DATA / "device"
    result = CliRunner().invoke(
        app,
        [
            "confirm",
            str(folder / "add_skip_both_planned.pte"),
            "--fixed",
            str(folder / "add_skip_both_paired.pte"),
            "--device-memory",
            "emulated",
            "--isolated",
        ],
        prog_name="pte-lint",
    )
    text = re.sub(r"\s+", " ", result.stdout)
    assert result.exit_code == 0
    assert "2 confirmed" in text
    assert "claim: executorch 1.5: set_input fails with NotSupported" in text
    assert re.search(r"1\.4 replayed: .*SIGSEGV.* at address 0x[0-9a-f]+ on cuda:0", text)
    heads = re.findall(r"(before|after): \S+/(\w+)\.pte: ", text)
    assert heads == [("before", "add_skip_both_planned"), ("after", "add_skip_both_paired")]
    assert "add_skip_both_paired.pte is a fix: the signature is the same; 2 errors" in text
    assert "0 bytes copied to the device, 0 back" in text
    assert "verdict: forward: runs if given the backend BackendWithCompilerDemo" in text
    assert "forward: runs now (it failed before: set_input: NotSupported)" in text
    assert len(result.stdout.splitlines()) <= 42


def test_command_line_json_has_the_contract_of_check() -> None:
    path = str(DATA / "device" / "add_skip_both_planned.pte")
    arguments = ["--isolated", "--format", "json", path]
    said = CliRunner().invoke(app, ["confirm", "--device-memory", "emulated", *arguments])
    checked = CliRunner().invoke(app, ["check", *arguments])
    confirmed_report, report = json.loads(said.stdout), json.loads(checked.stdout)
    for finding in confirmed_report["artifacts"][0]["findings"]:
        assert finding["confirmation"]["status"] in ("confirmed", "unsupported")
        finding["confirmation"] = None
    for verdict in confirmed_report["artifacts"][0]["verdict"]:
        verdict["confirmation"] = None
    assert confirmed_report == report


def test_as_runtime_judges_for_the_replayed_runtime() -> None:
    path = str(DATA / "device" / "add_skip_both_planned.pte")
    options = ["--isolated", "--device-memory", "emulated", "--as-runtime", "1.4"]
    result = CliRunner().invoke(app, ["confirm", *options, "--format", "json", path])
    report = json.loads(result.stdout)
    assert report["target"]["runtime"] == "1.4"
    found = report["artifacts"][0]["findings"]
    first = next(f for f in found if f["rule"] == "PTE301")
    assert first["runtime"]["outcome"] == "crash"
    assert first["confirmation"]["status"] == "confirmed"
    assert first["confirmation"]["runtime"]["address_in"] == "cuda:0"
    version = find_wheel().version
    assert [note for note in report["notes"] if "replayed" in note] == [
        f"executorch 1.4 was replayed on {version}: how it loads methods and takes inputs; "
        f"container checks, kernels and delegates are those of {version} (--runtime-folder DIR "
        "runs it itself, after pip install --no-deps --target DIR executorch==1.4.1)"
    ]
    newest = CliRunner().invoke(app, ["confirm", *options[:3], "--format", "json", path])
    assert not [note for note in json.loads(newest.stdout)["notes"] if "replayed" in note]


def test_arenas_on_another_device_are_no_refutation_of_what_is_warned_of(tmp_path: Path) -> None:
    """The emulated machine has a cuda:1, where the delegate for cuda:0 finds its arguments."""
    built = build_program(add_method()).replaced(
        "execution_plan[0].non_const_buffer_device", (NonConstBufferDevice(2, 1, 1),)
    )
    path = tmp_path / "other_device.pte"
    path.write_bytes(built.bytes())
    report = confirmed(path)
    (verdict,) = report.verdict
    assert (verdict.outcome, verdict.confirmation is not None) == (Outcome.OK, True)
    assert verdict.confirmation is not None
    assert verdict.confirmation.status == "unsupported"
    assert "PTE311 warns of it: undefined" in str(verdict.confirmation.evidence["reason"])


def test_what_was_not_run_is_not_confirmed() -> None:
    path = DATA / "clean"
    never = ConfirmOptions(ProbeOptions(device_memory="emulated", total_timeout=1e-9))
    for each in sorted(path.glob("*.pte"))[:2]:
        said = [v.confirmation for v in confirmed(each, options=never).verdict]
        assert [c is not None and c.status for c in said] == ["unsupported"] * len(said)
        assert said


@pytest.mark.runtime
def test_sizes_below_the_largest_are_given(tmp_path: Path) -> None:
    need_runtime()
    b = MethodBuilder("forward")
    b.input((), dynamism=1)
    x, y = b.input((4, 8), dynamism=1), b.tensor((4, 8))
    b.kernel("aten::relu.out", x, y, y)
    b.output(y)
    path = tmp_path / "model.pte"
    path.write_bytes(build_program(b).bytes())
    report = confirmed(path)
    (warning,) = [f for f in report.findings if f.rule == "PTE141"]
    assert warning.confirmation is not None
    assert warning.confirmation.status == "confirmed"
    (verdict,) = report.verdict
    assert verdict.confirmation is not None
    assert (str(verdict.outcome), verdict.confirmation.status) == ("ok", "confirmed")


def test_a_run_without_the_data_file_refutes_nothing(tmp_path: Path) -> None:
    """State on a device with content in a .ptd: without one loading ends at another check."""
    b = MethodBuilder()
    x = b.h2d(b.input((4,)))
    state = b.external("x", (4,), device="cuda:0", mutable=True)
    b.output(b.d2h(b.delegate("SomeBackend", [x, state], [(4,)], device="cuda:0")[0]))
    path = tmp_path / "model.pte"
    path.write_bytes(build_program(b).bytes())
    report = confirmed(path)
    (one,) = [f.confirmation for f in report.findings if f.rule == "PTE315"]
    assert one is not None
    assert (one.status, one.evidence["reason"]) == (
        "not_reached",
        "PTE511 warns of it: error InvalidExternalData in load_method",
    )
    assert [v.confirmation and v.confirmation.status for v in report.verdict] == ["unsupported"]


def test_what_stands_behind_a_damaged_offset_is_not_refuted() -> None:
    """Minimal verification follows the offset of value 16, and dies before it sees the list."""
    content = bytearray((DATA / "clean" / "convnet.pte").read_bytes())
    content[1122], content[1628] = 228, 14
    settings = Settings(rules=load_rules(isolated=True), target=Target())
    with open_artifact(bytes(content)) as artifact:
        context = open_context(artifact, settings.target, (), {})
        report = confirm(judge(context, settings), context, (), EMULATED)
    (item,) = [f.confirmation for f in report.findings if f.rule == "PTE105"]
    assert item is not None
    minimal = item.evidence["minimal_verification"]
    assert (item.status, minimal["status"], minimal["reason"]) == (
        "consistent",
        "not_reached",
        "PTE010: damaged tables are followed, and the run may do anything; it did this: "
        "crash SIGSEGV in load_method",
    )
