from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import build_program
from tests.support.examples import delegated, plain
from tests.support.judging import judge, only


def test_an_operator_that_no_call_names() -> None:
    built = plain().replaced(
        "execution_plan[0].operators", lambda old: (*old, type(old[0])("custom::no", "out"))
    )
    finding = only(judge(built.bytes(), "PTE702"))
    assert finding.message == "1 of 3 operators never used: custom::no.out."
    assert finding.severity is Severity.WARNING


def test_a_delegate_that_nothing_calls() -> None:
    built = build_program(delegated()).replaced(
        "execution_plan[0].delegates", lambda old: (old[0], old[0])
    )
    finding = only(judge(built.bytes(), "PTE702"))
    assert finding.message == (
        "1 of 2 delegates never used: XnnpackBackend; they are initialised all the same."
    )
    assert finding.location.path == "execution_plan[0].delegates[1]"


def test_tables_in_use() -> None:
    assert judge(plain().bytes(), "PTE702").findings == ()
    assert judge(build_program(delegated()).bytes(), "PTE702").findings == ()
