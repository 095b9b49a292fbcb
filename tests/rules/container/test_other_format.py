from __future__ import annotations

import pytest

from pte_lint.testing.data_builder import build_data
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"PK\x03\x04" + bytes(100), "a zip archive"),
        (b"\x1f\x8b" + bytes(100), "a gzip file"),
        (b"\x7fELF" + bytes(100), "an ELF binary"),
        (b"\x1c\0\0\0TFL3" + bytes(100), "a TensorFlow Lite model"),
        (b"<!DOCTYPE html><html>" + b"<p>404</p>" * 10, "an HTML page"),
        (b"just some words, " * 10, "plain text"),
        (bytes(range(128, 256)), "of no format that is known"),
    ],
)
def test_what_the_file_is(content: bytes, says: str) -> None:
    report = judge(content, "PTE003")
    assert only(report).message.startswith(f"The file is {says}, not a program")
    assert verdict(report).error == "InvalidProgram"


def test_a_short_file_fails_before_its_identifier_is_looked_at() -> None:
    assert verdict(judge(b"words", "PTE003")).error == "InvalidArgument"


def test_bytes_that_look_like_a_header_fail_there() -> None:
    fake = b"\x80\0\0\0abcdeh00" + (23).to_bytes(4, "little") + bytes(range(100, 180))
    assert verdict(judge(fake, "PTE003")).error == "InvalidProgram"
    longer = b"\x80\0\0\0abcdeh00" + (24).to_bytes(4, "little")
    longer += (1 << 30).to_bytes(8, "little") + (64).to_bytes(8, "little") + bytes(range(100, 180))
    assert verdict(judge(longer, "PTE003")).error == "InvalidArgument"


def test_a_data_file_by_its_name() -> None:
    report = judge(b"just some words, " * 10, "PTE003", name="weights.ptd")
    assert "not a .ptd" in only(report).message
    assert verdict(report).error == "InvalidExternalData"


def test_our_own_formats() -> None:
    assert judge(plain().bytes(), "PTE003").findings == ()
    assert judge(build_data({"w": b"1234"}).bytes(), "PTE003", name="w.ptd").findings == ()
