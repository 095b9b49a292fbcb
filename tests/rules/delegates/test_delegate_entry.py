from __future__ import annotations

import pytest

from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder, delegated
from tests.support.judging import judge, only, verdict

GOOD = build_program(delegated())


@pytest.mark.parametrize(
    ("path", "value", "message", "detail"),
    [
        ("", None, "The method has no delegate table, not even an empty one.", "InvalidProgram"),
        ("[0].id", None, "Delegate 0 has no id.", "InvalidProgram"),
        (
            "[0].processed",
            None,
            "Delegate 0 (XnnpackBackend) has no reference to its blob.",
            "SIGSEGV",
        ),
        (
            "[0].processed.location",
            5,
            "The blob of delegate 0 (XnnpackBackend) is at an unknown kind of place: location 5.",
            "Internal",
        ),
    ],
)
def test_what_is_missing(path: str, value: object, message: str, detail: str) -> None:
    built = GOOD.replaced("execution_plan[0].delegates" + path, value)
    report = judge(built.bytes(), "PTE412")
    assert only(report).message == message
    said = verdict(report)
    assert said.stage is Stage.LOAD_METHOD
    assert (said.error or said.signal) == detail
    assert (said.outcome is Outcome.CRASH) == (detail == "SIGSEGV")


def test_complete_tables() -> None:
    assert judge(GOOD.bytes(), "PTE412").findings == ()
    assert judge(build_program(adder()).bytes(), "PTE412").findings == ()
