from __future__ import annotations

import pytest
from pte_lint.schema.program import Span

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.data import same_bytes
from pte_lint.testing.data_builder import build_data
from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder
from tests.support.judging import judge, only, verdict

GOOD = build_data({"w": b"1234", "v": b"1234"})
PROGRAM = build_program(adder()).bytes()


def test_one_key_in_two_files() -> None:
    data = {"a.ptd": GOOD.bytes(), "b.ptd": build_data({"v": b"5678"}).bytes()}
    report = judge(PROGRAM, "PTE524", data=data)
    assert only(report).message == (
        "The key v is there twice: entry 1 of a.ptd and entry 0 of b.ptd."
    )
    assert verdict(report).error == "InvalidArgument"


def test_one_key_twice_in_one_file() -> None:
    content = GOOD.replaced("named_data[1].key", "w").bytes()
    assert verdict(judge(content, "PTE524", name="w.ptd")).error == "InvalidArgument"


@pytest.mark.parametrize(
    ("inside", "severity", "how"),
    [
        (b"1234", Severity.INFO, ", with the same bytes"),
        (b"1235", Severity.WARNING, ", with other bytes from byte 3 of 4 on"),
        (b"0234", Severity.WARNING, ", with other bytes from byte 0 of 4 on"),
        (b"12345", Severity.WARNING, ", with 5 bytes there and 4 in the data file"),
        (b"123", Severity.WARNING, ", with 3 bytes there and 4 in the data file"),
    ],
)
def test_a_key_of_the_program_itself_is_not_noticed(
    inside: bytes, severity: Severity, how: str
) -> None:
    """The second key of the data file, so that its bytes do not begin where its segments do."""
    program = build_program(adder(), named_data={"u": b"zz", "v": inside}).bytes()
    data = build_data({"w": b"abcd", "v": b"1234"}).bytes()
    report = judge(program, "PTE524", data={"w.ptd": data})
    assert only(report).severity is severity
    assert only(report).message == (
        f"The key v is in w.ptd and in the program itself{how}; the data file's is used."
    )
    assert verdict(report).outcome is Outcome.OK


@pytest.mark.parametrize("most", [3, 4])
def test_so_much_is_compared_and_no_more(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(same_bytes, "MOST_COMPARED", most)
    program = build_program(adder(), named_data={"v": b"1234"}).bytes()
    report = judge(program, "PTE524", data={"w.ptd": GOOD.bytes()})
    told = only(report)
    assert told.severity is (Severity.INFO if most == 4 else Severity.WARNING)
    assert ("with the same first 3 bytes" in told.message) is (most == 3)


def test_bytes_are_compared_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(same_bytes, "_PIECE", 3)
    for at in range(8):
        other = bytes(8)[:at] + b"x" + bytes(7 - at)
        found = same_bytes.compare_bytes(bytes(8), Span(0, 8), other, Span(0, 8))
        assert (found.differs_at, found.are_same) == (at, False)
    assert same_bytes.compare_bytes(bytes(8), Span(0, 8), bytes(9), Span(1, 8)).are_same


def test_different_keys() -> None:
    assert judge(PROGRAM, "PTE524", data={"a.ptd": GOOD.bytes()}).findings == ()


def test_keys_are_compared_up_to_a_zero_byte_wherever_that_is() -> None:
    """A key whose stored length is too small goes on behind it."""
    file = build_data({"tensor0": b"1234", "tensor1": b"5678"}).bytes()
    short = file.replace(b"\x07\0\0\0tensor1", b"\x03\0\0\0tensor0")
    assert short != file
    report = judge(PROGRAM, "PTE524", data={"w.ptd": short})
    assert "tensor0 is there twice" in only(report).message
    assert verdict(report).error == "InvalidArgument"
