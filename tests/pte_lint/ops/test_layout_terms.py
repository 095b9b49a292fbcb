"""What operators make of elements, on terms and on the real runtime: the same ones, moved alike."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import open_artifact
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.recorded_runs import Recorder, went_through
from pte_lint.harness.recording import RecordedTensor, RecordedValue, Recording
from pte_lint.ops.layouts.meanings import meaning_of
from pte_lint.ops.layouts.terms import Terms
from pte_lint.ops.promotion import FLOAT32, INT64
from pte_lint.ops.schemas import operator_schema
from pte_lint.questions.placed_call import FilePlacedCall
from tests.support.kernel_calls import Argument, KernelCall, T
from tests.support.runtime import need_runtime

IMAGE = T((2, 3, 4))

MOVING: dict[str, tuple[str, tuple[Argument, ...], tuple[int, ...]]] = {
    "permute": ("permute_copy.out", (IMAGE, [2, 0, 1]), (4, 2, 3)),
    "permute from behind": ("permute_copy.out", (IMAGE, [-1, 0, -2]), (4, 2, 3)),
    "transpose": ("transpose_copy.int_out", (IMAGE, 0, -1), (4, 3, 2)),
    "t": ("t_copy.out", (T((3, 4)),), (4, 3)),
    "flip": ("flip.out", (IMAGE, [0, -1]), (2, 3, 4)),
    "roll": ("roll.out", (IMAGE, [1, -5], [2, 1]), (2, 3, 4)),
    "slice": ("slice_copy.Tensor_out", (IMAGE, 2, 1, 4, 2), (2, 3, 2)),
    "slice from behind": ("slice_copy.Tensor_out", (IMAGE, -2, -2, 9, 1), (2, 2, 4)),
    "slice from the start": ("slice_copy.Tensor_out", (IMAGE, 1, None, 2, 1), (2, 2, 4)),
    "cat": ("cat.out", ([IMAGE, IMAGE], 1), (2, 6, 4)),
    "cat with nothing": ("cat.out", ([IMAGE, T((0,))], 2), (2, 3, 4)),
    "expand": ("expand_copy.out", (T((3, 1)), [2, 3, 4], False), (2, 3, 4)),
    "unsqueeze": ("unsqueeze_copy.out", (IMAGE, 1), (2, 1, 3, 4)),
    "cumsum of one": ("cumsum.out", (T((2, 1, 4)), 1, None), (2, 1, 4)),
    "narrow": ("narrow_copy.out", (IMAGE, 2, 1, 2), (2, 3, 2)),
    "slice by more than there is": ("slice_copy.Tensor_out", (IMAGE, 1, 2, 9, 3), (2, 1, 4)),
    "select": ("select_copy.int_out", (IMAGE, 1, -1), (2, 4)),
    "select into": ("select_scatter.out", (IMAGE, T((2, 4)), 1, -2), (2, 3, 4)),
    "slice into": ("slice_scatter.out", (IMAGE, T((2, 2, 4)), 1, 1, None, 1), (2, 3, 4)),
    "stack": ("stack.out", ([IMAGE, IMAGE], -1), (2, 3, 4, 2)),
    "repeat": ("repeat.out", (T((2, 3)), [2, 1, 3]), (2, 2, 9)),
    "replicate": ("replication_pad2d.out", (T((1, 2, 2, 3)), [1, 2, 0, 1]), (1, 2, 3, 6)),
    "enlarge": ("upsample_nearest2d.vec_out", (T((1, 2, 2, 3)), [4, 9], None), (1, 2, 4, 9)),
    "pixel shuffle": ("pixel_shuffle.out", (T((2, 8, 2, 3)), 2), (2, 2, 4, 6)),
    "pixel unshuffle": ("pixel_unshuffle.out", (T((2, 2, 4, 6)), 2), (2, 8, 2, 3)),
    "gather": ("gather.out", (IMAGE, 1, T((2, 2, 3), "int64", zeros=True), False), (2, 2, 3)),
    "index": ("index_select.out", (IMAGE, 2, T((3,), "int64", zeros=True)), (2, 3, 3)),
    "scatter": (
        "scatter.src_out",
        (IMAGE, 1, T((2, 2, 3), "int64", zeros=True), T((2, 3, 4))),
        (2, 3, 4),
    ),
    "amax of one": ("amax.out", (T((2, 1, 4)), [1], False), (2, 4)),
}


@pytest.mark.runtime
@pytest.mark.parametrize("name", MOVING)
def test_elements_move_as_on_the_runtime(name: str, tmp_path: Path) -> None:
    need_runtime()
    operator, given, sizes = MOVING[name]
    call = KernelCall(f"aten::{operator}", (*given, T(sizes)))
    path = tmp_path / "model.pte"
    path.write_bytes(call.program(returned=True).bytes())
    with open_artifact(str(path), str(path)) as opened:
        method = open_context(opened, Target(), (), {}).methods[0]
    step = method.steps[-1]
    schema, meaning = operator_schema(step.operator), meaning_of(step.operator)
    assert schema is not None
    assert meaning is not None
    placed = FilePlacedCall(method, step, schema, lambda v: False)
    # Elements are numbered over all inputs; each holds its number.
    rows: list[list[int]] = []
    terms = Terms()
    by_value: dict[int, list[int]] = {}
    for each in placed.inputs():
        if method.is_constant(each.value):
            rows.append([terms.constant(INT64, bytes(8))] * each.numel)
            continue
        if each.value not in by_value:
            start = 100 * len(by_value)
            by_value[each.value] = [terms.of(start + i) for i in range(each.numel)]
        rows.append(by_value[each.value])
    numbers = {term: 100 * n + i for n, row in enumerate(by_value.values())
               for i, term in enumerate(row)}  # fmt: skip
    (made,) = meaning(placed, rows, terms)
    contents = {
        method.inputs.index(v): struct.pack(f"<{len(row)}f", *(numbers[t] for t in row))
        for v, row in by_value.items()
    }
    with Recording(1 << 20) as recording:
        recorder = Recorder(path, (), ProbeOptions(), recording)
        assert went_through(recorder.run(method, contents, {}))
        (output,) = [
            r.value
            for r in recording.records()
            if isinstance(r, RecordedValue) and r.kind == "output"
        ]
        assert isinstance(output, RecordedTensor)
        held = struct.unpack(f"<{len(made)}f", recording.content(output) or b"")
    assert [numbers[term] for term in made] == [int(x) for x in held]


PAIR = T((2, 3))
NUMBERS: tuple[tuple[str, tuple[Argument, ...], tuple[int, ...]], ...] = (
    *((f"{name}.out", (PAIR,), (2, 3)) for name in (
        "abs", "asinh", "atan", "ceil", "erf", "exp", "floor", "log", "log10", "log1p", "log2",
        "neg", "reciprocal", "relu", "round", "sigmoid", "sqrt", "tanh", "trunc")),
    *((f"{name}.out", (PAIR, PAIR), (2, 3)) for name in ("mul", "div", "maximum", "minimum")),
    *((name, (PAIR, PAIR, 2), (2, 3)) for name in ("add.out", "sub.out")),
    ("add.Scalar_out", (PAIR, 0.3, 2), (2, 3)),
    ("mul.Scalar_out", (PAIR, 0.3), (2, 3)),
    ("sum.IntList_out", (PAIR, [1], False, None), (2,)),
    ("prod.int_out", (PAIR, 1, False, None), (2,)),
    ("amax.out", (PAIR, [1], False), (2,)),
    ("amin.out", (PAIR, [1], False), (2,)),
    ("cumsum.out", (PAIR, 1, None), (2, 3)),
    ("_softmax.out", (PAIR, 1, False), (2, 3)),
    ("_log_softmax.out", (PAIR, 1, False), (2, 3)),
    ("constant_pad_nd.out", (PAIR, [1, 0], 0.25), (2, 4)),
)  # fmt: skip


@pytest.mark.runtime
@pytest.mark.parametrize("case", NUMBERS, ids=lambda case: str(case[0]))
def test_bounds_hold_on_the_runtime(case: Any, tmp_path: Path) -> None:
    need_runtime()
    operator, given, sizes = case
    call = KernelCall(f"aten::{operator}", (*given, T(sizes)))
    path = tmp_path / "model.pte"
    path.write_bytes(call.program(returned=True).bytes())
    with open_artifact(str(path), str(path)) as opened:
        method = open_context(opened, Target(), (), {}).methods[0]
    step = method.steps[-1]
    schema, meaning = operator_schema(step.operator), meaning_of(step.operator)
    assert schema is not None
    assert meaning is not None
    placed = FilePlacedCall(method, step, schema, lambda v: False)
    terms, held = Terms(), {}
    for n, each in enumerate(placed.inputs()):
        held[each.value] = [0.1 + 0.7 * ((3 * i + n) % 7) for i in range(each.numel)]
    rows = [
        [terms.constant(FLOAT32, struct.pack("<f", number)) for number in held[each.value]]
        for each in placed.inputs()
    ]
    (made,) = meaning(placed, rows, terms)
    contents = {
        method.inputs.index(v): struct.pack(f"<{len(row)}f", *row) for v, row in held.items()
    }
    with Recording(1 << 20) as recording:
        recorder = Recorder(path, (), ProbeOptions(), recording)
        assert went_through(recorder.run(method, contents, {}))
        (output,) = [
            r.value
            for r in recording.records()
            if isinstance(r, RecordedValue) and r.kind == "output"
        ]
        assert isinstance(output, RecordedTensor)
        computed = struct.unpack(f"<{len(made)}f", recording.content(output) or b"")
    between = [terms.bounds(term) or (0, 0) for term in made]
    assert all(low <= x <= high for x, (low, high) in zip(computed, between, strict=True))
    assert all(high - low <= 1e-4 for low, high in between)
