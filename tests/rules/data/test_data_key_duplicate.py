from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
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
        "The key v is there twice: in a.ptd: named_data[1] and in b.ptd: named_data[0]."
    )
    assert verdict(report).error == "InvalidArgument"


def test_one_key_twice_in_one_file() -> None:
    content = GOOD.replaced("named_data[1].key", "w").bytes()
    assert verdict(judge(content, "PTE524", name="w.ptd")).error == "InvalidArgument"


def test_a_key_of_the_program_itself_is_not_noticed() -> None:
    program = build_program(adder(), named_data={"w": b"1234"}).bytes()
    report = judge(program, "PTE524", data={"w.ptd": GOOD.bytes()})
    assert only(report).severity is Severity.WARNING
    assert verdict(report).outcome is Outcome.OK


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
