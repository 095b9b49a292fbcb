from __future__ import annotations

from pathlib import Path

import pytest

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.device_programs import (
    CUDA,
    SIZES,
    add_method,
    findings,
    only,
    report,
    rules,
    verdict,
    verdicts,
)

DATA = Path(__file__).parents[2] / "data" / "device"


def test_both_inputs_are_found_with_what_they_cost() -> None:
    said = report(add_method(skip_h2d=True, skip_d2h=True))
    found = findings(said, "PTE301")
    assert [f.subject for f in found] == ["input 0", "input 1"]
    assert [f.location.value for f in found] == [0, 1]
    assert all(f.severity is Severity.ERROR for f in found)
    for f in found:
        assert f.evidence["bytes_duplicated"] == 256
        assert f.evidence["bytes_duplicated_by_method"] == 512
        assert f.evidence["planned_bytes"] == 768
        assert f.evidence["planned_bytes_with_fix"] == 256
        assert f.evidence["planned_bytes_by_device"] == {"cuda:0": 768}
        assert f.evidence["planned_bytes_by_device_with_fix"] == {"cuda:0": 256}
    assert verdict(said) == "set_input error NotSupported"


def test_the_fix_is_named_with_a_snippet_for_this_program() -> None:
    found = findings(report(add_method(skip_h2d=True, skip_d2h=True)), "PTE301")[0]
    assert "MemoryPlanningPass(alloc_graph_input=False)" in found.remediation
    snippet = [line for line in found.remediation.splitlines() if line.startswith("    ")]
    assert "            skip_h2d_for_method_inputs=True," in snippet
    assert "            alloc_graph_input=False," in snippet
    assert "512 bytes" in found.remediation


def test_unplanned_device_inputs_are_fine() -> None:
    said = report(add_method(skip_h2d=True, skip_d2h=True, plan_inputs=False, plan_outputs=False))
    assert rules(said) == []
    assert verdict(said) == "execute ok"


def test_planned_host_inputs_are_fine() -> None:
    assert rules(report(add_method())) == []


def test_the_outcome_by_runtime() -> None:
    """K7: 1.3 keeps all memory on the host, 1.4 copies into the device, 1.5 refuses."""
    assert verdicts(add_method(skip_h2d=True, skip_d2h=True)) == {
        "1.3": "execute ok",
        "1.4": "set_input crash SIGSEGV",
        "1.5": "set_input error NotSupported",
    }


@pytest.mark.parametrize(
    ("backend", "on_1_4"),
    [("SomeDeviceBackend", "execute undefined"), (CUDA, "execute error InvalidArgument")],
)
def test_tags_without_device_arenas(backend: str, on_1_4: str) -> None:
    """K5: the default of 1.3. In 1.4 the copy works, and the delegate gets host memory."""
    b = MethodBuilder()
    ins = [b.input(SIZES, device="cuda:0", home="cpu") for _ in range(2)]
    out = b.tensor(SIZES, device="cuda:0", home="cpu")
    b.output(*b.delegate(backend, ins, [out], device="cuda:0"))
    assert verdicts(b) == {
        "1.3": "execute ok",
        "1.4": on_1_4,
        "1.5": "set_input error NotSupported",
    }
    found = findings(report(b), "PTE301")[0]
    assert "enable_non_cpu_memory_planning=True" in found.remediation
    assert "alloc_graph_input=False" in found.remediation


def test_an_all_host_program_with_tags_everywhere() -> None:
    """K24: host kernels do not mind; set_input of 1.5 does."""
    b = MethodBuilder()
    x = b.input(SIZES, device="cuda:0", home="cpu")
    y = b.tensor(SIZES, device="cuda:0", home="cpu")
    b.output(b.call("aten::sigmoid.out", x, out=y))
    assert verdicts(b) == {
        "1.3": "execute ok",
        "1.4": "execute ok",
        "1.5": "set_input error NotSupported",
    }


def test_a_target_that_is_not_troubled_hears_of_the_newer_one() -> None:
    b = MethodBuilder()
    x = b.input(SIZES, device="cuda:0", home="cpu")
    b.output(b.call("aten::sigmoid.out", x, out=SIZES))
    found = only(report(b, target="1.4"), "PTE301")
    assert found.severity is Severity.WARNING
    assert findings(report(b, target="1.5"), "PTE301")[0].severity is Severity.ERROR


def test_an_input_without_elements_is_refused_for_its_tag_all_the_same() -> None:
    said = report(add_method(skip_h2d=True, skip_d2h=True, sizes=(0, 8)))
    assert set(rules(said)) == {"PTE301"}
    assert verdict(said) == "set_input error NotSupported"
    older = report(add_method(skip_h2d=True, skip_d2h=True, sizes=(0, 8)), target="1.4")
    assert verdict(older) == "execute ok"


def test_a_constant_that_is_a_method_input_counts_as_planned() -> None:
    b = MethodBuilder()
    x = b.takes(b.constant([0.0] * 64, SIZES, device="cuda:0"))
    b.output(b.call("aten::sigmoid.out", x, out=SIZES))
    assert verdict(report(b)) == "set_input error NotSupported"


def test_methods_get_settings_of_their_own() -> None:
    good = add_method("decode")
    bad = add_method("prefill", skip_h2d=True)
    said = report(build_program(bad, good))
    found = findings(said, "PTE301")
    assert {f.method for f in found} == {"prefill"}
    assert "'prefill': MemoryPlanningPass(alloc_graph_input=False)" in found[0].remediation
    assert "'decode': PropagateDeviceConfig()" in found[0].remediation
    assert (verdict(said, "prefill"), verdict(said, "decode")) == (
        "set_input error NotSupported",
        "execute ok",
    )


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("add_skip_both_planned", "add_skip_both_paired"),
        ("add_skip_h2d_planned", "add_skip_h2d_paired"),
        ("add_legacy_tag_only", "add_default"),
        ("dynamic_skip_both_planned", "dynamic_skip_both_paired"),
        ("methods_one_planned", "methods_config_each"),
    ],
)
def test_the_remediation_makes_the_finding_go(wrong: str, right: str) -> None:
    """Both files were exported by 1.5.1; the right one with the settings that the fix names."""
    before = pte_lint.check(DATA / f"{wrong}.pte", isolated=True).artifacts[0]
    after = pte_lint.check(DATA / f"{right}.pte", isolated=True).artifacts[0]
    assert findings(before, "PTE301")
    assert findings(after, "PTE301") == []
    assert not [f for f in after.findings if f.severity is Severity.ERROR]
