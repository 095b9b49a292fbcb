"""PTE206."""

from __future__ import annotations

from pte_lint.schema.enums import ShapeDynamism

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, PLAN, adder_program, found, only, verdict

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
    assert finding.evidence["size"] == 2**29
    assert finding.evidence["used"] == 48
    assert verdict(with_size(2**29), RULE) == OK


def test_padding_is_fine() -> None:
    assert found(with_size(48 + 64), RULE) == ()
    assert found(adder_program(), RULE) == ()


def test_all_sizes_are_read_first() -> None:
    program = adder_program().replaced(f"{PLAN}.non_const_buffer_sizes", (0, 512, 1 << 50, -1))
    assert verdict(program, RULE) == "load_method: error InvalidProgram"


def huge(dynamism: ShapeDynamism, sizes: tuple[int, ...] = (1, 16, 2048, 4096)) -> BuiltProgram:
    b = MethodBuilder("forward")
    x = b.input(sizes, dynamism=dynamism)
    b.output(b.call("aten::sigmoid.out", x, out=b.tensor(sizes, dynamism=dynamism)))
    return build_program(b)


def test_the_input_that_bounds_the_largest_tensor_is_named() -> None:
    finding = only(huge(ShapeDynamism.DYNAMIC_BOUND), RULE)
    assert finding.message == (
        "Arena 1 needs 1073741824 bytes before the method can be loaded: the largest is input 0 "
        "(float32[1, 16, 2048, 4096], 536870912 bytes)."
    )
    assert finding.remediation == (
        "Input 0 takes 131072 bytes for each element of dimension 3 of input 0 (at most 4096). If "
        "smaller inputs are all that is used, give that dimension a smaller bound when exporting; "
        "if not, the runner needs this memory:\n\n"
        '    size = torch.export.Dim("size", max=1024)\n'
        "    dynamic_shapes = ({3: size},)  # of input 0"
    )


def test_each_dimension_that_is_as_large_is_bounded() -> None:
    """Which of them may change is not in the file."""
    finding = only(huge(ShapeDynamism.DYNAMIC_BOUND, (1, 8, 4096, 4096)), RULE)
    assert finding.remediation.endswith(
        "give those of them that may change a smaller bound when exporting; if not, the runner "
        "needs this memory:\n\n"
        '    size_2 = torch.export.Dim("size_2", max=1024)\n'
        '    size_3 = torch.export.Dim("size_3", max=1024)\n'
        "    dynamic_shapes = ({2: size_2, 3: size_3},)  # of input 0"
    )


def test_no_bound_is_advised_where_nothing_may_change() -> None:
    finding = only(huge(ShapeDynamism.STATIC), RULE)
    assert "Dim(" not in finding.remediation
    assert "no input whose sizes may change" in finding.remediation


def test_what_nothing_is_planned_in_blames_the_planner() -> None:
    assert "a planner of one's own miscounted" in only(with_size(2**29), RULE).remediation
