"""What the rows of a placement picture say."""

from __future__ import annotations

from pte_lint.picture.rows import Row, RowKind
from pte_lint.picture.scene import MethodScene
from pte_lint.testing.builder import MethodBuilder
from tests.pte_lint.picture.programs import (
    around_a_delegate,
    branches,
    built,
    planned_on_a_device,
)
from tests.support.pictures import drawn, nothing, planned_inputs


def scene_of(program: MethodBuilder) -> MethodScene:
    (scene,) = drawn(built(program), find=nothing)
    return scene


def rows(scene: MethodScene) -> list[Row]:
    return [entry.row for entry in scene.placement.entries if entry.row is not None]


def test_everything_in_order() -> None:
    scene = scene_of(around_a_delegate())
    kinds = [row.kind for row in rows(scene)]
    assert kinds == [
        RowKind.INPUT,
        RowKind.COPY,
        RowKind.DELEGATE,
        RowKind.COPY,
        RowKind.KERNEL,
        RowKind.OUTPUT,
    ]
    assert [lane.name for lane in scene.placement.lanes] == ["host", "cuda:0"]
    assert [row.lane for row in rows(scene)] == [0, 1, 1, 0, 0, 0]


def test_boundary_copies_cross_with_their_bytes() -> None:
    there, back = (row for row in rows(scene_of(around_a_delegate())) if row.kind is RowKind.COPY)
    assert there.crossing is not None
    assert (there.crossing.source, there.crossing.target) == (0, 1)
    assert there.crossing.label == "h2d copy, 256 bytes"
    assert back.crossing is not None
    assert (back.crossing.source, back.crossing.target) == (1, 0)
    assert back.reads[0].place == "arena 2 + 256"


def test_a_planned_device_input_crosses_in_set_input() -> None:
    first, *_ = rows(scene_of(planned_on_a_device()))
    assert first.crossing is not None
    assert (first.crossing.source, first.crossing.target) == (0, 1)
    assert first.crossing.label == "input 0: set_input copies 256 bytes"
    assert not first.borrowed


def test_what_fails_is_said_to_be_tried_only() -> None:
    (scene,) = drawn(built(planned_on_a_device()), find=planned_inputs)
    first, *_ = rows(scene)
    assert first.crossing is not None
    assert first.crossing.label == "input 0: set_input would copy 256 bytes"
    assert first.severity == "error"
    assert first.ending == "fails with NotSupported"


def test_the_callers_memory_is_borrowed() -> None:
    b = MethodBuilder()
    x = b.input((8, 8), device="cuda:0", planned=False)
    out = b.tensor((8, 8), device="cuda:0", planned=False)
    b.delegate("Backend", [x], outputs=[out], device="cuda:0")
    b.output(out)
    first, call, last = rows(scene_of(b))
    assert (first.borrowed, last.borrowed, call.borrowed) == (True, True, False)
    assert first.crossing is None
    assert first.lane == last.lane == 1
    assert first.writes[0].place == "the caller's memory"


def test_a_host_kernel_reaches_for_a_device_tensor() -> None:
    b = MethodBuilder()
    there = b.h2d(b.input((4,)))
    b.output(b.call("aten::relu.out", there, out=(4,)))
    kernel = rows(scene_of(b))[2]
    (reach,) = kernel.reaches
    assert (reach.operand.value, reach.operand.lane, reach.is_output) == (there, 1, False)
    assert kernel.lanes == (0, 1)


def test_a_tag_that_denies_the_memory_is_named() -> None:
    b = MethodBuilder()
    x = b.input((4,), device="cuda:0", home="cpu")
    b.output(b.call("aten::relu.out", x, out=(4,)))
    first, *_ = rows(scene_of(b))
    assert first.lane == 0
    assert first.writes[0].place == "arena 1 + 0, tagged cuda:0"


def test_numbers_as_inputs_have_a_row_without_tensor() -> None:
    b = MethodBuilder()
    b.takes(b.int_value(3))
    b.output(b.input((4,)))
    first, *_ = rows(scene_of(b))
    assert (first.title, first.note, first.lane, first.writes) == ("input 0", "Int", 0, ())


def test_jumps_say_when_and_where() -> None:
    scene = scene_of(branches())
    jumps = [row for row in rows(scene) if row.kind is RowKind.JUMP]
    assert [row.title for row in jumps] == ["if %0 is false, go to 4", "go to the end"]
    assert [row.target for row in jumps] == ["m0-i4", "m0-end"]
    assert scene.placement.has_jumps


def test_many_operands_are_counted() -> None:
    b = MethodBuilder()
    inputs = [b.input((4,)) for _ in range(9)]
    b.output(b.call("aten::cat.out", b.tensor_list(inputs), b.int_value(0), out=(36,), dtype=6))
    kernel = next(row for row in rows(scene_of(b)) if row.kind is RowKind.KERNEL)
    assert [o.value for o in kernel.reads] == inputs[:6]
    assert kernel.more == 3


def test_a_device_keeps_its_colour_in_every_method() -> None:
    def adder(name: str, device: str) -> MethodBuilder:
        b = MethodBuilder(name)
        (there,) = b.delegate("B", [b.h2d(b.input((4,)), device=device)], [(4,)], device=device)
        b.output(b.d2h(there))
        return b

    scenes = drawn(built(adder("a", "cuda:1"), adder("b", "cuda:0")), find=nothing)
    colours = [{lane.name: lane.colour for lane in s.placement.lanes} for s in scenes]
    assert colours == [{"host": 0, "cuda:1": 2}, {"host": 0, "cuda:0": 1}]


def test_more_devices_than_lanes_share_the_last() -> None:
    b = MethodBuilder()
    for index in range(9):
        b.output(b.d2h(b.h2d(b.input((4,)), device=f"cuda:{index}")))
    scene = scene_of(b)
    assert len(scene.placement.lanes) == 5
    assert scene.placement.lanes[-1].name == "cuda:3 and 5 more devices"
    assert max(row.lanes[1] for row in rows(scene)) == 4
