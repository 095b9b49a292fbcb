"""PTE151: each pattern fires on a small bad call and is silent on the nearest good one."""

from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.harness.batch import BatchItem, run_batch
from pte_lint.ops.layouts.table import PATTERNS
from pte_lint.ops.schemas import operator_schema
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, only, report, verdict
from tests.support.kernel_calls import Argument, KernelCall, T
from tests.support.runtime import need_runtime

RULE = "PTE151"
WRONG = "execute: wrong"
LAST = (0, 2, 3, 1)
SIZES = (2, 3, 4, 5)


def last(*sizes: int, dtype: str = "float32") -> T:
    return T(sizes, dtype, LAST)


IMAGE = last(*SIZES)
PLAIN = T(SIZES)


def program(operator: str, *args: Argument) -> BuiltProgram:
    return KernelCall(f"aten::{operator}", args).program(returned=True)


def test_what_is_said() -> None:
    finding = only(program("flip.out", IMAGE, [1], IMAGE), RULE)
    assert finding.message == (
        "aten::flip.out takes the output (output 0, dim order [0, 2, 3, 1]) as row-major: elements "
        "end up in other places than in PyTorch. Output 0 depends on it."
    )
    assert finding.severity is Severity.ERROR
    assert (finding.location.instruction, finding.location.argument) == (0, 2)
    assert (
        "Before aten::flip.out is called make what is given to it contiguous" in finding.remediation
    )
    assert finding.evidence["dim_order"] == list(LAST)
    assert finding.evidence["outputs"] == [0]
    assert verdict(program("flip.out", IMAGE, [1], IMAGE), RULE) == WRONG


