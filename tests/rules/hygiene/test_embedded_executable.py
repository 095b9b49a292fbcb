from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder
from tests.support.judging import judge, only

ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\0" + (183).to_bytes(2, "little") + bytes(40)


def test_a_library_in_named_data() -> None:
    content = build_program(adder(), named_data={"abc_so_blob": ELF}).bytes()
    finding = only(judge(content, "PTE704"))
    assert finding.message == (
        f"Segment 1 (named data) is ELF machine code for AArch64, {len(ELF)} bytes."
    )
    assert finding.severity is Severity.INFO


def test_other_data() -> None:
    content = build_program(adder(), named_data={"w": b"\x7fELG" + bytes(100)}).bytes()
    assert judge(content, "PTE704").findings == ()
