from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.judging import judge, only


def two_delegates(first: str, second: str) -> bytes:
    b = MethodBuilder()
    x = b.input((2, 2))
    for name in (first, second):
        blob = f"{name}_so_blob\n{name}_weights_blob".encode()
        (x,) = b.delegate("CudaBackend", [x], outputs=[(2, 2)], blob=blob)
    b.output(x)
    return build_program(b).bytes()


def test_two_delegates_with_one_library() -> None:
    finding = only(judge(two_delegates("a", "a"), "PTE420"))
    assert finding.severity is Severity.INFO
    assert finding.message == (
        "2 delegates share the library a_so_blob: forward delegate 0, forward delegate 1."
    )


def test_two_libraries() -> None:
    assert judge(two_delegates("a", "b"), "PTE420").findings == ()
