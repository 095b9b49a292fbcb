from __future__ import annotations

import base64
import gzip
import io
import json
import os
import pickle
import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pte_lint.schema.container import sniff
from pte_lint.schema.sniff import Kind, line_ending_damage

from tests.support.dumps import DATA, files

HEADED = (DATA / "clean" / "mlp_xnnpack.pte").read_bytes()
PROGRAM = (DATA / "clean" / "linear.pte").read_bytes()


def zipped(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return out.getvalue()


CASES: list[tuple[str, bytes, Kind]] = [
    ("empty", b"", Kind.EMPTY),
    ("zeros", bytes(5000), Kind.ZEROS),
    ("program", PROGRAM, Kind.PROGRAM),
    ("cut to 8 bytes", PROGRAM[:8], Kind.PROGRAM),
    ("cut to 7 bytes", PROGRAM[:7], Kind.UNKNOWN),
    ("newer program", PROGRAM[:4] + b"ET13" + PROGRAM[8:], Kind.OTHER_PROGRAM_VERSION),
    ("odd program", PROGRAM[:4] + b"ETXX" + PROGRAM[8:], Kind.OTHER_PROGRAM_VERSION),
    ("bits flipped", HEADED[:4] + b"E\x14\x112" + HEADED[8:], Kind.OTHER_PROGRAM_VERSION),
    ("other identifier", HEADED[:4] + b"abcd" + HEADED[8:], Kind.UNKNOWN),
    ("newer ptd", PROGRAM[:4] + b"FT02" + PROGRAM[8:], Kind.OTHER_FLAT_TENSOR_VERSION),
    ("older bpte", PROGRAM[:4] + b"BP07" + PROGRAM[8:], Kind.OTHER_BUNDLED_VERSION),
    ("garbage in front", b"garbage\x00\x01" * 30 + PROGRAM, Kind.SHIFTED_PROGRAM),
    ("byte order mark", b"\xef\xbb\xbf" + PROGRAM, Kind.SHIFTED_PROGRAM),
    ("base64", base64.encodebytes(PROGRAM), Kind.BASE64_PROGRAM),
    ("base64 of noise", base64.b64encode(bytes(range(256))), Kind.BASE64),
    (
        "git lfs",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n",
        Kind.GIT_LFS_POINTER,
    ),
    ("torch archive", zipped("model/data.pkl", "model/version"), Kind.TORCH_ARCHIVE),
    ("exported program", zipped("add/archive_format", "add/byteorder"), Kind.TORCH_ARCHIVE),
    ("zip", zipped("readme.txt"), Kind.ZIP),
    ("empty zip", zipped(), Kind.ZIP),
    ("gzip", gzip.compress(PROGRAM), Kind.GZIP),
    ("zstd", b"\x28\xb5\x2f\xfd" + bytes(20), Kind.COMPRESSED),
    ("tar", bytes(257) + b"ustar\x0000" + bytes(248), Kind.TAR),
    ("tflite", struct.pack("<I", 28) + b"TFL3" + bytes(50), Kind.TFLITE),
    ("onnx", b"\x08\x08\x12\x07pytorch\x1a\x052.3.0:", Kind.ONNX),
    ("gguf", b"GGUF" + bytes(30), Kind.GGUF),
    ("safetensors", struct.pack("<Q", 20) + b'{"a":{"dtype":"F32"}' + bytes(8), Kind.SAFETENSORS),
    ("safetensors to the end", struct.pack("<Q", 20) + b'{"a":{"dtype":"F32"}', Kind.SAFETENSORS),
    ("more than safetensors", struct.pack("<Q", 21) + b'{"a":{"dtype":"F32"}', Kind.UNKNOWN),
    ("numpy", b"\x93NUMPY\x01\x00", Kind.NUMPY),
    ("an opcode and a protocol", b"\x80\x04", Kind.UNKNOWN),
    ("pickle of three bytes", b"\x80\x04.", Kind.PICKLE),
    ("capitals and digits", b"ABCD1234" * 20, Kind.TEXT),
    ("pickle", pickle.dumps({"a": 1}), Kind.PICKLE),
    ("xnnpack", bytes(4) + b"XH00" + bytes(40), Kind.DELEGATE_BLOB),
    ("elf", b"\x7fELF\x02\x01\x01" + bytes(60), Kind.ELF),
    ("html", b"\n<!DOCTYPE html><html><body>Not found", Kind.HTML),
    ("xml", b"<?xml version='1.0'?><Error/>", Kind.XML),
    ("json", json.dumps({"message": "Bad credentials"}).encode(), Kind.JSON),
    ("text", b"this file has been moved elsewhere\n", Kind.TEXT),
    ("text with ET letters", b"GET ET12345 HTTP\n"[4:] + b"plain words\n", Kind.TEXT),
    ("utf-8 text", "überall Modelle\n".encode(), Kind.TEXT),
    ("noise", bytes.fromhex("9df3c1") * 40, Kind.UNKNOWN),
]


@pytest.mark.parametrize(
    ("content", "kind"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_kinds(content: bytes, kind: Kind) -> None:
    found = sniff(content).sniffed
    assert found.kind is kind
    assert found.evidence
    assert not found.evidence.endswith(".")


def test_where_a_shifted_program_starts() -> None:
    assert sniff(b"12345" + PROGRAM).sniffed.program_at == 5


@pytest.mark.parametrize("file", files(), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_exported_files_are_what_their_names_say(file: Path) -> None:
    kinds = {".pte": Kind.PROGRAM, ".ptd": Kind.FLAT_TENSOR, ".bpte": Kind.BUNDLED_PROGRAM}
    assert sniff(file.read_bytes()).kind is kinds[file.suffix]
    assert line_ending_damage(file.read_bytes()) is None


def test_no_byte_string_breaks_it() -> None:
    for start in range(256):
        for size in (1, 3, 5, 9, 30, 300):
            sniff(bytes([start]) + os.urandom(size))


@pytest.mark.parametrize(
    ("convert", "words"),
    [
        (lambda content: content.replace(b"\n", b"\r\n"), "follow a carriage return"),
        (lambda content: content.replace(b"\r\n", b"\n"), "expected CR LF pairs"),
    ],
)
def test_line_ending_conversion_leaves_evidence(
    convert: Callable[[bytes], bytes], words: str
) -> None:
    content = PROGRAM + random.Random(3).randbytes(4_000_000)
    assert line_ending_damage(content) is None
    evidence = line_ending_damage(convert(content))
    assert evidence is not None
    assert words in evidence
