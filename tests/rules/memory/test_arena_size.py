"""PTE206."""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from tests.rules.checks import OK, PLAN, adder_program, found, only, verdict
from tests.support.builder import MethodBuilder
from tests.support.program_builder import BuiltProgram, build_program

RULE = "PTE206"
ABORT = "load_method: crash SIGABRT"


def with_size(size: int, program: BuiltProgram | None = None) -> BuiltProgram:
    chosen = program if program is not None else adder_program()
    return chosen.replaced(f"{PLAN}.non_const_buffer_sizes[1]", size)


def on_device() -> BuiltProgram:
    b = MethodBuilder("forward")
    b.output(b.input((4,), device="cuda:0"))
    return build_program(b)


def test_negative() -> None:
    assert verdict(with_size(-1), RULE) == "load_method: error InvalidProgram"
    assert verdict(with_size(-1), RULE, target="1.2") == ABORT


def test_negative_beside_a_device_arena() -> None:
    program = with_size(-1, on_device())
    expected = {
        "1.3": "error InvalidProgram",
        "1.4": "crash SIGABRT",
        "1.5": "error InvalidProgram",
    }
    for version, outcome in expected.items():
        assert verdict(program, RULE, target=version) == f"load_method: {outcome}"


def test_more_than_can_be_had() -> None:
    assert verdict(with_size(2**60), RULE) == ABORT
    program = with_size(2**60, on_device())
    assert verdict(program, RULE) == "load_method: error MemoryAllocationFailed"
    assert verdict(program, RULE, target="1.4") == ABORT


def test_far_more_than_is_planned() -> None:
    finding = only(with_size(2**29), RULE)
    assert finding.severity is Severity.WARNING
    assert finding.evidence == {"size": 2**29, "used": 48}
    assert verdict(with_size(2**29), RULE) == OK


def test_padding_is_fine() -> None:
    assert found(with_size(48 + 64), RULE) == ()
    assert found(adder_program(), RULE) == ()


def test_all_sizes_are_read_first() -> None:
    program = adder_program().replaced(f"{PLAN}.non_const_buffer_sizes", (0, 512, 1 << 50, -1))
    assert verdict(program, RULE) == "load_method: error InvalidProgram"
