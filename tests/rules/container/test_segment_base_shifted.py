from __future__ import annotations

import struct

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.testing.containers import Layout
from pte_lint.testing.program_builder import build_program
from tests.support.examples import scaler
from tests.support.judging import judge, only, verdict


def program_with_room() -> tuple[bytes, int]:
    """A program with at least 32 bytes between its end and its segments, and the base."""
    for extra in range(16):
        b = scaler()
        for _ in range(extra):
            b.int_value(1)
        content = build_program(b).bytes()
        size, base = struct.unpack_from("<QQ", content, 16)
        if base - size >= 32:
            return content, base
    raise AssertionError("no program leaves room")


def moved(content: bytes, base: int) -> bytes:
    return content[:24] + struct.pack("<Q", base) + content[32:]


def test_a_base_that_was_moved() -> None:
    content, base = program_with_room()
    report = judge(moved(content, base - 16), "PTE009")
    assert only(report).severity is Severity.ERROR
    assert only(report).message.endswith(
        f"16 bytes are left over at the end of the file, just what is missing to {base}: segments "
        "are read 16 bytes too early."
    )
    assert verdict(report).outcome is Outcome.UNDEFINED


def test_a_base_that_may_be_meant() -> None:
    content, base = program_with_room()
    # The file ends where the header says, so nothing proves that the base is wrong.
    report = judge(moved(content, base - 16)[:-16], "PTE009")
    assert only(report).severity is Severity.WARNING
    assert verdict(report).outcome is Outcome.OK


@pytest.mark.parametrize("alignment", [16, 128, 4096])
def test_any_alignment_of_the_exporter(alignment: int) -> None:
    built = build_program(scaler(), segment_alignment=alignment)
    content = built.bytes(Layout(segment_alignment=alignment))
    assert judge(content, "PTE009").findings == ()
