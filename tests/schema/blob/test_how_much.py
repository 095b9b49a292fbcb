"""How many bytes are read of a program whose only delegate has a payload of a GiB.

Bytes that a reader asks for are counted. A format that is one flatbuffer, constants included, is
looked at where it lies in the file: of it the memory is counted that was brought in.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pte_lint.schema.blob.registry import built_in
from pte_lint.schema.container import sniff
from pte_lint.schema.program import DataSegment

from pte_lint.cache.traced_bytes import TracedBytes
from pte_lint.claims.target import Target
from pte_lint.files.artifact import Artifact
from pte_lint.judging.engine import Settings, check_artifact
from pte_lint.rulebook.registry import load_rules
from pte_lint.testing.containers import Layout
from pte_lint.testing.program_builder import build_program
from tests.fuzz.reader_inputs import blobs_of
from tests.fuzz.xnnpack_seeds import GraphBuilder
from tests.schema.blob.test_chips import neutron_blob
from tests.support.coreml import coreml_blob
from tests.support.dumps import DATA
from tests.support.examples import delegated
from tests.support.openvino import MODEL, openvino_blob
from tests.support.tensorrt import tensorrt_blob
from tests.support.vela import block, vela_stream
from tests.support.vgf import vgf_blob
from tests.support.vulkan import vulkan_blob

GIB = 1 << 30
BESIDES = 96 << 10
"""Bytes that a payload may cost beside what it is made of."""
WINDOW = 1 << 20
"""Bytes that may be brought in beside: the kernel takes neighbours along."""


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


def _xnnpack() -> tuple[bytes, bytes]:
    """Constants of a GiB behind the graph."""
    head = bytearray(_graph().blob())
    (at,) = struct.unpack_from("<I", head, 18)
    struct.pack_into("<Q", head, 22, GIB - at)
    return bytes(head), b""


def _graph() -> GraphBuilder:
    graph = GraphBuilder()
    source, made = graph.external(1, (2, 3)), graph.external(2, (2, 3))
    graph.node("Abs", input_id=source, output_id=made)
    return graph


def _openvino() -> tuple[bytes, bytes]:
    """Constants of a GiB before the model."""
    size, model = GIB - len(openvino_blob(constants=0)), openvino_blob()[-len(MODEL) :]
    head = openvino_blob(constants=0, field3=size, field4=59 + size)
    return head[: -len(MODEL)], model


def _weights() -> tuple[bytes, bytes]:
    """Keys, and nothing that belongs there behind them."""
    return b"a_so_blob\na_weights_blob\n", b""


def _blob(file: Path) -> bytes:
    (blob,) = blobs_of(file.read_bytes())
    return blob


WHOLE = {
    "TOSABackend": _blob(DATA / "delegates" / "tosa_float_net.pte"),
    "NativeBackend": _blob(DATA / "delegates" / "native_pair.pte"),
    "XnnpackBackend without a header": _graph().blob()[32:],
}
"""Formats that are one flatbuffer."""

PAYLOADS = {
    "EthosUBackend": _vela(),
    "VulkanBackend": _vulkan(),
    "VgfBackend": _vgf(),
    "TensorRTBackend": (tensorrt_blob(size=GIB - 1024), b""),
    "CoreMLBackend": (b"", coreml_blob()),
    "QnnBackend": _qnn(),
    "NeuropilotBackend": (struct.pack("<BIII", 1, 1, 1, GIB - 13), b""),
    "OpenvinoBackend": _openvino(),
    "OpenvinoBackend for another device": (b"some model", b""),
    "EnnBackend": (b"some model", b""),
    "MPSBackend": (bytes(4) + b"MP00", b""),
    "CoreAIBackend": (b"{", b"}"),
    "XnnpackBackend": _xnnpack(),
    "CudaBackend": _weights(),
    "MetalBackend": _weights(),
    "NeutronBackend": (neutron_blob(), b""),
    "MLXBackend": (struct.pack("<4s4sQQ", b"", b"MLX0", 4096, 0), b""),
    "BackendWithCompilerDemo": (b"1version:0#op:demo::aten.sin.default, numel:1#", b""),
    "Unknown": (b"whatever", b""),
    **{name: (content, b"") for name, content in WHOLE.items()},
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


def brought_in(path: Path) -> int:
    """Bytes of a mapped file that are in memory because this process looked at them."""
    found = 0
    lines = iter(Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines())
    for line in lines:
        if line.endswith(str(path)):
            found += 1024 * int(next(each for each in lines if each.startswith("Rss:")).split()[1])
    assert found
    return found


def test_every_reader_is_here() -> None:
    assert {name.split(maxsplit=1)[0] for name in PAYLOADS} == {*built_in(), "Unknown"}


@pytest.mark.parametrize("name", sorted(PAYLOADS))
def test_a_check_reads_heads_and_tables_of_a_gib(tmp_path: Path, name: str) -> None:
    head, tail = PAYLOADS[name]
    with opened(tmp_path / "model.pte", name.split(maxsplit=1)[0], head, tail) as traced:
        program = sniff(traced[:4096]).program_range.size
        report = check_artifact(
            Artifact("model.pte", traced), Settings(load_rules(isolated=True), Target()), []
        )
        read = sum(stop - start for start, stop in traced.ranges())
        if name in WHOLE:
            read = brought_in(tmp_path / "model.pte")
    assert report.internal_errors == ()
    assert [finding for finding in report.findings if finding.rule == "PTE415"] == []
    besides = WINDOW if name in WHOLE else BESIDES
    assert read <= program + len(head) + len(tail) + besides
