"""PTE203."""

from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.harness.batch import run_batch
from pte_lint.harness.options import ProbeOptions
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, only, unchecked, verdict
from tests.support.runtime import need_runtime

RULE = "PTE203"
RELU = "aten::relu.out"


def chain(middle: int, last: int) -> MethodBuilder:
    """b = f(x); c = f(x); return b + c, with b at byte 64 and c where the test wants it."""
    b = MethodBuilder("forward")
    x = b.input((4,), memory_id=1, offset=0)
    one = b.call(RELU, x, out=b.tensor((4,), memory_id=1, offset=middle))
    two = b.call(RELU, x, out=b.tensor((4,), memory_id=1, offset=last))
    b.output(b.add(one, two, out=b.tensor((4,), memory_id=1, offset=256)))
    return b


def test_apart() -> None:
    assert verdict(build_program(chain(64, 80)), RULE) == OK


def test_partly_over_what_is_read_later() -> None:
    program = build_program(chain(64, 72))
    finding = only(program, RULE)
    assert finding.message == (
        "aten::relu.out writes value 2 over value 1, which instruction 2 reads afterwards: bytes "
        "72 to 88 and 64 to 80 of arena 1 overlap."
    )
    assert finding.evidence == {
        "arena": 1,
        "written_value": 2,
        "written_bytes": [72, 88],
        "needed_value": 1,
        "needed_bytes": [64, 80],
        "needed_since": 0,
        "needed_until": 2,
    }
    assert verdict(program, RULE) == "execute: undefined"


def test_exactly_over_it() -> None:
    assert verdict(build_program(chain(64, 64)), RULE) == "execute: undefined"


def test_over_an_input_that_is_dead() -> None:
    b = MethodBuilder("forward")
    x = b.input((4,), memory_id=1, offset=0)
    y = b.call(RELU, x, out=b.tensor((4,), memory_id=1, offset=16))
    b.output(b.call(RELU, y, out=b.tensor((4,), memory_id=1, offset=0)))
    assert found(build_program(b), RULE) == ()


def test_an_input_set_over_another() -> None:
    b = MethodBuilder("forward")
    x = b.input((4,), memory_id=1, offset=0)
    y = b.input((4,), memory_id=1, offset=8)
    b.output(b.add(x, y))
    finding = only(build_program(b), RULE)
    assert finding.message.startswith("Setting input 1 overwrites input 0")
    assert verdict(build_program(b), RULE) == "set_input: undefined"


def test_state_that_the_next_run_reads() -> None:
    b = MethodBuilder("forward")
    x = b.input((4,), memory_id=1, offset=0)
    kept = b.state((4,), initial=[0.0] * 4, memory_id=1, offset=64)
    b.output(b.add(x, kept, out=b.tensor((4,), memory_id=1, offset=256)))
    b.call(RELU, x, out=b.tensor((4,), memory_id=1, offset=64))
    assert "which instruction 0 reads" in only(build_program(b), RULE).message


def test_a_condition_that_is_tested_twice_proves_nothing() -> None:
    b = MethodBuilder("forward")
    x, flag = b.input((4,), memory_id=1, offset=0), b.input((), "bool", memory_id=1, offset=128)
    over, end = Label(), Label()
    y = b.call(RELU, x, out=b.tensor((4,), memory_id=1, offset=64))
    b.jump_false(flag, over)
    b.call(RELU, x, out=b.tensor((4,), memory_id=1, offset=72))
    b.mark(over)
    b.jump_false(flag, end)
    b.output(b.call(RELU, y, out=b.tensor((4,), memory_id=1, offset=256)))
    b.mark(end)
    assert only(build_program(b), RULE).severity is Severity.WARNING


