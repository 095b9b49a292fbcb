"""PTE131."""

from __future__ import annotations

from dataclasses import replace

import pte_lint
from pte_lint.claims.forecast import Stage, crash
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, found, only, verdict

RULE = "PTE131"
RELU = "aten::relu.out"


def start() -> tuple[MethodBuilder, int, int]:
    """A builder, an input, and a tensor without memory."""
    b = MethodBuilder("forward")
    return b, b.input((4,)), b.tensor((4,), planned=False)


def test_a_kernel_that_touches_it_crashes() -> None:
    for reads in (True, False):
        b, x, null = start()
        out = b.call(RELU, *((null,) if reads else (x,)), out=(4,) if reads else null)
        b.output(x)
        assert out != x
        finding = only(build_program(b), RULE)
        assert ("reads" if reads else "writes") in finding.message
        assert verdict(build_program(b), RULE) == "execute: crash SIGSEGV"


def test_a_jump_on_it_is_refused() -> None:
    b = MethodBuilder("forward")
    b.jump_false(b.tensor((), "bool", planned=False), 1)
    assert verdict(build_program(b), RULE) == "execute: error InvalidState"


def test_a_jump_looks_before_it_counts() -> None:
    """Elsewhere a tensor without elements needs no memory."""
    b = MethodBuilder("forward")
    b.jump_false(b.tensor((0,), "bool", planned=False), 1)
    assert verdict(build_program(b), RULE) == "execute: error InvalidState"
    b = MethodBuilder("forward")
    b.jump_false(b.tensor((0,), "bool"), 1)
    assert verdict(build_program(b), RULE) == OK


def test_a_delegate_gets_the_null_pointer() -> None:
    b, x, null = start()
    b.delegate("XnnpackBackend", [x], [null])
    assert verdict(build_program(b), RULE) == "execute: undefined"


def test_inputs_outputs_and_constants_have_memory() -> None:
    b = MethodBuilder("forward")
    x = b.input((4,), planned=False)
    out = b.tensor((4,), planned=False)
    b.call("aten::add.out", x, b.constant([1.0] * 4, (4,)), b.int_value(1), out=out)
    b.output(out)
    assert verdict(build_program(b), RULE) == OK


def test_empty_tensors_and_sizes_need_none() -> None:
    b, _x, null = start()
    slot = b.null()
    b.kernel("aten::sym_size.int", null, b.int_value(0), slot)
    b.call(RELU, b.tensor((0,), planned=False), out=(0,))
    assert found(build_program(b), RULE) == ()


def test_freed_memory_is_gone_for_the_next_run_too() -> None:
    b = MethodBuilder("forward")
    x = b.input((4,))
    y = b.call(RELU, x, out=(4,))
    b.free(y)
    finding = only(build_program(b), RULE)
    assert (finding.location.instruction, finding.location.value) == (0, y)
    b.output(y)
    assert len(found(build_program(b), RULE)) == 1


def test_a_freed_output() -> None:
    b = MethodBuilder("forward")
    x = b.input((4,))
    b.free(x)
    b.output(x)
    assert verdict(build_program(b), RULE) == "get_output: undefined"


def test_what_is_on_a_device_is_judged_elsewhere() -> None:
    b = MethodBuilder("forward")
    b.call(RELU, b.tensor((4,), device="cuda:0", planned=False), out=(4,))
    assert found(build_program(b), RULE) == ()


def test_a_norm_takes_a_null_weight_for_none() -> None:
    b = MethodBuilder("forward")
    x, weight = b.input((2, 4)), b.constant([1.0] * 4, (4,))
    out, mean, deviation = b.tensor((2, 4)), b.tensor((2, 1)), b.tensor((2, 1))
    args = x, b.ints([4]), weight, b.null(), b.double_value(1e-5), out, mean, deviation
    b.kernel("aten::native_layer_norm.out", *args, b.tensor_list([out, mean, deviation]))
    b.free(weight)
    b.output(out)
    assert verdict(build_program(b), RULE) == "execute: undefined"


def test_the_first_run_comes_before_the_second() -> None:
    """The step before the free meets null in the second run only."""
    b = MethodBuilder("forward")
    x = b.input((4,), planned=True)
    b.call(RELU, x, out=(4,))
    b.free(x)
    b.output(b.call(RELU, x, out=(4,)))
    assert only(build_program(b), RULE).location.instruction == 2


