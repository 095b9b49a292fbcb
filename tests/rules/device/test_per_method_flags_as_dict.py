from __future__ import annotations

from pathlib import Path

import pytest

import pte_lint
from pte_lint.claims.finding import Severity
from tests.support.device_programs import add_method, findings, only, report

DATA = Path(__file__).parents[2] / "data" / "device"


def test_one_of_two_methods_without_copies_plans_its_inputs() -> None:
    said = report(
        add_method("prefill", skip_h2d=True, plan_inputs=False),
        add_method("decode", skip_h2d=True),
    )
    found = only(said, "PTE323")
    assert found.severity is Severity.WARNING
    assert found.evidence["methods_that_plan_device_inputs"] == ["decode"]
    code = "".join(found.remediation.split())
    assert "'decode':PropagateDeviceConfig()," in code
    assert "'prefill':PropagateDeviceConfig(skip_h2d_for_method_inputs=True,)," in code
    assert "'prefill':MemoryPlanningPass(alloc_graph_input=False)," in code


def test_one_of_two_methods_without_copies_plans_its_outputs() -> None:
    said = report(
        add_method("encode", skip_d2h=True, plan_outputs=False),
        add_method("decode", skip_d2h=True),
    )
    found = only(said, "PTE323")
    assert found.severity is Severity.WARNING
    assert "leave their outputs on the device without copies, but 'decode'" in found.message
    assert found.evidence["methods_that_plan_device_inputs"] == []
    assert found.evidence["methods_that_plan_device_outputs"] == ["decode"]
    code = "".join(found.remediation.split())
    assert "'decode':PropagateDeviceConfig()," in code
    assert "'encode':MemoryPlanningPass(alloc_graph_output=False)," in code


def test_each_side_of_each_method_is_told_apart() -> None:
    """Only the first hands its output over, only the second takes its input on the device."""
    said = report(
        add_method("prefill", skip_h2d=True, skip_d2h=True, plan_outputs=False),
        add_method("decode", skip_h2d=True, skip_d2h=True, plan_inputs=False),
    )
    code = "".join(only(said, "PTE323").remediation.split())
    assert "'prefill':PropagateDeviceConfig(skip_d2h_for_method_outputs=True,)," in code
    assert "'decode':PropagateDeviceConfig(skip_h2d_for_method_inputs=True,)," in code
    assert "'prefill':MemoryPlanningPass(alloc_graph_output=False)," in code
    assert "'decode':MemoryPlanningPass(alloc_graph_input=False)," in code


@pytest.mark.parametrize("planned", [True, False])
def test_methods_that_agree_about_outputs_show_nothing(planned: bool) -> None:
    said = report(
        add_method("a", skip_d2h=True, plan_outputs=planned),
        add_method("b", skip_d2h=True, plan_outputs=planned),
    )
    assert findings(said, "PTE323") == []


def test_a_method_with_copies_shows_that_the_flags_were_told_apart() -> None:
    said = report(
        add_method("prefill", skip_h2d=True), add_method("decode"), add_method("x", skip_h2d=True)
    )
    assert findings(said, "PTE323") == []


@pytest.mark.parametrize("planned", [True, False])
def test_methods_that_agree_show_nothing(planned: bool) -> None:
    said = report(
        add_method("a", skip_h2d=True, plan_inputs=planned),
        add_method("b", skip_h2d=True, plan_inputs=planned),
    )
    assert findings(said, "PTE323") == []


def test_one_method_is_no_sign() -> None:
    assert findings(report(add_method(skip_h2d=True)), "PTE323") == []


@pytest.mark.parametrize(
    ("name", "count"),
    [("methods_dict_flags", 1), ("methods_config_each", 0), ("methods_device_and_host", 0)],
)
def test_what_the_exporter_makes_of_a_dict(name: str, count: int) -> None:
    said = pte_lint.check(DATA / f"{name}.pte", isolated=True).artifacts[0]
    assert len(findings(said, "PTE323")) == count