def sharing(operator: str, offset: int, *extra: int) -> MethodBuilder:
    """y = operator(x, ...) with y inside x, and x read afterwards; x has rows of 16 bytes."""
    b = MethodBuilder("forward")
    x = b.input((4, 4), memory_id=1, offset=0)
    numbers = [b.int_value(n) for n in extra]
    y = b.call(operator, x, *numbers, out=b.tensor((1, 4), memory_id=1, offset=offset))
    b.output(y, b.call(RELU, x, out=b.tensor((4, 4), memory_id=1, offset=256)))
    return b


def test_a_slice_that_is_already_in_its_place() -> None:
    assert found(build_program(sharing("aten::slice_copy.Tensor_out", 32, 0, 2, 3, 1)), RULE) == ()
    moved = build_program(sharing("aten::slice_copy.Tensor_out", 16, 0, 2, 3, 1))
    assert verdict(moved, RULE) == "execute: undefined"


def test_only_a_foreign_operator_knows_what_it_does_to_its_input() -> None:
    program = build_program(sharing("custom::slice.out", 32))
    assert found(program, RULE) == ()
    assert "custom::slice.out" in unchecked(program, RULE)[0].why
    assert verdict(build_program(sharing("aten::sum.out", 32)), RULE) == "execute: undefined"


def mapping(temporary: int, out: int = 256) -> MethodBuilder:
    """out[i] = f(x[i]) over 3 rows of 16 bytes, as map writes it; x is at byte 0."""
    b = MethodBuilder("forward")
    x = b.input((3, 4), memory_id=1, offset=0)
    ys = b.tensor((3, 4), dynamism=1, memory_id=1, offset=out)
    zero, counter, end, done = b.int_value(0), b.int_value(0), b.null(), b.bool_value(False)
    b.kernel("aten::sym_size.int", x, zero, end)
    start = b.mark()
    row = b.tensor((4,), memory_id=1, offset=512)
    b.call("aten::select_copy.int_out", x, zero, counter, out=row)
    y = b.call(RELU, row, out=b.tensor((4,), memory_id=1, offset=temporary))
    b.kernel("executorch_prim::et_copy_index.tensor", ys, y, counter)
    b.kernel("executorch_prim::add.Scalar", counter, b.int_value(1), counter)
    b.kernel("executorch_prim::eq.Scalar", counter, end, done)
    b.jump_false(done, start)
    b.output(ys)
    return b


def test_rows_of_a_loop() -> None:
    assert found(build_program(mapping(1024)), RULE) == ()
    for temporary in (256, 272, 276):
        over_earlier_rows = build_program(mapping(temporary))
        assert verdict(over_earlier_rows, RULE) == "execute: undefined"
    last_row = build_program(mapping(288))
    assert only(last_row, RULE).severity is Severity.WARNING
    over_what_was_read = build_program(mapping(1024, out=0))
    assert {f.severity for f in found(over_what_was_read, RULE)} == {Severity.WARNING}
    for out in (8, 16, 24, 32, 44):
        over_the_next_row = build_program(mapping(1024, out=out))
        assert verdict(over_the_next_row, RULE) == "execute: undefined"


@pytest.mark.runtime
def test_rows_that_a_loop_loses() -> None:
    need_runtime()
    programs = [build_program(mapping(at)).bytes() for at in (1024, 256, 272, 276, 288)]
    options = ProbeOptions(variants=("rising",), describe=False)
    runs = run_batch(programs, options=options)
    right, *others = (run.methods[0].runs[0].outputs for run in runs)
    assert [each == right for each in others] == [False, False, False, True]


@pytest.mark.runtime
def test_rows_that_a_loop_reads_too_late() -> None:
    need_runtime()
    places = (0, 8, 16, 32, 44, 48)
    programs = [build_program(mapping(1024, out=out)) for out in (96, *places)]
    options = ProbeOptions(variants=("rising",), describe=False)
    runs = run_batch([program.bytes() for program in programs], options=options)
    right, *others = (run.methods[0].runs[0].outputs for run in runs)
    said = [verdict(program, RULE) == OK for program in programs[1:]]
    assert said == [each == right for each in others] == [True, False, False, False, False, True]


