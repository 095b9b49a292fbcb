from __future__ import annotations

import pytest

from pte_lint.testing.containers import Layout
from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder, plain
from tests.support.judging import judge, only, verdict

WHOLE = plain().bytes()


@pytest.mark.parametrize("size", [8, 63])
def test_less_than_the_head(size: int) -> None:
    report = judge(WHOLE[:size], "PTE006")
    assert only(report).message == (
        f"The file is cut off: {size} bytes of at least 64, {64 - size} are missing."
    )
    assert verdict(report).error == "InvalidArgument"


@pytest.mark.parametrize("size", [64, 500, len(WHOLE) - 1])
def test_less_than_the_header_promises(size: int) -> None:
    report = judge(WHOLE[:size], "PTE006")
    missing = len(WHOLE) - size
    assert only(report).evidence == {"size": size, "wanted": len(WHOLE), "missing": missing}
    assert verdict(report).error == "InvalidProgram"


def test_an_old_header_promises_the_program_only() -> None:
    old = plain().bytes(Layout(header_length=24))
    assert judge(old[:-8], "PTE006").findings == ()
    assert verdict(judge(old[:200], "PTE006")).error == "InvalidArgument"


def test_nothing_is_missing() -> None:
    assert judge(WHOLE, "PTE006").findings == ()
    assert judge(WHOLE + b"more", "PTE006").findings == ()


def test_without_a_header_nothing_is_promised() -> None:
    assert judge(build_program(adder()).bytes()[:200], "PTE006").findings == ()
