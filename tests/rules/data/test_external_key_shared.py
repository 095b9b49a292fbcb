from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.judging import judge, only


def sharing(*sizes: tuple[int, ...]) -> bytes:
    b = MethodBuilder()
    b.output(*(b.external("w", size) for size in sizes))
    return build_program(b).bytes()


def test_unlike_constants_with_one_key() -> None:
    finding = only(judge(sharing((2, 2), (4,), (4,)), "PTE517"))
    assert finding.severity is Severity.WARNING
    assert finding.message == (
        "Values 0 and 1 both take the bytes of w, but as float32[2, 2] and float32[4]; only the "
        "first is compared with the data."
    )


def test_like_constants_with_one_key() -> None:
    assert judge(sharing((2, 2), (2, 2)), "PTE517").findings == ()