def test_a_delegate_over_its_input() -> None:
    b = MethodBuilder("forward")
    x = b.input((4,))
    y = b.call(RELU, x, out=b.tensor((4,), memory_id=1, offset=256))
    b.output(y)
    b.output(*b.delegate("HostBackend", [y], [b.tensor((4,), memory_id=1, offset=256)]))
    assert verdict(build_program(b), RULE) == "execute: undefined"


def test_rows_over_what_is_returned() -> None:
    early = MethodBuilder("forward")
    x = early.input((3, 4), memory_id=1, offset=0)
    early.output(early.call(RELU, x, out=early.tensor((3, 4), memory_id=1, offset=256)))
    target, counter = early.tensor((3, 4), dynamism=1, memory_id=1, offset=256), early.int_value(0)
    row = early.call("aten::select_copy.int_out", x, early.int_value(0), counter, out=(4,))
    early.kernel("executorch_prim::et_copy_index.tensor", target, row, counter)
    early.output(target)
    assert verdict(build_program(early), RULE) == "execute: undefined"


def states(second: int) -> BuiltProgram:
    """Two states of 16 bytes, the first at byte 256, which starts at zero; both are updated."""
    b = MethodBuilder("forward")
    x = b.input((4,), memory_id=1, offset=0)
    one = b.tensor((4,), memory_id=1, offset=256)
    other = b.state((4,), initial=[1.0] * 4, memory_id=1, offset=second)
    for state, at in ((one, 512), (other, 640)):
        new = b.add(x, state, out=b.tensor((4,), memory_id=1, offset=at))
        b.kernel("aten::copy_", state, new, b.bool_value(False), state)
    b.output(x)
    return build_program(b)


def test_state_that_is_loaded_over_other_state() -> None:
    assert found(states(288), RULE) == ()
    assert "Loading" in found(states(268), RULE)[0].message
    assert verdict(states(268), RULE) == "load_method: undefined"


def test_two_outputs_of_one_step() -> None:
    def largest(indices: int) -> BuiltProgram:
        b = MethodBuilder("forward")
        x = b.input((2, 4), memory_id=1, offset=0)
        values = b.tensor((2,), memory_id=1, offset=256)
        where = b.tensor((2,), "int64", memory_id=1, offset=indices)
        args = x, b.int_value(1), b.bool_value(False), values, where
        b.kernel("aten::max.dim_max", *args, b.tensor_list([values, where]))
        view = b.tensor((2, 1), memory_id=1, offset=256)
        b.output(b.call(RELU, view, out=b.tensor((2, 1), memory_id=1, offset=512)))
        return build_program(b)

    assert found(largest(320), RULE) == ()
    assert verdict(largest(256), RULE) == "execute: undefined"


@pytest.mark.parametrize(("at", "count"), [(0, 1), (64, 0)])
def test_a_result_that_one_branch_hands_on_is_written_over_behind_both(at: int, count: int) -> None:
    b = MethodBuilder("forward")
    p, x = b.input((), "bool"), b.input((4,))
    out, other, end = b.tensor((4,), memory_id=1, offset=128), Label(), Label()
    b.jump_false(p, other)
    one = b.call(RELU, x, out=b.tensor((4,), memory_id=1, offset=0))
    b.move(one, out)
    b.jump(end)
    b.mark(other)
    two = b.call(RELU, x, out=b.tensor((4,), memory_id=1, offset=at))
    b.move(two, out)
    b.mark(end)
    b.call(RELU, x, out=two)  # where the first branch ran, `out` is `one`
    b.output(out)
    assert len(found(build_program(b), RULE)) == count
    if count:
        finding = only(build_program(b), RULE)
        assert (finding.severity, finding.location.instruction) == (Severity.WARNING, 6)
        assert finding.message.startswith(f"{RELU} writes value {two} over output 0, which is")
