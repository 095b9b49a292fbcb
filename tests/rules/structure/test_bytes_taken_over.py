"""PTE154."""

from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, only, verdict
from tests.support.kernel_calls import KernelCall, T

RULE = "PTE154"
WRONG = "execute: wrong"


def joined(*parts: str, out: str = "float32") -> BuiltProgram:
    """Tensors of (2, 3) of these types, joined along the first dimension."""
    args = ([T((2, 3), part) for part in parts], 0, T((2 * len(parts), 3), out))
    return KernelCall("aten::cat.out", args).program(returned=True)


def test_what_is_said() -> None:
    finding = only(joined("float32", "int32", "int32"), RULE)
    assert finding.message == (
        "aten::cat.out copies the bytes of input 1, int32, into a result of float32, "
        "which is as wide, where PyTorch converts the numbers: each but 0 becomes another. Output "
        "0 depends on it."
    )
    assert finding.severity is Severity.ERROR
    assert (finding.location.instruction, finding.location.argument) == (0, 0)
    assert finding.evidence == {"from": "int32", "to": "float32", "outputs": [0]}
    assert finding.remediation.startswith("Convert it to float32 before it is joined:")


@pytest.mark.parametrize(
    ("part", "out", "seen"),
    [
        ("int16", "bfloat16", WRONG),
        ("int32", "float32", WRONG),
        ("int64", "float64", WRONG),
        ("float16", "bfloat16", WRONG),
        ("int32", "bfloat16", OK),
        ("int32", "float64", OK),
        ("uint8", "int8", OK),
        ("float32", "float32", OK),
    ],
)
def test_parts_as_wide_as_the_whole(part: str, out: str, seen: str) -> None:
    program = joined(out, part, out=out)
    assert len(found(program, RULE)) == (seen == WRONG)
    assert verdict(program, RULE) == seen


def test_parts_without_elements_are_not_copied() -> None:
    call = KernelCall("aten::cat.out", ([T((2, 3)), T((0,), "int32")], 0, T((2, 3))))
    assert found(call.program(returned=True), RULE) == ()


def test_what_the_kernel_refuses_is_not_copied() -> None:
    call = KernelCall("aten::cat.out", ([T((2, 3)), T((2, 4), "int32")], 0, T((4, 3))))
    assert found(call.program(returned=True), RULE) == ()
    refused = verdict(call.program(returned=True), "PTE141")
    assert refused == "execute: error InvalidArgument"


def test_a_result_that_nobody_needs() -> None:
    b = MethodBuilder()
    parts = b.tensor_list([b.input((2, 3)), b.input((2, 3), "int32")])
    b.call("aten::cat.out", parts, b.int_value(0), out=(4, 3), dtype="float32")
    b.output(b.call("aten::relu.out", b.input((2, 3)), out=(2, 3)))
    assert found(build_program(b), RULE) == ()


@pytest.mark.parametrize("content", [[0] * 6, [2] * 6])
def test_equal_elements_may_be_0(content: list[int]) -> None:
    b = MethodBuilder()
    parts = b.tensor_list([b.input((2, 3)), b.constant(content, (2, 3), "int32")])
    b.output(b.call("aten::cat.out", parts, b.int_value(0), out=(4, 3), dtype="float32"))
    finding = only(build_program(b), RULE)
    assert finding.severity is Severity.INFO
    assert ", unless it is 0, as all its elements are equal." in finding.message
    assert verdict(build_program(b), RULE) == OK


def test_a_constant_of_several_numbers_behind_one_that_may_be_0() -> None:
    b = MethodBuilder()
    zeros, numbers = (
        b.constant([0] * 6, (2, 3), "int32"),
        b.constant([1, 2, 3] * 2, (2, 3), "int32"),
    )
    parts = b.tensor_list([zeros, b.input((2, 3)), numbers])
    b.output(b.call("aten::cat.out", parts, b.int_value(0), out=(6, 3), dtype="float32"))
    finding = only(build_program(b), RULE)
    assert (finding.severity, finding.location.value) == (Severity.ERROR, numbers)
