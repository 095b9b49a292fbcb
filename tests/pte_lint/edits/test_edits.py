"""Each edit does what it says, to the one program that is asked, and the runtime agrees."""

from __future__ import annotations

from pathlib import Path

import pytest
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import (
    ExecutionPlan,
    ExtraTensorInfo,
    Frame,
    FrameList,
    NonConstBufferDevice,
    Program,
    Tensor,
)
from pte_lint.schema.writer.pieces import joined
from pte_lint.schema.writer.program_file import Source

import pte_lint
from pte_lint.claims.finding import Finding, Severity
from pte_lint.edits.calls import (
    ConvertAfter,
    ConvertBefore,
    CopyAfter,
    CopyBefore,
    DropInstruction,
    Rewire,
)
from pte_lint.edits.content import (
    AlignSegment,
    DropOperators,
    DropSegments,
    DropStackTraces,
    DropValues,
    ShareConstant,
    ShareNamedData,
    ShortenPaths,
)
from pte_lint.edits.draft import Draft, Edit
from pte_lint.edits.memory import PlaceArena, Plan, Relocate, ResizeArena, Retag, Unplan
from pte_lint.edits.plan_draft import EditError
from pte_lint.harness.driver import run_probe
from pte_lint.ir.device import HOST, Device
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.device_programs import add_method, report, verdict
from tests.support.runtime import need_runtime

CUDA0, CUDA1 = Device(1, 0), Device(1, 1)


def edited(built: BuiltProgram | bytes, *edits: Edit) -> bytes:
    content = built if isinstance(built, bytes) else built.bytes()
    draft = Draft(Source(read_program(content), content))
    draft.apply(edits)
    return joined(draft.pieces(), content)


def program(content: bytes) -> Program:
    found = read_program(content)
    assert found.violations == ()
    assert found.program is not None
    return found.program


def plan(content: bytes, number: int = 0) -> ExecutionPlan:
    return (program(content).execution_plan or ())[number]


def tensor(content: bytes, v: int, number: int = 0) -> Tensor:
    found = (plan(content, number).values or ())[v].val
    assert isinstance(found, Tensor)
    return found


def two_adds(**options: bool) -> BuiltProgram:
    """Two methods, so that an edit of the second can hit the first by mistake."""
    return build_program(add_method("first"), add_method("second", **options))


def outputs(content: bytes, folder: Path, method: str = "second") -> object:
    """What the runtime gives for inputs that differ by position."""
    path = folder / "edited.pte"
    path.write_bytes(content)
    ran = run_probe(path, variants=("rising",), methods=(method,)).method(method)
    run = ran.run("rising") if ran is not None else None
    assert run is not None
    assert run.outputs
    return run.outputs


def report_of(content: bytes) -> list[Finding]:
    """Errors and warnings about devices, structure and memory."""
    said = pte_lint.check(content, select=("PTE1", "PTE2", "PTE3"), isolated=True)
    return [f for f in said.artifacts[0].findings if f.severity is not Severity.INFO]


def test_no_edit_writes_the_same_program() -> None:
    built = two_adds()
    assert program(edited(built)) == program(built.bytes())


def test_unplan_and_plan() -> None:
    built = two_adds(skip_h2d=True, skip_d2h=True)
    without = edited(built, Unplan(1, (0, 1)))
    assert [tensor(without, v).allocation_info is None for v in (0, 1)] == [False, False]
    assert [tensor(without, v, 1).allocation_info is None for v in (0, 1)] == [True, True]
    said = report(BuiltProgram(program(built.bytes())), select=("PTE301",))
    assert [f.rule for f in said.findings] == ["PTE301", "PTE301"]
    again = edited(without, Plan(1, (1,)), Plan(1, (0,)))
    assert plan(again, 1).non_const_buffer_sizes == (0, 768 + 512)
    places = [tensor(again, v, 1).allocation_info for v in (1, 0)]
    assert [(p.memory_id, p.memory_offset) for p in places if p] == [(1, 768), (1, 1024)]


def test_views_of_one_storage_get_one_place() -> None:
    content = edited(two_adds(), Plan(1, (0, 1)))
    places = [tensor(content, v, 1).allocation_info for v in (0, 1)]
    assert places[0] == places[1] != tensor(two_adds().bytes(), 0, 1).allocation_info


