from __future__ import annotations

from pte_lint.claims.forecast import Outcome
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict


def test_a_later_version() -> None:
    report = judge(plain().replaced("version", 2).bytes(), "PTE013")
    assert only(report).message == (
        "The program's schema version is 2; runtimes know version 0 only."
    )
    assert verdict(report).error == "InvalidProgram"
    assert report.runs_on["1.4"][0].outcome is Outcome.OK


def test_the_known_version() -> None:
    assert judge(plain().bytes(), "PTE013").findings == ()
