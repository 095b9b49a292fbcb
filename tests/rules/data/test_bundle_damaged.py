from __future__ import annotations

from pte_lint.schema.program import Span

from pte_lint.claims.forecast import Outcome
from pte_lint.testing.data_builder import build_bundle
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict

GOOD = build_bundle(plain().bytes(), {})


def test_no_program() -> None:
    report = judge(GOOD.replaced("program", None).bytes(), "PTE531", name="m.bpte")
    assert only(report).message == "The bundle holds no program."
    assert verdict(report).signal == "SIGSEGV"


def test_something_else_inside() -> None:
    bundle = build_bundle(b"words " * 20, {})
    report = judge(bundle.bytes(), "PTE531", name="m.bpte")
    assert only(report).message == "The bundle holds no program but plain text."
    assert verdict(report).error == "InvalidProgram"


def test_less_than_a_head_inside() -> None:
    report = judge(GOOD.replaced("program", Span(0, 40)).bytes(), "PTE531", name="m.bpte")
    # The identifier is there: that the program is cut is said by PTE006.
    assert report.findings == ()
    assert verdict(judge(GOOD.replaced("program", Span(0, 40)).bytes(), name="m.bpte")).error == (
        "InvalidArgument"
    )


def test_a_cut_bundle() -> None:
    report = judge(GOOD.bytes()[:200], "PTE531", name="m.bpte")
    assert verdict(report).outcome is Outcome.UNDEFINED


def test_a_good_bundle() -> None:
    assert judge(GOOD.bytes(), "PTE531", name="m.bpte").findings == ()
    assert judge(plain().bytes(), "PTE531").findings == ()