PAIRS: dict[str, tuple[tuple[str, tuple[Argument, ...]], tuple[str, tuple[Argument, ...]]]] = {
    "dimensions turned round together": (
        ("flip.out", (IMAGE, [2, 3], IMAGE)),
        ("flip.out", (IMAGE, [1, 2, 3], IMAGE)),
    ),
    "outside of what is permuted": (
        ("flip.out", (IMAGE, [3], IMAGE)),
        ("flip.out", (IMAGE, [0], IMAGE)),
    ),
    "one channel": (
        ("flip.out", (last(2, 2, 4, 5), [3], last(2, 2, 4, 5))),
        ("flip.out", (last(2, 1, 4, 5), [3], last(2, 1, 4, 5))),
    ),
    "one pixel": (
        ("flip.out", (last(2, 3, 1, 2), [1], last(2, 3, 1, 2))),
        ("flip.out", (last(2, 3, 1, 1), [1], last(2, 3, 1, 1))),
    ),
    "no elements": (
        ("roll.out", (last(2, 3, 2, 2), [1], [1], last(2, 3, 2, 2))),
        ("roll.out", (last(2, 3, 0, 2), [1], [1], last(2, 3, 0, 2))),
    ),
    "a shift of a whole turn": (
        ("roll.out", (IMAGE, [2], [1], IMAGE)),
        ("roll.out", (IMAGE, [3], [1], IMAGE)),
    ),
    "concatenation by channels": (
        ("cat.out", ([IMAGE, IMAGE], 1, last(2, 6, 4, 5))),
        ("cat.out", ([IMAGE, IMAGE], 0, last(4, 3, 4, 5))),
    ),
    "one piece beside nothing": (
        ("cat.out", ([IMAGE, IMAGE], 2, last(2, 3, 8, 5))),
        ("cat.out", ([IMAGE, T((0,))], 1, IMAGE)),
    ),
    "a part of the channels": (
        ("slice_copy.Tensor_out", (IMAGE, 1, 0, 2, 1, last(2, 2, 4, 5))),
        ("slice_copy.Tensor_out", (IMAGE, 1, 0, 3, 1, IMAGE)),
    ),
    "broadcast": (
        ("mul.out", (IMAGE, last(1, 3, 1, 1), IMAGE)),
        ("mul.out", (IMAGE, IMAGE, IMAGE)),
    ),
    "broadcast of one element": (
        ("maximum.out", (IMAGE, last(1, 1, 1, 1), IMAGE)),
        ("mul.out", (IMAGE, last(1, 1, 1, 1), IMAGE)),
    ),
    "broadcast over channels": (
        ("add.out", (IMAGE, last(2, 1, 4, 1), 1, IMAGE)),
        ("add.out", (IMAGE, last(2, 3, 4, 5), 1, IMAGE)),
    ),
    "broadcast to the default order": (
        ("exp.out", (IMAGE, PLAIN)),
        ("exp.out", (IMAGE, IMAGE)),
    ),
    "row-major result of a reduction": (
        ("amax.out", (IMAGE, [3], True, last(2, 3, 4, 1))),
        ("amax.out", (IMAGE, [3], False, T((2, 3, 4)))),
    ),
    "softmax steps by strides": (
        ("_log_softmax.out", (IMAGE, 1, False, IMAGE)),
        ("_log_softmax.out", (IMAGE, 0, False, IMAGE)),
    ),
    "a softmax of one element": (
        ("_log_softmax.out", (last(2, 3, 2, 5), 2, False, last(2, 3, 2, 5))),
        ("_log_softmax.out", (last(2, 3, 1, 5), 2, False, last(2, 3, 1, 5))),
    ),
    "a variance of one element": (
        ("var.correction_out", (last(2, 3, 4, 2), [3], 1, True, last(2, 3, 4, 1))),
        ("var.correction_out", (last(2, 3, 4, 1), [3], 1, True, last(2, 3, 4, 1))),
    ),
    "running sums": (
        ("cumsum.out", (IMAGE, 2, None, IMAGE)),
        ("cumsum.out", (IMAGE, 0, None, IMAGE)),
    ),
    "padding": (
        ("constant_pad_nd.out", (IMAGE, [1, 0], 0.0, last(2, 3, 4, 6))),
        ("constant_pad_nd.out", (IMAGE, [0, 0, 0, 0, 0, 0, 1, 0], 0.0, last(3, 3, 4, 5))),
    ),
    "a norm with weights by position": (
        (
            "native_layer_norm.out",
            (IMAGE, [3, 4, 5], T((3, 4, 5)), None, 1e-5, IMAGE, *(last(2, 1, 1, 1),) * 2),
        ),
        (
            "native_layer_norm.out",
            (IMAGE, [3, 4, 5], None, None, 1e-5, IMAGE, *(last(2, 1, 1, 1),) * 2),
        ),
    ),
    "a dimension of one in front or inside": (
        ("unsqueeze_copy.out", (IMAGE, 1, T((2, 1, 3, 4, 5)))),
        ("unsqueeze_copy.out", (IMAGE, 1, T((2, 1, 3, 4, 5), order=(0, 1, 3, 4, 2)))),
    ),
    "transposed factors": (
        ("mm.out", (T((3, 4), order=(1, 0)), T((4, 5), order=(1, 0)), T((3, 5), order=(1, 0)))),
        ("mm.out", (T((3, 4)), T((4, 5)), T((3, 5)))),
    ),
    "a column": (
        ("linear.out", (T((3, 4), order=(1, 0)), T((5, 4)), None, T((3, 5)))),
        ("linear.out", (T((3, 1), order=(1, 0)), T((5, 1)), None, T((3, 5)))),
    ),
    "indices": (
        ("gather.out", (IMAGE, 1, last(*SIZES, dtype="int64"), False, IMAGE)),
        ("gather.out", (IMAGE, 0, last(*SIZES, dtype="int64"), False, IMAGE)),
    ),
    "indices of fewer rows": (
        ("gather.out", (IMAGE, 0, last(2, 2, 4, 5, dtype="int64"), False, last(2, 2, 4, 5))),
        ("gather.out", (IMAGE, 0, last(1, 3, 4, 5, dtype="int64"), False, last(1, 3, 4, 5))),
    ),
    "values put somewhere": (
        ("scatter.value_out", (IMAGE, 2, last(*SIZES, dtype="int64"), 1, IMAGE)),
        ("scatter.value_out", (IMAGE, 0, last(*SIZES, dtype="int64"), 1, IMAGE)),
    ),
    "a mask among indices": (
        (
            "index_put.out",
            (PLAIN, [last(*SIZES, dtype="bool")], T(()), False, PLAIN),
        ),
        ("index_put.out", (PLAIN, [T(SIZES, "bool")], T(()), False, PLAIN)),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_the_bad_call_and_its_good_neighbour(name: str) -> None:
    (bad, bad_args), (good, good_args) = PAIRS[name]
    assert [f.rule for f in found(program(bad, *bad_args), RULE)] == [RULE]
    assert verdict(program(bad, *bad_args), RULE) == WRONG
    assert found(program(good, *good_args), RULE) == ()
    assert verdict(program(good, *good_args), RULE) == OK


def test_the_known_operators_have_schemas() -> None:
    assert not [name for name in PATTERNS if operator_schema(name) is None]


@pytest.mark.parametrize(
    ("dim", "outcome"), [(0, Outcome.OK), (1, Outcome.WRONG), (2, Outcome.UNDEFINED)]
)
def test_softmax_leaves_out_or_walks_past(dim: int, outcome: Outcome) -> None:
    bad = program("_softmax.out", IMAGE, dim, False, IMAGE)
    assert report(bad, RULE).verdict[0].outcome is outcome


@pytest.mark.parametrize(
    ("sizes", "dim", "outcome"),
    [
        ((2, 1, 3, 4), 0, Outcome.OK),
        ((2, 1, 3, 4), 1, Outcome.WRONG),
        ((2, 3, 1, 5), 2, Outcome.UNDEFINED),
        ((2, 1, 1, 1), 1, Outcome.OK),
    ],
)
def test_strides_count_where_softmax_is_over_one_element(
    sizes: tuple[int, ...], dim: int, outcome: Outcome
) -> None:
    one = last(*sizes)
    assert report(program("_softmax.out", one, dim, False, one), RULE).verdict[0].outcome is outcome


def variance(dims: list[int], out: tuple[int, ...]) -> BuiltProgram:
    return program("var.correction_out", IMAGE, dims, 1, False, T(out))


@pytest.mark.parametrize(("dims", "out"), [([1, 2], (2, 5)), ([0, 1, 2, 3], ()), ([0, 2], (3, 5))])
def test_reductions_that_lose_their_way_until_1_4(dims: list[int], out: tuple[int, ...]) -> None:
    bad = variance(dims, out)
    runs = {version: each[0].outcome for version, each in report(bad, RULE).runs_on.items()}
    older = dict.fromkeys(("1.2", "1.3", "1.4"), Outcome.WRONG)
    assert runs == older | {"1.5": Outcome.OK}
    assert verdict(bad, RULE, target="executorch==1.4") == WRONG


@pytest.mark.parametrize(
    ("dims", "out"), [([2, 3], (2, 3)), ([0, 3], (3, 4)), ([1], (2, 4, 5)), ([], ())]
)
def test_reductions_that_do_not(dims: list[int], out: tuple[int, ...]) -> None:
    """Rows and columns lie one after the other in channels-last, too."""
    assert verdict(variance(dims, out), RULE, target="executorch==1.4") == OK


def test_a_kernel_that_refuses_the_order() -> None:
    bad = program("diagonal_copy.out", IMAGE, 0, 2, 3, T((2, 3, 4)))
    assert found(bad, RULE) == ()
    assert verdict(bad, "PTE141") == "execute: error InvalidArgument"


def test_what_the_kernels_checks_stop_is_left_to_them() -> None:
    assert found(program("flip.out", IMAGE, [1], PLAIN), RULE) == ()
    higher = T((1, *SIZES))
    assert found(program("ge.Tensor_out", higher, IMAGE, T(higher.sizes, "bool")), RULE) == ()


def test_tensors_of_other_ranks_are_matched_from_the_last_dimension() -> None:
    scalar = KernelCall("aten::mul.out", (IMAGE, T((1,)), IMAGE)).program(returned=True)
    assert found(scalar, RULE) == ()


def normalised(numbers: list[float], returned: bool = True, fast: bool = False) -> BuiltProgram:
    """An image by a constant of its own for each channel; the result may be forgotten."""
    b = MethodBuilder()
    x = b.input(SIZES, dim_order=LAST)
    sizes = (2, 3, 1, 5) if fast else (1, 3, 1, 1)
    scale = b.constant(numbers * (10 if fast else 1), sizes, dim_order=LAST)
    target = b.tensor(SIZES, dim_order=LAST)
    b.call("aten::div.out", x, scale, out=target)
    other = b.call("aten::relu.out", x, out=b.tensor(SIZES, dim_order=LAST))
    b.output(target if returned else other)
    return build_program(b)


def test_equal_elements_may_lie_anywhere() -> None:
    good, bad = normalised([0.5, 0.5, 0.5], fast=True), normalised([0.5, 0.5, 0.25], fast=True)
    assert found(good, RULE) == ()
    assert len(found(bad, RULE)) == 1


def test_the_portable_broadcast_misplaces_the_other_one_too() -> None:
    assert len(found(normalised([0.5, 0.5, 0.5]), RULE)) == 1


def test_a_result_that_nobody_needs() -> None:
    assert found(normalised([0.5, 0.5, 0.25], returned=False), RULE) == ()


@pytest.mark.parametrize(("dim", "outcome"), [(1, Outcome.OK), (2, Outcome.UNDEFINED)])
def test_memory_of_others_counts_though_nobody_reads_the_result(dim: int, outcome: Outcome) -> None:
    b = MethodBuilder()
    x = b.input(SIZES, dim_order=LAST)
    unread = b.tensor(SIZES, dim_order=LAST)
    b.kernel("aten::_softmax.out", x, b.int_value(dim), b.bool_value(False), unread, unread)
    b.output(b.call("aten::relu.out", x, out=b.tensor(SIZES, dim_order=LAST)))
    assert report(build_program(b), RULE).verdict[0].outcome is outcome


def test_the_wrong_calls_run() -> None:
    """The runtime calls it a success; that the values differ was measured beside PyTorch."""
    need_runtime()
    calls = [PAIRS[name][0] for name in PAIRS if name != "indices of fewer rows"]
    items = [BatchItem(program(operator, *args).bytes()) for operator, args in calls]
    outcomes = [run.methods[0].runs[0].outcome for run in run_batch(items, variants=("default",))]
    assert outcomes == ["ok"] * len(items)


def test_what_one_release_misreads_and_the_next_refuses() -> None:
    bad = program("unfold_copy.out", IMAGE, 1, 2, 1, T((2, 2, 4, 5, 2)))
    assert verdict(bad, RULE) == OK
    assert verdict(bad, "PTE141") == "execute: error InvalidArgument"
    assert verdict(bad, RULE, target="executorch==1.4") == WRONG


@pytest.mark.parametrize(("axis", "outcome"), [(1, WRONG), (0, OK)])
def test_channels_are_counted_in_memory(axis: int, outcome: str) -> None:
    count = SIZES[axis]
    args = (T((count,), "float64"), T((count,), "int64"), axis, -128, 127, 1)
    name = "quantized_decomposed::quantize_per_channel.out"
    call = KernelCall(name, (IMAGE, *args, last(*SIZES, dtype="int8")))
    assert verdict(call.program(returned=True), RULE) == outcome


@pytest.mark.parametrize(("order", "outcome"), [((0, 1, 3, 2), WRONG), ((0, 1, 2, 3), OK)])
def test_an_order_that_a_smooth_resize_does_not_know(order: tuple[int, ...], outcome: str) -> None:
    smaller = T((2, 3, 2, 3), order=order)
    bad = program("_upsample_bilinear2d_aa.out", PLAIN, [2, 3], False, None, None, smaller)
    assert verdict(bad, RULE) == outcome


def rolled(dynamism: int, shift: int = 4) -> BuiltProgram:
    """Four channels at most, turned by so many: all of them at the largest size."""
    b = MethodBuilder("forward")
    x = b.input((2, 4, 3, 5), dim_order=LAST, dynamism=dynamism)
    out = b.tensor((2, 4, 3, 5), dim_order=LAST, dynamism=dynamism)
    b.kernel("aten::roll.out", x, b.ints([shift]), b.ints([1]), out, out)
    b.output(out)
    return build_program(b)


def test_what_shows_with_smaller_sizes_only_is_a_warning() -> None:
    assert found(rolled(0), RULE) == ()
    finding = only(rolled(1), RULE)
    assert finding.severity is Severity.WARNING
    assert finding.message == (
        "With sizes [1, 3, 2, 4] for input 0, not with the largest: aten::roll.out takes the "
        "output (output 0, dim order [0, 2, 3, 1]) as row-major: elements end up in other places "
        "than in PyTorch. Output 0 depends on it."
    )
    assert finding.evidence["given"] == {"0": [1, 3, 2, 4]}
    assert finding.evidence["sizes"] == [1, 3, 2, 4]
    assert finding.runtime is not None
    assert finding.runtime.outcome is Outcome.WRONG
    assert verdict(rolled(1), RULE) == OK


def test_what_shows_with_the_largest_sizes_is_an_error_and_told_once() -> None:
    finding = only(rolled(1, shift=1), RULE)
    assert finding.severity is Severity.ERROR
    assert "given" not in finding.evidence


def test_sizes_that_calls_fix_are_not_tried() -> None:
    """A sum with a tensor of fixed sizes takes no others; half of them would be turned."""
    b = MethodBuilder("forward")
    sizes = (2, 4, 3, 5)
    x = b.input(sizes, dim_order=LAST, dynamism=1)
    summed, out = (b.tensor(sizes, dim_order=LAST, dynamism=1) for _ in range(2))
    b.kernel("aten::add.out", x, b.input(sizes, dim_order=LAST), b.int_value(1), summed, summed)
    b.kernel("aten::roll.out", summed, b.ints([4]), b.ints([1]), out, out)
    b.output(out)
    assert found(build_program(b), RULE) == ()


@pytest.mark.parametrize(
    ("operator", "args"),
    [
        ("flip.out", (IMAGE, [7], IMAGE)),
        ("roll.out", (IMAGE, [1], [-7], IMAGE)),
        ("gather.out", (IMAGE, 1, T((2, 3), "int64"), False, T((2, 3)))),
    ],
)
def test_dimensions_that_are_not_there_are_for_others_to_judge(
    operator: str, args: tuple[Argument, ...]
) -> None:
    assert found(program(operator, *args), RULE) == ()


def test_a_refused_call_beside_a_misread_one() -> None:
    b = MethodBuilder("forward")
    image, scalar = b.input(SIZES, dim_order=LAST), b.input(())
    out, rolled = b.tensor(SIZES, dim_order=LAST), b.tensor(())
    b.kernel("aten::flip.out", image, b.ints([1]), out, out)
    b.kernel("aten::roll.out", scalar, b.ints([1]), b.ints([0]), rolled, rolled)
    b.output(out)
    b.output(rolled)
    assert only(build_program(b), RULE).location.instruction == 0
