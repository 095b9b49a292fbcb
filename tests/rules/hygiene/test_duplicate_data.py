from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder
from tests.support.judging import judge, only

WEIGHTS = bytes(range(256)) * 2


def test_the_same_bytes_under_two_keys() -> None:
    content = build_program(adder(), named_data={"a": WEIGHTS, "b": WEIGHTS}).bytes()
    finding = only(judge(content, "PTE705"))
    assert finding.severity is Severity.INFO
    assert finding.message == "512 bytes are copies of others: named data a = named data b."


def test_a_constant_and_named_data() -> None:
    b = MethodBuilder()
    b.output(b.constant(WEIGHTS, (128,)))
    content = build_program(b, named_data={"a": WEIGHTS}).bytes()
    finding = only(judge(content, "PTE705"))
    assert finding.evidence == {"bytes": 512, "copies": [["constant 1", "named_data[0]"]]}


def test_different_bytes_of_one_size() -> None:
    data = {"a": WEIGHTS, "b": WEIGHTS[::-1]}
    content = build_program(adder(), named_data=data).bytes()
    assert judge(content, "PTE705").findings == ()
