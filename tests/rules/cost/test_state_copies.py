from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.device_programs import BACKEND, SIZES, add_method, state_on_host
from tests.support.judging import judge, only

RULE = "PTE806"


def test_state_that_goes_there_and_comes_back() -> None:
    finding = only(judge(build_program(state_on_host()).bytes(), RULE))
    assert finding.severity is Severity.INFO
    assert finding.message == (
        "1 buffer of state (value 0) is kept on the host, and every call copies it to cuda:0 and "
        "back: 512 bytes a call in 2 copies."
    )
    assert finding.evidence == {"values": [0], "bytes_per_call": 512, "copies": [0, 3]}
    assert (finding.location.instruction, finding.location.value) == (0, 0)
    assert "tag_mutated_buffer(exported_program)" in finding.remediation


def test_two_buffers_and_one_that_is_copied_back_into_its_place() -> None:
    b = MethodBuilder()
    first, second = b.state(SIZES), b.state((2, 2), initial=[0] * 4)
    taken = [b.h2d(first), b.h2d(second)]
    one, other = b.delegate(BACKEND, taken, [SIZES, (2, 2)], device="cuda:0")
    b.kernel("et_copy::_d2h_copy.out", other, second, second)
    b.kernel("aten::copy_", first, b.d2h(one), b.bool_value(False), first)
    b.output(b.add(first, first))
    finding = only(judge(build_program(b).bytes(), RULE))
    assert finding.message == (
        "2 buffers of state (value 0, value 1) are kept on the host, and every call copies them to "
        "cuda:0 and back: 544 bytes a call in 4 copies."
    )


def test_state_that_only_goes_there() -> None:
    content = build_program(state_on_host(returns=False)).bytes()
    assert judge(content, RULE).findings == ()


def test_inputs_and_outputs_are_no_state() -> None:
    assert judge(build_program(add_method()).bytes(), RULE).findings == ()
