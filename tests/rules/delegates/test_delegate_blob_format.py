from __future__ import annotations

from dataclasses import replace

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.claims.profile import default_profile
from pte_lint.claims.target import Target
from pte_lint.testing.program_builder import build_program
from tests.support.examples import delegated
from tests.support.judging import judge, only, verdict
from tests.support.look import DATA

REAL = (DATA / "clean" / "mlp_xnnpack.pte").read_bytes()


def lowered(blob: bytes, backend: str = "XnnpackBackend") -> bytes:
    # Without any segment bytes there would be no header, and so no place for the blob.
    return build_program(delegated(backend, blob), named_data={"k": b"1"}).bytes()


@pytest.mark.parametrize(
    ("blob", "error"),
    [
        (b"", "InvalidArgument"),
        (bytes(29), "InvalidArgument"),
        (b"words, " * 10, "DelegateInvalidCompatibility"),
    ],
)
def test_no_xnnpack_blob(blob: bytes, error: str) -> None:
    report = judge(lowered(blob), "PTE415")
    assert only(report).message.startswith(
        f"The blob of delegate 0 (XnnpackBackend, {len(blob)} bytes): "
    )
    assert (verdict(report).stage, verdict(report).error) == (Stage.LOAD_METHOD, error)


def test_a_damaged_graph() -> None:
    at = REAL.index(b"XH00") - 4
    graph = at + int.from_bytes(REAL[at + 10 : at + 14], "little")
    content = REAL[:graph] + b"\xff\xff\xff\x7f" + REAL[graph + 4 :]
    report = judge(content, "PTE415")
    assert verdict(report).error == "DelegateInvalidCompatibility"
    assert report.runs_on["1.2"][0].outcome is Outcome.UNDEFINED


def test_a_backend_that_the_target_lacks_is_only_doubted() -> None:
    content = lowered(b"neither keys nor anything", "CudaBackend")
    report = judge(content, "PTE415")
    assert only(report).severity is Severity.WARNING
    profile = replace(default_profile(), backends=("CudaBackend",))
    known = judge(content, "PTE415", target=Target(profile=profile))
    assert verdict(known).error == "Internal"


def test_what_cannot_be_read_is_unchecked() -> None:
    report = judge(REAL, "PTE415")
    assert report.findings == ()
    assert [u.what for u in report.unchecked] == ["the inside of 1 delegate of forward"]
    opaque = judge(lowered(b"anything", "MineBackend"), "PTE415")
    assert opaque.findings == ()
    assert len(opaque.unchecked) == 1