def test_one_condition_that_decides_twice() -> None:
    b = MethodBuilder("forward")
    x, flag = b.input((4,)), b.input((), "bool")
    slot, over, late = b.tensor((4,), planned=False), Label(), Label()
    b.jump_false(flag, over)
    b.move(x, slot)
    b.mark(over)
    b.jump_false(flag, late)
    b.output(b.call(RELU, slot, out=(4,)))
    b.mark(late)
    program = build_program(b)
    assert found(program, RULE) == ()
    b.output(b.call(RELU, slot, out=(4,)))
    assert verdict(build_program(b), RULE) == "execute: crash SIGSEGV"


def test_the_use_that_a_run_meets_first_is_told() -> None:
    """Both branches use it, before a call that fails behind them."""
    b = MethodBuilder("forward")
    x, flag, null = b.input((4,)), b.input((), "bool"), b.tensor((4,), planned=False)
    other, after = Label(), Label()
    b.jump_false(flag, other)
    b.call(RELU, null, out=(4,))
    b.jump_false(b.bool_value(False), after)
    b.mark(other)
    b.call(RELU, null, out=(4,))
    b.mark(after)
    b.kernel(RELU, x)
    program = build_program(b)
    (report,) = pte_lint.check(program.bytes()).artifacts
    assert [(v.outcome, v.rule) for v in report.verdict] == [("crash", RULE)]


def test_a_use_that_always_meets_null_comes_before_one_that_may() -> None:
    """The last use is met first, by a run that jumps, and finds what the slot had before."""
    b = MethodBuilder("forward")
    flag, null = b.input((), "bool"), b.tensor((4,), planned=False)
    slot, over = b.input((4,)), Label()
    b.jump_false(flag, over)
    b.move(null, slot)
    b.call(RELU, slot, out=(4,))
    b.mark(over)
    b.output(b.call(RELU, slot, out=(4,)))
    assert only(build_program(b), RULE).location.instruction == 2


def test_no_path_leads_past_a_jump_that_always_fails() -> None:
    """Past it the slot would be null; the other way fills it."""
    for dtype, expected in (("float32", OK), ("bool", "execute: crash SIGSEGV")):
        b = MethodBuilder("forward")
        x, flag, given = b.input((4,)), b.input((), "bool"), b.input((), dtype)
        slot, condition = b.tensor((4,), planned=False), b.bool_value(True)
        fill, use = Label(), Label()
        b.jump_false(flag, fill)
        b.move(given, condition)
        b.jump_false(condition, use)
        b.mark(fill)
        b.move(x, slot)
        b.mark(use)
        b.output(b.call(RELU, slot, out=(4,)))
        assert verdict(build_program(b), RULE) == expected


def test_a_slot_is_no_memory() -> None:
    b, x, null = start()
    b.kernel("aten::sym_size.int", x, b.int_value(0), null)
    b.kernel("executorch_prim::mul.Scalar", null, b.int_value(2), b.null())
    assert found(build_program(b), RULE) == ()


def test_indices_that_nobody_wants() -> None:
    b = MethodBuilder("forward")
    image, out = b.input((1, 1, 4, 4)), b.tensor((1, 1, 2, 2))
    indices = b.tensor((1, 1, 2, 2), "int64", planned=False)
    window, none = b.ints([2, 2]), b.ints([])
    args = image, window, none, b.ints([0, 0]), b.ints([1, 1]), b.bool_value(False), out, indices
    b.kernel("aten::max_pool2d_with_indices.out", *args, b.tensor_list([out, indices]))
    b.output(out)
    assert found(build_program(b), RULE) == ()


def test_zeros_that_nobody_wants() -> None:
    b, x, null = start()
    b.kernel("aten::zeros.out", b.ints([4]), null, null)
    b.output(b.call(RELU, x, out=(4,)))
    assert found(build_program(b), RULE) == ()


def test_a_part_without_memory_in_a_list_of_outputs() -> None:
    b = MethodBuilder("forward")
    x, parts = b.input((2, 4)), [b.tensor((2, 2)), b.tensor((2, 2))]
    outs = b.tensor_list(parts)
    b.kernel("aten::split_copy.Tensor_out", x, b.int_value(2), b.int_value(1), outs, outs)
    b.free(parts[1])
    b.output(parts[0])
    finding = only(build_program(b), RULE)
    assert finding.location.instruction == 0
    assert finding.runtime == replace(crash(Stage.EXECUTE, "SIGSEGV"), run=2)


def test_an_embedding_without_weights_leaves_its_result_unwritten() -> None:
    b = MethodBuilder("forward")
    weight, indices = b.tensor((5, 4), planned=False), b.input((3,), "int64")
    flags = b.bool_value(False)
    args = weight, indices, b.int_value(-1), flags, flags
    b.output(b.call("aten::embedding.out", *args, out=(3, 4)))
    assert verdict(build_program(b), RULE) == "execute: undefined"
