from __future__ import annotations

import pytest

from pte_lint.testing.containers import Layout
from pte_lint.testing.data_builder import build_data
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict


@pytest.mark.parametrize("identifier", [b"ET11", b"ET13"])
def test_a_program_of_another_version(identifier: bytes) -> None:
    report = judge(plain().bytes(Layout(identifier=identifier)), "PTE004")
    assert only(report).message == (
        f"The program's identifier is {identifier.decode()}; every known runtime takes ET12 only."
    )
    assert only(report).location.byte_offset == 4
    assert verdict(report).error == "InvalidProgram"


def test_a_data_file_of_another_version() -> None:
    content = build_data({"w": b"1234"}).bytes(Layout(identifier=b"FT02"))
    report = judge(content, "PTE004", name="w.ptd")
    assert verdict(report).error == "InvalidExternalData"


def test_the_known_version() -> None:
    assert judge(plain().bytes(), "PTE004").findings == ()
