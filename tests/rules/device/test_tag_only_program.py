from __future__ import annotations

from pathlib import Path

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from tests.support.device_programs import SIZES, add_method, findings, only, report, rules

DATA = Path(__file__).parents[2] / "data" / "device"


def tag_only(*, planned: bool) -> MethodBuilder:
    b = MethodBuilder()
    x = b.input(SIZES, device="cuda:0", planned=False)
    out = b.tensor(SIZES, device="cuda:0", home="cpu", planned=planned)
    b.output(*b.delegate("Any", [x], [out], device="cuda:0"))
    return b


def test_tags_without_device_memory() -> None:
    found = only(report(tag_only(planned=True)), "PTE321")
    assert found.severity is Severity.WARNING
    assert found.evidence == {"devices": ["cuda:0"], "tagged_planned_tensors": 1, "bytes": 256}
    assert "enable_non_cpu_memory_planning=True" in found.remediation


def test_where_the_caller_gives_everything_it_runs() -> None:
    """K6, K8: such programs look like skipped copies with nothing planned."""
    assert rules(report(tag_only(planned=False))) == []


def test_device_memory_or_copies_make_it_another_program() -> None:
    assert findings(report(add_method()), "PTE321") == []


def test_the_remediation_makes_the_finding_go() -> None:
    before = pte_lint.check(DATA / "add_legacy_tag_only.pte", isolated=True).artifacts[0]
    after = pte_lint.check(DATA / "add_default.pte", isolated=True).artifacts[0]
    paired = pte_lint.check(DATA / "add_legacy_tag_only_paired.pte", isolated=True).artifacts[0]
    assert findings(before, "PTE321")
    assert findings(after, "PTE321") == findings(paired, "PTE321") == []
