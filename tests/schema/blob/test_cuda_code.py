"""Code for GPUs as compilers wrote it, read as the vendor's own tool reads it."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from pte_lint.schema.blob.cuda_code import (
    DeviceCode,
    KernelFacts,
    Serves,
    device_code,
    parse_gpu,
    serves,
)
from pte_lint.schema.blob.window import OutsideError, Window
from pte_lint.schema.program import Span

from tests.schema.blob.files import gpu_code

NAMES = sorted(json.loads(gpu_code("cuobjdump.json")))


def read(content: bytes) -> list[DeviceCode]:
    return list(device_code(Window(b"?" * 5 + content, Span(5, len(content))), "m"))


@pytest.mark.parametrize("name", NAMES)
def test_architectures_are_those_that_cuobjdump_tells(name: str) -> None:
    said = json.loads(gpu_code("cuobjdump.json"))[name]
    found = [[c.kind, c.arch.replace("compute", "sm")] for c in read(gpu_code(name))]
    assert sorted(found) == sorted(said)


def test_all_that_is_kept_of_a_cubin() -> None:
    for name, shared in (("sm_80.cuda12.cubin", 512), ("sm_90.cuda13.cubin", 1536)):
        content = gpu_code(name)
        kernel = KernelFacts("add_kernel", shared, 128)
        assert read(content) == [DeviceCode("m", "cubin", name[:5], len(content), (kernel,))]


def test_kernels_inside_of_fat_binaries() -> None:
    found = read(gpu_code("several.fatbin"))
    assert [(c.arch, [k.name for k in c.kernels]) for c in found] == [
        ("sm_80", ["add_kernel"]),
        ("sm_90a", ["add_kernel"]),
        ("compute_90", []),
    ]
    assert [c.kernels for c in read(gpu_code("compressed.fatbin"))] == [(), ()]


def test_ptx_alone_and_no_code() -> None:
    assert read(gpu_code("sm_80.ptx"))[0].arch == "compute_80"
    assert read(b"__CLANG_OFFLOAD_BUNDLE__")[0].kind == "offload bundle"
    assert read(b"words") == []


@pytest.mark.parametrize("name", ["several.fatbin", "sm_90a.cuda13.cubin", "sm_100f.fatbin"])
def test_code_that_is_cut_is_refused_or_read_in_part(name: str) -> None:
    content = gpu_code(name)
    whole = read(content)
    for end in range(0, len(content), 7):
        with suppress(OutsideError):
            assert len(read(content[:end])) <= len(whole)


def code(arch: str) -> DeviceCode:
    return DeviceCode("", "", arch, 0)


@pytest.mark.parametrize(
    ("arch", "device", "answer"),
    [
        ("sm_80", 80, Serves.YES),
        ("sm_80", 86, Serves.YES),
        ("sm_86", 80, Serves.NO),
        ("sm_80", 90, Serves.NO),
        ("sm_80", 75, Serves.NO),
        ("sm_80", 87, Serves.UNKNOWN),
        ("sm_87", 87, Serves.YES),
        ("sm_90a", 90, Serves.YES),
        ("sm_90a", 100, Serves.NO),
        ("sm_100a", 103, Serves.NO),
        ("sm_100", 103, Serves.YES),
        ("sm_100f", 103, Serves.YES),
        ("sm_100f", 120, Serves.NO),
        ("sm_103f", 100, Serves.NO),
        ("compute_103f", 100, Serves.NO),
        ("compute_80", 90, Serves.YES),
        ("compute_80", 87, Serves.YES),
        ("compute_80", 75, Serves.NO),
        ("compute_90a", 100, Serves.NO),
        ("compute_90a", 90, Serves.YES),
        ("compute_100f", 103, Serves.YES),
        ("compute_100f", 120, Serves.NO),
        ("compute_130f", 131, Serves.UNKNOWN),
        ("gfx90a", 90, Serves.UNKNOWN),
        ("", 90, Serves.UNKNOWN),
    ],
)
def test_which_devices_code_is_for(arch: str, device: int, answer: Serves) -> None:
    assert serves(code(arch), device) is answer


def test_names_of_devices() -> None:
    assert [parse_gpu(name) for name in ("sm_90", "sm_120", "sm_90a", "90", "")] == [
        90, 120, None, None, None,
    ]  # fmt: skip
