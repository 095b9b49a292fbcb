from __future__ import annotations

from pathlib import Path

import pytest

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from tests.support.device_programs import (
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


def test_an_output_left_on_the_device_is_planned() -> None:
    said = report(add_method(skip_d2h=True))
    found = only(said, "PTE302")
    assert found.severity is Severity.WARNING
    assert (found.subject, found.location.value) == ("output 0", 4)
    assert found.evidence["bytes"] == 256
    assert "alloc_graph_output=False" in found.remediation
    assert "skip_d2h_for_method_outputs=True" in found.remediation
    assert verdict(said) == "execute ok"


def test_it_runs_from_1_4_on() -> None:
    """K39: the pointer into the device arena is handed over as it is."""
    after = verdicts(add_method(skip_d2h=True))
    assert (after["1.4"], after["1.5"]) == ("execute ok", "execute ok")


def test_unplanned_it_is_fine() -> None:
    assert rules(report(add_method(skip_d2h=True, plan_outputs=False))) == []


def test_an_output_on_the_host_is_fine() -> None:
    assert findings(report(add_method()), "PTE302") == []


def test_a_planned_input_that_is_returned_is_told_once() -> None:
    b = MethodBuilder()
    x = b.input(SIZES, device="cuda:0")
    b.output(x)
    said = report(b)
    assert findings(said, "PTE302") == []
    assert findings(said, "PTE301")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("add_skip_d2h_planned", "add_skip_d2h_paired"),
        ("add_skip_both_output_planned", "add_skip_both_paired"),
    ],
)
def test_the_remediation_makes_the_finding_go(wrong: str, right: str) -> None:
    before = pte_lint.check(DATA / f"{wrong}.pte", isolated=True).artifacts[0]
    after = pte_lint.check(DATA / f"{right}.pte", isolated=True).artifacts[0]
    assert findings(before, "PTE302")
    assert findings(after, "PTE302") == []
