"""Says what kind of file a buffer is, and by which evidence.

Only the first bytes are looked at, and nothing is parsed, run or unpacked.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from pte_lint.schema.frozen import dataclass
from pte_lint.schema.shown_bytes import shown
from pte_lint.schema.str_enum import StrEnum

# How much of a file may be looked at to name it: with a magic, and without one.
_MAGIC_LOOK = 512
_LOOK = 65_536
_PROGRAM_ID = b"ET12"
_TEXT_SAMPLE = 4096


class Kind(StrEnum):
    """What a file is."""

    PROGRAM = "program"
    FLAT_TENSOR = "ptd"
    BUNDLED_PROGRAM = "bpte"
    EMPTY = "empty"
    ZEROS = "zeros"
    OTHER_PROGRAM_VERSION = "other-program-version"
    OTHER_FLAT_TENSOR_VERSION = "other-ptd-version"
    OTHER_BUNDLED_VERSION = "other-bpte-version"
    SHIFTED_PROGRAM = "shifted-program"
    BASE64_PROGRAM = "base64-program"
    GIT_LFS_POINTER = "git-lfs-pointer"
    TORCH_ARCHIVE = "torch-archive"
    ZIP = "zip"
    GZIP = "gzip"
    COMPRESSED = "compressed"
    TAR = "tar"
    TFLITE = "tflite"
    ONNX = "onnx"
    GGUF = "gguf"
    SAFETENSORS = "safetensors"
    NUMPY = "numpy"
    PICKLE = "pickle"
    DELEGATE_BLOB = "delegate-blob"
    ETDUMP = "etdump"
    ELF = "elf"
    EXECUTABLE = "executable"
    HTML = "html"
    XML = "xml"
    JSON = "json"
    BASE64 = "base64"
    TEXT = "text"
    UNKNOWN = "unknown"

    @property
    def is_artifact(self) -> bool:
        """Whether it is one of the three formats that are read."""
        return self in (Kind.PROGRAM, Kind.FLAT_TENSOR, Kind.BUNDLED_PROGRAM)


@dataclass(frozen=True, slots=True)
class Sniff:
    """A kind, and one sentence (no full stop) saying how it was recognised.

    `program_at` is the byte offset of a program that lies further on (SHIFTED_PROGRAM).
    """

    kind: Kind
    evidence: str
    program_at: int | None = None


# Magic at a fixed offset, most specific first.
_MAGIC: tuple[tuple[int, bytes, Kind, str], ...] = (
    (4, b"ET12", Kind.PROGRAM, "identifier ET12 at byte 4"),
    (4, b"FT01", Kind.FLAT_TENSOR, "identifier FT01 at byte 4"),
    (4, b"BP08", Kind.BUNDLED_PROGRAM, "identifier BP08 at byte 4"),
    (4, b"TFL3", Kind.TFLITE, "TensorFlow Lite identifier TFL3 at byte 4"),
    (4, b"ED00", Kind.ETDUMP, "ETDump identifier ED00 at byte 4"),
    (4, b"XH00", Kind.DELEGATE_BLOB, "XNNPACK blob header XH00 at byte 4"),
    (4, b"XN00", Kind.DELEGATE_BLOB, "XNNPACK graph identifier XN00 at byte 4"),
    (4, b"XN01", Kind.DELEGATE_BLOB, "XNNPACK graph identifier XN01 at byte 4"),
    (4, b"VH00", Kind.DELEGATE_BLOB, "Vulkan blob header VH00 at byte 4"),
    (4, b"MP00", Kind.DELEGATE_BLOB, "MPS blob header MP00 at byte 4"),
    (0, b"ETCUDAFQN", Kind.DELEGATE_BLOB, "CUDA payload magic ETCUDAFQN"),
    (0, b"version https://git-lfs.github.com/spec/", Kind.GIT_LFS_POINTER, "Git LFS pointer text"),
    (0, b"\x1f\x8b", Kind.GZIP, "gzip magic 1f 8b"),
    (0, b"BZh", Kind.COMPRESSED, "bzip2 magic"),
    (0, b"\xfd7zXZ\0", Kind.COMPRESSED, "xz magic"),
    (0, b"\x28\xb5\x2f\xfd", Kind.COMPRESSED, "zstd magic"),
    (0, b"7z\xbc\xaf\x27\x1c", Kind.COMPRESSED, "7z magic"),
    (257, b"ustar", Kind.TAR, "tar magic ustar at byte 257"),
    (0, b"\x7fELF", Kind.ELF, "ELF magic"),
    (0, b"MZ", Kind.EXECUTABLE, "DOS/Windows executable magic MZ"),
    (0, b"\xcf\xfa\xed\xfe", Kind.EXECUTABLE, "Mach-O magic"),
    (0, b"\xca\xfe\xba\xbe", Kind.EXECUTABLE, "Mach-O universal or Java class magic"),
    (0, b"GGUF", Kind.GGUF, "GGUF magic"),
    (0, b"\x93NUMPY", Kind.NUMPY, "NumPy magic"),
)

_OTHER_VERSIONS: tuple[tuple[re.Pattern[bytes], Kind, str], ...] = (
    (re.compile(rb"ET[\dA-Za-z]{2}"), Kind.OTHER_PROGRAM_VERSION, "ET12"),
    (re.compile(rb"FT[\dA-Za-z]{2}"), Kind.OTHER_FLAT_TENSOR_VERSION, "FT01"),
    (re.compile(rb"BP[\dA-Za-z]{2}"), Kind.OTHER_BUNDLED_VERSION, "BP08"),
)


def identify(head: bytes, size: int) -> Sniff:
    """Names the kind of a file.

    Args:
        head: The first bytes of the file; up to `head_bytes()` are used.
        size: The size of the whole file in bytes.
    """
    found = by_magic(head, size)
    if found is not None:
        return found
    for probe in _PROBES:
        found_by_probe = probe(head, size)
        if found_by_probe is not None:
            return found_by_probe
    return Sniff(Kind.UNKNOWN, f"no known magic; starts with {head[:8].hex(' ')}")


def by_magic(head: bytes, size: int) -> Sniff | None:
    """Names the kind of a file that says it in a fixed place; None where `identify` must look.

    Args:
        head: The first bytes of the file; up to `magic_bytes()` are used.
        size: The size of the whole file in bytes.
    """
    if size == 0:
        return Sniff(Kind.EMPTY, "0 bytes")
    for at, magic, kind, evidence in _MAGIC:
        if head[at : at + len(magic)] == magic:
            return Sniff(kind, evidence)
    return None


def magic_bytes() -> int:
    """Returns how many bytes `by_magic` wants at most."""
    return _MAGIC_LOOK


def head_bytes() -> int:
    """Returns how many bytes `identify` wants at most."""
    return _LOOK


def _other_version(head: bytes, size: int) -> Sniff | None:
    # Text can have these letters there; a root offset inside the file it cannot.
    if not 8 <= int.from_bytes(head[:4], "little") < size:
        return None
    for pattern, kind, known in _OTHER_VERSIONS:
        if pattern.fullmatch(head[4:8]):
            found = head[4:8].decode("ascii")
            return Sniff(kind, f"identifier {found} at byte 4, where {known} is known")
    return None


def _other_identifier(head: bytes, size: int) -> Sniff | None:
    # A program's header behind two wrong bytes is a damaged program; behind four, chance or a fake.
    matching = sum(found == known for found, known in zip(head[4:8], _PROGRAM_ID, strict=False))
    if head[8:12] != b"eh00" or matching < 2:
        return None
    evidence = f"a program's extended header at byte 8, behind identifier {shown(head[4:8])}"
    return Sniff(Kind.OTHER_PROGRAM_VERSION, evidence)


def _zip(head: bytes, size: int) -> Sniff | None:
    if head[:4] not in (b"PK\x03\x04", b"PK\x05\x06"):
        return None
    length = int.from_bytes(head[26:28], "little")
    first = head[30 : 30 + length]
    parts = first.split(b"/")
    if parts[-1] in (b"data.pkl", b"archive_format", b"archive_version", b"byteorder", b".format"):
        what = "torch.save or torch.export archive"
        return Sniff(Kind.TORCH_ARCHIVE, f"zip whose first entry is of a {what}")
    return Sniff(Kind.ZIP, "zip magic PK")


def _zeros(head: bytes, size: int) -> Sniff | None:
    if any(head):
        return None
    return Sniff(Kind.ZEROS, f"the first {len(head)} bytes are all zero")


def _safetensors(head: bytes, size: int) -> Sniff | None:
    length = int.from_bytes(head[:8], "little")
    if head[8:9] == b"{" and 2 <= length <= size - 8 and head[8:10] in (b'{"', b"{}", b"{ "):
        return Sniff(Kind.SAFETENSORS, f"a JSON header of {length} bytes behind its length")
    return None


def _pickle(head: bytes, size: int) -> Sniff | None:
    if head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05" and size > 2:
        return Sniff(Kind.PICKLE, f"pickle protocol {head[1]} opcode")
    return None


def _onnx(head: bytes, size: int) -> Sniff | None:
    # ModelProto: field 1 (ir_version) as a small varint, then field 2, 3, 7 or 8 of wire type 2.
    small = len(head) > 4 and head[0] == 0x08 and 1 <= head[1] <= 32
    if small and head[2] in (0x12, 0x1A, 0x3A, 0x42):
        return Sniff(Kind.ONNX, f"protobuf of an ONNX ModelProto with ir_version {head[1]}")
    return None


def _shifted(head: bytes, size: int) -> Sniff | None:
    at = head.find(_PROGRAM_ID)
    while at != -1:
        start = at - 4
        root = int.from_bytes(head[start : start + 4], "little") if start > 0 else 0
        if 8 <= root <= size - start - 4:
            return Sniff(Kind.SHIFTED_PROGRAM, f"a program starts at byte {start}", start)
        at = head.find(_PROGRAM_ID, at + 1)
    return None


def _text(head: bytes, size: int) -> Sniff | None:
    sample = head[:_TEXT_SAMPLE]
    if _is_binary(sample):
        return None
    start = sample.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return Sniff(Kind.HTML, "HTML text, often a download page instead of the file")
    if start.startswith(b"<?xml"):
        return Sniff(Kind.XML, "XML text")
    if start[:1] in (b"{", b"["):
        return Sniff(Kind.JSON, "JSON text")
    return _base64(sample, size) or Sniff(Kind.TEXT, "plain text")


def _is_binary(sample: bytes) -> bool:
    if re.search(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]", sample):
        return True
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character cut by the end of the sample does not make it binary.
        return error.start < len(sample) - 3
    return False


def _base64(sample: bytes, size: int) -> Sniff | None:
    joined = b"".join(sample.split())
    if len(joined) < 24 or not re.fullmatch(rb"[A-Za-z0-9+/]+={0,2}", joined):
        return None
    try:
        decoded = base64.b64decode(joined[: len(joined) // 4 * 4])
    except binascii.Error:
        return None
    if decoded[4:8] == _PROGRAM_ID:
        return Sniff(Kind.BASE64_PROGRAM, "base64 text of a program (identifier ET12 when decoded)")
    # Words alone are base64 too: ask for a mix that prose does not have.
    mixed = re.search(rb"[0-9+/]", joined) and re.search(rb"[a-z]", joined)
    if mixed and re.search(rb"[A-Z]", joined) and b" " not in sample.strip():
        return Sniff(Kind.BASE64, "base64 text")
    return None


_PROBES: tuple[Callable[[bytes, int], Sniff | None], ...] = (
    _other_version,
    _other_identifier,
    _zeros,
    _zip,
    _safetensors,
    _pickle,
    _onnx,
    _shifted,
    _text,
)


def lost_returns(content: bytes) -> float:
    """How many CR LF pairs bytes that keep to no pattern would have."""
    return content.count(b"\n") * content.count(b"\r") / max(1, len(content))


def line_ending_damage(content: bytes) -> str | None:
    """Returns the evidence that a binary went through a text conversion, or None.

    Args:
        content: The program's bytes, or a large part of them.
    """
    feeds = content.count(b"\n")
    pairs = content.count(b"\r\n")
    if feeds >= 4 and feeds == pairs:
        return f"all {feeds} line feed bytes follow a carriage return"
    # Bytes that keep to no pattern have a pair now and then; in plenty of them its lack is telling.
    expected = lost_returns(content)
    if expected >= 20 and pairs < expected / 10:
        return f"only {pairs} of about {expected:.0f} expected CR LF pairs are left"
    return None
