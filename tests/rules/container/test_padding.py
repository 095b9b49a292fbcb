from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import build_program
from tests.support.examples import counter, plain
from tests.support.judging import judge, only


def test_data_between_segments() -> None:
    b = counter()
    b.output(b.add(b.inputs[0], b.constant([1, 2, 3], (3,))))
    content = bytearray(build_program(b).bytes())
    end = len(content)
    # The second segment has 12 bytes; in front of it are 116 of padding.
    content[end - 12 - 100 : end - 12 - 90] = b"0123456789"
    report = judge(bytes(content), "PTE021")
    assert only(report).message.startswith("10 bytes of the padding from byte")
    assert only(report).severity is Severity.WARNING


def test_padding_of_zeros() -> None:
    assert judge(plain().bytes(), "PTE021").findings == ()
