from __future__ import annotations

from pte_lint.claims.forecast import Outcome
from pte_lint.testing.data_builder import build_data
from tests.support.judging import judge, only, verdict

GOOD = build_data({"w": b"1234"})


def test_a_later_version() -> None:
    report = judge(GOOD.replaced("version", 1).bytes(), "PTE523", name="w.ptd")
    assert only(report).message == "w.ptd has schema version 1; runtimes know version 0 only."
    assert verdict(report).error == "InvalidExternalData"
    assert report.runs_on["1.4"][0].outcome is Outcome.OK
    assert judge(GOOD.bytes(), "PTE523", name="w.ptd").findings == ()