def test_plan_makes_an_arena_where_the_device_has_none() -> None:
    b = MethodBuilder()
    x = b.input((4,))
    b.output(b.call("aten::sigmoid.out", x, out=(4,)))
    content = edited(build_program(b), Retag(0, 1, CUDA1), Plan(0, (1,)))
    assert plan(content).non_const_buffer_sizes == (0, 32, 16)
    assert plan(content).non_const_buffer_device == (NonConstBufferDevice(2, 1, 1),)
    place = tensor(content, 1).allocation_info
    assert place is not None
    assert (place.memory_id, place.memory_offset) == (2, 0)


def test_relocate_resize_and_place_arenas() -> None:
    content = edited(
        two_adds(),
        Relocate(1, 5, 1, (1 << 32) + 64),
        ResizeArena(1, 1, 4096),
        PlaceArena(1, 1, CUDA1),
        PlaceArena(1, 2, HOST),
    )
    info = tensor(content, 5, 1).allocation_info
    assert info is not None
    assert (info.memory_id, info.memory_offset) == (1, (1 << 32) + 64)
    assert (plan(content, 1).non_const_buffer_sizes or ())[1] == 4096
    assert plan(content, 1).non_const_buffer_device == (NonConstBufferDevice(1, 1, 1),)
    assert plan(content, 0) == plan(two_adds().bytes(), 0)
    for memory_id in (0, 3):
        with pytest.raises(EditError, match=f"no arena {memory_id}"):
            edited(two_adds(), ResizeArena(0, memory_id, 16))


def test_retag_leaves_out_what_says_nothing() -> None:
    built = build_program(add_method(skip_h2d=True))
    content = edited(built, Retag(0, 1, HOST))
    assert tensor(content, 1).extra_tensor_info is None
    assert tensor(content, 0).extra_tensor_info == ExtraTensorInfo(device_type=1)


@pytest.mark.runtime
def test_a_copy_put_before_a_delegate_repairs_a_missing_one(tmp_path: Path) -> None:
    need_runtime()
    good = two_adds()
    bad = edited(good, Rewire(1, 2, 2, 0), DropInstruction(1, 0))
    assert "PTE304" in {f.rule for f in report_of(bad)}
    repaired = edited(bad, CopyBefore(1, 1, 0, CUDA0))
    assert report_of(repaired) == []
    assert outputs(repaired, tmp_path) == outputs(good.bytes(), tmp_path)
    assert plan(repaired, 0) == plan(good.bytes(), 0)


@pytest.mark.runtime
def test_a_copy_put_behind_a_delegate_repairs_a_missing_one(tmp_path: Path) -> None:
    need_runtime()
    good = two_adds()
    bad = edited(good, Rewire(1, 2, 4, 5), DropInstruction(1, 3))
    assert report_of(bad) != []
    repaired = edited(bad, CopyAfter(1, 2, 5, CUDA0))
    assert report_of(repaired) == []
    assert outputs(repaired, tmp_path) == outputs(good.bytes(), tmp_path)


FLAT, LAST = (0, 1, 2, 3), (0, 2, 3, 1)


def flips(b: MethodBuilder, source: int, order: tuple[int, ...]) -> int:
    """Flips the columns; what the kernel makes of anything but row-major tensors is wrong."""
    out = b.tensor((1, 3, 2, 2), dim_order=order)
    dims = b.ints([3])
    b.kernel("aten::flip.out", source, dims, out, out)
    return out


def converts(b: MethodBuilder, source: int, order: tuple[int, ...]) -> int:
    out = b.tensor((1, 3, 2, 2), dim_order=order)
    flag, dims = b.bool_value(False), b.ints(order)
    b.kernel("dim_order_ops::_to_dim_order_copy.out", source, flag, dims, out, out)
    return out


@pytest.mark.runtime
def test_conversions_put_around_a_call_are_those_one_would_export(tmp_path: Path) -> None:
    need_runtime()
    bad, right = MethodBuilder("second"), MethodBuilder("second")
    bad.output(flips(bad, bad.input((1, 3, 2, 2), dim_order=LAST), LAST))
    start = right.input((1, 3, 2, 2), dim_order=LAST)
    right.output(converts(right, flips(right, converts(right, start, FLAT), FLAT), LAST))
    built = build_program(bad)
    converted = edited(built, ConvertBefore(0, 0, 0, FLAT), ConvertAfter(0, 0, 1, FLAT))
    expected = outputs(build_program(right).bytes(), tmp_path)
    assert outputs(converted, tmp_path) == expected
    assert outputs(built.bytes(), tmp_path) != expected
    with pytest.raises(EditError, match="no dim order"):
        edited(built, ConvertBefore(0, 0, 0, (0, 1, 2)))


