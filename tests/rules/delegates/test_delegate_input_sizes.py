from __future__ import annotations

from pathlib import Path

import pytest
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import Program

from pte_lint.finding import Severity
from pte_lint.forecast import Stage
from pte_lint.harness.driver import run_probe
from tests.support.containers import write_program
from tests.support.edit import replaced
from tests.support.judging import judge, only, verdict
from tests.support.look import DATA
from tests.support.runtime import need_runtime

REAL = (DATA / "clean" / "mlp_xnnpack.pte").read_bytes()
LOADED = read_program(REAL)
AREA = REAL[LOADED.container.segment_base_offset :]
VALUES = "execution_plan[0].values"


def edited(*edits: tuple[str, object]) -> bytes:
    program = LOADED.program or Program()
    for path, value in edits:
        program = replaced(program, path, value)
    return write_program(program, AREA)


# Smaller than planned, so that nothing else is wrong.
WRONG = [
    pytest.param((2, 4), "Internal", id="other features"),
    pytest.param((4, 4), "Internal", id="both"),
]


@pytest.mark.parametrize(("sizes", "error"), WRONG)
def test_inputs_that_cannot_fit(sizes: tuple[int, ...], error: str) -> None:
    report = judge(edited((VALUES + "[0].val.sizes", sizes)), "PTE421")
    assert only(report).message == (
        f"Argument 0 has the static sizes {list(sizes)} (in memory order), but the graph was made "
        "for [2, 8] and its outputs still have their sizes."
    )
    assert (verdict(report).stage, verdict(report).error) == (Stage.EXECUTE, error)


@pytest.mark.runtime
@pytest.mark.parametrize(("sizes", "error"), WRONG)
def test_the_runtime_agrees(sizes: tuple[int, ...], error: str, tmp_path: Path) -> None:
    need_runtime()
    path = tmp_path / "model.pte"
    path.write_bytes(edited((VALUES + "[0].val.sizes", sizes)))
    run = run_probe(path).methods[0].runs[0]
    assert (run.stage, run.outcome, run.error) == ("execute", "error", error)


def test_another_batch_with_outputs_to_match() -> None:
    content = edited((VALUES + "[0].val.sizes", (1, 8)), (VALUES + "[1].val.sizes", (1, 4)))
    finding = only(judge(content, "PTE421"))
    assert finding.severity is Severity.WARNING
    assert finding.message.endswith("the graph was made for [2, 8].")


def test_dynamic_inputs_may_differ() -> None:
    content = edited((VALUES + "[0].val.sizes", (1, 8)), (VALUES + "[0].val.shape_dynamism", 1))
    assert judge(content, "PTE421").findings == ()


def test_the_sizes_of_the_export() -> None:
    assert judge(REAL, "PTE421").findings == ()
    for name in ("convnet_xnnpack", "dynamic_batch_xnnpack", "mixed_xnnpack", "inline_delegate"):
        assert judge((DATA / "clean" / f"{name}.pte").read_bytes(), "PTE421").findings == ()
