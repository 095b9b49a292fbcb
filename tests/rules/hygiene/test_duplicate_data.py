from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.data_builder import build_data
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


def test_one_tensor_in_two_data_files() -> None:
    first = build_data({"a": WEIGHTS, "x": WEIGHTS[::-1]}).bytes()
    other = build_data({"b": WEIGHTS}).bytes()
    program = build_program(adder()).bytes()
    finding = only(judge(program, "PTE705", data={"a.ptd": first, "b.ptd": other}))
    assert finding.message == "512 bytes are copies of others: a in a.ptd = b in b.ptd."
    assert finding.evidence["copies"] == [["a.ptd: named_data[0]", "b.ptd: named_data[0]"]]
    assert "external_constants=True" in finding.remediation


def test_two_keys_of_a_data_file_by_itself() -> None:
    content = build_data({"a": WEIGHTS, "b": WEIGHTS}).bytes()
    finding = only(judge(content, "PTE705", name="w.ptd"))
    assert finding.message == "512 bytes are copies of others: a in w.ptd = b in w.ptd."


def test_keys_that_share_their_bytes() -> None:
    shared = build_data({"a": WEIGHTS, "b": WEIGHTS}).replaced("named_data[1].segment_index", 0)
    assert judge(shared.bytes(), "PTE705", name="w.ptd").findings == ()


def test_a_constant_and_a_key() -> None:
    b = MethodBuilder()
    b.output(b.constant(WEIGHTS, (128,)))
    data = build_data({"w": WEIGHTS}).bytes()
    finding = only(judge(build_program(b).bytes(), "PTE705", data={"w.ptd": data}))
    assert finding.message == "512 bytes are copies of others: constant 1 = w in w.ptd."
    assert "share their weights by name" in finding.remediation