def test_what_is_not_used_cannot_be_rewired() -> None:
    with pytest.raises(EditError, match="instruction 2 does not use value 0"):
        edited(two_adds(), Rewire(1, 2, 0, 1))


def test_values_and_operators_left_out() -> None:
    b = MethodBuilder()
    b.tensor((1,))
    x = b.input((4,))
    b.output(b.call("aten::sigmoid.out", x, out=(4,)))
    built = build_program(b)
    content = edited(built, DropValues(0, (0,)))
    assert (plan(content).inputs, plan(content).outputs) == ((0,), (1,))
    with pytest.raises(EditError, match="operator 0 is left out and still used"):
        edited(built, DropOperators(0, (0,)))


def test_segments_left_out_renumber_what_names_them() -> None:
    built = build_program(add_method(), named_data={"a": b"first", "b": b"second"})
    count = len(program(built.bytes()).segments or ())
    shared = edited(built, ShareNamedData(0, 1), DropSegments((count - 2,)))
    again = program(shared)
    assert [(e.key, e.segment_index) for e in again.named_data or ()] == [
        ("a", count - 2),
        ("b", count - 2),
    ]
    assert shared.endswith(b"second")
    assert b"first" not in shared
    with pytest.raises(EditError, match=f"segment {count - 1} is left out and still used"):
        edited(built, DropSegments((count - 1,)))
    with pytest.raises(EditError, match=f"no segment {count}"):
        edited(built, DropSegments((count,)))


def test_a_constant_can_use_the_bytes_of_another() -> None:
    b = MethodBuilder()
    b.output(b.add(b.constant([1.0, 2.0], (2,)), b.constant([3.0, 4.0], (2,))))
    built = build_program(b)
    content = edited(built, ShareConstant(2, 1))
    table = program(content).constant_segment
    assert table is not None
    assert table.offsets == (0, 0, 0)
    with pytest.raises(EditError, match="no constant 3"):
        edited(built, ShareConstant(3, 1))


def test_stack_traces_left_out_and_shortened() -> None:
    frames = FrameList((Frame(filename="/home/me/model.py", lineno=3), Frame()))
    traced = two_adds()
    for number in (0, 1):
        path = f"execution_plan[{number}].chains[0].stacktrace"
        traced = traced.replaced(path, (frames,) * 4)
    short = edited(traced, ShortenPaths(1))
    traces = [(plan(short, n).chains or ())[0].stacktrace for n in (0, 1)]
    assert traces[0] == (frames,) * 4
    assert traces[1] == (FrameList((Frame(filename="model.py", lineno=3), Frame())),) * 4
    none = edited(traced, DropStackTraces(1))
    assert (plan(none, 0).chains or ())[0].stacktrace == (frames,) * 4
    assert (plan(none, 1).chains or ())[0].stacktrace is None


def test_segments_are_aligned_and_their_content_stays() -> None:
    built = build_program(add_method(), named_data={"a": b"first", "b": b"second"})
    count = len(program(built.bytes()).segments or ())
    content = edited(built, AlignSegment(count - 1, 4096), AlignSegment(count - 2, 1))
    table = program(content).segments or ()
    assert table[-1].offset % 4096 == 0
    assert table[-2] == (program(built.bytes()).segments or ())[-2]
    assert content.endswith(b"second")
    with pytest.raises(EditError, match=f"no segment {count}"):
        edited(built, AlignSegment(count, 256))


def test_what_holds_no_program_cannot_be_edited() -> None:
    with pytest.raises(EditError, match="no program"):
        edited(b"nothing at all")


def test_verdicts_follow_the_edit() -> None:
    built = build_program(add_method(skip_h2d=True, skip_d2h=True))
    assert verdict(report(built)) == "set_input error NotSupported"
    assert "ok" in verdict(report(BuiltProgram(program(edited(built, Unplan(0, (0, 1)))))))
