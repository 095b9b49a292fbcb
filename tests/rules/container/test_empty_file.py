from __future__ import annotations

import pytest

from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.claims.result import Verdict
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (b"", "InvalidArgument", "The file is empty: there is no program in it."),
        (
            bytes(100),
            "InvalidProgram",
            "The file is 100 bytes long and begins with zeros only: there is no program in it.",
        ),
    ],
)
def test_a_file_without_content(content: bytes, error: str, message: str) -> None:
    report = judge(content, "PTE001")
    assert only(report).message == message
    assert only(report).evidence == {"size": len(content)}
    assert verdict(report) == Verdict(None, Stage.LOAD_PROGRAM, Outcome.ERROR, error, rule="PTE001")


def test_an_empty_data_file() -> None:
    assert verdict(judge(bytes(100), "PTE001", name="w.ptd")).error == "InvalidExternalData"


def test_a_program_is_not_empty() -> None:
    assert judge(plain().bytes(), "PTE001").findings == ()
