"""PTE141, and every check of a kernel that it follows on the real runtime."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest
from pte_lint.schema.program import Operator

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome, Prediction
from pte_lint.harness.batch import BatchItem, run_batch
from pte_lint.harness.outcome import ProbeRun
from pte_lint.ops.checks.elementwise import LAWS
from pte_lint.ops.checks.table import KNOWN
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, only, verdict
from tests.support.kernel_calls import DTYPES, KernelCall, T
from tests.support.kernel_examples import ALL, EXAMPLES, elementwise
from tests.support.runtime import need_runtime

RULE = "PTE141"
REFUSED = "execute: error InvalidArgument"


def product(left: tuple[int, ...] = (2, 3), right: tuple[int, ...] = (3, 4)) -> BuiltProgram:
    """A matrix product with a result of 2 x 4."""
    return KernelCall("aten::mm.out", (T(left), T(right), T((2, 4)))).program()


def test_sizes_that_do_not_fit() -> None:
    finding = only(product(left=(2, 5)), RULE)
    assert finding.message == (
        "The kernel of aten::mm.out refuses the call: dimension 1 of argument 0 is 5, dimension 0 "
        "of argument 1 3."
    )
    assert finding.location.instruction == 0
    assert verdict(product(left=(2, 5)), RULE) == REFUSED


def test_sizes_that_fit() -> None:
    assert found(product(), RULE) == ()
    assert verdict(product(), RULE) == OK


@pytest.mark.parametrize("value", [0, 1, 2])
def test_sizes_that_may_change_are_judged_at_the_largest(value: int) -> None:
    bad = product(left=(2, 5)) if value < 2 else product(right=(3, 3))
    assert found(bad, RULE) != ()
    dynamism = f"execution_plan[0].values[{value}].val.shape_dynamism"
    # A result of six elements has room among eight.
    assert len(found(bad.replaced(dynamism, 1), RULE)) == (value < 2)


def test_a_result_larger_than_the_bounds_of_its_tensor() -> None:
    program = product(right=(3, 5)).replaced("execution_plan[0].values[1].val.shape_dynamism", 0)
    assert "[2, 5]" in only(program, RULE).message
    bounded = program.replaced("execution_plan[0].values[2].val.shape_dynamism", 1)
    assert only(bounded, RULE).message.endswith("10 elements, and the output room for 8.")


def test_a_call_that_is_never_reached() -> None:
    b = MethodBuilder("forward")
    x, w, out = b.input((2, 5)), b.input((3, 4)), b.tensor((2, 4))
    b.output(x)
    end = Label()
    b.jump(end)
    b.kernel("aten::mm.out", x, w, out, out)
    b.mark(end)
    b.add(x, x)
    assert found(build_program(b), RULE) == ()


def test_an_absent_overload_turns_the_error_into_a_crash() -> None:
    call = KernelCall("aten::copy_", (T((2, 3)), T((4,)), False))
    program = call.program()
    assert verdict(program, RULE) == REFUSED
    absent = program.replaced("execution_plan[0].operators", (Operator("aten::copy_", None),))
    assert verdict(absent, RULE) == "execute: crash SIGSEGV"


def test_what_is_not_checked_is_undefined() -> None:
    call = KernelCall("aten::bmm.out", (T((2, 3, 5)), T((2, 4, 6)), T((2, 3, 6))))
    assert "does not check what it cannot compute" in only(call.program(), RULE).message
    assert verdict(call.program(), RULE) == "execute: undefined"


def test_the_largest_of_channels_last_images_leave_the_result_unwritten() -> None:
    images, found_at = T((1, 4, 3, 3), order=(0, 2, 3, 1)), T((1, 2, 3, 3), "int64")
    args = (images, 2, 1, True, True, T((1, 2, 3, 3)), found_at)
    call = KernelCall("aten::topk.values", args)
    assert verdict(call.program(), RULE) == "execute: undefined"
    plain = call.with_argument(0, T((1, 4, 3, 3)))
    assert verdict(plain.program(), RULE) == OK


def test_types_that_do_not_go_together_abort_before_sizes_are_compared() -> None:
    call = KernelCall("aten::add.out", (T((2, 3)), T((4,), "qint8"), 1, T((2, 3))))
    assert verdict(call.program(), RULE) == "execute: crash SIGABRT"


def test_complex_numbers() -> None:
    numbers = T((2, 3), "complex64")
    assert found(KernelCall("aten::mul.out", (numbers, numbers, numbers)).program(), RULE) == ()
    row = KernelCall("aten::add.out", (numbers, T((3,), "complex64"), 1, numbers))
    assert only(row.program(), RULE).message.endswith("are not added to broadcast ones.")


def test_what_only_some_versions_refuse() -> None:
    half = T((2, 3), "float16")
    halves = KernelCall("aten::_log_softmax.out", (half, 1, False, half))
    assert verdict(halves.program(), RULE) == OK
    assert verdict(halves.program(), RULE, target="executorch==1.4") == OK
    assert verdict(halves.program(), RULE, target="executorch==1.3") == REFUSED


def test_a_limit_beyond_the_largest_number_counts_by_its_whole_part_since_1_5() -> None:
    numbers = T((2, 3), "uint8")
    call = KernelCall("aten::hardtanh.out", (numbers, 0.0, 255.99999999999997, numbers))
    assert verdict(call.program(), RULE) == OK
    assert verdict(call.program(), RULE, target="executorch==1.4") == REFUSED
    assert verdict(call.with_argument(2, 256.0).program(), RULE) == REFUSED


def test_a_mask_that_broadcasts_what_it_selects_from_may_select_more_than_that() -> None:
    source, row = T((1, 4)), T((4,), bounded=True)
    call = KernelCall("aten::masked_select.out", (source, T((3, 4), "bool"), row))
    assert only(call.program(), RULE).message.endswith(
        "12 elements may be selected, and the output takes 4."
    )
    assert found(call.with_argument(1, T((1, 4), "bool")).program(), RULE) == ()
    # A bound of another size is what the model's author promises.
    assert found(call.with_argument(2, T((6,), bounded=True)).program(), RULE) == ()


def test_a_stride_of_zero_divides_by_it() -> None:
    (call, *_) = (c for c in ALL if c.operator == "aten::max_pool2d_with_indices.out")
    assert verdict(call.with_argument(2, [0, 1]).program(), RULE) == "execute: crash SIGFPE"


def test_an_input_of_one_size_is_warned_of() -> None:
    rows = T((2, 3), bounded=True)
    kept = KernelCall("aten::relu.out", (rows, T((2, 3)))).program()
    finding = only(kept, RULE)
    assert finding.severity is Severity.WARNING
    assert finding.message == (
        "Sizes of input 0 may change, but only [2, 3] work: with [1, 3], aten::relu.out does not "
        "take what it is given then: the result has the sizes [1, 3], and the output [2, 3]."
    )
    assert finding.evidence == {"given": {"0": [1, 3]}, "about": "shapes"}
    assert found(KernelCall("aten::relu.out", (rows, rows)).program(), RULE) == ()


def test_indices_of_another_type_abort() -> None:
    weights, out = T((3, 4)), T((2, 4))
    call = KernelCall("aten::embedding.out", (weights, T((2,)), -1, False, False, out))
    assert verdict(call.program(), RULE) == "execute: crash SIGABRT"


def test_sizes_are_divided_as_whole_numbers() -> None:
    """2 to the 57th more padding on both sides is nothing more in 32 bits."""
    (call, *_) = (each for each in ALL if each.operator == "aten::convolution.out")
    assert found(call.with_argument(4, [1, (1 << 57) + 1]).program(), RULE) == ()


def test_a_mask_that_is_too_short_is_read_beyond_its_end() -> None:
    (call,) = (each for each in ALL if each.operator == "aten::convolution_backward.out")
    assert verdict(call.with_argument(10, [True, True]).program(), RULE) == "execute: undefined"
    unasked = call.with_argument(10, [True, True, False]).with_argument(13, T((6,), "int64"))
    assert verdict(unasked.program(), RULE) == OK


def test_every_known_operator_has_an_example() -> None:
    assert {call.operator for call in ALL} == KNOWN


@pytest.mark.parametrize("call", ALL, ids=lambda call: str(call.operator))
def test_a_good_call(call: KernelCall) -> None:
    assert found(call.program(), RULE) == ()


# -- on the runtime -------------------------------------------------------------------------------

# What indices and divisors hold decides too, and a file does not tell.
_BY_CONTENT = (
    *("div.out ", "embedding", "gather", "index", "masked_select", "nonzero", "scatter"),
)


def _changed(stride: int) -> Iterator[tuple[str, KernelCall]]:
    """The calls as they are, and every `stride`-th change to them."""
    for n, call in enumerate(EXAMPLES):
        yield f"{call.operator} as it is", call
        for label, other in islice(call.changes(), n % stride, None, stride):
            yield f"{call.operator} {label}", other


def _mixed_types(stride: int) -> Iterator[tuple[str, KernelCall]]:
    """Elementwise calls with pairs of element types."""
    number = 0
    for operator in sorted(LAWS):
        for dtype in DTYPES:
            for out_dtype in DTYPES:
                number += 1
                if number % stride == 0:
                    yield f"{operator} {dtype} {out_dtype}", elementwise(operator, dtype, out_dtype)
        for label, other in islice(elementwise(operator).changes(), number % 3, None, stride):
            yield f"{operator} {label}", other


def _predicted(data: bytes) -> Prediction | None:
    report = pte_lint.check(data, select=["PTE139", RULE], isolated=True).artifacts[0]
    assert report.internal_errors == ()
    worst = report.verdict[0]
    return None if worst.outcome is Outcome.OK else worst


def _differs(label: str, prediction: Prediction | None, run: ProbeRun) -> str | None:
    """How the run differs from the prediction; None where it does not."""
    seen = run.methods[0].runs[0]
    if prediction is None:
        refused = seen.outcome != "ok" and not any(name in label for name in _BY_CONTENT)
        return f"{label}: unforeseen {seen.error or seen.signal}" if refused else None
    if prediction.outcome is Outcome.UNDEFINED:
        return None
    if prediction.outcome is Outcome.WRONG:
        return None if seen.outcome == "ok" else f"{label}: {seen.error or seen.signal}, not wrong"
    same = (seen.stage, seen.error, seen.signal) == (
        str(prediction.stage),
        prediction.error,
        prediction.signal,
    )
    return None if same else f"{label}: {prediction}, but {seen.outcome} {seen.error}"


@pytest.mark.runtime
@pytest.mark.parametrize("calls", [_changed(7), _mixed_types(11)], ids=["changed", "types"])
def test_on_the_runtime(calls: Iterator[tuple[str, KernelCall]]) -> None:
    """Where nothing is foretold the call runs, and what is foretold happens."""
    need_runtime()
    labels, programs = [], []
    for label, call in calls:
        labels.append(label)
        programs.append(call.program().bytes())
    runs = run_batch((BatchItem(data) for data in programs), variants=("default",))
    results = zip(labels, programs, runs, strict=True)
    differences = [_differs(label, _predicted(data), run) for label, data, run in results]
    wrong = [text for text in differences if text is not None]
    assert not wrong, "\n".join(wrong)


def rows_of(factor: int) -> BuiltProgram:
    """A view_copy of a 3 x 4 tensor to a size that is calculated."""
    b = MethodBuilder("forward")
    x, count = b.input((3, 4)), b.null()
    b.kernel("executorch_prim::mul.Scalar", b.int_value(3), b.int_value(factor), count)
    out = b.tensor((12,), dynamism=1)
    b.output(b.call("aten::view_copy.out", x, b.int_list([count]), out=out))
    return build_program(b)


def test_numbers_that_are_calculated() -> None:
    assert verdict(rows_of(4), RULE) == OK
    assert verdict(rows_of(3), RULE) == REFUSED


def moved(sizes: tuple[int, ...]) -> BuiltProgram:
    """A sum with a tensor of 2 x 3 that another one takes the place of."""
    b = MethodBuilder("forward")
    x, y, z = b.input((2, 3)), b.input((2, 3)), b.input(sizes)
    b.move(z, y)
    b.output(b.call("aten::mul.out", x, y, out=(2, 3)))
    return build_program(b)


def test_tensors_that_are_moved() -> None:
    assert verdict(moved((1, 3)), RULE) == OK
    assert verdict(moved((2, 4)), RULE) == REFUSED
    assert "do not broadcast" in only(moved((2, 4)), RULE).message


def test_sizes_follow_from_the_largest_inputs() -> None:
    b = MethodBuilder("forward")
    x = b.input((4, 3), dynamism=1)
    doubled = b.call("aten::mul.out", x, x, out=b.tensor((4, 3), dynamism=1))
    b.kernel("aten::sym_size.int", doubled, b.int_value(0), b.null())
    b.output(b.call("aten::mul.out", doubled, b.input((5, 3)), out=b.tensor((5, 3), dynamism=1)))
    assert verdict(build_program(b), RULE) == REFUSED


def resized(sizes: int | None = None) -> MethodBuilder:
    """An image by factors of 2 and sizes of None, value 2, which are something else in a run 2."""
    b = MethodBuilder("forward")
    x, out, none, factors = (
        b.input((1, 1, 2, 2)),
        b.tensor((1, 1, 4, 4)),
        b.null(),
        b.doubles([2, 2]),
    )
    b.kernel("aten::upsample_nearest2d.vec_out", x, none, factors, out, out)
    if sizes is not None:
        b.move(b.ints([sizes, sizes]), none)
    b.output(out)
    return b


def test_a_tensor_that_a_move_puts_where_a_flag_was() -> None:
    for sizes, expected in (((4,), OK), ((3,), REFUSED)):
        b = MethodBuilder("forward")
        x, slot = b.input((4,)), b.bool_value(False)
        b.move(x, slot)
        out = b.tensor(sizes)
        b.kernel("aten::relu.out", slot, out, out)
        b.output(out)
        assert verdict(build_program(b), RULE) == expected


def test_an_argument_that_a_move_may_change_is_neither_there_nor_absent() -> None:
    assert verdict(build_program(resized()), RULE) == OK
    finding = only(build_program(resized(4)), RULE)
    assert "either sizes or factors" in finding.message
    assert finding.runtime is not None
    assert finding.runtime.run == 2
    b = resized()
    b.move(2, 2)
    assert verdict(build_program(b), RULE) == OK


def test_none_without_content_is_none() -> None:
    program = build_program(resized()).replaced("execution_plan[0].values[2].val", None)
    assert verdict(program, RULE) == OK


@pytest.mark.parametrize("operator", ["aten::div.out_mode", "aten::div.Scalar_mode_out"])
def test_a_rounding_mode_that_a_move_may_change(operator: str) -> None:
    b = MethodBuilder("forward")
    x, out, mode, other = b.input((4,), "bool"), b.tensor((4,)), b.null(), b.string_value("trunc")
    by = b.input((4,), "bool") if operator.endswith("out_mode") else b.int_value(0)
    b.kernel(operator, x, by, mode, out, out)
    b.output(out)
    assert verdict(build_program(b), RULE) == OK
    b.move(mode, mode)
    assert verdict(build_program(b), RULE) == OK
    b.move(other, mode)
    assert only(build_program(b), RULE).runtime.run == 2  # type: ignore[union-attr]


Q = "quantized_decomposed"
ABORTS = "execute: crash SIGABRT"


@pytest.mark.parametrize(
    ("numbers", "source", "target", "outcome"),
    [
        ((-128, 127, 1), "float32", "int8", OK),
        ((0, 255, 0), "float16", "uint8", OK),
        ((-128, 127, 1), "bfloat16", "int8", ABORTS),
        ((-128, 127, 1), "float32", "uint8", ABORTS),
        ((-128, 128, 1), "float32", "int8", ABORTS),
        ((-129, 127, 1), "float32", "int8", ABORTS),
    ],
)
def test_what_is_quantised(
    numbers: tuple[int, int, int], source: str, target: str, outcome: str
) -> None:
    args = (T((2, 3), source), 0.05, 3, *numbers, T((2, 3), target))
    assert verdict(KernelCall(f"{Q}::quantize_per_tensor.out", args).program(), RULE) == outcome


@pytest.mark.parametrize(
    ("code", "wanted", "source", "target", "outcome"),
    [
        (1, None, "int8", "float32", OK),
        (1, 5, "int8", "float16", OK),
        (1, 6, "int8", "float16", ABORTS),
        (0, None, "int8", "float32", ABORTS),
        (1, None, "int8", "bfloat16", ABORTS),
        (4, None, "int64", "float32", ABORTS),
    ],
)
def test_what_is_turned_back_to_numbers(
    code: int, wanted: int | None, source: str, target: str, outcome: str
) -> None:
    args = (T((2, 3), source), 0.05, 3, -8, 100, code, wanted, T((2, 3), target))
    assert verdict(KernelCall(f"{Q}::dequantize_per_tensor.out", args).program(), RULE) == outcome
