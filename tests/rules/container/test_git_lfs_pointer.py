from __future__ import annotations

from pte_lint.claims.forecast import Stage
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict

POINTER = b"""version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
"""


def test_a_pointer() -> None:
    report = judge(POINTER, "PTE002")
    assert only(report).message == (
        "The file is a Git LFS pointer, not the file itself, which has 12345 bytes."
    )
    assert "git lfs pull" in only(report).remediation
    assert (verdict(report).stage, verdict(report).error) == (Stage.LOAD_PROGRAM, "InvalidProgram")


def test_a_pointer_without_a_size() -> None:
    report = judge(POINTER.replace(b"size", b"SIZE"), "PTE002")
    assert only(report).message == "The file is a Git LFS pointer, not the file itself."


def test_text_about_pointers_is_none() -> None:
    assert judge(b"See " + POINTER, "PTE002").findings == ()
    assert judge(plain().bytes(), "PTE002").findings == ()
