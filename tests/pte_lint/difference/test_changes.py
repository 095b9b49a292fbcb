"""Each kind of change, made by one edit, is found alone and with old and new."""

from __future__ import annotations

from typing import Any

import pytest

from pte_lint.difference import changes, whole
from pte_lint.difference.changes import Change
from pte_lint.difference.compare import NotComparable
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.data_builder import DataTensor, build_data
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.cuda_libraries import cuda_program
from tests.support.look import DATA, compared, every_file
from tests.support.vela import vela_stream

SIZE_KINDS = {"file-size", "bytes"}
"""Sizes of tables follow from everything else."""


def program(**options: Any) -> BuiltProgram:
    """x -> add, delegate, mul -> z, with what the test wants to be different."""
    b = MethodBuilder(options.get("name", "forward"))
    x = b.input(options.get("sizes", (4, 4)), options.get("dtype", "float32"),
                **options.get("x", {}))  # fmt: skip
    y = x
    for _ in range(options.get("adds", 1)):
        y = b.add(y, b.constant(options.get("data", [0.0] * 16), (4, 4)))
    for n in range(options.get("delegates", 1)):
        (y,) = b.delegate(
            options.get("backend", "Some"),
            [y],
            [(4, 4)],
            blob=options.get("blob", b"blob") + bytes(n),
            specs=options.get("specs", {"level": b"1"}),
        )
    if options.get("order"):
        y = b.call("aten::neg.out", y, out=(4, 4))
        y = b.call("aten::abs.out", y, out=(4, 4))
    else:
        y = b.call("aten::abs.out", y, out=(4, 4))
        y = b.call("aten::neg.out", y, out=(4, 4))
    b.output(y)
    return build_program(b, named_data=options.get("named"))


def found(old: dict[str, Any], new: dict[str, Any], *, content: bool = False) -> list[Change]:
    """The changes between two variants, sizes of tables left out."""
    difference = compared(program(**old).bytes(), program(**new).bytes(), content=content)
    return [c for c in difference.changes if c.kind not in SIZE_KINDS]


@pytest.mark.parametrize("path", every_file(), ids=lambda p: "/".join(p.parts[-2:]))
def test_nothing_changed(path: Any) -> None:
    from pte_lint.inspection.build import NotInspectable

    try:
        assert compared(path, path, content=True).changes == ()
    except NotInspectable:
        assert DATA not in path.parents


def test_a_method_came_and_went() -> None:
    (added, gone) = (
        c for c in found({"name": "a"}, {"name": "b"}) if not isinstance(c, whole.FindingChange)
    )
    assert added == changes.MethodAdded(method="b", new="(f32[4,4]) -> (f32[4,4])")
    assert gone == changes.MethodRemoved(method="a", old="(f32[4,4]) -> (f32[4,4])")


def test_a_signature() -> None:
    change, *_ = found({}, {"dtype": "float16"})
    assert change == changes.SignatureChanged(
        method="forward", port="input 0", old="f32[4,4]", new="f16[4,4]"
    )


def test_a_bound_is_part_of_the_signature() -> None:
    (change, *_) = found({}, {"x": {"dynamism": 1}})
    assert isinstance(change, changes.SignatureChanged)
    assert (change.old, change.new) == ("f32[4,4]", "f32[<=4,<=4]")


def test_inputs_more_and_fewer() -> None:
    one = MethodBuilder()
    one.output(one.add(one.input((2,)), one.constant([0.0, 0.0], (2,))))
    two = MethodBuilder()
    two.output(two.add(two.input((2,)), two.input((2,))))
    more, *_ = compared(build_program(one).bytes(), build_program(two).bytes()).changes
    ports = [
        c
        for c in compared(build_program(one).bytes(), build_program(two).bytes()).changes
        if isinstance(c, changes.SignatureChanged)
    ]
    assert ports == [
        changes.SignatureChanged(method="forward", port="input 1", old=None, new="f32[2]")
    ]
    assert more.method is None


def test_a_fixed_scalar_is_part_of_the_signature() -> None:
    def with_scalar(number: int) -> bytes:
        b = MethodBuilder()
        x = b.input((2,))
        n = b.takes(b.int_value(number))
        b.output(b.call("aten::add.Scalar_out", x, n, b.int_value(1), out=(2,)))
        return build_program(b).bytes()

    change, *_ = compared(with_scalar(3), with_scalar(4)).changes
    assert change == changes.SignatureChanged(
        method="forward", port="input 1", old="Int 3", new="Int 4"
    )


def test_placement() -> None:
    difference = compared(
        DATA / "device" / "add_skip_both_planned.pte", DATA / "device" / "add_skip_both_paired.pte"
    )
    *placements, planned = (c for c in difference.changes if c.method is not None)
    assert placements == [
        changes.PlacementChanged(
            method="forward", port=port, old="cuda:0, planned", new="cuda:0, caller-owned"
        )
        for port in ("input 0", "input 1", "output 0")
    ]
    assert isinstance(planned, changes.PlannedBytesChanged)
    assert (planned.device, planned.old, planned.new) == ("cuda:0", 768, 0)


