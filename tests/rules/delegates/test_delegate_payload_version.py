from __future__ import annotations

import pytest

from pte_lint.claims.target import Target
from pte_lint.testing.program_builder import build_program
from tests.support.examples import delegated
from tests.support.judging import judge, only

KEY = b"k_so_blob"
TABLE = b"ETCUDAFQN3" + len(KEY).to_bytes(4, "little") + KEY + (0).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("blob", "refused_by"),
    [
        (b"", {"1.4"}),
        (b"k_so_blob\nk_weights_blob", {"1.2", "1.3"}),
        (TABLE, {"1.2", "1.3", "1.4"}),
    ],
)
def test_which_runtimes_refuse_a_form(blob: bytes, refused_by: set[str]) -> None:
    # Without any segment bytes there would be no header, and so no place for the blob.
    program = build_program(delegated("CudaBackend", blob), named_data={"k": b"1"})
    report = judge(program.bytes(), "PTE419")
    assert report.findings == ()
    assert {v for v, said in report.runs_on.items() if said[0].error == "Internal"} == refused_by


def test_for_an_older_target_it_is_shown() -> None:
    content = build_program(delegated("CudaBackend", TABLE)).bytes()
    finding = only(judge(content, "PTE419", target=Target(runtime="1.4")))
    assert finding.message == (
        "The blob of delegate 0 (CudaBackend) has the form that exporters of 1.5 write; other "
        "runtimes refuse it."
    )


def test_other_backends() -> None:
    report = judge(build_program(delegated()).bytes(), "PTE419", target=Target(runtime="1.2"))
    assert report.findings == ()
