"""How many bytes are read of a program whose only delegate has a payload of a GiB."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pte_lint.schema.container import sniff
from pte_lint.schema.program import DataSegment

from pte_lint.cache.traced_bytes import TracedBytes
from pte_lint.claims.target import Target
from pte_lint.files.artifact import Artifact
from pte_lint.judging.engine import Settings, check_artifact
from pte_lint.rulebook.registry import load_rules
from pte_lint.testing.containers import Layout
from pte_lint.testing.program_builder import build_program
from tests.support.coreml import coreml_blob
from tests.support.examples import delegated
from tests.support.tensorrt import tensorrt_blob
from tests.support.vela import block, vela_stream
from tests.support.vgf import vgf_blob
from tests.support.vulkan import vulkan_blob

GIB = 1 << 30
BESIDES = 96 << 10
"""Bytes that a payload may cost beside what it is made of."""


def _vela() -> tuple[bytes, bytes]:
    """Weights of a GiB in the middle of the stream."""
    whole, weights = vela_stream(), block("weight_data", bytes(32))
    before, _, after = whole.partition(weights)
    size = GIB - len(before) - len(after) - 32
    return before + struct.pack("<16sIB11s", b"weight_data", size, 0, b""), after


def _vulkan() -> tuple[bytes, bytes]:
    """Constants of a GiB behind the graph."""
    head = bytearray(vulkan_blob())
    struct.pack_into("<Q", head, 22, GIB - len(head))
    return bytes(head), b""


def _vgf() -> tuple[bytes, bytes]:
    head = bytearray(vgf_blob())
    (at,) = struct.unpack_from("<Q", head, 64)
    struct.pack_into("<Q", head, 72, GIB - at)
    return bytes(head), b""


def _qnn() -> tuple[bytes, bytes]:
    return struct.pack("<IQQ", 0x5678ABCD, 1, GIB - 256), b""


PAYLOADS = {
    "EthosUBackend": _vela(),
    "VulkanBackend": _vulkan(),
    "VgfBackend": _vgf(),
    "TensorRTBackend": (tensorrt_blob(size=GIB - 1024), b""),
    "CoreMLBackend": (b"", coreml_blob()),
    "QnnBackend": _qnn(),
    "NeuropilotBackend": (struct.pack("<BIII", 1, 1, 1, GIB - 13), b""),
    "OpenvinoBackend": (b"some model", b""),
    "EnnBackend": (b"some model", b""),
    "MPSBackend": (bytes(4) + b"MP00", b""),
    "CoreAIBackend": (b"{", b"}"),
    "Unknown": (b"whatever", b""),
}


@contextmanager
def opened(path: Path, backend: str, head: bytes, tail: bytes) -> Iterator[TracedBytes]:
    """The program as a sparse file, and what is read of it."""
    built = build_program(delegated(backend, blob=head or b"\0"))
    *others, segment = built.program.segments or ()
    made = built.replaced("segments", (*others, DataSegment(segment.offset, GIB)))
    content = made.bytes(Layout(segment_data_size=segment.offset + GIB))
    end = sniff(content).segment_base_offset + segment.offset + GIB
    with path.open("wb") as sparse:
        sparse.write(content)
        sparse.truncate(end)
        sparse.seek(end - len(tail))
        sparse.write(tail)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        yield TracedBytes(mapped)


@pytest.mark.parametrize("backend", sorted(PAYLOADS))
def test_a_check_reads_heads_and_tables_of_a_gib(tmp_path: Path, backend: str) -> None:
    head, tail = PAYLOADS[backend]
    with opened(tmp_path / "model.pte", backend, head, tail) as traced:
        program = sniff(traced[:4096]).program_range.size
        report = check_artifact(
            Artifact("model.pte", traced), Settings(load_rules(isolated=True), Target()), []
        )
        read = sum(stop - start for start, stop in traced.ranges())
    assert report.internal_errors == ()
    assert [finding for finding in report.findings if finding.rule == "PTE415"] == []
    assert read <= program + len(head) + len(tail) + BESIDES