def test_memory_on_another_device_than_the_tag_is_placement() -> None:
    old = {"x": {"device": "cuda:0"}}
    new = {"x": {"device": "cuda:0", "home": "cpu"}}
    change, *_ = [c for c in found(old, new) if isinstance(c, changes.PlacementChanged)]
    assert (change.old, change.new) == ("cuda:0, planned", "cuda:0, planned on cpu")


def test_boundary_copies_and_planned_bytes() -> None:
    difference = compared(
        DATA / "device" / "add_default.pte", DATA / "device" / "add_skip_both_paired.pte"
    )
    copies = [c for c in difference.changes if isinstance(c, changes.BoundaryCopiesChanged)]
    assert [(c.direction, c.old_copies, c.old, c.new_copies, c.new) for c in copies] == [
        ("h2d", 2, 512, 0, 0),
        ("d2h", 1, 256, 0, 0),
    ]
    planned = {
        c.device: (c.old, c.new)
        for c in difference.changes
        if isinstance(c, changes.PlannedBytesChanged)
    }
    assert planned == {"cpu": (512, 0), "cuda:0": (768, 0)}


def test_an_operator_without_a_change_of_delegates_has_no_direction() -> None:
    change = next(c for c in found({}, {"adds": 2}) if isinstance(c, changes.OperatorsChanged))
    assert (change.operator, change.old, change.new, change.direction) == (
        "aten::add.out", 1, 2, "",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "direction"),
    [
        ({"adds": 1}, {"adds": 2, "blob": b"b"}, "out of a delegate"),
        ({"adds": 2}, {"adds": 1, "blob": b"blobblob"}, "into a delegate"),
        ({"adds": 1, "delegates": 0}, {"adds": 2}, ""),
        ({"adds": 2}, {"adds": 1, "delegates": 0}, ""),
    ],
)
def test_what_fell_out_of_a_delegate_or_into_one(
    old: dict[str, Any], new: dict[str, Any], direction: str
) -> None:
    change = next(c for c in found(old, new) if isinstance(c, changes.OperatorsChanged))
    assert change.direction == direction


def test_a_boundary_copy_is_no_operator() -> None:
    difference = compared(
        DATA / "device" / "add_skip_both_paired.pte", DATA / "device" / "chain_elided.pte"
    )
    kinds = {c.kind for c in difference.changes}
    assert "boundary-copies" in kinds
    assert "operators" not in kinds


def test_a_prim_operator_never_fell_out_of_a_delegate() -> None:
    b = MethodBuilder()
    b.output(*b.delegate("Some", [b.input((2,))], [(2,)]))
    old = build_program(b).bytes()
    b = MethodBuilder()
    x = b.input((2,))
    b.kernel("executorch_prim::add.Scalar", b.int_value(1), b.int_value(2), b.int_value(0))
    b.output(*b.delegate("Some", [x], [(2,)], blob=b"other"))
    (change,) = [
        c
        for c in compared(old, build_program(b).bytes()).changes
        if isinstance(c, changes.OperatorsChanged)
    ]
    assert (change.operator, change.direction) == ("executorch_prim::add.Scalar", "")


def test_delegation_and_blobs() -> None:
    told = found({}, {"delegates": 2})
    assert told[:2] == [
        changes.DelegationChanged(
            method="forward", backend="Some", old_delegates=1, new_delegates=2, old=1, new=2
        ),
        changes.BlobChanged(method="forward", delegate="Some#1", old=0, new=5),
    ]


def operators(old: str, new: str) -> tuple[dict[str, str], dict[str, tuple[int, int]]]:
    """Directions by host operator, and counts by operator inside of delegates."""
    told = compared(DATA / "clean" / old, DATA / "clean" / new).changes
    host = {c.operator: c.direction for c in told if isinstance(c, changes.OperatorsChanged)}
    inner = {
        c.operator: (c.old, c.new) for c in told if isinstance(c, changes.InnerOperatorsChanged)
    }
    return host, inner


def test_blobs_that_tell_say_what_moved() -> None:
    host, inner = operators("convnet.pte", "convnet_xnnpack.pte")
    assert host["aten::convolution.out"] == "into a delegate"
    assert inner["XNNConv2d"] == (0, 1)
    host, inner = operators("convnet_xnnpack.pte", "convnet.pte")
    assert host["aten::convolution.out"] == "out of a delegate"
    assert inner["XNNConv2d"] == (1, 0)


def test_an_operator_that_no_delegate_lost_did_not_fall_out() -> None:
    # Both have two fully connected layers in XNNPACK; only one has a cumsum, on the host.
    host, inner = operators("mlp_xnnpack.pte", "mixed_xnnpack.pte")
    assert host == {"aten::cumsum.out": ""}
    assert inner == {}


def test_another_backend() -> None:
    kinds = {c.kind for c in found({}, {"backend": "Other"})}
    assert kinds == {"requirements", "delegation", "delegate-blob"}


def test_a_blob_of_the_same_size_needs_content() -> None:
    old, new = {"blob": b"blob"}, {"blob": b"BLOB"}
    assert found(old, new) == []
    assert found(old, new, content=True) == [
        changes.BlobChanged(method="forward", delegate="Some#0", old=4, new=4, content_differs=True)
    ]


