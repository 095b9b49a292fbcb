"""Built methods have the tables that the exporter would have written."""

from __future__ import annotations

import pytest
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import (
    BackendDelegate,
    BackendDelegateDataReference,
    CompileSpec,
    EValue,
    ExecutionPlan,
    ExtraTensorInfo,
    JumpFalseCall,
    KernelCall,
    NamedData,
    NonConstBufferDevice,
    Operator,
    OptionalTensorList,
    SubsegmentOffsets,
    Tensor,
)

from pte_lint.testing.builder import D2H, H2D, Label, MethodBuilder
from pte_lint.testing.edit import replaced
from pte_lint.testing.program_builder import BuiltProgram, build_program


def method(built: BuiltProgram, index: int = 0) -> ExecutionPlan:
    assert built.program.execution_plan is not None
    return built.program.execution_plan[index]


def tensor(built: BuiltProgram, value: int) -> Tensor:
    values = method(built).values
    assert values is not None
    found = values[value].val
    assert isinstance(found, Tensor)
    return found


def steps(built: BuiltProgram) -> list[object]:
    chains = method(built).chains
    assert chains is not None
    return [step.instr_args for step in chains[0].instructions or ()]


def test_default_copies_look_like_the_exporter_s() -> None:
    b = MethodBuilder("forward")
    x = b.input((8, 8))
    (z,) = b.delegate("CudaBackend", [b.h2d(x)], [(8, 8)], device="cuda:0")
    out = b.d2h(z)
    b.output(out)
    built = build_program(b)
    plan = method(built)
    assert plan.operators == (
        Operator("et_copy::_h2d_copy", "out"),
        Operator("et_copy::_d2h_copy", "out"),
    )
    assert plan.non_const_buffer_sizes == (0, 512, 512)
    assert plan.non_const_buffer_device == (NonConstBufferDevice(2, 1, 0),)
    assert plan.delegates == (
        BackendDelegate(
            "CudaBackend",
            BackendDelegateDataReference(1, 1),
            (CompileSpec("target_device", b"cuda:0"),),
        ),
    )
    assert tensor(built, z).extra_tensor_info == ExtraTensorInfo(device_type=1)
    assert tensor(built, x).extra_tensor_info is None
    assert steps(built)[0] == KernelCall(0, (x, 1, 1))
    assert (H2D, D2H) == ("et_copy::_h2d_copy.out", "et_copy::_d2h_copy.out")
    assert read_program(built.bytes()).violations == ()


def test_tag_and_home_may_differ() -> None:
    b = MethodBuilder()
    x = b.input((4,), device="cuda:1", home="cpu")
    y = b.tensor((4,), device=(7, -3), planned=False)
    built = build_program(b)
    assert tensor(built, x).extra_tensor_info == ExtraTensorInfo(device_type=1, device_index=1)
    assert tensor(built, y).extra_tensor_info == ExtraTensorInfo(device_type=7, device_index=-3)
    assert tensor(built, y).allocation_info is None
    assert method(built).non_const_buffer_device is None


def test_jumps_to_labels() -> None:
    b = MethodBuilder()
    flag, x = b.input((), "bool"), b.input((2,))
    out = b.tensor((2,), planned=False)
    other, end = Label(), Label()
    b.jump_false(flag, other)
    b.move(b.call("aten::sin.out", x, out=(2,)), out)
    b.jump(end)
    b.mark(other)
    b.move(b.call("aten::cos.out", x, out=(2,)), out)
    b.mark(end)
    b.output(out)
    jumps = [step for step in steps(build_program(b)) if isinstance(step, JumpFalseCall)]
    assert [jump.destination_instruction for jump in jumps] == [4, 6]
    b.jump(Label())
    with pytest.raises(ValueError, match="never marked"):
        build_program(b)


def test_constants_and_states_are_shared_by_content() -> None:
    a, b = MethodBuilder("a"), MethodBuilder("b")
    first, same = a.constant([1.0, 2.0], (2,)), b.constant([1.0, 2.0], (2,))
    other = a.constant([5], (1,), "int64")
    state = a.state((2,), initial=[3.0, 4.0])
    built = build_program(a, b, named_data={"key": b"named"})
    assert tensor(built, first).data_buffer_idx == 1
    assert tensor(built, other).data_buffer_idx == 2
    assert tensor(built, state).data_buffer_idx == 1
    assert tensor(built, state).allocation_info is not None
    values = method(built, 1).values
    assert values is not None
    assert values[same] == (method(built).values or ())[first]
    program = built.program
    assert program.constant_segment == SubsegmentOffsets(0, (0, 0, 16))
    assert program.mutable_data_segments == (SubsegmentOffsets(1, (0, 0)),)
    assert program.named_data == (NamedData("key", 2),)
    assert program.segments is not None
    named = program.segments[2]
    assert built.segment_data[named.offset : named.offset + named.size] == b"named"


def test_every_kind_of_value() -> None:
    b = MethodBuilder()
    x = b.tensor((1,))
    kinds = [
        b.null(),
        b.int_value(-1),
        b.bool_value(True),
        b.double_value(0.5),
        x,
        b.string_value("text"),
        b.ints([4, 5]),
        b.doubles([0.5]),
        b.bools([True, False]),
        b.tensor_list([x]),
        b.optional_list([x, None]),
    ]
    assert [b.values[kind].val_type for kind in kinds] == list(range(1, 12))
    assert b.values[kinds[-1]].val == OptionalTensorList((x, -1))
    file = build_program(b).bytes()
    loaded = read_program(file).program
    assert loaded == build_program(b).program


def test_inline_blobs_lie_in_the_flatbuffer() -> None:
    b = MethodBuilder()
    b.delegate("Other", [], [], blob=b"inline blob", inline=True)
    built = build_program(b)
    file = built.bytes()
    program = read_program(file).program
    assert program is not None
    assert program.backend_delegate_data is not None
    span = program.backend_delegate_data[0].data
    assert span is not None
    assert file[span.start : span.start + span.size] == b"inline blob"


def test_one_field_can_be_replaced() -> None:
    b = MethodBuilder()
    b.input((2,))
    built = build_program(b)
    path = "execution_plan[0].values[0].val.sizes"
    edited = built.replaced(path, (-1, 7))
    assert tensor(edited, 0).sizes == (-1, 7)
    assert tensor(built, 0).sizes == (2,)
    longer = built.replaced("execution_plan[0].values", lambda old: (*old, EValue(99)))
    assert (method(longer).values or ())[1] == EValue(99)
    assert edited.replaced(path, (2,)) == built
    for wrong, error in (("a b", ValueError), ("nothing", AttributeError), ("[0]", TypeError)):
        with pytest.raises(error):
            replaced(built.program, wrong, 1)
