"""What `inspect` says about files whose content is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from pte_lint.inspection import inspect_artifact
from pte_lint.inspection.build import NotInspectable
from pte_lint.inspection.code import CopyUse, InnerOperator, OperatorUse
from pte_lint.inspection.model import BackendNeed, DeviceNeed, ExternalNeed, Format, SuiteFacts
from pte_lint.inspection.tensors import Memory
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.look import DATA, look


def test_the_default_device_program() -> None:
    found = look(DATA / "device" / "add_default.pte")
    (method,) = found.methods
    assert method.name == "forward"
    assert [str(p.type) for p in method.inputs] == ["f32[8,8]"] * 2
    assert [p.residence and p.residence.memory for p in method.inputs] == [Memory.PLANNED] * 2
    assert {(a.memory_id, a.device, a.size) for a in method.arenas} == {
        (1, "cpu", 512),
        (2, "cuda:0", 768),
    }
    assert method.copies == (CopyUse("h2d", 2, 512), CopyUse("d2h", 1, 256))
    assert method.share.delegated == 1.0
    (delegate,) = method.delegates
    assert (delegate.backend, delegate.calls, delegate.inputs, delegate.outputs) == (
        "BackendWithCompilerDemo", 1, 2, 1,
    )  # fmt: skip
    assert delegate.device == "cuda:0"
    assert [(s.key, s.value) for s in delegate.specs] == [
        ("max_value", "0x04"),
        ("target_device", "cuda:0"),
    ]
    assert found.needs.backends == (BackendNeed("BackendWithCompilerDemo", 1, 1),)
    assert found.needs.devices == (
        DeviceNeed("cpu", 512, 0, 0),
        DeviceNeed("cuda:0", 768, 3, 0),
    )


def test_caller_owned_device_inputs() -> None:
    found = look(DATA / "device" / "add_skip_both_paired.pte")
    ports = (*found.methods[0].inputs, *found.methods[0].outputs)
    assert {str(p.residence) for p in ports} == {"cuda:0@caller-owned"}
    assert found.needs.devices[-1] == DeviceNeed("cuda:0", 0, 0, 3)


def test_a_bounded_shape_is_a_bound() -> None:
    (method,) = look(DATA / "clean" / "dynamic_batch_xnnpack.pte").methods
    assert str(method.inputs[0].type) == "f32[<=8,<=8]"
    assert method.inputs[0].type is not None
    assert method.inputs[0].type.nbytes == 256


def test_scalars_are_fixed() -> None:
    (method,) = look(DATA / "clean" / "mixed_primitives.pte").methods
    told = [(p.kind, p.literal, p.is_fixed) for p in method.inputs[1:]]
    assert told == [("Int", 3, True), ("Double", 0.5, True), ("Bool", True, True)]


def test_external_keys_and_the_file_that_has_them() -> None:
    program = look(DATA / "clean" / "external_constants.pte")
    data = look(DATA / "clean" / "external_constants.ptd")
    assert data.format is Format.FLAT_TENSOR
    wanted = {(need.key, str(need.type)) for need in program.needs.external}
    assert wanted == {(entry.key, str(entry.type)) for entry in data.named}
    assert ("first.weight", "f32[16,8]") in wanted
    assert all(e.type is not None and e.size == e.type.nbytes for e in data.named)


def test_a_mutable_external_tensor() -> None:
    b = MethodBuilder()
    x = b.input((2,))
    b.output(b.add(x, b.external("cache", (2,), mutable=True)))
    (need,) = look(build_program(b).bytes()).needs.external
    assert need == ExternalNeed("cache", need.type, mutable=True, by="tensor")


def test_keys_that_a_delegate_wants() -> None:
    b = MethodBuilder()
    blob = b"0a_so_blob\n0a_weights_blob"
    b.output(*b.delegate("CudaBackend", [b.input((2,))], [(2,)], blob=blob))
    file = build_program(b, named_data={"0a_so_blob": b"\x7fELF"}).bytes()
    found = look(file)
    (delegate,) = found.methods[0].delegates
    assert delegate.device == "cuda"
    missing = {need.key: need for need in found.needs.external}
    assert set(missing) == set(delegate.wants) - {"0a_so_blob"}
    assert all(need.by == "delegate CudaBackend" and need.type is None for need in missing.values())


def test_what_is_inside_of_a_delegate_where_the_blob_tells() -> None:
    (method,) = look(DATA / "clean" / "mlp_xnnpack.pte").methods
    (delegate,) = method.delegates
    assert delegate.operators == (InnerOperator("XNNFullyConnected", 2),)
    assert delegate.blob_format == "XNNPACK graph XN01"
    assert len(delegate.wants) == 4
    assert look(DATA / "clean" / "mlp_xnnpack.pte").needs.external == ()


def test_bundled_test_cases() -> None:
    found = look(DATA / "clean" / "bundled_linear.bpte")
    assert found.format is Format.BUNDLED_PROGRAM
    assert found.suites == (SuiteFacts("forward", 2, 2),)
    assert found.bytes_by_kind()["bundled inputs and outputs"] == 2 * (32 + 24)
    inner = (DATA / "clean" / "linear.pte").read_bytes()
    whole = (DATA / "clean" / "bundled_linear.bpte").read_bytes()
    constant = found.constants[0]
    assert constant.start is not None
    size = constant.nbytes
    assert whole[constant.start : constant.start + size] != bytes(size)
    assert look(inner).constants[0].nbytes == size


@pytest.mark.parametrize(
    ("name", "purpose"),
    [
        ("mutable_initial_state", "initial state"),
        ("mlp_xnnpack", "named data"),
        ("linear", "constants"),
        ("inline_delegate", "delegate blob"),
    ],
)
def test_where_bytes_go(name: str, purpose: str) -> None:
    assert look(DATA / "clean" / f"{name}.pte").bytes_by_kind()[purpose] > 0


def test_constants_lie_where_it_says() -> None:
    b = MethodBuilder()
    x = b.input((2,))
    b.output(b.add(b.add(x, b.constant([1.0, 2.0], (2,))), b.constant([3.0, 4.0], (2,))))
    file = build_program(b).bytes()
    first, second = look(file).constants
    assert first.start is not None
    assert second.start is not None
    assert file[first.start : first.start + 8] == bytes.fromhex("0000803f00000040")
    assert file[second.start : second.start + 8] == bytes.fromhex("0000404000008040")


def test_equal_constants_hash_equal() -> None:
    b = MethodBuilder()
    x = b.input((2,))
    b.output(b.add(x, b.constant([1.0, 2.0], (2,))))
    one = look(build_program(b).bytes(), content=True)
    assert set(one.content) == {"constant 1"}
    assert one.content == look(build_program(b).bytes(), content=True).content


def test_unknown_names_are_like_any_other() -> None:
    b = MethodBuilder()
    x = b.input((4,))
    (y,) = b.delegate("BackendOfTomorrow", [x], [(4,)], specs={"": b"\xff\x00"}, blob=b"")
    z = b.call("my::operator.out", y, out=(4,))
    b.output(z)
    found = look(build_program(b).bytes())
    (method,) = found.methods
    assert method.operators == (OperatorUse("my::operator.out", 1, is_compute=True),)
    assert method.delegates[0].specs[0].value == "0xff00"
    assert method.delegates[0].blob_size == 0
    assert [k.operator for k in found.needs.kernels] == ["my::operator.out"]


def test_an_index_outside_the_value_table_is_missing() -> None:
    b = MethodBuilder()
    x = b.input((4,))
    b.output(b.add(x, x))
    b.inputs.append(99)
    (method,) = look(build_program(b).bytes()).methods
    assert method.inputs[1].kind == "missing"


def test_tag_and_memory_that_disagree_are_both_told() -> None:
    b = MethodBuilder()
    b.output(b.add(b.input((2,), device="cuda:0", home="cpu"), b.input((2,))))
    (method,) = look(build_program(b).bytes()).methods
    assert str(method.inputs[0].residence).startswith("cuda:0@arena1(cpu)+")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "0 bytes"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        (b"\xff\0\0\0ET12" + bytes(64), "too damaged to look into"),
    ],
)
def test_what_is_no_artifact_is_named(content: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pte"
    path.write_bytes(content)
    with pytest.raises(NotInspectable, match=why) as caught:
        look(path)
    assert str(path) in str(caught.value)


def test_state_says_how_it_starts_who_writes_it_and_who_shares_it() -> None:
    _put, take = inspect_artifact(DATA / "clean" / "shared_state.pte").methods
    (state,) = take.state
    assert (state.name, state.has_initial_data, state.written_by) == (None, False, ("aten::copy_",))
    assert state.shared_with == ("put",)
    (named,) = inspect_artifact(DATA / "clean" / "mutable_named.pte").methods[0].state
    assert (named.name, named.shared_with) == ("total", ())