def test_compile_specs() -> None:
    told = found({"specs": {"a": b"1", "b": b"2"}}, {"specs": {"a": b"\xff", "c": b"3"}})
    assert [(c.key, c.old, c.new) for c in told if isinstance(c, changes.CompileSpecChanged)] == [
        ("a", "1", "0xff"),
        ("c", None, "3"),
        ("b", "2", None),
    ]


def test_what_a_delegate_needs() -> None:
    specs = [{"flags": f"--accelerator-config=ethos-u{n}".encode()} for n in ("55-128", "85-256")]
    old = {"backend": "EthosUBackend", "blob": vela_stream(scratch=64), "specs": specs[0]}
    new = {"backend": "EthosUBackend", "blob": vela_stream(scratch=96), "specs": specs[1]}
    told = [c for c in found(old, new) if isinstance(c, changes.DelegateNeedChanged)]
    assert [(c.subject(), c.old, c.new) for c in told] == [
        ("EthosUBackend#0 accelerator", "ethos-u55-128", "ethos-u85-256"),
        ("EthosUBackend#0 working memory", "64", "96"),
    ]


def test_code_for_another_gpu_is_a_need() -> None:
    names = ("model_sm_80.so", "model_sm_90a_executable_stack.so")
    told = compared(*(cuda_program(name) for name in names))
    needs = [c for c in told.changes if isinstance(c, changes.DelegateNeedChanged)]
    assert [(c.what, c.old, c.new) for c in needs] == [("code for GPUs", "sm_80", "sm_90a")]


def test_compile_specs_that_look_alike() -> None:
    long = b"x" * 300
    told = found({"specs": {"a": long + b"1"}}, {"specs": {"a": long + b"2"}})
    assert [c.kind for c in told] == ["compile-spec"]


def test_constants_by_type_and_by_content() -> None:
    assert found({}, {"data": [1.0] * 16}) == []
    assert found({}, {"data": [1.0] * 16}, content=True) == [
        whole.ConstantsChanged(type="f32[4,4]", old=1, new=1, content_differs=1)
    ]


def test_named_data() -> None:
    old = {"named": {"same": b"1", "other": b"22", "gone": b"3"}}
    new = {"named": {"same": b"9", "other": b"223", "came": b"3"}}
    assert found(old, new) == [
        whole.NamedDataChanged(key="other", old=2, new=3),
        whole.NamedDataChanged(key="came", old=None, new=1),
        whole.NamedDataChanged(key="gone", old=1, new=None),
    ]
    with_content = found(old, new, content=True)
    assert whole.NamedDataChanged(key="same", old=1, new=1, content_differs=True) in with_content


def test_two_data_files() -> None:
    def data(sizes: tuple[int, ...]) -> bytes:
        return build_data({"w": DataTensor([0.0] * 4, sizes)}).bytes()

    (change,) = [c for c in compared(data((4,)), data((2, 2))).changes if c.kind not in SIZE_KINDS]
    assert change == whole.NamedDataChanged(
        key="w", old=16, new=16, old_type="f32[4]", new_type="f32[2,2]"
    )


def test_state() -> None:
    def with_state(initial: list[float] | None) -> bytes:
        b = MethodBuilder()
        s = b.state((2,), initial=initial, name="cache")
        b.output(b.add(b.input((2,)), s))
        return build_program(b).bytes()

    (change,) = [
        c for c in compared(with_state(None), with_state([0.0, 0.0])).changes if c.kind == "state"
    ]
    assert change == changes.StateChanged(
        method="forward",
        name="cache",
        old="f32[2] cpu, planned",
        new="f32[2] cpu, planned with initial data",
    )


def test_the_order_of_instructions() -> None:
    (change,) = found({}, {"order": True})
    assert isinstance(change, changes.InstructionsChanged)
    assert change.first == 2
    assert change.old.startswith("aten::abs.out(")
    assert change.new.startswith("aten::neg.out(")


def test_renumbered_and_replanned_programs_are_the_same() -> None:
    old = program()
    moved = old.replaced(
        "execution_plan[0].values[0].val.allocation_info.memory_offset_low",
        lambda offset: offset + 64,
    )
    assert moved.program != old.program
    told = compared(old.bytes(), moved.bytes()).changes
    assert {c.kind for c in told} <= SIZE_KINDS


def test_requirements() -> None:
    told = [c for c in found({"delegates": 0}, {}) if isinstance(c, whole.RequirementChanged)]
    assert told == [whole.RequirementChanged(what="backend", name="Some", old=False, new=True)]


def test_a_program_and_a_data_file_cannot_be_compared() -> None:
    with pytest.raises(NotComparable, match="cannot compare"):
        compared(
            DATA / "clean" / "external_constants.pte", DATA / "clean" / "external_constants.ptd"
        )


def test_a_bundle_is_compared_by_the_program_inside() -> None:
    difference = compared(DATA / "clean" / "linear.pte", DATA / "clean" / "bundled_linear.bpte")
    assert {c.kind for c in difference.changes if c.method is None} == {"file-size", "bytes"}
