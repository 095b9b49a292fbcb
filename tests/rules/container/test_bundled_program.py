from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.testing.data_builder import build_bundle
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict


def test_a_bundle_is_no_fault() -> None:
    content = build_bundle(plain().bytes(), {}).bytes()
    report = judge(content, "PTE019", name="model.bpte")
    assert only(report).severity is Severity.INFO
    assert verdict(report).outcome is Outcome.OK
    assert verdict(report).method == "forward"


def test_a_plain_program() -> None:
    assert judge(plain().bytes(), "PTE019").findings == ()
