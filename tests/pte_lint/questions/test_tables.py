"""The tables of alike tensors and alike calls."""

from __future__ import annotations

from dataclasses import replace

from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import EValue, ExtraTensorInfo, Int, IntList, Tensor, TensorList

from pte_lint.ir.steps import StepKind
from tests.pte_lint.small import boolean, delegate, jump_false, kernel, method, move, tensor

OPERATORS = ("aten::relu.out", "aten::add.out")


def test_forms_and_plots() -> None:
    values = [
        tensor((1, 0)),
        boolean(),
        tensor((1, 0)),
        tensor((1, 16)),
        tensor(),
        tensor((1, 0), n=8),
    ]
    table = method(values).table
    assert table.indices == [0, 2, 3, 4, 5]
    assert [(form.values, form.nbytes) for form in table.forms] == [([0, 2, 3, 4], 16), ([5], 32)]
    assert [(plot.values, plot.place) for plot in table.plots] == [
        ([0, 2], (1, 0, 16)),
        ([3], (1, 16, 16)),
        ([5], (1, 0, 32)),
    ]
    assert table.nbytes == [16, 0, 16, 16, 16, 32]
    assert table.places == [(1, 0, 16), None, (1, 0, 16), (1, 16, 16), None, (1, 0, 32)]
    assert table.places[0] is table.places[2]
    assert table.unplanned == [4]


def test_lists_of_the_few() -> None:
    def with_data(value: EValue, **fields: object) -> EValue:
        assert isinstance(value.val, Tensor)
        return EValue(value.val_type, replace(value.val, **fields))

    external = ExtraTensorInfo(location=1, fully_qualified_name="w")
    values = [
        with_data(tensor(), data_buffer_idx=1),
        with_data(tensor((1, 0)), data_buffer_idx=2),
        tensor(None, external),
        tensor((1, 16), external),
        tensor((1, 32), ExtraTensorInfo(device_type=1)),
    ]
    m = method(values)
    assert m.constants == (0,)
    assert m.initial_states == (1, 3)
    assert m.externals == (2, 3)
    assert m.table.extra == [2, 3, 4]
    assert m.table.filled == [1]


def test_alike_calls() -> None:
    values = [tensor((1, 0)), tensor((1, 16)), tensor((1, 32)), tensor((1, 64), n=8)]
    steps = [
        kernel(0, 0, 1, 1),
        kernel(0, 1, 2, 2),
        kernel(0, 0, 3, 3),
        kernel(1, 0, 1, 2, 2),
        kernel(0, 2, 0, 0),
        kernel(7, 0, 1, 1),
    ]
    calls = method(values, steps, operators=OPERATORS).calls
    groups = [(g.operator, g.target, [s.index for s in g.calls]) for g in calls.groups]
    assert groups == [
        ("aten::relu.out", 0, [0, 1, 4]),
        ("aten::relu.out", 0, [2]),
        ("aten::add.out", 1, [3]),
        ("?", 7, [5]),
    ]
    assert [s.index for s in calls.of("aten::relu.out")] == [0, 1, 2, 4]
    assert [s.index for s in calls.of("aten::add.out", "aten::relu.out")] == [0, 1, 2, 3, 4]
    assert calls.count("aten::relu.out") == 4
    assert calls.of("aten::mul.out") == []
    assert set(calls.operators) == {"aten::relu.out", "aten::add.out", "?"}


def test_numbers_are_alike_and_lists_of_tensors_are_not() -> None:
    ints = [EValue(KernelTypes.INT, Int(n)) for n in (1, 2)]
    lists = [EValue(KernelTypes.INT_LIST, IntList((n,))) for n in (0, 1)]
    tensors = [EValue(KernelTypes.TENSOR_LIST, TensorList((5,))) for _ in range(2)]
    values = [*ints, *lists, *tensors[:1], tensor((1, 0)), *tensors[1:]]
    pairs = [kernel(0, a, 5, 5) for a in (0, 1, 2, 3, 4, 6)]
    calls = method(values, pairs).calls
    assert [[s.args[0] for s in g.calls] for g in calls.groups] == [[0, 1], [2, 3], [4], [6]]


def test_arguments_outside_the_value_table() -> None:
    steps = [kernel(0, -1, 0, 0), kernel(0, 9, 0, 0), kernel(0, 0, 0, 0)]
    m = method([tensor((1, 0))], steps)
    assert not m.args_exist
    assert [[s.index for s in g.calls] for g in m.calls.groups] == [[0, 1], [2]]
    assert m.steps[0].reads == ()
    assert method([tensor((1, 0))], steps[2:]).args_exist


def test_other_steps() -> None:
    values = [tensor((1, 0)), tensor((1, 16)), boolean()]
    m = method(values, [move(0, 1), kernel(0, 0, 1, 1), jump_false(2, 0), delegate(0, 0, 1)])
    assert [s.index for s in m.others] == [0, 2, 3]
    assert [s.index for s in m.of_kind(StepKind.JUMP)] == [2]
    assert m.of_kind(StepKind.FREE) == ()
    assert m.values_of(KernelTypes.TENSOR) == [0, 1]
    assert m.values_of(KernelTypes.TENSOR, KernelTypes.BOOL) == [0, 1, 2]
