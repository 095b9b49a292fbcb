from __future__ import annotations

import pytest
from pte_lint.schema.program import BackendDelegate, CompileSpec

from pte_lint.claims.finding import Severity
from pte_lint.ir.device import HOST, Device
from pte_lint.questions.placement.target_device import (
    delegate_target,
    misspelt_key,
    parse_target_device,
)
from pte_lint.testing.builder import MethodBuilder
from tests.support.device_programs import (
    CUDA,
    SIZES,
    add_method,
    findings,
    only,
    report,
    rules,
    verdict,
)

CUDA0 = Device(1, 0)


@pytest.mark.parametrize(
    ("value", "device"),
    [
        (b"cuda:0", CUDA0),
        (b"CUDA:0", CUDA0),
        (b" cuda:0 ", CUDA0),
        (b"cuda", CUDA0),
        (b"cuda:1", Device(1, 1)),
        (b"cuda: 1", Device(1, 1)),
        (b"cpu", HOST),
        (b"cpu:0", HOST),
    ],
)
def test_values_that_the_exporter_reads(value: bytes, device: Device) -> None:
    assert parse_target_device(value) == (device, "")


@pytest.mark.parametrize(
    ("value", "device", "word"),
    [
        (b"", None, "is empty"),
        (b"gpu:0", None, "names no known device"),
        (b"cuda:x", None, "not a number"),
        (b"cuda:", None, "not a number"),
        (b"\xff\xfe", None, "not text"),
        (None, None, "no value"),
        (b"cuda:-1", Device(1, -1), "negative"),
        (b"cuda:0\0", CUDA0, "NUL byte"),
        (b"cuda:0\0text", None, "not a number"),
        (b"cuda:0\0\xff", None, "not text"),
        (b"cuda:" + b"9" * 5000, None, "not a number"),
    ],
)
def test_values_that_are_odd(value: bytes | None, device: Device | None, word: str) -> None:
    parsed, problem = parse_target_device(value)
    assert parsed == device
    assert word in problem


@pytest.mark.parametrize("key", ["Target_Device", "target-device", " target_device"])
def test_keys_that_are_nearly_right(key: str) -> None:
    delegate = BackendDelegate("Any", compile_specs=(CompileSpec(key, b"cuda:0"),))
    assert misspelt_key(delegate) == key
    assert delegate_target(0, delegate).is_host
    assert misspelt_key(BackendDelegate("Any", compile_specs=None)) is None


def test_the_first_of_two_specs_counts() -> None:
    specs = (CompileSpec("target_device", b"cuda:0"), CompileSpec("target_device", b"cuda:1"))
    target = delegate_target(0, BackendDelegate("Any", compile_specs=specs))
    assert target.device == CUDA0
    assert "twice" in target.problem


def test_the_cuda_backend_needs_no_spec() -> None:
    target = delegate_target(0, BackendDelegate(CUDA))
    assert target.is_device
    assert target.accepts(Device(1, 3))
    assert not target.accepts(HOST)
    assert str(target) == "cuda"


@pytest.mark.parametrize("specs", [{}, {"target_device": b"cpu"}, {"Target_Device": b"cuda:0"}])
def test_a_device_delegate_that_does_not_say_so(specs: dict[str, bytes]) -> None:
    said = report(add_method(specs=specs))
    found = only(said, "PTE312")
    assert found.severity is Severity.ERROR
    assert found.location.instruction == 2
    assert found.evidence["delegate"] == 0
    assert "every tensor that it is given is on cuda:0" in found.message
    assert "TARGET_DEVICE_COMPILE_SPEC_KEY" in found.remediation
    assert verdict(said) == "execute undefined"


def test_the_cuda_backend_without_the_spec_runs() -> None:
    assert verdict(report(add_method(backend=CUDA, specs={}))) == "execute ok"


@pytest.mark.parametrize("value", [b"", b"gpu:0", b"cuda:x", b"\xff\xfe", b"cuda:-1", b"cuda:0\0"])
def test_a_value_that_nobody_reads_is_a_warning(value: bytes) -> None:
    said = report(add_method(specs={"target_device": value}))
    found = only(said, "PTE312")
    assert found.severity is Severity.WARNING
    assert found.location.path == "execution_plan[0].delegates[0].compile_specs[0]"
    assert verdict(said) == "execute ok"


def test_a_readable_value_is_fine() -> None:
    assert rules(report(add_method(specs={"target_device": b" CUDA:0 "}))) == []


def test_host_delegates_need_no_spec() -> None:
    b = MethodBuilder()
    b.output(*b.delegate("Any", [b.input(SIZES)], [SIZES]))
    assert findings(report(b), "PTE312") == []


def test_mixed_arguments_are_not_blamed_on_the_spec() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    b.output(*b.delegate("Any", [b.h2d(x), x], [SIZES]))
    said = report(b)
    assert findings(said, "PTE312") == []
    assert findings(said, "PTE305")
