"""Every described format cut at many lengths, and with each word of its head next to what it was.

What is right is tested beside each reader; here a change of anything that is said of damage shows
as a change of the golden files.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from pte_lint.schema.blob.facts import BlobFacts
from pte_lint.schema.blob.window import OutsideError
from pte_lint.schema.container import sniff
from pte_lint.schema.sniff import Kind

from tests.schema.blob.files import gpu_code, library
from tests.schema.blob.test_cuda_code import read as read_code
from tests.schema.blob.test_library import read as read_library
from tests.schema.test_delegates import describe, exported_blobs, vela, vulkan, weight_table
from tests.schema.test_sniff import CASES
from tests.support.golden import check_golden

GOLDEN = Path(__file__).parent / "golden" / "edges"

_OF_THE_DAY = (Kind.TORCH_ARCHIVE, Kind.ZIP, Kind.GZIP)
"""Their bytes tell when they were written."""

_WORDS = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}


def _xnnpack() -> bytes:
    blobs = [each.values for each in exported_blobs() if each.values[0] == "XnnpackBackend"]
    contents = [content[span.start : span.start + span.size] for _, content, span in blobs]
    return bytes(min(contents, key=len))


def _ethos_u() -> bytes:
    sizes = struct.pack("<i", 1) + struct.pack("<9i", 4, 1, *[2] * 7)
    return vela(
        (b"cmd_data", b"COP1" + bytes(9), 0),
        (b"weight_data", b"k" * 64, 1),
        (b"scratch_size", struct.pack("<I", 4096), 0),
        (b"inputs", sizes, 0),
        (b"outputs", sizes, 0),
    )


BLOBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "xnnpack": ("XnnpackBackend", _xnnpack),
    "vulkan": ("VulkanBackend", vulkan),
    "aoti lines": ("CudaBackend", lambda: b"ab_so_blob\ncd_weights_blob\0\0\0"),
    "aoti weights": ("CudaBackend", lambda: weight_table(("w", 64, (4, 4)), ("b", 16, ()))),
    "core ml": ("CoreMLBackend", lambda: b'CMJR{"version": 1, "key": "k", "functionName": "f"}'),
    "mps": ("MPSBackend", lambda: b"\0\0\0\0MP00" + bytes(40)),
    "mlx": ("MLXBackend", lambda: b"\0\0\0\0MLX0" + struct.pack("<QQ", 40, 0) + bytes(16)),
    "qnn": (
        "QnnBackend",
        lambda: struct.pack("<IqQ", 0x5678ABCD, 1, 10).ljust(256, b"\0") + bytes(10),
    ),
    "ethos-u": ("EthosUBackend", _ethos_u),
    "neutron": (
        "NeutronBackend",
        lambda: (
            bytes([1, 1, 1, 0, 0, 0, 0, 0]).ljust(16, b"\0")
            + struct.pack("<4s10I4I", b"nMCd", *range(10), 1, 1, 0, 0)
        ),
    ),
    "neuropilot": ("NeuropilotBackend", lambda: struct.pack("<BIII", 1, 2, 1, 8) + bytes(8)),
    "unknown": ("SomethingElse", lambda: b"\0\0\0\0XH00" + bytes(24)),
}


def _cut(content: bytes, few: int = 24) -> Iterator[tuple[str, bytes]]:
    lengths = {*range(min(len(content), 72)), *range(0, len(content), max(len(content) // few, 1))}
    for length in sorted({*lengths, len(content) - 1, len(content)}):
        yield f"cut to {length}", content[:length]
    yield "a byte more", content + b"\0"


def _altered(
    content: bytes, head: int = 96, widths: tuple[int, ...] = (1, 4)
) -> Iterator[tuple[str, bytes]]:
    """Each word of the head next to what it was, none, as large as the file, and as it can be."""
    size = len(content)
    for width in widths:
        most = 256**width - 1
        for at in range(0, min(head, size) - width + 1, width):
            (was,) = struct.unpack_from(_WORDS[width], content, at)
            for new in dict.fromkeys((was - 1, was + 1, 0, size - 1, size, size + 1, most)):
                if 0 <= new <= most and new != was:
                    word = struct.pack(_WORDS[width], new)
                    yield f"{width} at {at} = {new}", content[:at] + word + content[at + width :]


def _plain(facts: BlobFacts) -> str:
    problems = "; ".join(
        f"{p.message} [{p.error}{', crash' * p.crashes}{', misread' * p.misreads}]"
        for p in facts.problems
    )
    return f"{facts.format or facts.opaque or facts.unread}: {problems}"


def _golden(name: str, told: Iterator[tuple[str, str, object]]) -> None:
    counts: Counter[str] = Counter()
    digest = sha256()
    for label, plain, whole in told:
        counts[re.sub(r"\d+", "#", plain)] += 1
        digest.update(f"{label}: {whole!r}\n".encode("utf-8", "backslashreplace"))
    lines = [f"{counts[plain]:4} {ascii(plain)[1:-1]}" for plain in sorted(counts)]
    text = "\n".join([*lines, digest.hexdigest()[:16]]) + "\n"
    check_golden(GOLDEN / f"{name}.txt", text)


@pytest.mark.parametrize("name", BLOBS)
def test_blobs(name: str) -> None:
    backend, make = BLOBS[name]
    content = make()

    def told() -> Iterator[tuple[str, str, object]]:
        for label, each in (*_cut(content), *_altered(content)):
            facts = describe(backend, each)
            yield label, _plain(facts), facts

    _golden(name, told())


@pytest.mark.parametrize("name", ["model_sm_80.so", "model_without_run.so"])
def test_libraries(name: str) -> None:
    content = library(name)

    def told() -> Iterator[tuple[str, str, object]]:
        for label, each in (*_cut(content), *_altered(content, 64, (2, 8))):
            facts = read_library(each)
            yield label, facts.unread or facts.format, facts

    _golden(name, told())


@pytest.mark.parametrize("name", ["sm_80.cuda12.cubin", "several.fatbin", "sm_80.ptx"])
def test_code_for_gpus(name: str) -> None:
    content = gpu_code(name)

    def told() -> Iterator[tuple[str, str, object]]:
        for label, each in (*_cut(content), *_altered(content, 64, (2, 8))):
            try:
                code = read_code(each)
            except OutsideError as error:
                yield label, str(error), error.at
            else:
                yield label, ", ".join(one.arch for one in code), code

    _golden(name, told())


def test_kinds_of_files() -> None:
    def told() -> Iterator[tuple[str, str, object]]:
        for name, content, kind in CASES:
            if kind not in _OF_THE_DAY and name != "pickle" and len(content) < 6_000:
                for label, each in (*_cut(content, 4), *_altered(content[:4_000], 20, (1,))):
                    found = sniff(each).sniffed
                    yield f"{name}, {label}", f"{name}: {found.kind}", found

    _golden("kinds of files", told())
